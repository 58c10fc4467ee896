package registry_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// bad values for what a function puts into its results.
type (
	panicking struct{}
	malformed struct{}
	changing  struct{ times int } // another JSON form every time
)

func (panicking) MarshalJSON() ([]byte, error) { panic("the secret") }
func (malformed) MarshalJSON() ([]byte, error) { return []byte("{{the secret"), nil }

func (c *changing) MarshalJSON() ([]byte, error) {
	if c.times++; c.times > 1 {
		panic("the secret")
	}
	return []byte(`"once"`), nil
}

// custom is a content of a type that the SDK does not have.
type custom struct {
	mcp.Content
	value json.Marshaler
}

func (c custom) MarshalJSON() ([]byte, error) { return c.value.MarshalJSON() }

func cyclicMap() map[string]any {
	m := map[string]any{}
	m["m"] = m
	return m
}

// TestResultsThatCannotBeWritten holds that a result without a JSON form is an
// error of the call: the SDK writes results where nobody recovers.
func TestResultsThatCannotBeWritten(t *testing.T) {
	nan := &mcp.Annotations{Priority: math.NaN()}
	inf := &mcp.Annotations{Priority: math.Inf(-1)}
	bad := mcp.Meta{"x": panicking{}}
	of := func(c mcp.Content) *registry.Result { return &registry.Result{Content: []mcp.Content{c}} }
	meta := func(v any) *registry.Result {
		r := registry.TextResult("x")
		r.Meta = map[string]any{"fine": 1, "x": v}
		return r
	}
	for name, r := range map[string]*registry.Result{
		"metadata that panics":     meta(panicking{}),
		"metadata without form":    meta(make(chan int)),
		"metadata not a number":    meta(math.NaN()),
		"metadata malformed":       meta(malformed{}),
		"metadata raw malformed":   meta(json.RawMessage("{{")),
		"metadata cyclic":          meta(cyclicMap()),
		"text metadata":            of(&mcp.TextContent{Meta: bad}),
		"image metadata":           of(&mcp.ImageContent{Meta: bad}),
		"audio metadata":           of(&mcp.AudioContent{Meta: bad}),
		"link metadata":            of(&mcp.ResourceLink{Meta: bad}),
		"embedded metadata":        of(&mcp.EmbeddedResource{Meta: bad, Resource: &mcp.ResourceContents{URI: "x:y"}}),
		"resource metadata":        of(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x:y", Meta: bad}}),
		"text annotations":         of(&mcp.TextContent{Annotations: nan}),
		"image annotations":        of(&mcp.ImageContent{Annotations: inf}),
		"audio annotations":        of(&mcp.AudioContent{Annotations: nan}),
		"link annotations":         of(&mcp.ResourceLink{Annotations: nan}),
		"embedded annotations":     of(&mcp.EmbeddedResource{Annotations: nan}),
		"custom content panics":    of(custom{value: panicking{}}),
		"custom content malformed": of(custom{value: malformed{}}),
		"content around nothing":   of(struct{ mcp.Content }{}),
		"structured malformed":     {Structured: json.RawMessage("{{")},
		"structured empty":         {Structured: json.RawMessage{}},
	} {
		t.Run("R83 "+name, func(t *testing.T) {
			f := registry.Func("f", "", func(context.Context, struct{}) (*registry.Result, error) { return r, nil })
			p, log := pipelineOf(f, nil)
			res, err := run(p, "f", "{}")
			wantKind(t, err, registry.Internal)
			if res != nil || err == nil || !strings.Contains(err.Error(), "may have taken effect") {
				t.Errorf("got %+v, %v", res, err)
			}
			if log.Len() == 0 || strings.Contains(log.String(), "the secret") {
				t.Errorf("logged %q", log)
			}
		})
	}
}

// TestResultsAreFrozen holds that what has methods of the embedder's in it is
// run once, and that what the function returned is not modified.
func TestResultsAreFrozen(t *testing.T) {
	value := new(changing)
	content := &mcp.TextContent{Text: "text", Meta: mcp.Meta{"x": new(changing)}, Annotations: &mcp.Annotations{Priority: 0.5}}
	resource := &mcp.ResourceContents{URI: "x:y", Meta: mcp.Meta{"x": new(changing)}}
	own := &registry.Result{
		Content: []mcp.Content{content, custom{value: new(changing)}, &mcp.EmbeddedResource{Resource: resource}},
		Meta:    map[string]any{"x": value},
	}
	f := registry.Func("f", "", func(context.Context, struct{}) (*registry.Result, error) { return own, nil })
	p, _ := pipelineOf(f, nil)
	res, err := run(p, "f", "{}")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := json.Marshal(&mcp.CallToolResult{Content: res.Content, Meta: res.Meta})
		if err != nil || strings.Count(string(got), `"once"`) != 4 || !strings.Contains(string(got), `"priority":0.5`) {
			t.Fatalf("written as %s, %v", got, err)
		}
	}
	if res.Text() != "text" {
		t.Errorf("the text is %q", res.Text())
	}
	if own.Meta["x"] != value || own.Content[0] != content || resource.Meta["x"] == nil || isRaw(content.Meta["x"]) || isRaw(resource.Meta["x"]) {
		t.Errorf("the function's own result was modified: %+v", own)
	}
}

func isRaw(v any) bool {
	_, ok := v.(json.RawMessage)
	return ok
}

// TestPlainResultsAreNotCopied holds that the common case costs nothing.
func TestPlainResultsAreNotCopied(t *testing.T) {
	own := &registry.Result{Content: []mcp.Content{&mcp.TextContent{Text: "x"}, &mcp.ImageContent{Data: []byte{1}}}, Structured: json.RawMessage(`{"a":1}`)}
	f := registry.Func("f", "", func(context.Context, struct{}) (*registry.Result, error) { return own, nil })
	p, _ := pipelineOf(f, nil)
	if res, err := run(p, "f", "{}"); res != own || err != nil {
		t.Errorf("got %+v, %v", res, err)
	}
}

// TestEmptyOutputs holds that nothing found is empty, not a missing answer.
func TestEmptyOutputs(t *testing.T) {
	type none struct{}
	for _, tt := range []struct {
		name, want string
		res        func() (*registry.Result, error)
	}{
		{"nil map", "{}", func() (*registry.Result, error) {
			return answer(t, func(context.Context, none) (map[string]int, error) { return nil, nil }, "")
		}},
		{"nil slice", "[]", func() (*registry.Result, error) {
			return answer(t, func(context.Context, none) ([]none, error) { return nil, nil }, "")
		}},
		{"nil bytes", `""`, func() (*registry.Result, error) {
			return answer(t, func(context.Context, none) ([]byte, error) { return nil, nil }, "")
		}},
		{"empty string", "", func() (*registry.Result, error) {
			return answer(t, func(context.Context, none) (string, error) { return "", nil }, "")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if res, err := tt.res(); err != nil || res.Text() != tt.want {
				t.Errorf("got %v, %v", res, err)
			}
		})
	}
}
