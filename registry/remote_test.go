package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// twins has two parameters that are one name to CaSH, as servers of others may.
const twins = `{"type":"object","properties":{"userId":{"type":"integer","default":7},"user_id":{"type":"string"},"Other":{"type":"boolean"}},
	"required":["user_id"],"additionalProperties":false}`

func echoing(t *testing.T, inputSchema string) *registry.Function {
	t.Helper()
	f, err := registry.RemoteFunc("f", "F.", registry.Remote{
		InputSchema: json.RawMessage(inputSchema),
		Handler: func(_ context.Context, c *registry.Call) (*registry.Result, error) {
			return registry.TextResult(string(c.Arguments)), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Arguments that are not given to a server with defaults of its own stay missing.
func TestR26OwnDefaults(t *testing.T) {
	for own, want := range map[bool]string{false: `{"user_id":"a","userId":7}`, true: `{"user_id":"a"}`} {
		f, err := registry.RemoteFunc("f", "F.", registry.Remote{
			InputSchema: json.RawMessage(twins), OwnDefaults: own,
			Handler: func(_ context.Context, c *registry.Call) (*registry.Result, error) {
				return registry.TextResult(string(c.Arguments)), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		reg := registry.New(nil)
		reg.Namespace("up", "").Add(f)
		res, err := registry.NewPipeline(reg, nil).Call(t.Context(), &registry.Request{Namespace: "up", Function: "f", Arguments: json.RawMessage(`{"user_id":"a"}`)})
		if err != nil || res.Text() != want {
			t.Errorf("OwnDefaults %t: %v, %v, want %s", own, res, err, want)
		}
	}
}

// TestR26TwinsOfOthers holds that parameters which CaSH cannot tell apart are
// told apart by their spelling, so that the tool of another server that has such
// is held to its schema on every face. Of our own functions they are refused.
func TestR26TwinsOfOthers(t *testing.T) {
	f := echoing(t, twins)
	if f.Problem() != nil || len(f.Params()) != 3 || f.Open() {
		t.Errorf("the function has the problem %v, and the parameters %v", f.Problem(), f.Params())
	}
	for name, want := range map[string]string{"userId": "userId", "user_id": "user_id", "userid": "", "USER_ID": "", "other": "Other"} {
		if p, ok := f.Param(name); ok != (want != "") || p.Name != want {
			t.Errorf("%q stands for %q", name, p.Name)
		}
	}
	reg := registry.New(nil)
	reg.Namespace("up", "").Add(f)
	for _, tt := range []struct {
		args, want string
		exact      string // where ExactKeys make a difference; - is an error
	}{
		{args: `{"userId":1,"user_id":"a"}`, want: `{"userId":1,"user_id":"a"}`},
		{args: `{"user_id":"a"}`, want: `{"user_id":"a","userId":7}`},
		{args: `{"user_id":"a","other":true}`, want: `{"user_id":"a","Other":true,"userId":7}`, exact: "-"},
		{args: `{"userId":1}`, want: "-"},
		{args: `{"userid":1,"user_id":"a"}`, want: "-"},
		{args: `{"userid":"a"}`, want: "-"},
		{args: `{"user_id":"a","user_id":"b"}`, want: "-"},
		{args: `{"user_id":1,"userId":"a"}`, want: "-"},
	} {
		for _, exact := range []bool{false, true} {
			want := tt.want
			if exact && tt.exact != "" {
				want = tt.exact
			}
			r, err := registry.NewPipeline(reg, &registry.PipelineOptions{ExactKeys: exact}).
				Call(t.Context(), &registry.Request{Namespace: "up", Function: "f", Arguments: json.RawMessage(tt.args)})
			switch {
			case want == "-":
				if !errors.Is(err, registry.InvalidArguments) {
					t.Errorf("%s, exact %v: %v, %v", tt.args, exact, r, err)
				}
			case err != nil || r.Text() != want:
				t.Errorf("%s, exact %v: got %v, %v, want %s", tt.args, exact, r, err, want)
			}
		}
	}
	if _, err := registry.RawFunc("f", "F.", json.RawMessage(twins), func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil }); err == nil || !strings.Contains(err.Error(), `"userId" and "user_id"`) {
		t.Errorf("of our own: %v", err)
	}
}

// What takes anything gets other spellings as they are, but never two of them
// that could be meant for one (R24).
func TestR24TwinsOfOpenFunctions(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("up", "").Add(echoing(t, strings.Replace(twins, `"additionalProperties":false`, `"additionalProperties":true`, 1)))
	p := registry.NewPipeline(reg, nil)
	const passed = `{"USERID":3,"user_id":"a","userId":1}`
	if r, err := p.Call(t.Context(), &registry.Request{Namespace: "up", Function: "f", Arguments: json.RawMessage(passed)}); err != nil || r.Text() != passed {
		t.Errorf("got %v, %v", r, err)
	}
	if _, err := p.Call(t.Context(), &registry.Request{Namespace: "up", Function: "f", Arguments: json.RawMessage(`{"user_id":"a","USERID":3,"userid":4}`)}); !errors.Is(err, registry.InvalidArguments) {
		t.Errorf("two of one name: %v", err)
	}
}

// A schema of another server may leave unsaid that arguments are an object; one
// that says something else is of no use. Of our own, it has to be said.
func TestW5SchemasWithoutType(t *testing.T) {
	handler := func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil }
	for text, want := range map[string]string{ // empty is an error
		``:                        `{"type":"object"}`,
		`{}`:                      `{"type":"object"}`,
		` { } `:                   `{"type":"object" }`,
		`{"required":["a"]}`:      `{"type":"object","required":["a"]}`,
		`{"a":{"type":"array"}}`:  `{"type":"object","a":{"type":"array"}}`,
		`{"TYPE":"object"}`:       `{"type":"object","TYPE":"object"}`,
		`{"type":"\u006fbject"}`:  `{"type":"\u006fbject"}`,
		`{"type":"array"}`:        ``,
		`{"type":7}`:              ``,
		`{"type":null}`:           ``,
		`true`:                    ``,
		`[]`:                      ``,
		`null`:                    ``,
		`{`:                       ``,
		`{"required":7,"a":1} {}`: ``,
		`{"a":1,"a":2}`:           ``,
	} {
		f, err := registry.RemoteFunc("f", "F.", registry.Remote{InputSchema: json.RawMessage(text), Handler: handler})
		switch {
		case want == "" && err == nil:
			t.Errorf("%s becomes %s", text, f.InputSchema())
		case want != "" && (err != nil || string(f.InputSchema()) != want):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		_, err = registry.RawFunc("f", "F.", json.RawMessage(text), func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
		if says := text == "" || text == want; says != (err == nil) {
			t.Errorf("%s, of our own: %v", text, err)
		}
	}
}
