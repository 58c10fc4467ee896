package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestS34Errors holds each code with its causes, as a client meets them: an answer
// of the shape of section 3.4 and never a failure of the protocol, after which the
// server serves on.
func TestS34Errors(t *testing.T) {
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			srv, cases := troubled(t)
			c := l.Connect(t, srv, nil, nil)
			for _, tt := range cases {
				t.Run(string(tt.code)+"/"+tt.cause, func(t *testing.T) {
					e := wantCode(t, c.Tool(tt.tool, tt.args), tt.code)
					transient := tt.code == gateway.UpstreamTimeout || tt.code == gateway.UpstreamUnavailable || tt.code == gateway.RateLimited
					if e.Retryable != transient {
						t.Errorf("retryable is %t: %s", e.Retryable, e.Message)
					}
					if e.Path != tt.path {
						t.Errorf("path %q, want %q", e.Path, tt.path)
					}
				})
				if r := c.Tool("tool_browse", object{"path": "/"}); r.IsError {
					t.Fatalf("after %s the server serves no more: %s", tt.cause, r.Text)
				}
			}
		})
	}
}

// A trouble is a request that goes wrong.
type trouble struct {
	code  gateway.Code
	cause string
	tool  string
	args  object
	path  string
}

// troubled is a server that can fail in all ways, and how to make it.
func troubled(t *testing.T) (*gateway.Server, []trouble) {
	t.Helper()
	resources, prompts, resource, prompt := primitives(t)
	s := newShop()
	failures := []struct {
		code gateway.Code
		name string
		err  error
	}{
		{gateway.UpstreamError, "failed", errors.New("no such row")},
		{gateway.UpstreamError, "internal", &registry.Error{Kind: registry.Internal, Message: "It broke."}},
		{gateway.UpstreamError, "odd", &registry.Error{Kind: "NO_KIND", Message: "It broke."}},
		{gateway.UpstreamTimeout, "slow", &registry.Error{Kind: registry.TimedOut, Message: "No answer."}},
		{gateway.UpstreamTimeout, "deadline", fmt.Errorf("waiting: %w", &registry.Error{Kind: registry.TimedOut, Message: "No answer."})},
		{gateway.UpstreamUnavailable, "down", &registry.Error{Kind: registry.Unavailable, Message: "Not now."}},
		{gateway.UpstreamUnavailable, "cancelled", &registry.Error{Kind: registry.Canceled, Message: "Gone."}},
		{gateway.AuthFailed, "credentials", &registry.Error{Kind: registry.Unauthorized, Message: "Not let in."}},
		{gateway.PermissionDenied, "denied", &registry.Error{Kind: registry.Denied, Message: "Not you."}},
		{gateway.RateLimited, "throttled", &registry.Error{Kind: registry.RateLimited, Message: "Too fast."}},
		{gateway.HydrateFailed, "gone", registry.NoFunction("trouble", "gone")},
		{gateway.UpstreamError, "empty", nil},
	}
	for _, f := range failures {
		raw(s.Registry, "trouble", f.name, fails(f.err))
	}
	raw(s.Registry, "trouble", "panics", func(context.Context, *registry.Call) (*registry.Result, error) { panic("secret detail") })
	raw(s.Registry, "trouble", "forbidden", answers(registry.TextResult("never")))
	raw(s.Registry, "trouble", "limited", answers(registry.TextResult("never")))
	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny, Tools: []string{"trouble.forbidden"}, Reason: "Not here."}}})
	quota := control.NewQuota(&control.QuotaOptions{Tools: map[string]control.Limit{"trouble.limited": {PerMinute: -1}}})
	broken := catalog.New(nil)
	if _, err := broken.Load([]byte(`[{"name":"bad.schema","inputSchema":{"type":"object","properties":{"a":{"type":"nonsense"}}},"result":"never"}]`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace("broken", broken.Tools()); err != nil {
		t.Fatal(err)
	}
	bad := idOf(t, broken.Tools(), "bad.schema")
	srv := gateway.NewServer(s, &gateway.Options{Resources: resources, Prompts: prompts, Serve: serve.Options{Controls: &control.Controls{Policy: policy, Quota: quota}}})

	list := []trouble{
		{code: gateway.PathInvalid, cause: "grammar", tool: "tool_browse", args: object{"path": "/A"}, path: "/A"},
		{code: gateway.PathNotFound, cause: "unknown", tool: "tool_browse", args: object{"path": "/nowhere"}, path: "/nowhere"},
		{code: gateway.PathNotFound, cause: "unknown", tool: "resource_browse", args: object{"path": "/nowhere"}, path: "/nowhere"},
		{code: gateway.ArgsInvalid, cause: "neither", tool: "tool_browse", args: object{}},
		{code: gateway.ArgsInvalid, cause: "no-id", tool: "tool_execute", args: object{}},
		{code: gateway.ArgsInvalid, cause: "missing", tool: "tool_execute", args: object{"tool_id": s.id(t, "orders.create"), "args": object{}}},
		{code: gateway.ArgsInvalid, cause: "prompt", tool: "prompt_get", args: object{"prompt_id": prompt, "args": object{"other": "x"}}},
		{code: gateway.ArgsInvalid, cause: "no-token", tool: "tool_execute", args: object{"tool_id": s.id(t, "ping"), "plan_token": "made-up"}},
		{code: gateway.SchemaInvalid, cause: "schema", tool: "tool_execute", args: object{"tool_id": bad, "args": object{"a": 1}}},
		{code: gateway.SchemaInvalid, cause: "dry", tool: "tool_execute", args: object{"tool_id": bad, "dry_run": true}},
		{code: gateway.UpstreamError, cause: "panic", tool: "tool_execute", args: object{"tool_id": s.id(t, "trouble.panics")}},
		{code: gateway.PermissionDenied, cause: "policy", tool: "tool_execute", args: object{"tool_id": s.id(t, "trouble.forbidden")}},
		{code: gateway.RateLimited, cause: "quota", tool: "tool_execute", args: object{"tool_id": s.id(t, "trouble.limited")}},
		{code: gateway.HydrateFailed, cause: "unknown", tool: "tool_execute", args: object{"tool_id": "orders:nothing#00000000"}},
		{code: gateway.HydrateFailed, cause: "no id", tool: "tool_execute", args: object{"tool_id": "orders"}},
		{code: gateway.HydrateFailed, cause: "long", tool: "tool_execute", args: object{"tool_id": strings.Repeat("a", 1<<20)}},
		{code: gateway.HydrateFailed, cause: "legacy", tool: "tool_execute", args: object{"tool_id": "mcp:ping"}},
		{code: gateway.HydrateFailed, cause: "resource", tool: "tool_execute", args: object{"tool_id": resource}},
		{code: gateway.HydrateFailed, cause: "skill", tool: "tool_execute", args: object{"tool_id": "skill::orders:nothing#00000000"}},
		{code: gateway.ResourceNotFound, cause: "unknown", tool: "resource_read", args: object{"resource_id": "resource::docs:nothing#00000000"}},
		{code: gateway.ResourceNotFound, cause: "no id", tool: "resource_read", args: object{"resource_id": "file:///readme.md"}},
		{code: gateway.ResourceNotFound, cause: "tool", tool: "resource_read", args: object{"resource_id": s.id(t, "ping")}},
		{code: gateway.PromptNotFound, cause: "unknown", tool: "prompt_get", args: object{"prompt_id": "prompt::docs:nothing#00000000"}},
		{code: gateway.PromptNotFound, cause: "resource", tool: "prompt_get", args: object{"prompt_id": resource}},
		{code: gateway.ViewFailed, cause: "unknown", tool: "tool_view", args: object{"handle": "nothing"}},
		{code: gateway.ViewFailed, cause: "long", tool: "tool_view", args: object{"handle": strings.Repeat("h", 1<<20)}},
	}
	for _, f := range failures {
		list = append(list, trouble{code: f.code, cause: f.name, tool: "tool_execute", args: object{"tool_id": s.id(t, "trouble."+f.name)}})
	}
	return srv, list
}

// TestS34NoResource holds that a resource that its server does not know any more is
// not found, like one that the gateway does not know.
func TestS34NoResource(t *testing.T) {
	resources, prompts, resource, prompt := gonePrimitives(t)
	c := inMemory(t, gateway.NewServer(newShop(), &gateway.Options{Resources: resources, Prompts: prompts}), nil)
	wantCode(t, c.Tool("resource_read", object{"resource_id": resource}), gateway.ResourceNotFound)
	wantCode(t, c.Tool("prompt_get", object{"prompt_id": prompt}), gateway.PromptNotFound)
}

// TestS34WrongTypes holds that every JSON type for every argument of every tool is
// answered: where it is the wrong one, as ARGS_INVALID.
func TestS34WrongTypes(t *testing.T) {
	values := map[string]string{
		"null": `null`, "boolean": `true`, "integer": `7`, "number": `1.5`, "string": `"x"`, "array": `["x"]`, "object": `{"x":1}`,
	}
	resources, prompts, _, _ := primitives(t)
	serve := func() *gateway.Server {
		return gateway.NewServer(newShop(), &gateway.Options{Resources: resources, Prompts: prompts})
	}
	overAll(t, serve, func(t *testing.T, c *cashtest.Client) {
		for _, tool := range c.Tools() {
			var schema struct {
				Properties map[string]struct{ Type string }
				Required   []string
			}
			if err := json.Unmarshal([]byte(toJSON(tool.InputSchema)), &schema); err != nil {
				t.Fatal(err)
			}
			for kind, value := range values {
				for name, property := range schema.Properties {
					args := object{}
					for _, other := range schema.Required {
						args[other] = "x"
					}
					args[name] = json.RawMessage(value)
					r := c.Tool(tool.Name, args)
					fits := property.Type == kind || kind == "null" || property.Type == "number" && kind == "integer"
					if !fits {
						e := errorOf(t, r)
						checked := e.Code == gateway.ArgsInvalid || name == "selector" && e.Code == gateway.ViewFailed
						// Which function it is comes before what its arguments are.
						if !checked && name != "args" {
							t.Errorf("%s with %s=%s: %s", tool.Name, name, value, r.Text)
						}
					} else if r.IsError {
						errorOf(t, r)
					}
				}
				if kind == "object" || kind == "null" {
					continue
				}
				wantCode(t, c.Tool(tool.Name, json.RawMessage(value)), gateway.ArgsInvalid) // the arguments themselves
			}
		}
	})
}

// TestS44WrongArgs holds that the args of a function are an object.
func TestS44WrongArgs(t *testing.T) {
	s := newShop()
	c := inMemory(t, gateway.NewServer(s, nil), nil)
	for _, args := range []string{`[]`, `"{}"`, `7`, `true`, `1.5`, `"x"`, `{"customer":7,"quantity":1}`, `{"customer":"c"}`, `{"Customer":"c","quantity":1}`,
		`{"customer":"c","quantity":0}`, `{"customer":"c","quantity":1,"more":2}`} {
		r := c.Tool("tool_execute", object{"tool_id": s.id(t, "orders.create"), "args": json.RawMessage(args)})
		e := wantCode(t, r, gateway.ArgsInvalid)
		if !strings.Contains(string(e.Details), `"customer"`) {
			t.Errorf("%s: the details do not say what the tool takes: %s", args, e.Details)
		}
	}
	if n := s.runs.Load(); n != 0 {
		t.Errorf("%d calls reached the function", n)
	}
}

// TestW35Messages holds that messages are one clean line without secrets and
// arguments, however hostile the text is.
func TestW35Messages(t *testing.T) {
	const secret = "AKIAIOSFODNN7EXAMPLE"
	reg := registry.New(nil)
	raw(reg, "bad", "loud", fails(errors.New("line one\nline two \x1b[31mred\u202e\x00 key "+secret+" "+strings.Repeat("and on ", 5000))))
	srv := gateway.NewServer(reg, nil)
	c := inMemory(t, srv, nil)
	r := c.Tool("tool_execute", object{"tool_id": idOf(t, reg, "bad.loud")})
	if e := wantCode(t, r, gateway.UpstreamError); strings.Contains(r.Text, secret) || strings.Contains(e.Message, "\x1b") {
		t.Errorf("the message is %s", r.Text)
	}
	s := newShop()
	c = inMemory(t, gateway.NewServer(s, nil), nil)
	r = c.Tool("tool_execute", object{"tool_id": s.id(t, "orders.create"), "args": object{"customer": object{"value-of-mine": 1}, "quantity": "value-of-mine"}})
	if wantCode(t, r, gateway.ArgsInvalid); strings.Contains(r.Text, "value-of-mine") {
		t.Errorf("the error repeats a value: %s", r.Text)
	}
}

// TestS34Meant holds that an id that leads nowhere is answered with the one that is
// meant, however it is spelled, and with nothing that the caller does not see.
func TestS34Meant(t *testing.T) {
	s := newShop()
	hidden := registry.Func("secret", "Hidden.", nothing, registry.VisibleTo(func(context.Context, *registry.Caller) bool { return false }))
	s.Namespace("orders", "").Add(hidden)
	for _, mode := range []gateway.Mode{gateway.Gateway, gateway.Proxy} {
		c := inMemory(t, gateway.NewServer(s, &gateway.Options{Mode: mode}), nil)
		want := s.id(t, "orders.create")
		for _, spelled := range []string{"orders:create", "orders.create", "/orders/create", "orders/create", "create", "orders:create#00000000", "orders:create@9", "orders:creat#00000000"} {
			e := wantCode(t, c.Tool("tool_execute", object{"tool_id": spelled}), gateway.HydrateFailed)
			if !strings.Contains(e.Message, "`"+want+"`") || !strings.Contains(string(e.Details), want) {
				t.Errorf("%s: %s %s", spelled, e.Message, e.Details)
			}
		}
		for _, spelled := range []string{"orders:secret", "/orders/secret", "secret", "orders:secret#00000000", ":::", "#", "\x00", "orders", strings.Repeat("a:", 400)} {
			e := wantCode(t, c.Tool("tool_execute", object{"tool_id": spelled}), gateway.HydrateFailed)
			if strings.Contains(e.Message, s.id(t, "orders.secret")) || strings.Contains(string(e.Details), "secret") {
				t.Errorf("%s: %s %s", spelled, e.Message, e.Details)
			}
		}
	}
}

// TestS34Flat holds that arguments in the wrong place are told where theirs is.
func TestS34Flat(t *testing.T) {
	s := newShop()
	c := inMemory(t, gateway.NewServer(s, nil), nil)
	e := wantCode(t, c.Tool("tool_execute", object{"tool_id": s.id(t, "orders.cancel"), "id": "ORD-1"}), gateway.ArgsInvalid)
	if !strings.Contains(e.Message, "into args") {
		t.Errorf("message %s", e.Message)
	}
}

// TestS44WholeSchema holds that arguments that do not fit are answered with the whole
// schema, also if that is long: it is seen nowhere else.
func TestS44WholeSchema(t *testing.T) {
	schema := fmt.Sprintf(`{"type":"object","properties":{"deep":{"type":"object","properties":{"below":{"type":"string","description":%q}}}},"required":["deep"]}`,
		strings.Repeat("word ", 2000))
	f, err := registry.RawFunc("long", "Has a long schema.", json.RawMessage(schema), func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult("x"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(f)
	c := inMemory(t, gateway.NewServer(reg, nil), nil)
	e := wantCode(t, c.Tool("tool_execute", object{"tool_id": idOf(t, reg, "n.long")}), gateway.ArgsInvalid)
	if !strings.Contains(string(e.Details), `"below"`) {
		t.Errorf("details %.300s", e.Details)
	}
}

// TestS34Structured holds that with Structured the error stands there too.
func TestS34Structured(t *testing.T) {
	c := inMemory(t, gateway.NewServer(newShop(), &gateway.Options{Structured: true}), nil)
	for tool, args := range map[string]object{"tool_browse": {}, "tool_execute": {"tool_id": "x"}, "tool_view": {"handle": "x"}} {
		r := c.Tool(tool, args)
		if errorOf(t, r); !sameJSON(r.Text, toJSON(r.Raw.StructuredContent)) {
			t.Errorf("%s: %s is not %s", tool, toJSON(r.Raw.StructuredContent), r.Text)
		}
	}
}
