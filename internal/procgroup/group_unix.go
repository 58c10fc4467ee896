//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"syscall"
)

// A Group is the process group of a command.
type Group struct{ cmd *exec.Cmd }

// New makes the command, which has not been started, the leader of a group.
//
// It does not ask for a signal at the death of the parent (Pdeathsig): Linux
// sends it when the thread ends that started the process, and Go ends threads.
func New(cmd *exec.Cmd) *Group {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
	return &Group{cmd}
}

// Terminate asks the group, whose command has been started, to end. It reports
// whether that can be asked.
func (g *Group) Terminate() bool {
	return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM) == nil
}

// Kill ends the group, whose command has been started.
func (g *Group) Kill() {
	_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) // there may be nobody left
}

// ExitCode returns the status of a process that has ended, as shells have it: 128
// and the signal's number if it was ended by one.
func ExitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
