//go:build !linux && !freebsd

package procgroup

import "os/exec"

// endWithParent does nothing: the system has no such signal.
func endWithParent(*exec.Cmd) {}
