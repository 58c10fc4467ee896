package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
)

// steering are characters that must not get through, as JSON spells them. They
// stand for the text STEER in what the server "hostile" says.
const steering = `\u001b[31m\u202e\udb40\udc41\u0007\u0000\u009b1m\u007f\u2066`

// kept is a text that must get through to the byte, and keptRecord an object.
const (
	kept       = "a\r\n\tb  \n\n👨\u200d👩\u200d👧 ❤\ufe0f עברית\u200f می\u200cخواهم soft\u00adhyphen \ue000 \ufeff\f 9007199254740993 "
	keptRecord = `{"z":9007199254740993,"a":[1.0,1e2,-0],"é":"\u00e9\r\n👨\u200d👩"}`
)

const hostileResult = `{"content":[
	{"type":"text","text":"aSTEERb\r\n","_meta":{"keySTEER":["vSTEER"]},"annotations":{"lastModified":"2025STEER"}},
	{"type":"resource_link","uri":"file:///aSTEER","name":"nSTEER","title":"tSTEER","description":"dSTEER","mimeType":"text/plainSTEER"},
	{"type":"resource","resource":{"uri":"file:///bSTEER","mimeType":"text/plain","text":"tSTEER"}},
	{"type":"image","data":"G1szMW0=","mimeType":"image/pngSTEER"},
	{"type":"hologram","shape":"cubeSTEER"}
],"structuredContent":{"aSTEER":["bSTEER",9007199254740993]},"_meta":{"com.example/aSTEER":{"b":"cSTEER"}},"isError":%v}`

var hostileTools = map[string]string{
	"result": fmt.Sprintf(hostileResult, false),
	"failed": fmt.Sprintf(hostileResult, true),
	"json":   `{"content":[{"type":"text","text":"{\"a\":\"bESCAPED\",\"n\":9007199254740993}"}]}`,
	"text":   `{"content":[{"type":"text","text":` + asJSON(kept) + `}]}`,
	"record": `{"content":[{"type":"text","text":` + asJSON(keptRecord) + `}],"structuredContent":` + keptRecord + `}`,
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func init() {
	speeches["hostile"] = func(r spoken, say func(string)) bool {
		switch r.Method {
		case "tools/list":
			var list []string
			for _, name := range []string{"result", "failed", "refused", "json", "text", "record"} {
				list = append(list, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
			}
			say(r.answer(`{"tools":[` + strings.Join(list, ",") + `]}`))
		case "tools/call":
			message := r.refuse(`{"code":-32000,"message":"noSTEER such thing","data":{"aSTEER":"bSTEER"}}`)
			if result, ok := hostileTools[r.Params.Name]; ok {
				message = r.answer(strings.ReplaceAll(result, "\n", ""))
			}
			escaped := asJSON(steering)
			say(strings.NewReplacer("STEER", steering, "ESCAPED", escaped[1:len(escaped)-1]).Replace(message))
		default:
			return false
		}
		return true
	}
}

// A client of a face calls a function of the namespace up, and returns all that it
// gets of it as JSON, and whether that is an error.
type faceClient func(t *testing.T, function string) (raw string, isError bool)

// faces are all ways in which a registry can be served.
func faces(t *testing.T, reg *registry.Registry) map[string]faceClient {
	t.Helper()
	staged := disclosure.NewServer(reg, nil)
	byID := func(function string) (string, string) {
		f, err := reg.Function(t.Context(), "up", function)
		if err != nil {
			t.Fatal(err)
		}
		return "tool_execute", asJSON(args{"tool_id": f.ID().String()})
	}
	byName := func(function string) (string, string) { return "up-" + function, `{}` }
	command := endpoint.New(reg, nil)
	described := connect(t, inMemoryTap(t, staged))
	return map[string]faceClient{
		"cash": through(connect(t, inMemoryTap(t, cash.NewServer(reg, nil))), func(function string) (string, string) {
			return "call", asJSON(args{"namespace": "up", "function": function})
		}),
		"gateway": through(connect(t, inMemoryTap(t, gateway.NewServer(reg, nil))), byID),
		"proxy":   through(connect(t, inMemoryTap(t, gateway.NewServer(reg, &gateway.Options{Mode: gateway.Proxy}))), byID),
		"plain":   through(connect(t, inMemoryTap(t, plain.NewServer(reg, nil))), byName),
		"disclosure": through(described, func(function string) (string, string) {
			if _, err := described.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=up-" + function}); err != nil {
				t.Fatal(err)
			}
			return byName(function)
		}),
		"facade": through(connect(t, inMemoryTap(t, facade.NewServer(reg, nil))), func(function string) (string, string) {
			return "UpExecute", asJSON(args{"cmd": function})
		}),
		"endpoint": func(t *testing.T, function string) (string, bool) {
			document, exit := command.Answer(t.Context(), []byte(asJSON(args{"action": "call_tool", "tool": "up." + function})))
			return string(document), exit != 0
		},
	}
}

func inMemoryTap(t testing.TB, srv cashtest.Runner) mcp.Transport {
	return mcpclient.Tap(inMemory(t, srv), mcpclient.Options{})
}

// through calls the functions of a face. toolFor says by which tool and arguments.
func through(session *mcp.ClientSession, toolFor func(function string) (tool, arguments string)) faceClient {
	return func(t *testing.T, function string) (string, bool) {
		t.Helper()
		tool, arguments := toolFor(function)
		ctx, x := mcpclient.WithExchange(t.Context())
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		return string(x.Result()), r.IsError
	}
}

// eachString visits the strings of a document, keys included, and those of the
// documents in them.
func eachString(t *testing.T, document string, visit func(s string)) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			visit(v)
			if strings.HasPrefix(v, "{") && json.Valid([]byte(v)) {
				eachString(t, v, visit)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for k, e := range v {
				walk(k)
				walk(e)
			}
		}
	}
	walk(v)
}

// wantNoSteering looks for characters that nothing of a server may have.
func wantNoSteering(t *testing.T, document string) {
	t.Helper()
	eachString(t, document, func(s string) {
		if i := strings.IndexFunc(s, steers); i >= 0 {
			t.Errorf("%U is in %+q", []rune(s[i:])[0], s)
		}
	})
}

func steers(r rune) bool {
	return r < ' ' && !strings.ContainsRune("\t\n\r\f", r) || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e ||
		0x2066 <= r && r <= 0x2069 || 0xe0000 <= r && r <= 0xe007f
}

// On every face nothing of a server steers a terminal or a reader unseen, and what
// is clean arrives to the byte.
func TestResultsAreCleanOnEveryFace(t *testing.T) {
	for way, e := range stages(t, "hostile") {
		_, _, reg := aggregate(t, nil, upstream.Server{Label: "up", Endpoint: e})
		for face, call := range faces(t, reg) {
			t.Run(way+" "+face, func(t *testing.T) {
				for function, wantError := range map[string]bool{"result": false, "failed": true, "refused": true, "json": false} {
					raw, isError := call(t, function)
					wantNoSteering(t, raw)
					if isError != wantError {
						t.Errorf("%s: an error: %v", function, isError)
					}
				}
				if face == "gateway" { // it shows pages, of which it keeps the original
					return
				}
				text, _ := call(t, "text")
				found := false
				eachString(t, text, func(s string) { found = found || s == kept })
				if !found {
					t.Errorf("the text %+q is not in %+q", kept, text)
				}
				if record, _ := call(t, "record"); !strings.Contains(record, keptRecord) {
					t.Errorf("the record %s is not in %s", keptRecord, record)
				}
			})
		}
	}
}

func init() {
	speeches["hostile reads"] = func(r spoken, say func(string)) bool {
		hostile := func(message string) { say(strings.ReplaceAll(message, "STEER", steering)) }
		switch r.Method {
		case "initialize":
			say(r.answer(strings.Replace(introduced, `"tools":`, `"logging":{},"tools":`, 1)))
		case "server/discover":
			say(r.refuse(`{"code":-32601,"message":"what?"}`))
		case "logging/setLevel":
			say(r.answer(`{}`))
		case "resources/list":
			say(r.answer(`{"resources":[{"uri":"a:b","name":"r"}]}`))
		case "resources/read":
			hostile(r.answer(`{"contents":[{"uri":"a:bSTEER","mimeType":"text/plainSTEER","text":"aSTEER\r\nb","_meta":{"kSTEER":"vSTEER"}},{"uri":"a:c","blob":"G1szMW0="},{"odd":"STEER"}]}`))
		case "prompts/list":
			say(r.answer(`{"prompts":[{"name":"p"}]}`))
		case "prompts/get":
			hostile(r.answer(`{"messages":[{"role":"userSTEER","content":{"type":"text","text":"aSTEER\r\nb"}},{"role":"user","content":{"type":"resource","resource":{"uri":"a:bSTEER","text":"tSTEER"}}}]}`))
		case "tools/call":
			hostile(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":"aSTEERb"}}`, r.Params.Meta.ProgressToken))
			hostile(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"infoSTEER","logger":"aSTEER","data":{"bSTEER":["cSTEER\r\n",9007199254740993]}}}`)
			say(r.answer(`{"content":[{"type":"text","text":"done"}]}`))
		default:
			return false
		}
		return true
	}
}

// What is read of resources and prompts is clean as well, and so is what a server
// says while a call runs.
func TestReadsAndReportsAreClean(t *testing.T) {
	s := shelve(t, upstream.Server{Label: "up", Endpoint: stages(t, "hostile reads")["stdio"]})
	for _, test := range []struct {
		reg        *registry.Registry
		name, want string
	}{
		{s.resources, "r", `[{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"a\r\nb","_meta":{"k":"v"}}},` +
			`{"type":"resource","resource":{"uri":"a:c","blob":"G1szMW0="}},{"type":"text","text":"{\"odd\":\"\"}"}]`},
		{s.prompts, "p", `[{"type":"text","text":"user: a\r\nb"},{"type":"text","text":"user:"},{"type":"resource","resource":{"uri":"a:b","text":"t"}}]`},
	} {
		f, err := test.reg.Function(t.Context(), "up", test.name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := call(t, test.reg, f, "")
		if err != nil || asJSON(r.Content) != test.want {
			t.Errorf("%s reads %s, %v; want %s", test.name, asJSON(r.Content), err, test.want)
		}
	}
	var said []string
	_, err := registry.NewPipeline(s.tools, nil).Call(t.Context(), &registry.Request{
		Namespace: "up", Function: "run",
		Progress: func(_ context.Context, p registry.Progress) error {
			said = append(said, p.Message)
			return nil
		},
		Client: &registry.Client{Owner: "ann", Log: func(_ context.Context, m registry.LogMessage) error {
			said = append(said, asJSON(m))
			return nil
		}},
	})
	if want := []string{"ab", `{"Level":"info","Logger":"up a","Data":{"b":["c\r\n",9007199254740993]}}`}; err != nil || !slices.Equal(said, want) {
		t.Errorf("the server says %q, %v; want %q", said, err, want)
	}
}

// A CaSH server's results are cleaned where those of others are, and its pages are,
// too.
func TestCaSHResultsAreClean(t *testing.T) {
	var hidden string
	if err := json.Unmarshal([]byte(`"`+steering+`"`), &hidden); err != nil {
		t.Fatal(err)
	}
	srv := hands{
		help: func(_ context.Context, _ *mcp.CallToolRequest, a args) *mcp.CallToolResult {
			if str(a["function"]) != "" {
				return text("# " + str(a["function"]) + "\n\nSays" + hidden + " it.")
			}
			return text(`{"functions":["say","fail"]}`)
		},
		skill: func(_ context.Context, _ *mcp.CallToolRequest, a args) *mcp.CallToolResult {
			if str(a["skillname"]) != "" {
				return text("Do" + hidden + " it.")
			}
			return text("# Skills\n\n- **s** — S.\n")
		},
		call: func(_ context.Context, _ *mcp.CallToolRequest, a args) *mcp.CallToolResult {
			r := text(kept + hidden)
			r.StructuredContent = json.RawMessage(`{"n":9007199254740993,"a":"` + steering + `"}`)
			r.Meta = mcp.Meta{"com.example/a" + hidden: hidden, "cash/error": "FAILED" + hidden}
			r.IsError = str(a["function"]) == "fail"
			return r
		},
	}.server()
	_, _, reg := aggregate(t, nil, memory("up", srv))
	face := faces(t, reg)["cash"]
	for function, wantError := range map[string]bool{"say": false, "fail": true} {
		raw, isError := face(t, function)
		wantNoSteering(t, raw)
		if isError != wantError || !strings.Contains(raw, `"structuredContent":{"n":9007199254740993,"a":""}`) {
			t.Errorf("%s answers %s", function, raw)
		}
		if !isError {
			found := false
			eachString(t, raw, func(s string) { found = found || s == kept })
			if !found {
				t.Errorf("the text is not in %+q", raw)
			}
		}
	}
	c := cashtest.Connect(t, cash.NewServer(reg, nil))
	for _, page := range []string{c.Help("up", "say").OK().Text, c.Skill("up", "s").OK().Text} {
		if strings.IndexFunc(page, steers) >= 0 || !strings.Contains(page, " it.") {
			t.Errorf("a page reads %+q", page)
		}
	}
}

// A question by URL is none, even if it does not say so, and the id of one is not
// what hides a text.
func TestQuestionsByURL(t *testing.T) {
	for name, requests := range map[string]string{
		"URL":  `{"q":{"method":"elicitation/create","params":{"message":"Here.","url":"https://evil.example/"}}}`,
		"mode": `{"q":{"method":"elicitation/create","params":{"mode":"other","message":"Here."}}}`,
		"id":   `{"q\u001b[31m":{"method":"elicitation/create","params":{"message":"Here."}}}`,
		"":     `{"q":{"method":"elicitation/create","params":{"message":"Here\u001b[31m.","elicitationId":"x\u0007"}}}`,
	} {
		srv := handmade(func(method string, _ json.RawMessage) (string, error) {
			if method == "tools/call" {
				return `{"resultType":"input_required","inputRequests":` + requests + `,"requestState":"s"}`, nil
			}
			return "", nil
		})
		_, _, reg := aggregate(t, nil, memory("up", srv))
		r, err := registry.NewPipeline(reg, nil).Call(t.Context(), &registry.Request{
			Namespace: "up", Function: "run", Client: &registry.Client{Owner: "ann", TakesInputRequests: true},
		})
		if name != "" {
			if err == nil || !strings.Contains(err.Error(), "no way to put it to them") {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			continue
		}
		if err != nil || r.InputRequests == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		if p, ok := r.InputRequests["q"].(*mcp.ElicitParams); !ok || p.Message != "Here." || p.ElicitationID != "" {
			t.Errorf("the question is %+v", r.InputRequests)
		}
	}
}
