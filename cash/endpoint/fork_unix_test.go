//go:build unix

package endpoint_test

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// fork answers and ends, while a grandchild holds its pipes, in the process group
// or away from it.
func fork(address string, away bool) int {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), modeVariable+"=deaf wait", argVariable+"="+address, readyVariable+"=yes")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: away}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	_ = w.Close()
	_, _ = io.Copy(io.Discard, r)
	answer(map[string]any{"left": true})
	return 0
}
