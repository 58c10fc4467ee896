// Package command describes how to start a program without a shell: path, arguments, environment and folder. It is
// used by cash/upstream and cash/endpoint.
package command

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/procgroup"
)

// A Command is a program with its arguments. It is started directly, without a shell.
type Command struct {
	// Path is the program, looked up as [exec.Command] does. Empty is no command.
	Path string
	Args []string
	// Env are variables as KEY=value, in addition to those every process needs: PATH, HOME, USER, LOGNAME, SHELL,
	// TERM, LANG, LC_*, TZ and TMPDIR (on Windows their counterparts).
	Env []string
	// Inherit names further variables of this process to pass on. All others are withheld.
	Inherit []string
	// Dir is the working directory. Empty is that of this process.
	Dir string
}

// String returns the program's name without arguments, which may hold secrets.
func (c Command) String() string { return "command " + filepath.Base(c.Path) }

// GoString is String, so that %#v shows no secret.
func (c Command) GoString() string { return c.String() }

// LogValue implements [slog.LogValuer].
func (c Command) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Check returns the mistake in the command, if any. Its errors contain no values.
func (c Command) Check() error {
	if c.Path == "" {
		return errors.New("the command has no program")
	}
	for _, text := range slices.Concat([]string{c.Path, c.Dir}, c.Args) {
		if strings.ContainsRune(text, 0) {
			return errors.New("the command has a NUL character in it")
		}
	}
	for _, v := range c.Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" || strings.ContainsRune(v, 0) {
			return errors.New("a variable of the environment is not of the form KEY=value")
		}
	}
	return nil
}

// Exec returns the command, not yet started, with additional variables.
func (c Command) Exec(env ...string) *exec.Cmd {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = slices.Concat(procgroup.Environ(c.Inherit...), c.Env, env)
	return cmd
}

// Identity returns all parts that distinguish the command from others, secrets included.
func (c Command) Identity() []string {
	return slices.Concat([]string{c.Path, c.Dir, fmt.Sprint(len(c.Args))}, c.Args, c.Env)
}

// Fingerprint returns the hash of [Command.Identity].
func (c Command) Fingerprint() string {
	sum := sha256.New()
	for _, part := range c.Identity() {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Clone returns a deep copy.
func (c Command) Clone() Command {
	c.Args, c.Env, c.Inherit = slices.Clone(c.Args), slices.Clone(c.Env), slices.Clone(c.Inherit)
	return c
}
