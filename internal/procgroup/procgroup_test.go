package procgroup_test

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/procgroup"
)

func TestK19Environ(t *testing.T) {
	t.Setenv("PATH", "/bin")
	t.Setenv("LC_TIME", "C")
	t.Setenv("PROCGROUP_SECRET", "s")
	t.Setenv("PROCGROUP_WANTED", "w")
	env := procgroup.Environ("PROCGROUP_WANTED")
	for v, want := range map[string]bool{
		"PATH=/bin": true, "LC_TIME=C": true, "PROCGROUP_WANTED=w": true, "PROCGROUP_SECRET=s": false,
	} {
		if slices.Contains(env, v) != want {
			t.Errorf("%s inherited: %v, want %v", v, !want, want)
		}
	}
}

func TestK19Unstarted(t *testing.T) {
	none := filepath.Join(t.TempDir(), "secret")
	for _, test := range []struct {
		err  error
		want string
	}{
		{exec.Command("no-secret-program").Start(), "does not exist"},
		{exec.Command(none).Start(), "does not exist"},
		{exec.Command(strings.Join([]string{"no-secret-program", "-y"}, " ")).Start(), "arguments of its own"},
		{&fs.PathError{Op: "fork/exec", Path: "/secret", Err: fs.ErrPermission}, "may not be started"},
		{errors.New("/secret: exec format error"), "could not be started"},
	} {
		if got := procgroup.Unstarted(test.err); !strings.Contains(got, test.want) || strings.Contains(got, "secret") {
			t.Errorf("%v: %s", test.err, got)
		}
	}
}
