package endpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// What MCP_ENDPOINT says is one program, found by its path or by its name.
func TestK12FromEnv(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "with a blank")
	name := endpointName + filepath.Ext(self)
	path := filepath.Join(dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(path, data, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(dir))
	t.Setenv("PATH", dir)
	for _, value := range []string{path, name, filepath.Join("with a blank", name)} {
		t.Setenv(endpoint.EnvVariable, value)
		c, err := endpoint.FromEnv(nil)
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		if got, err := c.Call(deadline(t), "echo_external", hi); err != nil || string(got) != `{"echo":"hi"}` {
			t.Errorf("%s: %s, %v", value, got, err)
		}
	}
}

func TestK11K12FromEnvFails(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	values := map[string]string{
		filepath.Join(dir, "secret-absent"): "there is no such program",
		"secret-absent":                     "there is no such program",
		"/bin/sh -c secret":                 "there is no such program",
		dir:                                 "",
	}
	if runtime.GOOS != "windows" {
		values[text] = "the program may not be started"
	}
	for value, want := range values {
		t.Setenv(endpoint.EnvVariable, value)
		c, err := endpoint.FromEnv(nil)
		e, _ := wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true)
		if c != nil || !strings.Contains(e.Message, "MCP_ENDPOINT cannot be used: "+want) || strings.Contains(e.Error(), "secret") ||
			!strings.Contains(e.Hint, "without arguments") || errors.Is(err, endpoint.ErrNoEndpoint) {
			t.Errorf("%s: %v", value, e)
		}
	}
	for _, value := range []string{"", "  "} {
		t.Setenv(endpoint.EnvVariable, value)
		c, err := endpoint.FromEnv(nil)
		e, _ := wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true)
		if c != nil || !errors.Is(err, endpoint.ErrNoEndpoint) || !strings.Contains(e.Hint, "Set MCP_ENDPOINT") {
			t.Errorf("%q: %v", value, err)
		}
		// An endpoint that is optional is left out.
		if got := names(t, t.Context(), endpoint.Catalog(t.Context(), newRegistry(), c)); len(got) != 8 {
			t.Errorf("%q", got)
		}
	}
	os.Unsetenv(endpoint.EnvVariable)
	if _, err := endpoint.FromEnv(nil); !errors.Is(err, endpoint.ErrNoEndpoint) {
		t.Error(err)
	}
}
