package endpoint

import (
	"io"
	"os"
	"sync"
)

// takeStdout takes standard output away from functions, if out is standard output: from then on only the returned
// writer writes there. giveBack undoes that. It is not called while functions run.
func takeStdout(out io.Writer) (answers io.Writer, giveBack func()) {
	file, ok := out.(*os.File)
	if !ok {
		return out, func() {}
	}
	return standard.take(file)
}

// standard is the standard output of this process.
var standard taken

// taken is a standard output that was taken away from functions, once for all requests at the same time.
type taken struct {
	mu      sync.Mutex
	users   int
	file    *os.File // [os.Stdout] before
	answers *os.File
	undo    func()
}

func (t *taken) take(file *os.File) (answers io.Writer, giveBack func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users == 0 {
		if file != os.Stdout {
			return file, func() {}
		}
		aside, closeAside, err := asideOf(file)
		if err != nil {
			return file, func() {}
		}
		own, undo, err := divert(file, aside)
		if err != nil {
			closeAside()
			return file, func() {}
		}
		t.file, t.answers, t.undo = file, own, func() { undo(); closeAside() }
	}
	if file != t.file {
		return file, func() {}
	}
	t.users++
	return t.answers, t.give
}

func (t *taken) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users--; t.users == 0 {
		t.undo()
		t.file, t.answers, t.undo = nil, nil, nil
	}
}

// asideOf returns where prints go instead of stdout: to standard error. They are discarded if there is none, or if it
// is the same file: some clients read both outputs as one.
func asideOf(stdout *os.File) (aside *os.File, closeAside func(), err error) {
	errs, err := os.Stderr.Stat()
	if err == nil {
		if out, err := stdout.Stat(); err != nil || !os.SameFile(out, errs) || out.Mode()&os.ModeCharDevice != 0 {
			return os.Stderr, func() {}, nil
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	return null, func() { _ = null.Close() }, err
}

// swap replaces the variable [os.Stdout]. Code that does not use it is not diverted.
func swap(stdout, aside *os.File) (answers *os.File, undo func(), err error) {
	os.Stdout = aside
	return stdout, func() { os.Stdout = stdout }, nil
}
