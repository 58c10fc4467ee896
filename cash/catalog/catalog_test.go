package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestDemo(t *testing.T) {
	c := catalog.New(&catalog.Options{Strict: true})
	report, err := c.LoadFile("testdata/demo.json")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := report.String(), "8 tools, 3 resources, 2 prompts; 13 added, 0 changed, 0 removed"; got != want {
		t.Errorf("got %s", got)
	}
	for _, tt := range []struct {
		reg            *registry.Registry
		name, id, args string
		want           string
	}{
		{c.Tools(), "github.create_issue", "github:create_issue@1.4.0", `{"repo":"a/b","title":"x"}`, "Created issue 201."},
		{c.Tools(), "github.issues.close", "", `{"repo":"a/b","number":3}`, "Closed."},
		{c.Tools(), "weather/today", "", `{"city":"Oslo"}`, `{"city":"Oslo","sky":"clear","temperature":-4}`},
		{c.Tools(), "weather/today", "", `{"units":"celsius","city":"Lima"}`, `{"city":"Lima","sky":"haze","temperature":19}`},
		{c.Tools(), "weather/today", "", `{"city":"Lima","units":"fahrenheit"}`, "Nothing is recorded for this city."},
		{c.Tools(), "read_file", "", `{"path":"readme.md"}`, "# Press\n\nTurns apples into juice.\n"},
		{c.Prompts(), "summarize", "", `{"topic":"juice","tone":"dry"}`, "user: Summarize juice in three sentences. Tone: dry."},
	} {
		key := id(t, tt.reg, tt.name)
		if tt.id != "" && key != tt.id {
			t.Errorf("%s has the id %s", tt.name, key)
		}
		if got := said(t, tt.reg, key, tt.args); got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.name, tt.args, got, tt.want)
		}
	}
	if all := said(t, c.Tools(), id(t, c.Tools(), "github.list_issues"), `{"repo":"orchard/press"}`); len(all) < 50_000 || !json.Valid([]byte(all)) {
		t.Errorf("the large result has %d bytes", len(all))
	}
	_, err = call(t, c.Tools(), id(t, c.Tools(), "write_file"), `{"path":"a","text":"b"}`)
	var e *registry.Error
	if !errors.As(err, &e) || e.Kind != registry.Failed || !e.NotRun {
		t.Errorf("a tool without results: %#v", err)
	}
	if r, err := call(t, c.Tools(), id(t, c.Tools(), "github.delete_repo"), `{"repo":"a/b"}`); err != nil || !r.IsError {
		t.Errorf("a result that is an error: %+v, %v", r, err)
	}
	if _, err := call(t, c.Tools(), id(t, c.Tools(), "read_file"), `{}`); !errors.Is(err, registry.InvalidArguments) {
		t.Errorf("arguments that do not fit: %v", err)
	}
}

func TestHintsAndTags(t *testing.T) {
	c, _ := load(t, nil, `[
		{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":true,"tags":["x","Read_Only"]},"_meta":{"tags":["y","destructive"]}},
		{"name":"b","annotations":{"idempotentHint":true,"destructiveHint":true},"outputSchema":{"type":"object","properties":{"total":{"type":"integer"}}}},
		{"name":"c","title":"Third","version":"2"}]`)
	got := ""
	for f := range c.Tools().All() {
		got += fmt.Sprintln(f.Path(), f.ReadOnly(), f.Idempotent(), f.Destructive(), f.Tags(), f.Returns(), f.Description(), f.Aliases(), f.ID())
	}
	want := "mcp.a false false true [x y]   [] mcp:a#" + hash(c, "a") + "\n" +
		"mcp.b false true true [] Object with `total`.  [] mcp:b#" + hash(c, "b") + "\n" +
		"mcp.c false false false []  Third [Third] mcp:c@2\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func hash(c *catalog.Catalog, name string) string {
	_, hash, _ := strings.Cut(ids(c.Tools())[name], "#")
	return hash
}

// Every member may be of any type and costs no more than itself, but for the
// one by which the definition is known.
func TestW6WrongTypes(t *testing.T) {
	values := []string{`1`, `"x"`, `true`, `[1]`, `{"a":1}`, `null`, `[null]`, `[[]]`, `[{}]`}
	for kind, members := range map[string][]string{
		"tools":     {"title", "description", "version", "inputSchema", "outputSchema", "annotations", "_meta", "tags", "result", "results"},
		"resources": {"name", "title", "description", "mimeType", "contents", "text", "blob", "_meta"},
		"prompts":   {"title", "description", "arguments", "messages", "_meta"},
	} {
		key := map[string]string{"tools": "name", "resources": "uri", "prompts": "name"}[kind]
		for _, member := range members {
			for _, value := range values {
				c, report := load(t, nil, fmt.Sprintf(`{%q:[{%q:"k","%s":%s},{%q:"other"}]}`, kind, key, member, value, key))
				if report.Tools+report.Resources+report.Prompts != 2 {
					t.Errorf("%s with %s %s: %s", kind, member, value, report)
				}
				for _, reg := range []*registry.Registry{c.Tools(), c.Resources(), c.Prompts()} {
					for name, id := range ids(reg) {
						_, err := call(t, reg, id, `{}`)
						if errors.Is(err, registry.Internal) || errors.Is(err, registry.UnknownFunction) {
							t.Errorf("%s with %s %s: calling %q: %v", kind, member, value, name, err)
						}
					}
				}
			}
		}
		for _, value := range values {
			if value == `"x"` {
				continue
			}
			_, report := load(t, nil, fmt.Sprintf(`{%q:[{%q:%s},%s,{%q:"other"}]}`, kind, key, value, value, key))
			if report.Tools+report.Resources+report.Prompts != 1 || report.Counts[catalog.Refused] != 2 {
				t.Errorf("%s with %s %s: %s", kind, key, value, report)
			}
		}
	}
}

func TestLoadFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	c := catalog.New(&catalog.Options{MaxBytes: 100})
	if _, err := c.LoadFile(write("good.json", `[{"name":"kept","result":"here"}]`)); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ path, want string }{
		"missing":   {filepath.Join(dir, "none.json"), "no such file"},
		"directory": {dir, "is no regular file"},
		"large":     {write("large.json", `["`+strings.Repeat("x", 97)+`"]`), "more than 100 bytes"},
		"syntax":    {write("syntax.json", "[\n  {\"näme\": x}]"), "syntax.json: the catalog is not JSON: line 2, column 12: "},
		"cut":       {write("cut.json", "[\n{"), "line 2, column 1"},
		"empty":     {write("empty.json", ""), "line 1, column 1"},
	} {
		if _, err := c.LoadFile(tt.path); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := said(t, c.Tools(), id(t, c.Tools(), "kept"), `{}`); got != "here" {
		t.Errorf("after errors the tool says %q", got)
	}
}

func TestDocuments(t *testing.T) {
	for doc, want := range map[string]string{
		`[]`:                                   "0 tools, 0 resources, 0 prompts; 0 added, 0 changed, 0 removed",
		`{"tools":null}`:                       "0 tools, 0 resources, 0 prompts; 0 added, 0 changed, 0 removed",
		`{"x":[{}],"prompts":[]}`:              "0 tools, 0 resources, 0 prompts; 0 added, 0 changed, 0 removed",
		`{"tools":[{"name":"a"}]} `:            "1 tools, 0 resources, 0 prompts; 1 added, 0 changed, 0 removed",
		`{}`:                                   "the catalog has none of the members tools, resources, prompts",
		`{"mcpServers":{}}`:                    "the catalog has none of the members tools, resources, prompts",
		`"tools"`:                              "the catalog is neither a list of tools nor an object with such a list",
		"{\"tools\":[],\n\"tools\":[]}":        "line 2: tools: listed before",
		"{\"tools\":[],\n\n\"prompts\": \n{}}": "line 4: prompts: want an array, got type object",
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001): "the catalog is not JSON: line 1, column 10001: " +
			"json: exceeded max depth",
	} {
		report, err := catalog.New(nil).Load([]byte(doc))
		got := fmt.Sprint(report)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, want) && !strings.Contains(got, "max depth") {
			t.Errorf("%.60s: got %q, want %q", doc, got, want)
		}
	}
}

// The contents of resources are handed on byte for byte.
func TestW40Resources(t *testing.T) {
	c, report := load(t, nil, `{"resources":[
		{"uri":"file:///a.md","name":"a","mimeType":"text/markdown","text":"# A"},
		{"uri":"file:///b.bin","blob":"AAH/"},
		{"uri":"db://c","name":"c","contents":[{"uri":"db://c/1","text":"one"},{"mimeType":"x/y","blob":""},{"no":1},{"text":2}]},
		{"uri":"file:///bad","name":"bad","blob":"!"},
		{"uri":"no scheme/e","name":"odd name!"}]}`)
	read := func(uri string) []*mcp.ResourceContents {
		t.Helper()
		r, err := call(t, c.Resources(), id(t, c.Resources(), uri), `{}`)
		if err != nil {
			t.Fatal(err)
		}
		var list []*mcp.ResourceContents
		for _, b := range r.Content {
			list = append(list, b.(*mcp.EmbeddedResource).Resource)
		}
		return list
	}
	if got := read("file:///a.md"); len(got) != 1 || got[0].Text != "# A" || got[0].MIMEType != "text/markdown" || got[0].URI != "file:///a.md" {
		t.Errorf("got %+v", got)
	}
	if got := read("file:///b.bin"); len(got) != 1 || string(got[0].Blob) != "\x00\x01\xff" || got[0].Text != "" {
		t.Errorf("got %+v", got)
	}
	if got := read("db://c"); len(got) != 2 || got[0].URI != "db://c/1" || got[1].URI != "db://c" || got[1].MIMEType != "x/y" {
		t.Errorf("got %+v", got)
	}
	if _, err := call(t, c.Resources(), id(t, c.Resources(), "file:///bad"), `{}`); !errors.Is(err, registry.Failed) {
		t.Errorf("a blob that is none: %v", err)
	}
	want := `line 4: resource "c" is flagged: contents: number 3 has neither text nor blob
line 4: resource "c" is flagged: text: want a string, got type number
line 5: resource "bad" is flagged: blob: illegal base64 data at input byte 0
line 6: resource "odd name!" is mapped: its id is resource::mcp:odd_name_#`
	if got := report.String(); !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
	for uri, want := range map[string]string{"file:///a.md": "file.a", "file:///b.bin": "file.b_bin", "db://c": "db.c", "no scheme/e": "mcp.odd_name"} {
		for f := range c.Resources().All() {
			if f.Tool() == uri && (f.Path() != want || !f.ReadOnly() || len(f.Params()) != 0) {
				t.Errorf("%s is at %s", uri, f.Path())
			}
		}
	}
}

func TestW40Prompts(t *testing.T) {
	c, report := load(t, nil, `{"prompts":[
		{"name":"gh.review","arguments":[{"name":"pr","required":true,"description":"Which."},{"name":"tone"}],
		 "messages":[
			{"role":"assistant","content":"I review {{pr}}{{tone}} {{no}} {{{pr}}} {{ {{pr}}"},
			{"role":"user","content":{"type":"image","mimeType":"image/png","data":"AAAA"}},
			{"content":{"type":"text","text":"{{tone}} "}},
			{"role":"user"}, 7]},
		{"name":"twice","arguments":[{"name":"a"},{"name":"a"}]},
		{"name":"silent"}]}`)
	key := id(t, c.Prompts(), "gh.review")
	if !strings.HasPrefix(key, "prompt::gh:review#") {
		t.Errorf("the id is %s", key)
	}
	r, err := call(t, c.Prompts(), key, `{"pr":"{{tone}}"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Text(), "assistant: I review {{tone}} {{no}} {{{tone}}} {{ {{tone}}\nuser:\nuser:  "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(r.Content) != 4 || r.Content[2].(*mcp.ImageContent).MIMEType != "image/png" {
		t.Errorf("got %+v", r.Content)
	}
	for _, args := range []string{`{}`, `{"pr":1}`, `{"pr":"1","more":"x"}`} {
		if _, err := call(t, c.Prompts(), key, args); !errors.Is(err, registry.InvalidArguments) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := call(t, c.Prompts(), id(t, c.Prompts(), "silent"), `{}`); !errors.Is(err, registry.Failed) {
		t.Errorf("a prompt without messages: %v", err)
	}
	want := `0 tools, 0 resources, 2 prompts; 2 added, 0 changed, 0 removed; 1 refused; 2 flagged
line 2: prompt "gh.review" is flagged: messages: number 4 has no content
line 2: prompt "gh.review" is flagged: messages: number 5 has no content
line 8: prompt "twice" is refused: arguments: "a" is there more than once`
	if got := report.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A prompt repeats arguments as often as it likes; what comes of that is bounded.
func TestW40PromptBound(t *testing.T) {
	c, _ := load(t, nil, `{"prompts":[{"name":"p","arguments":[{"name":"a"}],"messages":[{"content":`+quote(strings.Repeat("{{a}}", 20_000))+`}]}]}`)
	key := id(t, c.Prompts(), "p")
	if got := said(t, c.Prompts(), key, `{"a":"xy"}`); len(got) != len("user: ")+40_000 {
		t.Errorf("%d bytes", len(got))
	}
	if _, err := call(t, c.Prompts(), key, `{"a":`+quote(strings.Repeat("x", 1000))+`}`); !errors.Is(err, registry.InvalidArguments) {
		t.Errorf("20 MB of prompt: %v", err)
	}
}
