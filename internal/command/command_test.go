package command_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/command"
)

func TestCheck(t *testing.T) {
	for _, c := range []command.Command{
		{}, {Path: "a\x00"}, {Path: "a", Args: []string{"\x00"}}, {Path: "a", Dir: "\x00"},
		{Path: "a", Env: []string{"NAME"}}, {Path: "a", Env: []string{"=x"}}, {Path: "a", Env: []string{"A=\x00"}},
	} {
		if err := c.Check(); err == nil || strings.ContainsRune(err.Error(), 0) {
			t.Errorf("%q: %v", c.Identity(), err)
		}
	}
	if err := (command.Command{Path: "a", Env: []string{"A="}}).Check(); err != nil {
		t.Error(err)
	}
}

func TestPrintedWithoutSecrets(t *testing.T) {
	c := command.Command{Path: "/bin/tool", Args: []string{"secret"}, Env: []string{"A=secret"}, Inherit: []string{"secret"}, Dir: "/secret"}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("started", "command", c)
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s", c, c, c, c), log.String()} {
		if strings.Contains(text, "secret") || !strings.Contains(text, "command tool") {
			t.Error(text)
		}
	}
}

func TestExec(t *testing.T) {
	t.Setenv("COMMAND_TEST_KEPT", "1")
	t.Setenv("COMMAND_TEST_DROPPED", "1")
	cmd := command.Command{Path: "/bin/tool", Args: []string{"a"}, Env: []string{"B=2"}, Inherit: []string{"COMMAND_TEST_KEPT"}, Dir: "/tmp"}.Exec("C=3")
	if !slices.Equal(cmd.Args, []string{"/bin/tool", "a"}) || cmd.Dir != "/tmp" || !slices.Equal(cmd.Env[len(cmd.Env)-2:], []string{"B=2", "C=3"}) {
		t.Errorf("%q in %q with %q", cmd.Args, cmd.Dir, cmd.Env)
	}
	if !slices.Contains(cmd.Env, "COMMAND_TEST_KEPT=1") || slices.Contains(cmd.Env, "COMMAND_TEST_DROPPED=1") {
		t.Errorf("%q", cmd.Env)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	c := command.Command{Path: "a", Args: []string{"b"}, Env: []string{"C=1"}, Inherit: []string{"D"}}
	other := c.Clone()
	other.Args[0], other.Env[0], other.Inherit[0] = "x", "X=1", "X"
	if c.Args[0] != "b" || c.Env[0] != "C=1" || c.Inherit[0] != "D" {
		t.Errorf("%q %q", c.Identity(), c.Inherit)
	}
}
