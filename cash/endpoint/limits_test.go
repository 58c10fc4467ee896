package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// limitsRegistry has tools for the limits: size tells the length of its arguments, big and deep answer as much and as
// deep as n says, and many are of no use.
func limitsRegistry(many int) *registry.Registry {
	reg := registry.New(nil)
	type number struct {
		N int `json:"n"`
	}
	size, err := registry.RawFunc("size", "Size.", nil, func(_ context.Context, args json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(fmt.Sprintf(`{"n":%d}`, len(args))), nil
	})
	if err != nil {
		panic(err)
	}
	deep, err := registry.RawFunc("deep", "Deep.", nil, func(_ context.Context, args json.RawMessage) (*registry.Result, error) {
		var in number
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, err
		}
		return registry.TextResult(strings.Repeat(`{"a":`, in.N-1) + "{}" + strings.Repeat("}", in.N-1)), nil
	})
	if err != nil {
		panic(err)
	}
	reg.Namespace("", "").Add(size,
		registry.Func("big", "Big.", func(_ context.Context, in number) (json.RawMessage, error) {
			return json.RawMessage(`{"x":"` + strings.Repeat("x", in.N) + `"}`), nil
		}),
		deep)
	for i := range many {
		f, err := registry.RawFunc(fmt.Sprintf("t%d", i), "", nil, echoArguments)
		if err != nil {
			panic(err)
		}
		reg.Namespace("many", "").Add(f)
	}
	return reg
}

// argumentsOf returns arguments of n bytes.
func argumentsOf(n int) json.RawMessage {
	return json.RawMessage(`{"x":"` + strings.Repeat("x", n-len(`{"x":""}`)) + `"}`)
}

// absent is a client of a program that is never started: it does not exist.
func absent(t *testing.T, o *endpoint.ClientOptions) *endpoint.Client {
	t.Helper()
	c, err := endpoint.NewClient(endpoint.Command{Path: "./testdata/absent"}, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestK19LimitOfRequests(t *testing.T) {
	const request = `{"action":"list_tools"}`
	e := endpoint.New(limitsRegistry(0), nil)
	for over, want := range map[int]int{0: 0, 1: 1} {
		var out bytes.Buffer
		exit := e.Run(t.Context(), strings.NewReader(request+strings.Repeat(" ", endpoint.DefaultMaxRequest-len(request)+over)), &out)
		if members := checkAnswer(t, bytes.TrimSpace(out.Bytes())); exit != want || (members["error"] != nil) != (want == 1) {
			t.Errorf("%d bytes over: %d %.200s", over, exit, out.Bytes())
		}
	}
	// The line of a client, with its end. The endpoint takes it, and has no such tool.
	name := strings.Repeat("x", endpoint.DefaultMaxRequest-len(`{"action":"describe_tool","tool":""}`+"\n"))
	_, err := newClient(t, "limits", "0", nil).Describe(deadline(t), name)
	if e, said := wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, false); !strings.Contains(said.Message, "There is no tool") {
		t.Errorf("at the limit: %v", e)
	}
	_, err = absent(t, nil).Describe(deadline(t), name+"x")
	if e, _ := wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true); !strings.Contains(e.Message, "8388609") || !strings.Contains(e.Message, "8388608") {
		t.Errorf("over the limit: %v", e)
	}
	_, err = absent(t, &endpoint.ClientOptions{MaxRequest: -1}).Describe(deadline(t), name+"x")
	wantFailure(t, err, registry.Unavailable, endpoint.Pipeline, true) // it was tried
}

func TestK19LimitOfArguments(t *testing.T) {
	const most = registry.DefaultMaxArguments
	got, err := newClient(t, "limits", "0", nil).Call(deadline(t), "size", append(argumentsOf(most), " \n"...))
	if err != nil || string(got) != fmt.Sprintf(`{"n":%d}`, most) {
		t.Errorf("at the limit: %s, %v", got, err)
	}
	_, err = absent(t, nil).Call(deadline(t), "size", argumentsOf(most+1))
	if e, _ := wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, true); !strings.Contains(e.Message, "4194305") {
		t.Errorf("over the limit: %v", e)
	}
	_, err = newClient(t, "limits", "0", &endpoint.ClientOptions{MaxArguments: -1}).Call(deadline(t), "size", argumentsOf(most+1))
	if e, _ := wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, false); !strings.Contains(e.Message, "4194305") {
		t.Errorf("the endpoint: %v", e)
	}
	// Levels are counted alike.
	for depth, ok := range map[int]bool{64: true, 65: false} {
		args := json.RawMessage(`{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`)
		if _, err := newClient(t, "limits", "0", nil).Call(deadline(t), "size", args); (err == nil) != ok {
			t.Errorf("%d levels: %v", depth, err)
		}
		_, exit := ask(t, endpoint.New(limitsRegistry(0), nil), `{"action":"call_tool","tool":"size","arguments":`+string(args)+`}`)
		if (exit == 0) != ok {
			t.Errorf("the endpoint, %d levels: status %d", depth, exit)
		}
	}
}

func TestK19LimitOfAnswers(t *testing.T) {
	c := newClient(t, "limits", "0", nil)
	ask := func(tool string, n int) (json.RawMessage, error) {
		return c.Call(deadline(t), tool, json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)))
	}
	n := endpoint.DefaultMaxAnswer - len(`{"type":"result","tool":"big","result":{"x":""}}`+"\n")
	if got, err := ask("big", n); err != nil || len(got) != n+len(`{"x":""}`) {
		t.Errorf("at the limit: %d bytes, %v", len(got), err)
	}
	_, err := ask("big", n+1)
	if e, _ := wantFailure(t, err, registry.Failed, endpoint.Pipeline, false); !strings.Contains(e.Message, "too large: the answer has 8388609 bytes; at most 8388608 are sent. Ask for less.") {
		t.Errorf("over the limit: %v", e)
	}
	// The endpoint's own limit is another one.
	small := endpoint.New(limitsRegistry(0), &endpoint.Options{MaxAnswer: 200})
	for n, want := range map[int]int{200 - 49: 0, 200 - 48: 1} {
		var out bytes.Buffer
		exit := small.Run(t.Context(), strings.NewReader(fmt.Sprintf(`{"action":"call_tool","tool":"big","arguments":{"n":%d}}`, n)), &out)
		if exit != want || want == 0 && out.Len() != 200 {
			t.Errorf("%d: %d, %d bytes: %s", n, exit, out.Len(), out.Bytes())
		}
	}
	// Levels: 999 of a result and one of the answer are 1,000.
	for depth, want := range map[int]string{999: `{"a":`, 1000: `{"text":"{\"a\":`} {
		if got, err := ask("deep", depth); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%d levels: %.40s, %v", depth, got, err)
		}
	}
	for depth, ok := range map[int]bool{999: true, 1000: false} {
		result := strings.Repeat(`{"a":`, depth-1) + "{}" + strings.Repeat("}", depth-1)
		if _, err := newClient(t, "script", "|"+`{"type":"result","tool":"t","result":`+result+`}`, nil).Call(deadline(t), "t", hi); (err == nil) != ok {
			t.Errorf("a client reads %d levels: %v", depth, err)
		}
	}
}

func TestK5LimitOfTools(t *testing.T) {
	const most, others = 10_000, 3
	list, err := newClient(t, "limits", fmt.Sprint(most-others), nil).List(deadline(t))
	if err != nil || len(list) != most {
		t.Errorf("at the limit: %d tools, %v", len(list), err)
	}
	_, err = newClient(t, "limits", fmt.Sprint(most-others+1), nil).List(deadline(t))
	if e, _ := wantFailure(t, err, registry.Internal, endpoint.Fatal, false); !strings.Contains(e.Message, "describe_tool") {
		t.Errorf("over the limit: %v", e)
	}
	// The client's side.
	tools := func(n int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"name":"t%d"}`, i)
		}
		return []byte("[" + b.String()[1:] + "]")
	}
	for n, findings := range map[int]int{most: 0, most + 1: 1} {
		if list, found := endpoint.ReadDescriptors(tools(n)); len(list) != most || len(found) != findings {
			t.Errorf("%d tools: %d, %v", n, len(list), found)
		}
	}
}

// Remote tools without room are left out of a list, and stay callable. Local ones have room first.
func TestK10ListWithoutRoom(t *testing.T) {
	c := newClient(t, "write", `{"type":"result","tools":[{"name":"a","description":"`+strings.Repeat("a", 2000)+`"},{"name":"b"}]}`, nil)
	src := endpoint.Catalog(deadline(t), limitsRegistry(0), c)
	log, lines := warnings()
	document, exit := endpoint.New(src, &endpoint.Options{MaxAnswer: 2000, Logger: log}).Answer(t.Context(), []byte(`{"action":"list_tools"}`))
	var list struct{ Tools []endpoint.Descriptor }
	if err := json.Unmarshal(document, &list); err != nil || exit != 0 {
		t.Fatal(err, string(document))
	}
	var got []string
	for _, d := range list.Tools {
		got = append(got, d.Name)
	}
	if strings.Join(got, " ") != "big deep size b" || len(document) >= 2000 || !strings.Contains(lines.String(), "number=1") {
		t.Errorf("%q in %d bytes\n%s", got, len(document), lines)
	}
	if d := descriptor(t, src, "a"); d.Name != "a" {
		t.Errorf("%+v", d)
	}
}
