//go:build realclients

package realclients

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var eras = []string{"legacy", "modern"}

// asker calls a tool, which must fail or not, and returns the first text of the
// answer.
type asker func(t *testing.T, fails bool, tool, args string) string

func (in inspector) ask(t *testing.T, fails bool, tool, args string) string {
	t.Helper()
	code := 0
	if fails {
		code = toolFailed
	}
	out := in.call(t, code, tool, args)
	if len(out.Result.Content) == 0 || out.Result.Content[0].Type != "text" {
		t.Fatalf("%s %s: the result does not begin with a text", tool, args)
	}
	return out.Result.Content[0].Text
}

func (c *client) ask(t *testing.T, fails bool, tool, args string) string {
	t.Helper()
	r := c.call(t, toolCall(tool, args))
	if r.IsError != fails || len(r.Content) == 0 || r.Content[0]["type"] != "text" {
		t.Fatalf("%s %s: error %t, want %t: %s", tool, args, r.IsError, fails, r.text())
	}
	text, _ := r.Content[0]["text"].(string)
	return text
}

// All three servers behind a gateway, as MCP Inspector sees them: the tools
// depend on no server, cards lead to calls, and calls with wrong arguments to
// the schema (W20, W30).
func TestW20GatewayInspector(t *testing.T) {
	root := files(t)
	config := writeConfig(t, everything().entry(), root.entry(), memory(t).entry())
	args := []string{"-config", config, "-face", "gateway"}
	url := serveHTTP(t, aggregator, args...)
	for _, era := range eras {
		t.Run("stdio, "+era, func(t *testing.T) {
			in := inspector{append([]string{aggregator, "-stdio"}, args...), era}
			want := []string{"prompt_browse", "prompt_get", "resource_browse", "resource_read", "tool_browse", "tool_execute", "tool_view"}
			if got := in.run(t, 0, "--strict", "--method", "tools/list").names(); !slices.Equal(got, want) {
				t.Errorf("tools = %q, want %q", got, want)
			}
			idOf(t, in.ask, "memory", "open_nodes")
		})
		t.Run("HTTP, "+era, func(t *testing.T) {
			in := inspector{[]string{url}, era}
			browse(t, in.ask)
			execute(t, in.ask)
			primitives(t, in.ask)
		})
	}
}

// browse looks at the top, a server, a tool, and for a tool.
func browse(t *testing.T, ask asker) {
	t.Helper()
	top := ask(t, false, "tool_browse", `{"path":"/"}`)
	for _, label := range []string{"everything", "files", "memory"} {
		if !strings.Contains(top, "/"+label+" (internal) — Of npm.") {
			t.Errorf("the top should have %s:\n%s", label, top)
		}
	}
	id := idOf(t, ask, "files", "read_text_file")
	for _, args := range []string{`{"path":"/files/read_text_file"}`, `{"query":"read the contents of a text file"}`} {
		if got := ask(t, false, "tool_browse", args); !strings.Contains(got, id+" (tool) — ") {
			t.Errorf("tool_browse %s should have %s:\n%s", args, id, got)
		}
	}
	if got := ask(t, true, "tool_browse", `{"path":"/files","query":"file"}`); !strings.Contains(got, "ARGS_INVALID") {
		t.Errorf("both of path and query: %s", got)
	}
}

// idOf returns the id on the card of a server's tool.
func idOf(t *testing.T, ask asker, label, function string) string {
	t.Helper()
	cards := ask(t, false, "tool_browse", fmt.Sprintf(`{"path":"/%s"}`, label))
	return must(t, cards, `(?m)^\[\d+/\d+\] (`+label+":"+function+`(?:@\S+)?#[0-9a-f]{8}) \(tool\) — `)
}

// must returns the first submatch in a text.
func must(t *testing.T, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing fits %s in\n%s", pattern, text)
	}
	return m[1]
}

// An envelope, as far as the tests look at it.
type envelope struct {
	Status    string
	Summary   string
	Artifacts []struct {
		Handle    string
		MediaType string `json:"media_type"`
		Size      int    `json:"size_bytes"`
		Label     string
	}
	Views []struct {
		Handle   string `json:"artifact_ref"`
		Selector json.RawMessage
	}
	Provenance map[string]any
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("reading %.300q: %v", text, err)
	}
}

func execution(id, args, more string) string {
	return fmt.Sprintf(`{"tool_id":%q,"args":%s%s}`, id, args, more)
}

// execute makes small calls, wrong ones, and none.
func execute(t *testing.T, ask asker) {
	t.Helper()
	sum := idOf(t, ask, "everything", "get-sum")
	var env envelope
	decode(t, ask(t, false, "tool_execute", execution(sum, `{"a":2,"b":40}`, "")), &env)
	if env.Status != "ok" || env.Summary != "The sum of 2 and 40 is 42." || env.Artifacts == nil || len(env.Artifacts) != 0 || env.Provenance["tool_id"] != sum {
		t.Errorf("a small result: %+v", env)
	}
	wrong := ask(t, true, "tool_execute", execution(sum, `{"a":"two"}`, ""))
	for _, want := range []string{`"error":"ARGS_INVALID"`, `"schema":{`, `"First number"`} {
		if !strings.Contains(wrong, want) {
			t.Errorf("wrong arguments should be answered with %s:\n%s", want, wrong)
		}
	}
	if got := ask(t, false, "tool_execute", execution(sum, `{"a":2,"b":40}`, `,"dry_run":true`)); !strings.Contains(got, `"args_valid":true`) || strings.Contains(got, "42") {
		t.Errorf("a dry run: %s", got)
	}
	if got := ask(t, true, "tool_execute", execution("everything:no_such_tool#00000000", `{}`, "")); !strings.Contains(got, "HYDRATE_FAILED") {
		t.Errorf("an unknown id: %s", got)
	}
	denied := ask(t, true, "tool_execute", execution(idOf(t, ask, "files", "read_text_file"), `{"path":"/etc/hostname"}`, ""))
	decode(t, denied, &env)
	if env.Status != "error" || !strings.Contains(env.Summary, "Access denied") {
		t.Errorf("the server says no: %s", denied)
	}
}

// primitives reads a resource and gets a prompt of the everything server (W40).
func primitives(t *testing.T, ask asker) {
	t.Helper()
	cards := ask(t, false, "resource_browse", `{"path":"/everything"}`)
	id := must(t, cards, `(resource::everything:architecture\S*) \(resource\)`)
	if got := ask(t, false, "resource_browse", `{"query":"architecture"}`); !strings.Contains(got, id) {
		t.Errorf("a query should find %s:\n%s", id, got)
	}
	var env envelope
	decode(t, ask(t, false, "resource_read", fmt.Sprintf(`{"resource_id":%q}`, id)), &env)
	if env.Status != "ok" || env.Provenance["tool_id"] != id {
		t.Errorf("the resource: %+v", env)
	}
	cards = ask(t, false, "prompt_browse", `{"path":"/everything"}`)
	id = must(t, cards, `(prompt::everything:args-prompt\S*) \(prompt\)`)
	decode(t, ask(t, false, "prompt_get", fmt.Sprintf(`{"prompt_id":%q,"args":{"city":"Oslo","state":"Norway"}}`, id)), &env)
	if env.Status != "ok" || !strings.Contains(env.Summary, "Oslo, Norway") {
		t.Errorf("the prompt: %+v", env)
	}
	if got := ask(t, true, "prompt_get", fmt.Sprintf(`{"prompt_id":%q}`, id)); !strings.Contains(got, "ARGS_INVALID") || !strings.Contains(got, "city") {
		t.Errorf("a prompt without its argument: %s", got)
	}
	if got := ask(t, true, "resource_read", `{"resource_id":"resource::everything:nothing#00000000"}`); !strings.Contains(got, "RESOURCE_NOT_FOUND") {
		t.Errorf("an unknown resource: %s", got)
	}
}
