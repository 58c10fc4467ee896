package endpoint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// wantFailure checks an error of a client.
func wantFailure(t *testing.T, err error, kind registry.Kind, category endpoint.Category, notRun bool) (*registry.Error, *endpoint.Error) {
	t.Helper()
	var e *registry.Error
	var said *endpoint.Error
	if !errors.As(err, &e) || !errors.As(err, &said) {
		t.Fatalf("got %T %v", err, err)
	}
	if e.Kind != kind || said.Category != category || e.NotRun != notRun || said.Name == "" || said.Message == "" {
		t.Fatalf("got %s %+v, not run %v: %v; want %s, %s, %v", e.Kind, said, e.NotRun, e, kind, category, notRun)
	}
	if len(e.Message) > 1500 || strings.ContainsAny(e.Message, "\x1b\x00") || !strings.HasSuffix(e.Message, ".") {
		t.Errorf("message %q", e.Message)
	}
	return e, said
}

var hi = json.RawMessage(`{"message":"hi"}`)

// TestK13K14Original is the client with an endpoint that has the habits of the
// original.
func TestK13K14Original(t *testing.T) {
	c := newClient(t, "echo", "", nil)
	ctx := deadline(t)
	list, err := c.List(ctx)
	if err != nil || len(list) != 1 || list[0].Name != "echo_external" || list[0].Origin != endpoint.Local || len(list[0].InputSchema) == 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	d, err := c.Describe(ctx, "echo_external")
	if err != nil || d.Safety != list[0].Safety || string(d.ResultSchema) != string(list[0].ResultSchema) {
		t.Fatalf("%+v, %v", d, err)
	}
	for args, want := range map[string]string{
		`{"message":"hi"}`:                  `{"echo":"hi"}`,
		"{\n \"message\" : \"a\\nb\"\n}":    `{"echo":"a\nb"}`,
		`{"message":9007199254740993}`:      `{"echo":9007199254740992}`, // K20: rounded there
		`{"message":"hi","other":[1,2]}`:    `{"echo":"hi"}`,
		`{"message":" 'a' $(id) ; \u00e9"}`: `{"echo":" 'a' $(id) ; é"}`,
	} {
		if got, err := c.Call(ctx, "echo_external", json.RawMessage(args)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", args, got, err)
		}
	}
}

// TestK15EnvelopeOnStandardError keeps the category.
func TestK15EnvelopeOnStandardError(t *testing.T) {
	c := newClient(t, "echo", "", nil)
	_, err := c.Call(deadline(t), "echo_external", json.RawMessage(`{"message":"explode"}`))
	e, said := wantFailure(t, err, registry.Internal, endpoint.Fatal, false)
	if said.Name != "mcp_echo" || said.Message != "It exploded" || !strings.Contains(e.Message, "fatal") {
		t.Errorf("%+v, %s", said, e.Message)
	}
	_, err = c.Describe(deadline(t), "other")
	wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, false)
}

// TestK20AnotherTool has an endpoint that ignores what tool is asked for.
func TestK20AnotherTool(t *testing.T) {
	c := newClient(t, "echo", "", nil)
	_, err := c.Call(deadline(t), "echo_internal", hi)
	if e, _ := wantFailure(t, err, registry.Failed, endpoint.Pipeline, false); e.Details["outcome"] != "unknown" || !strings.Contains(e.Message, "echo_external") {
		t.Errorf("%v %v", e, e.Details)
	}
	_, err = newClient(t, "write", `{"type":"result","tool":{"name":"other"}}`, nil).Describe(deadline(t), "t")
	wantFailure(t, err, registry.Failed, endpoint.Pipeline, false)

	log, lines := warnings()
	nameless := newClient(t, "write", `{"type":"result","result":{"a":1}}`, &endpoint.ClientOptions{Logger: log})
	if got, err := nameless.Call(deadline(t), "t", hi); err != nil || string(got) != `{"a":1}` || strings.Count(lines.String(), "\n") != 1 {
		t.Errorf("%s, %v, %s", got, err, lines)
	}
}

// TestK9PayloadsAreObjects starts nothing: the program does not exist.
func TestK9PayloadsAreObjects(t *testing.T) {
	c, err := endpoint.NewClient(endpoint.Command{Path: "/does/not/exist"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{`not-json`, `[1]`, `""`, `null`, ``, `{} {}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", `7`} {
		_, err := c.Call(deadline(t), "t", json.RawMessage(args))
		if _, said := wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true); said.Message != "Payload must be a JSON object" {
			t.Errorf("%s: %+v", args, said)
		}
	}
	for _, tool := range []string{"", "t\xff"} {
		_, err = c.Call(deadline(t), tool, hi)
		wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true)
		_, err = c.Describe(deadline(t), tool)
		wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true)
	}
	_, err = c.Call(deadline(t), "t", hi)
	if e, _ := wantFailure(t, err, registry.Unavailable, endpoint.Pipeline, true); strings.Contains(e.Message, "/") || e.Details != nil {
		t.Errorf("%v %v", e, e.Details)
	}
}

func TestK11NoEndpoint(t *testing.T) {
	_, err := endpoint.NewClient(endpoint.Command{}, nil)
	if _, said := wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true); said.Name != "runtime" {
		t.Errorf("%+v", said)
	}
	var none *endpoint.Client
	_, err = none.List(deadline(t))
	wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true)
	_, err = none.Describe(deadline(t), "t")
	wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true)
	_, err = none.Call(deadline(t), "t", hi)
	wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true)
	_, err = none.Mount(deadline(t), registry.New(nil), "x")
	wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true)

	for _, cmd := range []endpoint.Command{{Path: "a\x00"}, {Path: "a", Args: []string{"\x00"}}, {Path: "a", Env: []string{"NAME"}}, {Path: "a", Env: []string{"=x"}}} {
		if _, err := endpoint.NewClient(cmd, nil); err == nil {
			t.Errorf("%q is accepted", cmd.Args)
		}
	}
}

const fine = `{"type":"result","tool":"t","result":{"n":9007199254740993,"a":1.0}}`

// TestK14K17Answers has what an endpoint may write before it ends with status 0.
func TestK14K17Answers(t *testing.T) {
	const want = `{"n":9007199254740993,"a":1.0}`
	for name, test := range map[string]struct{ mode, out string }{
		"line":       {"write", fine + "\n"},
		"no line":    {"write", fine},
		"BOM":        {"write", "\ufeff" + fine},
		"lines":      {"write", strings.ReplaceAll(strings.ReplaceAll(fine, ",", ",\r\n\t"), ":", " : ")},
		"noise":      {"noise", fine},
		"not read":   {"write early", fine},
		"more there": {"write", fine[:len(fine)-1] + `,"error":null,"x":[1]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := newClient(t, test.mode, test.out, nil).Call(deadline(t), "t", hi)
			if err != nil || string(got) != want {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	for name, out := range map[string]string{
		"nothing":       "",
		"blank":         " \n\n",
		"text":          "hello",
		"array":         "[" + fine + "]",
		"null":          "null",
		"two documents": fine + fine,
		"text behind":   fine + "\nbye",
		"text before":   "hello\n" + fine,
		"cut":           fine[:30],
		"no type":       `{"tool":"t","result":{}}`,
		"type null":     `{"type":null,"tool":"t","result":{}}`,
		"other type":    `{"type":"` + strings.Repeat("x", 9999) + `","tool":"t","result":{}}`,
		"duplicate":     `{"type":"result","type":"result","tool":"t","result":{}}`,
		"no result":     `{"type":"result","tool":"t"}`,
		"result array":  `{"type":"result","tool":"t","result":[]}`,
		"tool object":   `{"type":"result","tool":{},"result":{}}`,
		"deep":          `{"type":"result","tool":"t","result":{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`,
		"not UTF-8":     "{\"type\":\"result\",\"tool\":\"t\",\"result\":{\"a\":\"\xff\"}}",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newClient(t, "write", out, nil).Call(deadline(t), "t", hi)
			if e, said := wantFailure(t, err, registry.Failed, endpoint.Pipeline, false); e.Details["outcome"] != "unknown" || said.Name != "runtime" {
				t.Errorf("%+v, %+v", e.Details, said)
			}
		})
	}
}

// TestK15K16Failures has processes that end with another status.
func TestK15K16Failures(t *testing.T) {
	envelope := func(name, category, message string) string {
		return fmt.Sprintf("{\n  \"type\": \"error\",\n  \"error\": {\"name\": %s, \"category\": %s, \"message\": %s}\n}\n", name, category, message)
	}
	boom := envelope(`"stub"`, `"fatal"`, `"boom"`)
	for name, test := range map[string]struct {
		arg  string
		kind registry.Kind
		want endpoint.Error
	}{
		"on stderr":       {"1|" + boom + "|", registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"on stdout":       {"1||" + boom, registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"status 0":        {"0||" + boom, registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"status 255":      {"255|" + boom + "|", registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"after noise":     {"1|a warning\n{odd}\n" + boom + "|", registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"before noise":    {"1|" + boom + "exit status 1\n{|", registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"indented":        {"1|sh:\n\t " + boom + "|", registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"only on stderr":  {"0|" + boom + "|\n", registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"with a result":   {"1|" + boom + "|" + fine, registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"a text":          {`1||{"type":"error","error":"it rains"}`, registry.Failed, endpoint.Error{Name: "endpoint", Category: "pipeline", Message: "it rains"}},
		"unclean":         {"1||" + envelope(`"s\u001b[31mt\u202eub"`, `"usage\n"`, `" bo\u001b[31m\u202eom\u0000 "`), registry.InvalidArguments, endpoint.Error{Name: "stub", Category: "usage", Message: "boom"}},
		"with output":     {"1|" + boom + "|half a docum", registry.Internal, endpoint.Error{Name: "stub", Category: "fatal", Message: "boom"}},
		"own category":    {"1||" + envelope(`"stub"`, `"weather"`, `"rain"`), registry.Failed, endpoint.Error{Name: "stub", Category: "weather", Message: "rain"}},
		"number":          {"1||" + envelope(`"stub"`, `"usage"`, `42`), registry.InvalidArguments, endpoint.Error{Name: "stub", Category: "usage", Message: "42"}},
		"object":          {"1||" + envelope(`null`, `"permission"`, `{"a":1}`), registry.Denied, endpoint.Error{Name: "endpoint", Category: "permission", Message: `{"a":1}`}},
		"no error object": {`1||{"type":"error"}`, registry.Failed, endpoint.Error{Name: "endpoint", Category: "pipeline", Message: "it does not say why"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newClient(t, "fail", test.arg, nil).Call(deadline(t), "t", hi)
			if _, said := wantFailure(t, err, test.kind, test.want.Category, false); *said != test.want {
				t.Errorf("%+v", said)
			}
		})
	}
	for name, test := range map[string]struct{ arg, words string }{
		"excerpt":      {"126|line 3: jq: \x1b[31mArgument list too long\n|", "status 126 and gave no answer; its last words: line 3: jq: Argument list too long"},
		"long excerpt": {"1|" + strings.Repeat("no end ", 5000) + "|", "no end"},
		"silent":       {"3||", "status 3"},
		"a result":     {"3||" + fine, "status 3 although it gave a result"},
		"many braces":  {"1|" + strings.Repeat("\n{", 10_000) + "|", "status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newClient(t, "fail", test.arg, nil).Call(deadline(t), "t", hi)
			if _, said := wantFailure(t, err, registry.Failed, endpoint.Pipeline, false); said.Name != "runtime" || !strings.Contains(said.Message, test.words) || len(said.Message) > 1000 {
				t.Errorf("%+v", said)
			}
		})
	}
}

// TestK15LongEnvelope is cut.
func TestK15LongEnvelope(t *testing.T) {
	long := strings.Repeat("long ", 2000)
	_, err := newClient(t, "fail", `1|{"type":"error","error":{"name":"`+long+`","category":"`+long+`","message":"`+long+`"}}|`, nil).Call(deadline(t), "t", hi)
	var said *endpoint.Error
	if !errors.As(err, &said) || len(said.Name) > 100 || len(said.Category) > 100 || len(said.Message) < 3000 || len(err.Error()) > 4300 {
		t.Errorf("%v", err)
	}
}

// TestK16ListThatFailed has a list that is no answer, for its process failed.
func TestK16ListThatFailed(t *testing.T) {
	list, err := newClient(t, "fail", `3||{"type":"result","tools":[{"name":"a"}]}`, nil).List(deadline(t))
	if e, _ := wantFailure(t, err, registry.Failed, endpoint.Pipeline, false); list != nil || !strings.Contains(e.Message, "status 3") {
		t.Errorf("%v, %v", list, e)
	}
}

// TestK12K19Environment sees what the process sees.
func TestK12K19Environment(t *testing.T) {
	t.Setenv("ENDPOINT_SECRET", "secret")
	t.Setenv("ENDPOINT_WANTED", "wanted")
	cmd := program("environment", "")
	cmd.Args, cmd.Inherit = []string{"a b", "$HOME", "; echo"}, []string{"ENDPOINT_WANTED"}
	c, err := endpoint.NewClient(cmd, nil)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args[0], cmd.Env[0] = "changed", "changed=1" // it has a copy
	data, err := c.Call(deadline(t), "t", hi)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Environment, Arguments []string }
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Arguments, []string{"a b", "$HOME", "; echo"}) {
		t.Errorf("arguments %q", got.Arguments)
	}
	has := func(v string) bool { return slices.Contains(got.Environment, v) }
	if has("ENDPOINT_SECRET=secret") || !has("ENDPOINT_WANTED=wanted") || !has(modeVariable+"=environment") {
		t.Errorf("environment %q", got.Environment)
	}
	if text := fmt.Sprintf("%v %+v %#v %s %v", cmd, cmd, cmd, cmd, cmd.LogValue()); strings.Contains(text, "echo") {
		t.Errorf("arguments are shown: %s", text)
	}
}

// TestK19Concurrent makes calls at the same time, more than may run.
func TestK19Concurrent(t *testing.T) {
	c := newClient(t, "echo", "", nil)
	ctx := deadline(t)
	var tasks sync.WaitGroup
	for i := range 40 {
		tasks.Go(func() {
			message := fmt.Sprintf(`"message %d"`, i)
			got, err := c.Call(ctx, "echo_external", json.RawMessage(`{"message":`+message+`}`))
			if err != nil || string(got) != `{"echo":`+message+`}` {
				t.Errorf("%d: %s, %v", i, got, err)
			}
		})
	}
	tasks.Wait()
}

// TestK18Ours is our own endpoint as a process.
func TestK18Ours(t *testing.T) {
	c := newClient(t, "ours", "", nil)
	ctx := deadline(t)
	list, err := c.List(ctx)
	if err != nil || len(list) != 8 {
		t.Fatalf("%d tools, %v", len(list), err)
	}
	got, err := c.Call(ctx, "orders.create", json.RawMessage(`{"customer_id":"C\u00e9"}`))
	if err != nil || string(got) != `{"z":9007199254740993,"customer":"Cé","a":1.0}` {
		t.Errorf("%s, %v", got, err)
	}
	_, err = c.Call(ctx, "orders.create", json.RawMessage(`{"count":0}`))
	wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, false)
	_, err = c.Call(ctx, "orders.deny", json.RawMessage(`{}`))
	wantFailure(t, err, registry.Denied, endpoint.Permission, false)
	_, err = c.Call(ctx, "orders.hidden", json.RawMessage(`{}`))
	wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, false)
	got, err = c.Call(ctx, "shout", json.RawMessage(`{"query":"it's"}`))
	if err != nil || string(got) != `{"stdout":"out it's\nerr\nend","exit_code":7}` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestListIsBounded(t *testing.T) {
	var list []string
	for i := range 10_003 {
		list = append(list, fmt.Sprintf(`{"name":"t%d"}`, i))
	}
	tools, findings := endpoint.ReadDescriptors([]byte("[" + strings.Join(list, ",") + "]"))
	if len(tools) != 10_000 || len(findings) != 1 || findings[0].Status != endpoint.Refused || !strings.Contains(findings[0].Reason, "3 tools") {
		t.Errorf("%d tools, %v", len(tools), findings)
	}
}

func TestListLeavesOutWhatIsNone(t *testing.T) {
	log, lines := warnings()
	c := newClient(t, "write", `{"type":"result","tools":[{"name":"a","description":7},5,{"x":1},{"name":"a"},{"name":"b","input_schema":[]}]}`,
		&endpoint.ClientOptions{Logger: log})
	list, err := c.List(deadline(t))
	if err != nil || len(list) != 2 || list[0].Name != "a" || list[1].Name != "b" || list[1].InputSchema != nil {
		t.Errorf("%+v, %v", list, err)
	}
	if n := strings.Count(lines.String(), "\n"); n != 1 || !strings.Contains(lines.String(), "number=3") {
		t.Errorf("%s", lines)
	}
	_, err = newClient(t, "write", `{"type":"result","tools":{}}`, nil).List(deadline(t))
	wantFailure(t, err, registry.Failed, endpoint.Pipeline, false)
}
