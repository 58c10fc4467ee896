//go:build !unix

package procgroup

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
)

// A Group is a command with what it started.
type Group struct{ cmd *exec.Cmd }

// New returns the group of a command that has not been started.
func New(cmd *exec.Cmd) *Group { return &Group{cmd} }

// Terminate reports false: there is no way to ask.
func (*Group) Terminate() bool { return false }

// Kill ends the group, whose command has been started.
func (g *Group) Kill() {
	if runtime.GOOS == "windows" && g.cmd.ProcessState == nil {
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(g.cmd.Process.Pid)).Run()
	}
	_ = g.cmd.Process.Kill()
}

// ExitCode returns the status of a process that has ended.
func ExitCode(s *os.ProcessState) int { return s.ExitCode() }
