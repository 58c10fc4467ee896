//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package endpoint

import (
	"os"
	"syscall"
)

// divert makes what is written to stdout go to aside. answers writes to where stdout went before. File 1 is diverted as
// a whole, for code in other languages and for processes that inherit it.
func divert(stdout, aside *os.File) (answers *os.File, undo func(), err error) {
	if int(stdout.Fd()) != syscall.Stdout {
		return swap(stdout, aside)
	}
	syscall.ForkLock.RLock() // no process that starts now inherits the copy
	fd, err := syscall.Dup(syscall.Stdout)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	answers = os.NewFile(uintptr(fd), stdout.Name())
	if err := replaceFile(int(aside.Fd()), syscall.Stdout); err != nil {
		_ = answers.Close()
		return nil, nil, err
	}
	return answers, func() {
		_ = replaceFile(fd, syscall.Stdout)
		_ = answers.Close()
	}, nil
}
