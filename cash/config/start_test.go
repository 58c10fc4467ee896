package config_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/config"
	upconfig "github.com/cash-mcp/go-sdk/cash/upstream/config"
)

// The controls of the gateway surface, section 4.5, from the file alone.
func TestControlsOfTheGateway(t *testing.T) {
	a := newShop(t, "shop", "get_order", "refund", "drop_all")
	s := start(t, `
face: gateway
retry: {max_attempts: 3, base_delay: 1ms}
cache: {read_only: true, allow: [a.get_order]}
rate_limits:
  meta_tools: {tool_browse: {max_calls_per_session: 2}}
  tools: {a.refund: {max_calls_per_minute: 1}}
policy:
  rules:
    - {decision: deny, tools: ["**.drop_*"], reason: Nobody drops here.}
`+upstreams(a), nil)
	c := cashtest.Connect(t, s)
	id := func(name string) string {
		text := c.Tool("tool_browse", map[string]any{"path": "/a"}).Text
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\",()[]", r) }) {
			if strings.HasPrefix(word, "a:"+name) {
				return word
			}
		}
		t.Fatalf("no card of %s in:\n%s", name, text)
		return ""
	}
	get := id("get_order")
	refund, drop := id("refund"), ""
	limited := c.Tool("tool_browse", map[string]any{"path": "/a"}).Text
	if !strings.Contains(limited, `"RATE_LIMITED"`) || !strings.Contains(limited, `"retryable"`) || !strings.Contains(limited, `"scope":"tool_browse"`) || !strings.Contains(limited, `"retry_after"`) {
		t.Errorf("browsing too often: %s", limited)
	}
	execute := func(id string, args map[string]any) string { return c.Tool("tool_execute", args).Text }
	dry := execute("", map[string]any{"tool_id": refund, "args": map[string]any{"n": 1}, "dry_run": true})
	for _, want := range []string{`"dry_run":true`, `"tool_id":"` + refund + `"`, `"upstream_name":"refund"`, `"args_valid":true`, `"verified":false`,
		`{"name":"schema_validation","status":"pass"}`, `{"name":"rate_limit","status":"pass"}`} {
		if !strings.Contains(dry, want) {
			t.Errorf("the dry run has no %s:\n%s", want, dry)
		}
	}
	if a.calls.Load() != 0 {
		t.Error("a dry run has called the server")
	}
	if text := execute("", map[string]any{"tool_id": refund, "args": map[string]any{"n": 1}}); !strings.Contains(text, "refund of shop") {
		t.Errorf("refund: %s", text)
	}
	if text := execute("", map[string]any{"tool_id": refund, "args": map[string]any{"n": 2}}); !strings.Contains(text, "RATE_LIMITED") || a.calls.Load() != 1 {
		t.Errorf("the second refund: %s", text)
	}
	first := execute("", map[string]any{"tool_id": get, "args": map[string]any{"n": 1}})
	second := execute("", map[string]any{"tool_id": get, "args": map[string]any{"n": 1}})
	if strings.Contains(first, "cache_hit") || !strings.Contains(second, `"cache_hit":true`) || a.calls.Load() != 2 {
		t.Errorf("%d calls for\n%s\n%s", a.calls.Load(), first, second)
	}
	for f := range s.Registry().All() {
		if f.Name() == "drop_all" {
			drop = f.ID().String()
		}
	}
	if text := execute("", map[string]any{"tool_id": drop}); !strings.Contains(text, "PERMISSION_DENIED") || !strings.Contains(text, "Nobody drops here.") || a.calls.Load() != 2 {
		t.Errorf("drop_all: %s", text)
	}
}

// Every face is served.
func TestFaces(t *testing.T) {
	a := newShop(t, "shop", "get_order")
	for face, tool := range map[string]string{
		"cash": "call", "gateway": "tool_browse", "proxy": "tool_execute", "disclosure": "tool_descriptions", "facade": "AExecute", "plain": "a-get_order",
	} {
		s := start(t, "face: "+face+"\n"+upstreams(a), nil)
		var names []string
		for _, d := range cashtest.Connect(t, s).Tools() {
			names = append(names, d.Name)
		}
		if !slices.Contains(names, tool) {
			t.Errorf("the face %s has the tools %v and no %s", face, names, tool)
		}
	}
	s := start(t, "face: endpoint\npolicy: {rules: [{decision: deny, tools: [a.get_order]}]}\n"+upstreams(a), nil)
	var out strings.Builder
	if code, err := s.Answer(t.Context(), strings.NewReader(`{"action":"list_tools"}`), &out); code != 0 || err != nil || !strings.Contains(out.String(), "get_order") {
		t.Errorf("status %d, %v: %s", code, err, out.String())
	}
	if s.Handler() != nil {
		t.Error("the face endpoint has a handler")
	}
}

func TestHandlers(t *testing.T) {
	s := start(t, upstreams(newShop(t, "shop", "get_order")), nil)
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	if text := cashtest.ConnectHTTP(t, web.URL+"/mcp").Call("a", "get_order", nil).Text; !strings.Contains(text, "get_order of shop") {
		t.Error(text)
	}
	status := func(path string) (int, string) {
		r, err := http.Get(web.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(body)
	}
	for _, path := range []string{"/livez", "/readyz", "/.well-known/cash-mcp.yaml"} {
		if code, body := status(path); code != 200 {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if code, _ := status("/readyz"); code != 503 {
		t.Errorf("ready after the end: %d", code)
	}
}

// A start succeeds without a server, unless that is required or the start is strict. What matches nothing is an error
// once all is known.
func TestStart(t *testing.T) {
	a := newShop(t, "shop", "get_order")
	const down = "  - {label: z, command: [no-such-program-at-all]}\n"
	const rule = "policy:\n  rules:\n    - {decision: deny, tools: [a.gone]}\n"
	for _, tt := range []struct{ name, doc, want string }{
		{"degraded", upstreams(a) + down, ""},
		{"required", upstreams(a) + strings.Replace(down, "}", ", required: true}", 1), "z: the server is down: "},
		{"strict", "start: strict\n" + upstreams(a) + down, "z: the server is down: "},
		{"rule", rule + upstreams(a), `:3:7: policy.rules[0]: no function matches the tool "a.gone"`},
		{"rule with a server down", rule + upstreams(a) + down, ""},
		{"strict rule", "start: strict\n" + rule + upstreams(a) + down, `:4:7: policy.rules[0]: no function matches the tool "a.gone"`},
		{"tool", upstreams(a) + "    exclude_tools: [get_ordre]\n", ""},
		{"catalog", "catalog: none.json\n", "none.json"},
	} {
		if tt.name == "tool" {
			tt.doc = "upstreams:\n  - label: a\n    endpoint: " + a.url + "\n    exclude_tools: [get_ordre]\n"
			tt.want = ":4:21: upstreams[0].exclude_tools[0]: the server has no such tool"
		}
		s, err := config.Start(t.Context(), load(t, tt.doc), nil)
		if s != nil {
			_ = s.Close(t.Context())
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
		var placed *upconfig.Error
		if strings.HasPrefix(tt.want, ":") && !errors.As(err, &placed) {
			t.Errorf("%s: the error has no place", tt.name)
		}
	}
}

func TestDiagnose(t *testing.T) {
	a := newShop(t, "shop", "get_order")
	d, err := config.Diagnose(t.Context(), load(t, "policy:\n  rules:\n    - {decision: deny, tools: [a.gone]}\n"+upstreams(a)+
		"  - {label: z, command: [no-such-program-at-all]}\n  - {label: y, endpoint: '"+a.url+"/x/../../nothing'}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Servers) != 3 || d.Servers[0].Functions != 1 {
		t.Errorf("%+v", d.Servers)
	}
	var got []string
	for _, p := range d.Problems {
		if !p.Harmless {
			got = append(got, p.Subject+" | "+p.Reason+" | "+p.Mend)
		}
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"z | ", "Check that the program is installed", ":3:7: policy.rules[0] | no function matches", "mend that first"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if strings.Count(all, "\n") != 1 {
		t.Errorf("want two problems:\n%s", all)
	}
}

// A diagnosis waits longer for a server than a start does, and says so.
func TestDiagnoseSlow(t *testing.T) {
	d, err := config.Diagnose(t.Context(), load(t, "start_timeout: 1us\n"+upstreams(newShop(t, "shop", "get_order"))), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Servers) != 1 || d.Servers[0].Functions != 1 {
		t.Errorf("%+v", d.Servers)
	}
	if len(d.Problems) != 1 || !d.Problems[0].Harmless || !strings.HasSuffix(d.Problems[0].Reason, ", and a start waits 1µs") {
		t.Errorf("%+v", d.Problems)
	}
}

// TestStartCancelled: a start that its context ends is not one of a slow server.
func TestStartCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, begin := range []string{"", "start: strict\n"} {
		s, err := config.Start(ctx, load(t, begin+upstreams(newShop(t, "shop", "get_order"))), nil)
		if s != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%q: got %v, %v", begin, s, err)
		}
	}
}

// TestDiagnoseFiles: what a start refuses is a problem, whatever the mode of the pins, and nothing is made or pinned.
func TestDiagnoseFiles(t *testing.T) {
	a := newShop(t, "shop", "get_order")
	dir := t.TempDir()
	for name, text := range map[string]string{"broken.json": "{", "taken": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ doc, subject string }{
		{"pins: {file: DIR/broken.json, mode: first-use}\n", "pins.file"},
		{"pins: {file: DIR/broken.json, mode: locked}\n", "pins.file"},
		{"pins: {file: DIR/broken.json}\n", "pins.file"},
		{"pins: {file: DIR/taken/pins.json, mode: first-use}\n", "pins.file"},
		{"face: gateway\nartifacts: {dir: DIR/taken}\n", "artifacts.dir"},
		{"face: gateway\nartifacts: {dir: DIR/taken/below}\n", "artifacts.dir"},
		{"policy: {rules: [{decision: deny, kinds: [resource]}]}\n", "policy.rules[0]"},
		{"", "name, version, sizelimit"},
		{"face: gateway\nartifacts: {dir: DIR/new/deep}\npins: {file: DIR/new.json, mode: first-use}\n", ""},
		{"face: gateway\nartifacts: {dir: DIR}\n", ""},
	} {
		f := load(t, strings.ReplaceAll(tt.doc, "DIR", dir)+upstreams(a))
		if tt.doc == "" {
			f.SizeLimit = -1 // only Go can say so
		}
		d, err := config.Diagnose(t.Context(), f, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.doc, err)
			continue
		}
		bad := slices.DeleteFunc(d.Problems, func(p config.Problem) bool { return p.Harmless })
		if (tt.subject == "") != (len(bad) == 0) || len(bad) > 0 && (len(bad) != 1 || !strings.HasSuffix(bad[0].Subject, tt.subject) || bad[0].Mend == "") {
			t.Errorf("%s: %+v", tt.doc, bad)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 {
			t.Errorf("%s: the folder has %v, %v", tt.doc, entries, err)
		}
		s, err := config.Start(t.Context(), f, nil)
		if s != nil {
			_ = s.Close(t.Context())
		}
		if refused := err != nil; refused != (tt.subject != "") {
			t.Errorf("%s: a start says %v", tt.doc, err)
		}
		for _, made := range []string{"new", "new.json"} {
			_ = os.RemoveAll(filepath.Join(dir, made))
		}
	}
}
