package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// ask answers a request and checks what holds for every answer: one compact strict
// document, of a type that fits the status.
func ask(t *testing.T, e *endpoint.Endpoint, request string) (map[string]json.RawMessage, int) {
	t.Helper()
	document, exit := e.Answer(t.Context(), []byte(request))
	return checkAnswer(t, document), exit
}

func checkAnswer(t *testing.T, document []byte) map[string]json.RawMessage {
	t.Helper()
	if err := strictjson.Check(document); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil || !bytes.Equal(compact.Bytes(), document) {
		t.Fatalf("not compact: %s", document)
	}
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(document, &members); err != nil {
		t.Fatal(err)
	}
	if typ := string(members["type"]); typ != `"result"` && typ != `"error"` {
		t.Fatalf("type %s", typ)
	}
	return members
}

// wantError checks that an answer is an error of a category.
func wantError(t *testing.T, members map[string]json.RawMessage, category endpoint.Category) *endpoint.Error {
	t.Helper()
	e := new(endpoint.Error)
	if err := json.Unmarshal(members["error"], e); err != nil {
		t.Fatalf("no error: %s", members)
	}
	if e.Name == "" || e.Category != category || e.Message == "" {
		t.Fatalf("got %+v, want category %s", e, category)
	}
	return e
}

func TestK1K5DescriptorsHaveSevenMembers(t *testing.T) {
	members, exit := ask(t, endpoint.New(newRegistry(), nil), `{"action":"list_tools"}`)
	var tools []map[string]any
	if err := json.Unmarshal(members["tools"], &tools); err != nil || exit != 0 {
		t.Fatal(err, exit)
	}
	var names []string
	for _, tool := range tools {
		if len(tool) != 7 {
			t.Errorf("%d members: %v", len(tool), tool)
		}
		names = append(names, tool["name"].(string))
		for _, text := range []string{"name", "description", "command", "origin", "safety"} {
			if s, ok := tool[text].(string); !ok || s == "" {
				t.Errorf("%s: %s is %v", tool["name"], text, tool[text])
			}
		}
		for _, schema := range []string{"input_schema", "result_schema"} {
			if o, ok := tool[schema].(map[string]any); !ok || o["type"] != "object" {
				t.Errorf("%s: %s is %v", tool["name"], schema, tool[schema])
			}
		}
		if tool["origin"] != endpoint.Local {
			t.Errorf("origin %v", tool["origin"])
		}
	}
	want := []string{"quiet", "shout", "orders.create", "orders.deny", "orders.fail", "orders.list", "orders.panic", "orders.say"}
	if !slices.Equal(names, want) {
		t.Errorf("tools %v", names)
	}
}

func TestK1Safety(t *testing.T) {
	for _, test := range []struct {
		readOnly, destructive, idempotent bool
		want                              string
	}{
		{want: "A call may change something."},
		{readOnly: true, want: "Read-only: a call changes nothing."},
		{destructive: true, want: "Destructive: a call may delete or overwrite."},
		{idempotent: true, want: "A call may change something. The same call twice has the effect of once."},
	} {
		reg := registry.New(nil)
		facts := []registry.FuncOption{registry.Idempotent(test.idempotent), registry.Destructive(test.destructive)}
		if test.readOnly {
			facts = []registry.FuncOption{registry.ReadOnly}
		}
		reg.Namespace("", "").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) { return "", nil }, facts...))
		if d := descriptor(t, reg, "f"); d.Safety != test.want {
			t.Errorf("%+v: %s", test, d.Safety)
		}
	}
}

// descriptor asks for a descriptor.
func descriptor(t *testing.T, src registry.Source, tool string) endpoint.Descriptor {
	t.Helper()
	members, exit := ask(t, endpoint.New(src, nil), `{"action":"describe_tool","tool":"`+tool+`"}`)
	var d endpoint.Descriptor
	if err := json.Unmarshal(members["tool"], &d); err != nil || exit != 0 {
		t.Fatal(err, exit, string(members["error"]))
	}
	return d
}

func TestK2ToolSchema(t *testing.T) {
	d := descriptor(t, newRegistry(), "shout")
	var in struct {
		Type       string
		Required   []string
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(d.InputSchema, &in); err != nil {
		t.Fatal(err)
	}
	if in.Type != "object" || !slices.Equal(in.Required, []string{"query"}) || len(in.Properties) != 1 || in.Properties["query"].Type != "string" {
		t.Errorf("input schema %s", d.InputSchema)
	}
	if !strings.Contains(string(d.ResultSchema), `"required":["stdout","exit_code"]`) {
		t.Errorf("result schema %s", d.ResultSchema)
	}
}

// TestK1InputSchemaAsRegistered compares bytes.
func TestK1InputSchemaAsRegistered(t *testing.T) {
	const schema = `{"type":"object","properties":{"z":{"const":9007199254740993},"a":{"description":"<&>\u2028"}}}`
	f, err := registry.RawFunc("raw", "Raw.", json.RawMessage(schema), func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil }, registry.OutputSchema(json.RawMessage(`{"type": "object", "required": ["x"]}`)))
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f)
	d := descriptor(t, reg, "raw")
	if string(d.InputSchema) != schema || string(d.ResultSchema) != `{"type":"object","required":["x"]}` {
		t.Errorf("%s, %s", d.InputSchema, d.ResultSchema)
	}
}

// TestY9CommandIsText shows parameters as far as a shell could do nothing with
// them.
func TestY9CommandIsText(t *testing.T) {
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprintf(`"parameter_%d":{}`, i)
	}
	for schema, want := range map[string]string{
		`{"type":"object"}`: "f",
		`{"type":"object","required":["b"],"properties":{"a":{},"b":{},"c-d":{}}}`:                   "f b=B [a=A] [c-d=C-D]",
		`{"type":"object","properties":{"a":{},"$(id)":{},"; rm":{},"-x":{},"":{},"\u001b[31m":{}}}`: "f [a=A] ...",
	} {
		f, err := registry.RemoteFunc("f", "F.", registry.Remote{InputSchema: json.RawMessage(schema), Handler: func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil }})
		if err != nil {
			t.Fatal(err)
		}
		reg := registry.New(nil)
		reg.Namespace("", "").Add(f)
		if d := descriptor(t, reg, "f"); d.Command != want || d.Origin != endpoint.Remote {
			t.Errorf("%s: %q, %s", schema, d.Command, d.Origin)
		}
	}
	f, err := registry.RawFunc("f", "F.", json.RawMessage(`{"type":"object","properties":{`+strings.Join(many, ",")+`}}`), echoArguments)
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f)
	if d := descriptor(t, reg, "f"); len(d.Command) > 310 || !strings.HasSuffix(d.Command, " ...") {
		t.Errorf("%q", d.Command)
	}
}

// TestK4Requests are requests that are errors of usage, whatever else they are.
func TestK4Requests(t *testing.T) {
	e := endpoint.New(newRegistry(), &endpoint.Options{Name: "shop", MaxRequest: 4096})
	for name, request := range map[string]string{
		"empty":             ``,
		"blank":             " \n",
		"no JSON":           `hello`,
		"cut":               `{"action":"list_tools"`,
		"array":             `["list_tools"]`,
		"null":              `null`,
		"text":              `"list_tools"`,
		"two documents":     `{"action":"list_tools"}{"action":"list_tools"}`,
		"duplicate key":     `{"action":"list_tools","action":"call_tool"}`,
		"duplicate below":   `{"action":"call_tool","tool":"orders.list","arguments":{"a":1,"a":2}}`,
		"no action":         `{"tool":"orders.list"}`,
		"action null":       `{"action":null}`,
		"action number":     `{"action":1}`,
		"action empty":      `{"action":""}`,
		"unknown action":    `{"action":"LIST_TOOLS"}`,
		"no tool":           `{"action":"call_tool"}`,
		"tool object":       `{"action":"describe_tool","tool":{}}`,
		"unknown tool":      `{"action":"describe_tool","tool":"x"}`,
		"namespace":         `{"action":"call_tool","tool":"orders"}`,
		"skill":             `{"action":"call_tool","tool":"orders.refund"}`,
		"odd name":          `{"action":"call_tool","tool":"..\u0000;rm -rf /\u001b[31m"}`,
		"arguments array":   `{"action":"call_tool","tool":"orders.list","arguments":[1]}`,
		"arguments null":    `{"action":"call_tool","tool":"orders.list","arguments":null}`,
		"arguments text":    `{"action":"call_tool","tool":"orders.list","arguments":"{}"}`,
		"arguments invalid": `{"action":"call_tool","tool":"orders.create","arguments":{"customer_id":1}}`,
		"keys are exact":    `{"action":"call_tool","tool":"orders.create","arguments":{"customerId":"x"}}`,
		"missing argument":  `{"action":"call_tool","tool":"orders.create"}`,
		"NUL":               "{\"action\":\"list_tools\"}\x00",
		"depth":             `{"action":"list_tools","x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`,
		"size":              `{"action":"list_tools","x":"` + strings.Repeat("x", 5000) + `"}`,
		"not UTF-8":         "{\"action\":\"list_tools\",\"x\":\"\xff\"}",
	} {
		t.Run(name, func(t *testing.T) {
			members, exit := ask(t, e, request)
			said := wantError(t, members, endpoint.Usage)
			if exit != 1 || said.Name != "shop" || len(said.Message) > 600 || strings.ContainsAny(said.Message, "\x1b\x00") {
				t.Errorf("status %d, %+v", exit, said)
			}
		})
	}
}

func TestK20KX4RequestsThatPass(t *testing.T) {
	e := endpoint.New(newRegistry(), nil)
	for name, request := range map[string]string{
		"BOM":             "\ufeff" + `{"action":"list_tools"}`,
		"lines":           "\n{\n  \"action\": \"list_tools\"\n}\n\n",
		"unknown members": `{"action":"list_tools","tool":7,"arguments":[],"x":{"y":1}}`,
		"no arguments":    `{"action":"call_tool","tool":"orders.list"}`,
		"arguments":       `{"action":"call_tool","tool":"orders.list","arguments":{}}`,
		"other case":      `{"action":"call_tool","tool":"Orders.List"}`,
		"describe":        `{"action":"describe_tool","tool":"orders.list","arguments":null}`,
	} {
		if members, exit := ask(t, e, request); exit != 0 {
			t.Errorf("%s: %d %s", name, exit, members["error"])
		}
	}
}

// TestK6HiddenIsAbsent compares what is hidden with what is not there.
func TestK6HiddenIsAbsent(t *testing.T) {
	e := endpoint.New(newRegistry(), nil)
	for _, action := range []string{"describe_tool", "call_tool"} {
		request := `{"action":"` + action + `","tool":"orders.NAME"}`
		hidden, code := e.Answer(t.Context(), []byte(strings.Replace(request, "NAME", "hidden", 1)))
		absent, _ := e.Answer(t.Context(), []byte(strings.Replace(request, "NAME", "absent", 1)))
		if string(hidden) != strings.Replace(string(absent), "absent", "hidden", 1) || code != 1 {
			t.Errorf("%s\n%s", hidden, absent)
		}
	}
	admin := registry.WithCaller(t.Context(), &registry.Caller{ID: "a", Roles: []string{"admin"}})
	if _, exit := e.Answer(admin, []byte(`{"action":"call_tool","tool":"orders.hidden"}`)); exit != 0 {
		t.Error("the admin does not see it")
	}
	if list, _ := e.Answer(t.Context(), []byte(`{"action":"list_tools"}`)); strings.Contains(string(list), "idden") || strings.Contains(string(list), "refund") {
		t.Error(string(list))
	}
}

func TestK7Results(t *testing.T) {
	text := func(s string) *registry.Result { return registry.TextResult(s) }
	for name, test := range map[string]struct {
		result *registry.Result
		want   string
	}{
		"object":           {text("{ \"z\": 9007199254740993,\n\"a\":1.0 }"), `{"z":9007199254740993,"a":1.0}`},
		"array":            {text(`[1, 1e400]`), `{"value":[1,1e400]}`},
		"number":           {text(`42`), `{"value":42}`},
		"text":             {text("a <b>\n"), `{"text":"a <b>\n"}`},
		"almost":           {text(`{"a":1,"a":2}`), `{"text":"{\"a\":1,\"a\":2}"}`},
		"two":              {text(`{} {}`), `{"text":"{} {}"}`},
		"empty text":       {text(""), `{"text":""}`},
		"nothing":          {&registry.Result{}, `{}`},
		"structured":       {&registry.Result{Structured: json.RawMessage(`{"b":2,"a":1}`), Content: text("other").Content}, `{"b":2,"a":1}`},
		"other value":      {&registry.Result{Structured: json.RawMessage(`[1]`)}, `{"value":[1]}`},
		"not strict":       {&registry.Result{Structured: json.RawMessage(`{"a":1,"a":2}`), Content: text("x").Content}, `{"text":"x"}`},
		"not strict alone": {&registry.Result{Structured: json.RawMessage(`{"a":1,"a":2}`)}, `{"text":"{\"a\":1,\"a\":2}"}`},
		"image": {&registry.Result{Content: []mcp.Content{&mcp.ImageContent{Data: []byte("hi"), MIMEType: "image/png"}}},
			`{"content":[{"type":"image","mimeType":"image/png","data":"aGk="}]}`},
		"blocks": {&registry.Result{Content: []mcp.Content{&mcp.TextContent{Text: "a"}, &mcp.TextContent{Text: "b"}}},
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			members, exit := ask(t, endpoint.New(answering(t, test.result, nil), nil), `{"action":"call_tool","tool":"f"}`)
			if string(members["result"]) != test.want || string(members["tool"]) != `"f"` || exit != 0 {
				t.Errorf("got %s, want %s", members, test.want)
			}
		})
	}
}

// TestK3StatusOfOthers has results that carry a status in their metadata, as
// servers may write it, without being those of commands.
func TestK3StatusOfOthers(t *testing.T) {
	for object, status := range map[string]any{
		`{"a":1}`:                     7,
		`{"stdout":"","exit_code":3}`: 7,
		`{"stdout":1,"exit_code":7}`:  7,
		`{"stdout":"","exit_code":7}`: "7",
	} {
		for _, failed := range []bool{true, false} {
			r := &registry.Result{Structured: json.RawMessage(object), IsError: failed, Meta: map[string]any{endpoint.MetaExitCode: status}}
			members, exit := ask(t, endpoint.New(answering(t, r, nil), nil), `{"action":"call_tool","tool":"f"}`)
			if (members["error"] != nil) != failed || (exit == 1) != failed || exit > 1 {
				t.Errorf("%s failed: %t, status %d: %s", object, failed, exit, members)
			}
		}
	}
}

// TestK3StatusBeyondAll has a status that no process can end with, from a system
// where one can.
func TestK3StatusBeyondAll(t *testing.T) {
	for _, status := range []int{256, 1024, -1, -1073741510} {
		object := fmt.Sprintf(`{"stdout":"","exit_code":%d}`, status)
		r := &registry.Result{Structured: json.RawMessage(object), IsError: true, Meta: map[string]any{endpoint.MetaExitCode: status}}
		members, exit := ask(t, endpoint.New(answering(t, r, nil), nil), `{"action":"call_tool","tool":"f"}`)
		if string(members["result"]) != object || exit != 1 {
			t.Errorf("%d: status %d: %s", status, exit, members)
		}
	}
}

// TestK4DepthOfArguments is that of the arguments alone, as on other faces.
func TestK4DepthOfArguments(t *testing.T) {
	e := endpoint.New(answering(t, registry.TextResult("{}"), nil), nil)
	for depth, want := range map[int]int{64: 0, 65: 1} {
		args := `{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
		if members, exit := ask(t, e, `{"action":"call_tool","tool":"f","arguments":`+args+`}`); exit != want {
			t.Errorf("%d levels: status %d: %s", depth, exit, members)
		}
	}
}

// TestK1ResultSchemaIsAnObject whatever the function says.
func TestK1ResultSchemaIsAnObject(t *testing.T) {
	for schema, want := range map[string]string{
		`true`: `{"type":"object","description":"Any JSON value."}`, ` {"type" : "object","x":1.0} `: `{"type":"object","x":1.0}`,
	} {
		f, err := registry.RawFunc("f", "F.", nil, echoArguments, registry.OutputSchema(json.RawMessage(schema)))
		if err != nil {
			t.Fatal(err)
		}
		reg := registry.New(nil)
		reg.Namespace("", "").Add(f)
		if got := string(descriptor(t, reg, "f").ResultSchema); got != want {
			t.Errorf("%s: %s", schema, got)
		}
	}
}

// answering is a source whose function f answers so.
func answering(t *testing.T, r *registry.Result, failure error) registry.Source {
	t.Helper()
	f, err := registry.RawFunc("f", "F.", nil, func(context.Context, json.RawMessage) (*registry.Result, error) { return r, failure })
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f)
	return reg
}

// TestK8Y2Categories has an error of every kind.
func TestK8Y2Categories(t *testing.T) {
	want := map[registry.Kind]endpoint.Category{
		registry.UnknownNamespace: endpoint.Usage, registry.UnknownFunction: endpoint.Usage, registry.UnknownSkill: endpoint.Usage,
		registry.UnknownPath: endpoint.Usage, registry.InvalidName: endpoint.Usage, registry.InvalidPath: endpoint.Usage,
		registry.InvalidArguments: endpoint.Usage, registry.Denied: endpoint.Permission, registry.Unauthorized: endpoint.Permission,
		registry.Failed: endpoint.Pipeline, registry.TimedOut: endpoint.Pipeline, registry.Canceled: endpoint.Pipeline,
		registry.Unavailable: endpoint.Pipeline, registry.RateLimited: endpoint.Pipeline,
		registry.Internal: endpoint.Fatal, registry.InvalidSchema: endpoint.Fatal,
	}
	for kind, category := range want {
		if !kind.Known() {
			t.Errorf("%s is no kind", kind)
		}
		src := answering(t, nil, &registry.Error{Kind: kind, Message: "It went wrong.", Hint: "Do something else."})
		members, exit := ask(t, endpoint.New(src, nil), `{"action":"call_tool","tool":"f"}`)
		if e := wantError(t, members, category); exit != 1 || e.Message != "It went wrong. Do something else." || e.Name != endpoint.DefaultName {
			t.Errorf("%s: %d %+v", kind, exit, e)
		}
	}
	if got := endpoint.CategoryOf("SOMETHING_NEW"); got != endpoint.Pipeline {
		t.Errorf("unknown kind: %s", got)
	}
}

func TestK8Failures(t *testing.T) {
	e := endpoint.New(newRegistry(), nil)
	for tool, category := range map[string]endpoint.Category{"orders.fail": endpoint.Pipeline, "orders.panic": endpoint.Fatal, "orders.deny": endpoint.Permission} {
		members, exit := ask(t, e, `{"action":"call_tool","tool":"`+tool+`"}`)
		if said := wantError(t, members, category); exit != 1 || strings.Contains(said.Message, "secret") {
			t.Errorf("%s: %d %+v", tool, exit, said)
		}
	}
	failed := registry.TextResult("It says no.")
	failed.IsError = true
	failed.Meta = map[string]any{endpoint.MetaExitCode: 0} // no command that ended well is a failure
	members, _ := ask(t, endpoint.New(answering(t, failed, nil), nil), `{"action":"call_tool","tool":"f"}`)
	if said := wantError(t, members, endpoint.Pipeline); said.Message != "It says no." {
		t.Errorf("%+v", said)
	}
	asking := &registry.Result{InputRequests: mcp.InputRequestMap{}}
	members, _ = ask(t, endpoint.New(answering(t, asking, nil), nil), `{"action":"call_tool","tool":"f"}`)
	wantError(t, members, endpoint.Pipeline)
}

func TestK18ExitZero(t *testing.T) {
	e := endpoint.New(newRegistry(), &endpoint.Options{ExitZero: true})
	members, exit := ask(t, e, `{"action":"x"}`)
	if wantError(t, members, endpoint.Usage); exit != 0 {
		t.Errorf("status %d", exit)
	}
	if _, exit := ask(t, e, `{"action":"call_tool","tool":"shout","arguments":{"query":"q"}}`); exit != 0 {
		t.Errorf("status %d of a command", exit)
	}
}

func TestK14RunReadsToTheEnd(t *testing.T) {
	e := endpoint.New(newRegistry(), nil)
	in, w := io.Pipe()
	done := make(chan string)
	go func() {
		var out bytes.Buffer
		exit := e.Run(t.Context(), in, &out)
		done <- string(rune('0'+exit)) + out.String()
	}()
	for _, part := range []string{`{"action":`, "\n", `"call_tool","tool":"orders.list"}`, "\n"} {
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case out := <-done:
		t.Fatalf("it answered before the end: %s", out)
	default:
	}
	_ = w.Close()
	if out := <-done; out != `0{"type":"result","tool":"orders.list","result":{"value":[1,2]}}`+"\n" {
		t.Errorf("got %s", out)
	}
}

func TestK14RunInputs(t *testing.T) {
	e := endpoint.New(newRegistry(), &endpoint.Options{MaxRequest: 100})
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	held, _ := io.Pipe()
	defer held.Close()
	broken, w := io.Pipe()
	_ = w.CloseWithError(errors.New("broken"))
	for name, test := range map[string]struct {
		ctx      context.Context
		in       io.Reader
		category endpoint.Category
	}{
		"endless":  {t.Context(), endless{}, endpoint.Usage},
		"held":     {canceled, held, endpoint.Pipeline},
		"broken":   {t.Context(), broken, endpoint.Fatal},
		"nothing":  {t.Context(), strings.NewReader(""), endpoint.Usage},
		"too long": {t.Context(), strings.NewReader(`{"action":"list_tools"}` + strings.Repeat(" ", 100)), endpoint.Usage},
	} {
		var out bytes.Buffer
		exit := e.Run(test.ctx, test.in, &out)
		wantError(t, checkAnswer(t, bytes.TrimSuffix(out.Bytes(), []byte("\n"))), test.category)
		if exit != 1 {
			t.Errorf("%s: status %d", name, exit)
		}
	}
	if exit := e.Run(t.Context(), strings.NewReader(`{"action":"list_tools"}`), full{}); exit != 1 {
		t.Errorf("status %d although nobody reads", exit)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

// TestK19RunWaits has a function that cleans up after its deadline: the process
// must not end before it has.
func TestK19RunWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		reg := registry.New(nil)
		f := registry.Func("slow", "Slow.", func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
			return "", ctx.Err()
		})
		reg.Namespace("", "").Add(f)
		var out bytes.Buffer
		e := endpoint.New(reg, &endpoint.Options{Timeout: time.Minute})
		exit := e.Run(t.Context(), strings.NewReader(`{"action":"call_tool","tool":"slow"}`), &out)
		wantError(t, checkAnswer(t, bytes.TrimSpace(out.Bytes())), endpoint.Pipeline)
		if exit != 1 || !ended {
			t.Errorf("status %d, ended %v", exit, ended)
		}
	})
}

// A rule of visibility that hangs keeps no answer back.
func TestK19LookUpHangs(t *testing.T) {
	for _, request := range []string{`{"action":"list_tools"}`, `{"action":"describe_tool","tool":"f"}`, `{"action":"call_tool","tool":"f"}`} {
		synctest.Test(t, func(t *testing.T) {
			hangs := make(chan struct{})
			reg := registry.New(nil)
			reg.Namespace("", "").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) { return "", nil },
				registry.VisibleTo(func(context.Context, *registry.Caller) bool { <-hangs; return true })))
			e := endpoint.New(reg, &endpoint.Options{Timeout: time.Minute})
			var out bytes.Buffer
			began := time.Now()
			exit := e.Run(t.Context(), strings.NewReader(request), &out)
			wantError(t, checkAnswer(t, bytes.TrimSpace(out.Bytes())), endpoint.Pipeline)
			if took := time.Since(began); exit != 1 || took > time.Minute+3*time.Second {
				t.Errorf("%s: status %d after %v", request, exit, took)
			}
			close(hangs)
		})
	}
}

func TestMiddlewareSeesTheFunction(t *testing.T) {
	var seen []string
	e := endpoint.New(newRegistry(), &endpoint.Options{Middleware: []registry.Middleware{func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			seen = append(seen, c.Function.Path()+string(c.Arguments))
			return next(ctx, c)
		}
	}}})
	ask(t, e, `{"action":"call_tool","tool":"orders.create","arguments":{"customer_id":"C"}}`)
	if want := []string{`orders.create{"customer_id":"C"}`}; !reflect.DeepEqual(seen, want) {
		t.Errorf("%q", seen)
	}
}

// warnings is a logger whose lines are counted.
func warnings() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}

// observed is a hook that notes how each request ended.
type observed struct{ lines []string }

func (o *observed) Begin(ctx context.Context, _ *observe.Request) context.Context { return ctx }

func (o *observed) End(_ context.Context, r *observe.Request) {
	o.lines = append(o.lines, fmt.Sprintf("%s %s %s %s", r.Transport, r.Method, r.Function, r.Outcome))
}

// TestObserve holds that every request is told, without names that only the client knows.
func TestObserve(t *testing.T) {
	type in struct {
		A int `json:"a"`
	}
	reg := registry.New(nil)
	reg.Namespace("x", "Things.").Add(registry.Func("f", "Do.", func(context.Context, in) (string, error) { return "done", nil }))
	o := new(observed)
	e := endpoint.New(reg, &endpoint.Options{Observe: o})
	for request, want := range map[string]string{
		`{"action":"list_tools"}`:                                      "command list_tools  ok",
		`{"action":"describe_tool","tool":"x.f"}`:                      "command describe_tool  ok",
		`{"action":"describe_tool","tool":"x.evil"}`:                   "command describe_tool  refused",
		`{"action":"call_tool","tool":"x.f","arguments":{"a":1}}`:      "command call_tool x.f ok",
		`{"action":"call_tool","tool":"x.f","arguments":{"a":"evil"}}`: "command call_tool x.f INVALID_ARGUMENTS",
		`{"action":"call_tool","tool":"x.evil"}`:                       "command call_tool  UNKNOWN_FUNCTION",
		`{"action":"evil"}`:                                            "command   refused",
	} {
		o.lines = nil
		ask(t, e, request)
		if len(o.lines) != 1 || o.lines[0] != want {
			t.Errorf("%s: got %q, want %q", request, o.lines, want)
		}
	}
}
