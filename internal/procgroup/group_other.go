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

// A Group is a command and the processes it started.
type Group struct{ cmd *exec.Cmd }

// New returns the group of a command that has not been started.
func New(cmd *exec.Cmd) *Group { return &Group{cmd} }

// Terminate reports false: a group cannot be asked to end here.
func (*Group) Terminate() bool { return false }

// Kill kills the group of a started command.
func (g *Group) Kill() {
	if runtime.GOOS == "windows" && !g.waitedFor() {
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(g.cmd.Process.Pid)).Run()
	}
	_ = g.cmd.Process.Kill()
}

// waitedFor reports whether the process was waited for, so that its number may belong to another process. It probes
// with a signal that Windows lacks, because ProcessState belongs to the waiter.
func (g *Group) waitedFor() bool {
	err := g.cmd.Process.Signal(os.Interrupt)
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.EINVAL)
}

// ExitCode returns the status of an ended process.
func ExitCode(s *os.ProcessState) int { return s.ExitCode() }
