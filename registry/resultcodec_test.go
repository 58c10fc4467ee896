package registry_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// richResult has everything that a result can have, with texts and numbers that do not survive JSON as values.
func richResult() *registry.Result {
	count, size := 3, int64(9007199254740993)
	meta := func() mcp.Meta { return mcp.Meta{"n": json.RawMessage(`9007199254740993`)} }
	notes := &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 0.5, LastModified: "2030-01-02T03:04:05Z"}
	return &registry.Result{
		Content: []mcp.Content{
			&mcp.TextContent{Text: "text \x00\xff \u2028 <&>", Meta: meta(), Annotations: notes},
			&mcp.TextContent{},
			&mcp.ImageContent{Data: []byte{0, 255, 1}, MIMEType: "image/png", Meta: meta(), Annotations: notes},
			&mcp.AudioContent{Data: []byte{1}, MIMEType: "audio/wav"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", MIMEType: "text/plain", Text: "x\xff", Meta: meta()}, Meta: meta()},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:c", Blob: []byte{}}},
			&mcp.ResourceLink{URI: "a:d", Name: "n", Title: "t", Description: "d", MIMEType: "m", Size: &size, Meta: meta(), Annotations: notes, Icons: []mcp.Icon{{Source: "s"}}},
		},
		Structured: json.RawMessage(`{"z":1.0, "a":9007199254740993}`),
		Count:      &count, Omitted: []string{"a[].b", "…"}, IsError: true, JSON: true, Ungated: true,
		Meta: map[string]any{"k": json.RawMessage(`{"b":1,"a":[1.50]}`)}, RequestState: "state\xff",
	}
}

// TestResultSurvivesAStore holds that a result comes back as it was.
func TestResultSurvivesAStore(t *testing.T) {
	for _, want := range []*registry.Result{richResult(), {}, registry.TextResult("text"), {Meta: map[string]any{}}} {
		data, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		got := &registry.Result{IsError: true, RequestState: "old"}
		if err := got.UnmarshalBinary(data); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %+v, want %+v", err, got, want)
		}
	}
}

// TestResultOfTagsSurvivesAStore holds that what tags have chosen is not trimmed again.
func TestResultOfTagsSurvivesAStore(t *testing.T) {
	type item struct {
		Name string `json:"name" cash:"detail=minimal"`
		Body string `json:"body" cash:"detail=minimal,excerpt=5"`
	}
	reg := registry.New(nil)
	stored := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			res, err := next(ctx, c)
			if err != nil {
				return nil, err
			}
			data, err := res.MarshalBinary()
			if err != nil {
				return nil, err
			}
			back := new(registry.Result)
			return back, back.UnmarshalBinary(data)
		}
	}
	reg.Namespace("shop", "").Add(registry.Func("list", "Lists.", func(context.Context, struct{}) ([]item, error) {
		return []item{{"a", "a long text of many words"}}, nil
	}, registry.ReadOnly))
	var texts [2]string
	for i, through := range [][]registry.Middleware{nil, {stored}} {
		p := registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: through})
		res, err := p.Call(t.Context(), &registry.Request{Namespace: "shop", Function: "list", Detail: registry.Minimal})
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = res.Text()
	}
	if texts[0] != texts[1] {
		t.Errorf("got %s, want %s", texts[1], texts[0])
	}
}

func TestResultsThatAreNotStored(t *testing.T) {
	for _, r := range []*registry.Result{
		{InputRequests: mcp.InputRequestMap{}},
		{Meta: map[string]any{"f": func() {}}},
		{Content: []mcp.Content{&mcp.EmbeddedResource{}}},
		{Content: []mcp.Content{nil}},
	} {
		if data, err := r.MarshalBinary(); err == nil {
			t.Errorf("%+v: %s", r, data)
		}
	}
	for _, data := range []string{"", "null1", `{"Content":[{}]}`, `{"Content":[{"Kind":"link","Link":{"type":"text"}}]}`, `{"Count":"x"}`} {
		if err := new(registry.Result).UnmarshalBinary([]byte(data)); err == nil {
			t.Errorf("%s was read", data)
		}
	}
}
