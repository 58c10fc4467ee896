package procgroup

import (
	"errors"
	"io/fs"
	"os/exec"
	"strings"
)

// Unstarted words why a command did not start, without its path. err is that of [exec.Cmd.Start].
func Unstarted(err error) string {
	var search *exec.Error
	switch {
	case errors.As(err, &search) && strings.ContainsAny(search.Name, " \t"):
		return "no program has this name: what follows a blank in it may be arguments of its own"
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "the program, or its directory, does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "the program may not be started"
	}
	return "the program could not be started"
}
