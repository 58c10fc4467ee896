package catalog_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// What a document has as a result is what callers get, key order and spelling
// included.
func TestW32Results(t *testing.T) {
	for _, tt := range []struct{ result, want string }{
		{`"plain"`, `{"content":[{"type":"text","text":"plain"}]}`},
		{`""`, `{"content":[{"type":"text","text":""}]}`},
		{`{ "z": 1.0, "a" : [ 9007199254740993 ] }`, `{"content":[{"type":"text","text":"{\"z\":1.0,\"a\":[9007199254740993]}"}]}`},
		{`[1,2]`, `{"content":[{"type":"text","text":"[1,2]"}]}`},
		{`false`, `{"content":[{"type":"text","text":"false"}]}`},
		{`{"content":"not a list"}`, `{"content":[{"type":"text","text":"{\"content\":\"not a list\"}"}]}`},
		{`{"content":[]}`, `{"content":[]}`},
		{`{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"AAEC"}],"isError":true}`,
			`{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"AAEC"}],"isError":true}`},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"/w=="}},{"type":"resource_link","uri":"c:d","name":"n"}]}`,
			`{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"/w=="}},{"type":"resource_link","uri":"c:d","name":"n"}]}`},
		{`{"content":[{"type":"hologram","x":1},null,"s",{"type":"resource"},{"type":"image","data":"!"}]}`,
			`{"content":[{"type":"text","text":"{\"type\":\"hologram\",\"x\":1}"},{"type":"text","text":"null"},{"type":"text","text":"s"},` +
				`{"type":"text","text":"{\"type\":\"resource\"}"},{"type":"text","text":"{\"type\":\"image\",\"data\":\"!\"}"}]}`},
		{`{"structuredContent":{"b":1e2, "a":1}}`, `{"content":[{"type":"text","text":"{\"b\":1e2,\"a\":1}"}],"structuredContent":{"b":1e2,"a":1}}`},
		{`{"content":[{"type":"text","text":"t"}],"structuredContent":{"b":1e2, "a":1}}`, `{"content":[{"type":"text","text":"t"}],"structuredContent":{"b":1e2,"a":1}}`},
	} {
		c, report := load(t, nil, `[{"name":"f","result":`+tt.result+`}]`)
		r, err := call(t, c.Tools(), id(t, c.Tools(), "f"), `{}`)
		if err != nil || len(report.Findings) > 0 {
			t.Errorf("%s: %v, %s", tt.result, err, report)
			continue
		}
		got := struct {
			Content    []mcp.Content   `json:"content"`
			Structured json.RawMessage `json:"structuredContent,omitempty"`
			IsError    bool            `json:"isError,omitempty"`
		}{r.Content, r.Structured, r.IsError}
		if got.Content == nil {
			got.Content = []mcp.Content{}
		}
		if got := quote(got); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.result, got, tt.want)
		}
	}
}

// Arguments choose the result: the first that are equal as JSON.
func TestResultsByArguments(t *testing.T) {
	c, report := load(t, nil, `[{"name":"f","inputSchema":{"type":"object","properties":{"a":{},"n":{"type":"integer","default":10}}},
		"result":"beneath",
		"results":[
			{"arguments":{"a":{"x":1,"y":[2]}},"result":"object"},
			{"arguments":{"a":"\u0061"},"result":"text"},
			{"arguments":{"a":"a"},"result":"never"},
			{"arguments":{"a":"a","n":3},"result":"three"},
			{"arguments":{},"result":"none"},
			{"arguments":{"a":null},"result":"null"},
			{"result":"else"}, {"arguments":null,"result":"never"},
			{"arguments":7,"result":"never"}, {"arguments":{}}, 7
		]},{"name":"g","results":[{"arguments":{"a":1},"result":"one"}]}]`)
	for args, want := range map[string]string{
		`{"a":{"y":[2],"x":1}}`: "object", `{"n":10,"a":{"x":1,"y":[2]}}`: "object",
		`{"a":"a"}`: "text", `{"a":"a","n":3}`: "three", `{}`: "none", `{"n":10}`: "none", `{"a":null}`: "null",
		`{"a":"b"}`: "else", `{"a":{"x":1}}`: "else",
	} {
		if got := said(t, c.Tools(), id(t, c.Tools(), "f"), args); got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
	g := id(t, c.Tools(), "g")
	if got := said(t, c.Tools(), g, `{"a":1}`); got != "one" {
		t.Errorf("got %q", got)
	}
	_, err := call(t, c.Tools(), g, `{"a":2}`)
	var e *registry.Error
	if !errors.As(err, &e) || e.Kind != registry.Failed || !e.NotRun || strings.Contains(e.Error(), "2") {
		t.Errorf("other arguments: %v", err)
	}
	if n := len(report.Findings); n != 3 {
		t.Errorf("%d findings: %s", n, report)
	}
}

// What a caller does to a result is not seen by the next one.
func TestResultsAreNotShared(t *testing.T) {
	c, _ := load(t, nil, `{"tools":[{"name":"f","result":{"content":[{"type":"text","text":"a"}]}}],"resources":[{"uri":"u","text":"a"}]}`)
	for _, reg := range []*registry.Registry{c.Tools(), c.Resources()} {
		for _, key := range ids(reg) {
			for range 3 {
				r, err := call(t, reg, key, `{}`)
				if err != nil || len(r.Content) != 1 || r.Meta != nil {
					t.Fatalf("%s: %+v, %v", key, r, err)
				}
				r.Content = append(r.Content, &mcp.TextContent{Text: "more"})
				r.Meta = map[string]any{"x": 1}
			}
		}
	}
}
