//go:build linux || freebsd

package procgroup

import (
	"os/exec"
	"syscall"
)

// endWithParent has the system kill a command, not yet started, when its starter ends.
func endWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
