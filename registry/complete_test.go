package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// later returns a function whose arguments are read by read.
func later(t *testing.T, read func() (*registry.Input, error)) (*registry.Function, *registry.Pipeline) {
	t.Helper()
	f, err := registry.RemoteFunc("f", "F.", registry.Remote{
		Handler: func(_ context.Context, c *registry.Call) (*registry.Result, error) {
			return registry.TextResult(string(c.Arguments)), nil
		},
		Read: func(context.Context) (*registry.Input, error) { return read() },
		Plan: func(_ context.Context, c *registry.Call) error {
			if string(c.Arguments) == `{"a":"refused"}` {
				return &registry.Error{Kind: registry.Denied, Message: "No."}
			}
			c.Plan.Extend([]registry.PlanCheck{{Name: "policy", Status: "pass", Server: "there"}}, "inner")
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f = resolve(t, "a", f)
	reg := registry.New(nil)
	reg.Namespace("a", "").Add(f)
	outer := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if c.Plan != nil {
				c.Plan.Token = "outer"
			}
			return next(ctx, c)
		}
	}
	return f, registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{outer}})
}

// What a function takes may be read when it is first called: then that is what it
// is held to, and what a dry run shows.
func TestW29ArgumentsThatAreReadLater(t *testing.T) {
	in := &registry.Input{Schema: json.RawMessage(`{"properties":{"a":{"type":"string"}},"required":["a"]}`), Partial: "Not checked: much."}
	f, p := later(t, func() (*registry.Input, error) { return in, nil })
	g, err := f.Complete(t.Context())
	if err != nil || f.Partial() == "" || g.Partial() != "Not checked: much." || g.Primitive() != f.Primitive() || g.Path() != "a.f" || len(g.Params()) != 1 || len(f.Params()) != 0 {
		t.Errorf("%v, %v", g, err)
	}
	if again, err := g.Complete(t.Context()); again != g || err != nil {
		t.Errorf("a complete function is completed to %v, %v", again, err)
	}
	do := func(args string, dry bool) (string, error) {
		r, err := p.Call(t.Context(), &registry.Request{Namespace: "a", Function: "f", Arguments: json.RawMessage(args), DryRun: dry})
		if err != nil {
			return "", err
		}
		return r.Text(), nil
	}
	for _, dry := range []bool{false, true} {
		if _, err := do(`{}`, dry); !errors.Is(err, registry.InvalidArguments) {
			t.Errorf("dry run %v of bad arguments: %v", dry, err)
		}
	}
	if text, err := do(`{"A":"x"}`, false); err != nil || text != `{"a":"x"}` {
		t.Errorf("a good call: %s, %v", text, err)
	}
	const partial = `"checks":[{"name":"schema_validation","status":"partial","detail":"Not checked: much."},`
	const want = `{"name":"policy","status":"pass","server":"there"}],"plan_token":"outer.inner","input_schema":{"type":"object","properties":{"a":`
	if text, err := do(`{"a":"x"}`, true); err != nil || !strings.Contains(text, partial) || !strings.Contains(text, want) {
		t.Errorf("the dry run: %s, %v", text, err)
	}
	if _, err := do(`{"a":"refused"}`, true); !errors.Is(err, registry.Denied) {
		t.Errorf("a refused dry run: %v", err)
	}
}

// A schema that cannot be used, and one that cannot be read.
func TestW29ArgumentsThatCannotBeRead(t *testing.T) {
	f, _ := later(t, func() (*registry.Input, error) {
		return &registry.Input{Schema: json.RawMessage(`{"$ref":"#"}`)}, nil
	})
	if g, err := f.Complete(t.Context()); err != nil || g.Problem() == nil || !strings.HasPrefix(g.Partial(), "Nothing was checked") {
		t.Errorf("%v, %v", g, err)
	}
	_, p := later(t, func() (*registry.Input, error) {
		return nil, &registry.Error{Kind: registry.Unavailable, Message: "Down."}
	})
	_, err := p.Call(t.Context(), &registry.Request{Namespace: "a", Function: "f"})
	var e *registry.Error
	if !errors.As(err, &e) || e.Kind != registry.Unavailable || !e.NotRun || e.Namespace != "a" || e.Name != "f" {
		t.Errorf("%+v", err)
	}
}
