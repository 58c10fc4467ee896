package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

type untagged struct {
	ID    int       `json:"id"`
	Body  string    `json:"body"`
	Below []ticket2 `json:"below,omitempty"`
}

type ticket2 struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

type counts struct {
	Count int
	Kids  []*counts
}

type numbered struct {
	ID   int64
	X, Y float64
}

type point struct{ X, Y float64 }

type jsonText string

func (jsonText) MarshalJSON() ([]byte, error) { return []byte(`{}`), nil }

// function returns a function of one output.
func function[Out any](facts ...registry.FuncOption) *registry.Function {
	return registry.Func("f", "Does it.", func(context.Context, struct{}) (out Out, err error) { return out, nil }, facts...)
}

func rawFunction(t *testing.T, schema string, res *registry.Result, facts ...registry.FuncOption) *registry.Function {
	t.Helper()
	f, err := registry.RawFunc("f", "Does it.", json.RawMessage(schema), func(context.Context, json.RawMessage) (*registry.Result, error) { return res, nil }, facts...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestF8Trims holds for which functions a level may change the result, and so its fit to the output schema.
func TestF8Trims(t *testing.T) {
	const own = `{"type":"object","properties":{"detail":{"enum":["standard","minimal","full"]}}}`
	for _, q := range []struct {
		name      string
		f         *registry.Function
		want      bool
		untrimmed bool // with the option of the server
	}{
		{"text", function[string](), false, false},
		{"text with a JSON form", function[jsonText](), true, false},
		{"number", function[int](), false, false},
		{"big number", function[*big.Int](), true, false}, // its method may write anything
		{"exact number", function[json.Number](), false, false},
		{"truth", function[bool](), false, false},
		{"time", function[time.Time](), false, false},
		{"address", function[[]netip.Addr](), true, false},
		{"bytes", function[[]byte](), true, false},
		{"numbers", function[[]int](), false, false},
		{"points", function[[]point](), false, false},
		{"numbered points", function[[]numbered](), true, false},
		{"numbered points by pointer", function[struct{ All []*numbered }](), true, false},
		{"a numbered point", function[numbered](), false, false},
		{"numbered points by name", function[map[string]numbered](), false, false},
		{"texts", function[[]string](), true, false},
		{"a struct with a text", function[untagged](), true, false},
		{"a struct that is a text", function[struct{ Text string }](), false, false},
		{"two texts", function[struct{ A, B string }](), true, false},
		{"a struct of numbers", function[struct{ A, B int }](), false, false},
		{"a tree of numbers", function[counts](), false, false},
		{"texts by name", function[map[string]string](), true, false},
		{"anything", function[any](), true, false},
		{"JSON", function[json.RawMessage](), true, false},
		{"result", function[*registry.Result](), true, false},
		{"tool result", function[*mcp.CallToolResult](), true, false},
		{"contents", function[[]mcp.Content](), true, false},
		{"tags", function[ticket](), true, true},
		{"tags inside", function[map[string][]*ticket](), true, true},
		{"Detailer", function[selfish](), true, true},
		{"raw", rawFunction(t, "", nil), true, false},
		{"own levels", rawFunction(t, own, nil), true, false},
		{"own levels, off", rawFunction(t, own, nil, registry.Untrimmed), false, false},
		{"raw, off", rawFunction(t, "", nil, registry.Untrimmed), false, false},
		{"typed, off", function[untagged](registry.Untrimmed), false, false},
		{"tags, off", function[ticket](registry.Untrimmed), true, true},
		{"off in a copy", function[untagged]().With("", registry.Untrimmed), false, false},
	} {
		for off, want := range map[bool]bool{false: q.want, true: q.untrimmed} {
			p := registry.NewPipeline(registry.New(nil), &registry.PipelineOptions{Untrimmed: off})
			if p.Trims(q.f, registry.Minimal) != want || p.Trims(q.f, registry.Full) || p.Trims(q.f, "") {
				t.Errorf("%s, Untrimmed %t: want %t", q.name, off, want)
			}
		}
	}
}

// called calls a function with a level.
func called(t *testing.T, f *registry.Function, req *registry.Request, o *registry.PipelineOptions) *registry.Result {
	t.Helper()
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(f)
	req.Namespace, req.Function = "n", "f"
	res, err := registry.NewPipeline(reg, o).Call(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestF8Results holds what the levels make of results, and that nothing happens without a level.
func TestF8Results(t *testing.T) {
	const listed = ` [ {"id":1, "x":2} ]`
	long := strings.Repeat("words ", 100)
	dynamic := func(v any) *registry.Function {
		return registry.Func("f", "", func(context.Context, struct{}) (any, error) { return v, nil })
	}
	for _, q := range []struct {
		name          string
		f             *registry.Function
		full, minimal string
		omitted       string
		count         int // -1 is none
	}{
		{"raw", rawFunction(t, "", registry.TextResult(listed)), listed, `[{"id":1}]`, "[].x", 1},
		{"typed", dynamic([]untagged{{1, long, []ticket2{{"a", 1}}}}), `[{"id":1,"body":"` + long + `","below":[{"name":"a","size":1}]}]`, `[{"id":1}]`, "[].body [].below", 1},
		{"tags in an interface", dynamic([]any{ticketRef{"1"}, map[string]any{"id": 1, "x": long}}), `[{"id":"1"},{"id":1,"x":"` + long + `"}]`, `[{"id":"1"},{"id":1,"x":"` + long + `"}]`, "", 2},
		{"no list", dynamic(untagged{ID: 1, Body: "b"}), `{"id":1,"body":"b"}`, `{"id":1,"body":"b"}`, "", -1},
		{"failure", rawFunction(t, "", &registry.Result{IsError: true, Content: registry.TextResult(listed).Content}), listed, listed, "", -1},
	} {
		for _, level := range []registry.Detail{"", registry.Full, registry.Minimal} {
			text, omitted, count := q.full, "", q.count
			switch level {
			case registry.Minimal:
				text, omitted = q.minimal, q.omitted
			case "":
				if q.name == "raw" { // nobody asked
					count = -1
				}
			}
			var seen *registry.Result
			watch := func(next registry.Handler) registry.Handler {
				return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
					res, err := next(ctx, c)
					seen = res
					return res, err
				}
			}
			for _, middleware := range [][]registry.Middleware{nil, {watch}} {
				res := called(t, q.f, &registry.Request{Detail: level}, &registry.PipelineOptions{Middleware: middleware})
				got := -1
				if res.Count != nil {
					got = *res.Count
				}
				if res.Text() != text || strings.Join(res.Omitted, " ") != omitted || got != count {
					t.Errorf("%s, %q: %s, omitted %q, count %d", q.name, level, res.Text(), res.Omitted, got)
				}
				if middleware != nil && seen.Text() != text {
					t.Errorf("%s, %q: middleware sees %s", q.name, level, seen.Text())
				}
			}
		}
	}
}

// TestF8OwnLevels holds that a function that takes the levels itself gets the one of the call.
func TestF8OwnLevels(t *testing.T) {
	type levels struct {
		Detail string `json:"detail,omitempty" cash:"enum=minimal|standard|full,default=standard"`
		Page   int    `json:"page,omitempty"`
	}
	f := registry.Func("f", "", func(_ context.Context, in levels) ([]untagged, error) {
		return []untagged{{ID: in.Page, Body: in.Detail}}, nil
	})
	for _, q := range []struct {
		level     registry.Detail
		arguments string
		want      string
	}{
		{"", `{}`, "standard"}, {registry.Minimal, ``, "minimal"}, {registry.Minimal, ` { } `, "minimal"}, {registry.Full, `{"page":1}`, "full"},
		{registry.Minimal, `{"detail":"full"}`, "full"}, {registry.Minimal, `{"DETAIL":"full"}`, "full"},
	} {
		for _, exact := range []bool{false, true} {
			if exact && strings.Contains(q.arguments, "DETAIL") {
				continue
			}
			res := called(t, f, &registry.Request{Detail: q.level, Arguments: json.RawMessage(q.arguments)}, &registry.PipelineOptions{ExactKeys: exact})
			if !strings.Contains(res.Text(), fmt.Sprintf(`"body":%q`, q.want)) {
				t.Errorf("%q with %s: %s", q.level, q.arguments, res.Text())
			}
		}
	}
	for _, schema := range []string{
		`{"type":"object","properties":{"detail":{"enum":["minimal","standard"]}}}`,
		`{"type":"object","properties":{"detail":{"type":"string"}}}`,
		`{"type":"object","properties":{"detail":{"enum":["minimal","standard","full","all"]}}}`,
		`{"type":"object","properties":{"Detail":{"enum":["minimal","standard","full"]}}}`,
	} {
		var got string
		f, err := registry.RawFunc("f", "", json.RawMessage(schema), func(_ context.Context, in json.RawMessage) (*registry.Result, error) {
			got = string(in)
			return registry.TextResult(`[{"id":1,"x":2}]`), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if res := called(t, f, &registry.Request{Detail: registry.Minimal}, nil); got != "{}" || res.Text() != `[{"id":1}]` {
			t.Errorf("%s: arguments %s, result %s", schema, got, res.Text())
		}
	}
}
