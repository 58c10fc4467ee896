package endpoint

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// EnvVariable is the environment variable with the configured endpoint (section "Runtime helpers").
const EnvVariable = "MCP_ENDPOINT"

// FromEnv returns a client of the endpoint that the environment variable MCP_ENDPOINT configures: the path of a
// program, or its name in PATH. The value is taken as a whole, also with blanks: it has no arguments, and no shell
// reads it. For arguments, write a script or use [NewClient].
//
// It is an error if there is no such program, or if it may not be started. If the variable is not set or is empty, the
// cause is [ErrNoEndpoint]. A program whose endpoint is optional ignores that error: [Catalog] leaves out a nil client.
func FromEnv(opts *ClientOptions) (*Client, error) {
	value := os.Getenv(EnvVariable)
	if strings.TrimSpace(value) == "" {
		e := errNoEndpoint()
		e.Hint = "Set " + EnvVariable + " to the path of a program that implements one."
		return nil, e
	}
	path, err := exec.LookPath(value)
	if err == nil {
		path, err = filepath.Abs(path) // the working directory may change
	}
	if err != nil {
		e := usageError(EnvVariable + " cannot be used: " + unusable(err))
		e.Hint = "Its value is the path of one program, without arguments. Put arguments into a script."
		return nil, e
	}
	return NewClient(Command{Path: path}, opts)
}

// unusable words an error of [exec.LookPath] without the path.
func unusable(err error) string {
	switch {
	case errors.Is(err, exec.ErrDot):
		return "the program is in the working directory, which PATH does not name; begin the path with ./"
	case errors.Is(err, fs.ErrPermission):
		return "the program may not be started"
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "there is no such program"
	}
	return "it is not a program"
}
