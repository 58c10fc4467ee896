package cash_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

// wire is a client that sees the bytes, which the SDK's client does not show.
type wire struct {
	t   *testing.T
	out io.Writer
	in  *bufio.Reader
	id  int
}

func newWire(t *testing.T, srv *cash.Server) *wire {
	t.Helper()
	serverIn, out := io.Pipe()
	in, serverOut := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		srv.Run(ctx, &mcp.IOTransport{Reader: serverIn, Writer: serverOut})
	}()
	t.Cleanup(func() {
		cancel()
		out.Close()
		in.Close()
		<-done
	})
	w := &wire{t: t, out: out, in: bufio.NewReader(in)}
	w.send("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
	fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

// send sends a request and returns its result, or its error, as it is spelt.
func (w *wire) send(method, params string) string {
	w.t.Helper()
	w.id++
	if _, err := fmt.Fprintf(w.out, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", w.id, method, params); err != nil {
		w.t.Fatal(err)
	}
	for {
		line, err := w.in.ReadBytes('\n')
		if err != nil {
			w.t.Fatal(err)
		}
		var m struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			w.t.Fatal(err)
		}
		if m.ID == w.id {
			return string(m.Result) + string(m.Error)
		}
	}
}

// TestResultsAreUntouched holds R13: below the gate nothing is added, wrapped,
// re-ordered or re-encoded.
func TestResultsAreUntouched(t *testing.T) {
	const structured = `{"z":12.50,"a":9007199254740993,"m":{"b":1e2,"a":-0.0}}`
	f, err := registry.RawFunc("get", "Get.", nil, func(_ context.Context, args json.RawMessage) (*registry.Result, error) {
		return &registry.Result{
			Content: []mcp.Content{
				&mcp.TextContent{Text: string(args)},
				&mcp.ImageContent{Data: []byte{0, 1, 2}, MIMEType: "image/png"},
			},
			Structured: json.RawMessage(structured),
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f, registry.Func("identity", "Identity.", identity))
	w := newWire(t, cash.NewServer(reg, nil))

	got := w.send("tools/call", `{"name":"call","arguments":{"function":"get","kwargs":{"z":12.50,"a":9007199254740993,"A_b":[1.0,{"Q":1,"q":2}]}}}`)
	want := `{"content":[{"type":"text","text":"{\"z\":12.50,\"a\":9007199254740993,\"A_b\":[1.0,{\"Q\":1,\"q\":2}]}"},{"type":"image","mimeType":"image/png","data":"AAEC"}],"structuredContent":` + structured + `}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = w.send("tools/call", `{"name":"call","arguments":{"function":"identity","kwargs":{"id":9007199254740993}}}`)
	if want := `{"content":[{"type":"text","text":"{\"id\":9007199254740993}"}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestProtocolErrors holds R12, and what malformed arguments get: an answer
// that the model reads, and a server that goes on.
func TestProtocolErrors(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("orders", "").Add(registry.Func("create", "Create.", createOrder))
	w := newWire(t, cash.NewServer(reg, nil))
	if got := w.send("tools/call", `{"name":"orders.create","arguments":{}}`); !strings.Contains(got, `"code"`) {
		t.Errorf("R12: a function's name is a tool: %s", got)
	}
	for _, tt := range []struct{ row, args, want string }{
		{"R15", `{"namespace":"orders"}`, `help(namespace=\"orders\")`},
		{"R15", `{}`, `help()`},
		{"R15", `{"namespace":"x y"}`, `help()`},
		{"R15", `{"function":null}`, `function`},
		{"R14", `{"namespace":"orders","function":"create","kwargs":[1]}`, "object"},
		{"R14", `{"namespace":"orders","function":"create","kwargs":"{}"}`, "string"},
		{"types", `{"namespace":7,"function":"create"}`, "namespace"},
		{"types", `{"function":["create"]}`, "function"},
		{"colliding", `{"function":"create","Function":"x"}`, "same"},
		{"duplicate", `{"function":"a","function":"b"}`, "duplicate"},
		{"beside", `{"namespace":"orders","function":"create","customer_id":"x"}`, "kwargs"},
		{"no object", `7`, "object"},
		{"no object", `"x"`, "object"},
	} {
		got := w.send("tools/call", `{"name":"call","arguments":`+tt.args+`}`)
		want, _ := json.Marshal(tt.want)
		if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, strings.Trim(strings.ReplaceAll(string(want), `\\\"`, `\"`), `"`)) {
			t.Errorf("%s: %s: %s", tt.row, tt.args, got)
		}
	}
	for _, args := range []string{`null`, `{}`, `{"namespace":null,"kwargs":null}`, `{"format":"markdown","zzz":[1]}`} {
		if got := w.send("tools/call", `{"name":"help","arguments":`+args+`}`); strings.Contains(got, "isError") || !strings.Contains(got, "orders") {
			t.Errorf("help%s: %s", args, got)
		}
	}
	// R7: options beside kwargs, and in them, which win.
	for args, want := range map[string]bool{
		`{"format":"json"}`:                               true,
		`{"kwargs":{"format":"json"}}`:                    true,
		`{"Format":"json","kwargs":{"format":"x"}}`:       false,
		`{"format":"x","kwargs":{"FORMAT":"json"}}`:       true,
		`{"format":"json","kwargs":"not an object"}`:      true,
		`{"format":"json","Format":"json","kwargs":null}`: true,
	} {
		got := w.send("tools/call", `{"name":"help","arguments":`+args+`}`)
		if is := strings.Contains(got, `{\"namespaces\"`); is != want {
			t.Errorf("R7: help%s: %s", args, got)
		}
	}
}

// TestToolArgumentNames holds that each tool knows its own arguments only.
func TestToolArgumentNames(t *testing.T) {
	reg := registry.New(nil)
	type in struct {
		Name string `json:"name,omitempty"`
	}
	reg.Namespace("", "").Add(registry.Func("greet", "Greet.", func(_ context.Context, in in) (string, error) { return "hello " + in.Name, nil }))
	reg.Namespace("", "").AddSkill(registry.NewSkill("how", "", "For {{who}}."))
	w := newWire(t, cash.NewServer(reg, nil))
	for _, tt := range []struct{ row, tool, args, want string }{
		{"R9", "skill", `{"skillname":"how","name":"how"}`, "are the same argument"},
		{"R9", "skill", `{"name":"how","who":"Ann"}`, "For Ann."},
		{"R9", "skill", `{"name":"how","who":"Ann","kwargs":{"WHO":"Bob"}}`, "For Bob."},
		{"beside", "call", `{"function":"greet","name":"Bob"}`, "The argument `name` belongs in `kwargs`."},
		{"R9", "skill", `{"skill":"how","who":"Ann"}`, "For Ann."},
		{"beside, under another name", "call", `{"function":"greet","arguments":{"name":"Bob"}}`,
			"The argument `arguments` is not known. The function was not run. Pass its arguments in `kwargs`."},
		{"beside, of a client", "call", `{"function":"greet","_why":{"name":"Bob"}}`, "hello "},
		{"a skill is no function", "call", `{"function":"how"}`, "No function `how` in the root namespace. It is a skill: read it with `skill(skillname=\\\"how\\\")`."},
		{"R6", "call", `{"function":"greet","zzz":1,"kwargs":{"name":"Bob"}}`, "hello Bob"},
		{"R46", "help", `{"name":1,"replay":false,"sizelimit":1,"size_limit":2}`, "Available Functions"},
	} {
		if got := w.send("tools/call", `{"name":"`+tt.tool+`","arguments":`+tt.args+`}`); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s%s: %s", tt.row, tt.tool, tt.args, got)
		}
	}
}
