package disclosure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

const full = `{"name":"ping","description":"All of it.","examples":[{"description":"One","input":{}}],
	"usage_guidance":{"before":"Nothing."},"error_guidance":{"FAILED":"Wait."},"version":"2"}`

func TestP20P21Files(t *testing.T) {
	log := new(lines)
	fsys := fstest.MapFS{
		"ping.json":        {Data: []byte(full)},
		"orders-drop.json": {Data: []byte(`{"usage_guidance":"Think twice."}`)},
		"nothing.json":     {Data: []byte(`{}`)},
		"README.md":        {Data: []byte(`x`)},
		".hidden.json":     {Data: []byte(`x`)},
	}
	overAll(t, &disclosure.Options{Descriptions: described(t, fsys), Serve: serve.Options{Logger: log.logger()}}, func(t *testing.T, c *client) {
		m := c.fetch("tools=ping,orders-get")
		e := m["ping"]
		delete(e.Usage, "_grant")
		delete(e.Usage, "_grant_use")
		got := fmt.Sprint(e.Name, e.Description, len(e.Examples), e.Usage, e.Errors, e.Version, len(e.InputSchema) > 0)
		if want := "pingAll of it.1 map[before:Nothing.] map[FAILED:Wait.]2true"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if m["orders-get"].Description == "" {
			t.Error("what has no file has no description")
		}
		c.call("ping", "{}").OK()
		text := c.read(uri + "?tools=orders-drop")
		if !strings.Contains(text, `"usage_guidance":"Think twice."`) && !strings.Contains(text, `"usage_guidance":{"notes":"Think twice.","_grant":"`) {
			t.Errorf("%s", text)
		}
		if d := c.Tools()[4].Description; d != "Check that the server answers." {
			t.Errorf("the first stage has %q", d)
		}
	})
	if n := log.count("nothing.json"); n != len(links) {
		t.Errorf("the file of no tool was logged %d times", n)
	}
}

func TestP20Malformed(t *testing.T) {
	for data, want := range map[string]string{
		``:                              "",
		`{`:                             "",
		`[]`:                            "want an object",
		`{"name":"ping","name":"ping"}`: "duplicate",
		`{"name":"Ping"}`:               `name is not "ping"`,
		`{"description":1}`:             "description: want a text",
		`{"description":""}`:            "description: want a text",
		`{"description":" \u200b\n"}`:   "description: want a text",
		`{"examples":{}}`:               "examples: want an array",
		`{"examples":[` + strings.Repeat("1,", 50) + `1]}`:       "at most 50",
		`{"usage_guidance":[]}`:                                  "usage_guidance",
		`{"usage_guidance":{"_grant":"x"}}`:                      "for grants",
		`{"error_guidance":null}`:                                "error_guidance",
		`{"version":2}`:                                          "version",
		`{"inputSchema":[]}`:                                     "inputSchema: want an object",
		`{"ping":{"name":"Ping"}}`:                               `name is not "ping"`,
		`{"ping":{"description":"x"},"version":"1"}`:             `unknown member "ping"`,
		`{"ping":"x"}`:                                           `unknown member "ping"`,
		`{"other":{"name":"ping"}}`:                              `unknown member "other"`,
		`{"other":1}`:                                            `unknown member "other"`,
		`{"description":"` + strings.Repeat("x", 300_000) + `"}`: "larger than",
	} {
		_, err := disclosure.ReadDescriptions(fstest.MapFS{"ping.json": {Data: []byte(data)}})
		if err == nil || !strings.Contains(err.Error(), "ping.json") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", data, err, want)
		}
	}
	for _, name := range []string{"a b.json", "..json", "a.b.json"} {
		if name == "..json" {
			continue // hidden
		}
		_, err := disclosure.ReadDescriptions(fstest.MapFS{name: {Data: []byte(`{}`)}})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// printed is the description of get_data as section 11.3 prints it.
const printed = `{
  "get_data": {
    "name": "get_data",
    "description": "Retrieves data from the system with comprehensive filtering, sorting, and pagination capabilities.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "query": {
          "type": "string",
          "description": "Search query to filter results"
        },
        "limit": {
          "type": "integer",
          "description": "Maximum number of results (default: 50, max: 500)",
          "default": 50
        },
        "sort": {
          "type": "string",
          "enum": ["asc", "desc"],
          "description": "Sort order for results"
        }
      },
      "required": []
    },
    "examples": [
      {
        "description": "Basic query",
        "input": {"query": "search term", "limit": 10}
      },
      {
        "description": "Sorted results",
        "input": {"query": "search term", "sort": "desc"}
      }
    ]
  }
}`

// TestP20Printed: a file as section 11.3 prints it is taken, whole or without the name around it. Its schema is compared
// with the function's, which is the one that is served.
func TestP20Printed(t *testing.T) {
	inner := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(printed), `{`)), "}")
	_, inner, _ = strings.Cut(inner, ":")
	const same = `{"type":"object","properties":{"sort":{"enum":["asc","desc"],"description":"Sort order for results","type":"string"},` +
		`"limit":{"type":"integer","description":"Maximum number of results (default: 50, max: 500)","default":50,"minimum":1},` +
		`"query":{"type":"string","description":"Search query to filter results"}},"additionalProperties":false}`
	for schema, want := range map[string]string{
		same: "",
		strings.Replace(same, `"type":"integer"`, `"type":"number"`, 1): "at=/properties/limit/type\n",
		strings.Replace(same, `"asc",`, ``, 1):                          "at=/properties/sort/enum\n",
		strings.Replace(same, `"query":{`, `"q":{`, 1):                  "/properties/query, /properties/q",
		`{"required":["query"],` + same[1:]:                             "at=/required\n",
		`{"type":"object"}`:                                             "/properties/query, /properties/limit, /properties/sort",
	} {
		f, err := registry.RawFunc("get_data", "Other.", json.RawMessage(schema), func(context.Context, json.RawMessage) (*registry.Result, error) {
			return registry.TextResult("data"), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		reg := registry.New(nil)
		reg.Namespace("", "").Add(f)
		for _, file := range []string{printed, inner} {
			for _, wrapped := range []bool{false, true} {
				log := new(lines)
				opts := &disclosure.Options{Descriptions: described(t, fstest.MapFS{"get_data.json": {Data: []byte(file)}}), Serve: serve.Options{Logger: log.logger()}}
				var src registry.Source = reg
				if wrapped {
					src = partly{reg}
				}
				c := connect(t, disclosure.NewServer(src, opts), nil)
				for range 2 {
					e := c.fetch("tools=get_data")["get_data"]
					if !strings.HasPrefix(e.Description, "Retrieves data from the system") || len(e.Examples) != 2 || string(e.InputSchema) != schema {
						t.Errorf("%+v", e)
					}
				}
				got := log.String()
				if n := strings.Count(got, "differs"); n > 1 || n == 1 != (want != "") || !strings.Contains(strings.ReplaceAll(got, "\"", ""), strings.TrimSuffix(want, "\n")) {
					t.Errorf("%s, wrapped %t: %s, want %q", schema, wrapped, got, want)
				}
			}
		}
	}
}

func described(t *testing.T, fsys fs.FS) *disclosure.Descriptions {
	t.Helper()
	d, err := disclosure.ReadDescriptions(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func write(t *testing.T, dir, name, text string, at time.Time) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestP20Reload(t *testing.T) {
	for _, reload := range []bool{true, false} {
		dir, at := t.TempDir(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		write(t, dir, "ping.json", `{"description":"One."}`, at)
		log := new(lines)
		c := connect(t, disclosure.NewServer(shop(), &disclosure.Options{
			Descriptions: described(t, os.DirFS(dir)), Reload: reload, Serve: serve.Options{Logger: log.logger()},
		}), nil)
		see := func(want string) {
			t.Helper()
			if !reload {
				want = "One."
			}
			if got := c.fetch("tools=ping")["ping"].Description; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		see("One.")
		write(t, dir, "ping.json", `{"description":"Two."}`, at.Add(time.Second))
		see("Two.")
		write(t, dir, "ping.json", `{"description":}`, at.Add(2*time.Second))
		see("Two.") // the last good one
		see("Two.")
		if n := log.count("malformed"); reload && n != 1 {
			t.Errorf("logged %d times", n)
		}
		write(t, dir, "ping.json", `{"description":"Three."}`, at.Add(3*time.Second))
		see("Three.")
		if err := os.Remove(filepath.Join(dir, "ping.json")); err != nil {
			t.Fatal(err)
		}
		see("Check that the server answers.")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		see("Check that the server answers.")
	}
}

// TestP20Links: what is no file is refused unopened.
func TestP20Links(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "ping.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused := func() {
		t.Helper()
		_, err := disclosure.ReadDescriptions(os.DirFS(dir))
		if err == nil || !strings.Contains(err.Error(), "ping.json: not a regular file") {
			t.Errorf("%v", err)
		}
	}
	refused()
	if runtime.GOOS == "windows" {
		return // links need a privilege there
	}
	if err := os.Remove(filepath.Join(dir, "ping.json")); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, filepath.Dir(secret), "secret", `{"description":"secret"}`, time.Now())
	if err := os.Symlink(secret, filepath.Join(dir, "ping.json")); err != nil {
		t.Fatal(err)
	}
	refused()
}
