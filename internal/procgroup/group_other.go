//go:build !unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// A Group is a command with what it started.
type Group struct{ cmd *exec.Cmd }

// New returns the group of a command that has not been started.
func New(cmd *exec.Cmd) *Group { return &Group{cmd} }

// Terminate reports false: there is no way to ask.
func (*Group) Terminate() bool { return false }

// Kill ends the group, whose command has been started.
func (g *Group) Kill() {
	if runtime.GOOS == "windows" && !g.waitedFor() {
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(g.cmd.Process.Pid)).Run()
	}
	_ = g.cmd.Process.Kill()
}

// waitedFor reports whether the number of the process may be that of another one
// by now. It asks the process for a signal, which Windows does not have: the state
// of the command belongs to who waits for it.
func (g *Group) waitedFor() bool {
	err := g.cmd.Process.Signal(os.Interrupt)
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.EINVAL)
}

// ExitCode returns the status of a process that has ended.
func ExitCode(s *os.ProcessState) int { return s.ExitCode() }
