//go:build unix

package mcpclient

import (
	"os/exec"
	"syscall"
)

// group is the process group of a command.
type group struct{ cmd *exec.Cmd }

// newGroup makes the command, which has not been started, the leader of a group.
//
// It does not ask for a signal at the death of the parent (Pdeathsig): Linux
// sends it when the thread ends that started the process, and Go ends threads.
func newGroup(cmd *exec.Cmd) *group {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
	return &group{cmd}
}

// terminate asks the group to end. It reports whether that can be asked.
func (g *group) terminate() bool {
	return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM) == nil
}

func (g *group) kill() {
	_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) // there may be nobody left
}
