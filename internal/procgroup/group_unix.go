//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"syscall"
)

// A Group is the process group of a command.
type Group struct{ cmd *exec.Cmd }

// New makes the command the leader of a group. It must not have been started.
func New(cmd *exec.Cmd) *Group {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
	return &Group{cmd}
}

// Terminate asks the group of a started command to end. It reports whether that is possible.
func (g *Group) Terminate() bool {
	return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM) == nil
}

// Kill kills the group of a started command.
func (g *Group) Kill() {
	_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) // the group may be empty
}

// ExitCode returns the status of an ended process as shells do: 128 plus the signal's number if a signal ended it.
func ExitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
