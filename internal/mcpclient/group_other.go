//go:build !unix

package mcpclient

import (
	"os/exec"
	"runtime"
	"strconv"
)

// group is a command with what it started.
type group struct{ cmd *exec.Cmd }

func newGroup(cmd *exec.Cmd) *group { return &group{cmd} }

// terminate reports false: there is no way to ask.
func (*group) terminate() bool { return false }

func (g *group) kill() {
	if runtime.GOOS == "windows" && g.cmd.ProcessState == nil {
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(g.cmd.Process.Pid)).Run()
	}
	_ = g.cmd.Process.Kill()
}
