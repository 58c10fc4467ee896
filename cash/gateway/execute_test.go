package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/view"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestHeadOfAnImage holds that a view of an image as text says that it is one, and that the suggested views work.
func TestHeadOfAnImage(t *testing.T) {
	reg := raw(registry.New(nil), "art", "paint", answers(&registry.Result{Content: []mcp.Content{
		&mcp.ImageContent{MIMEType: "image/png", Data: append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 40_000)...)},
	}}))
	c := inMemory(t, gateway.NewServer(reg, nil), nil)
	e := execute(t, c, idOf(t, reg, "art.paint"), nil)
	if len(e.Artifacts) != 1 || len(e.Views) == 0 {
		t.Fatalf("envelope %+v", e)
	}
	for _, selector := range []any{nil, object{"type": "head"}} {
		got := wantCode(t, c.Tool("tool_view", object{"handle": e.Artifacts[0].Handle, "selector": selector}), "VIEW_FAILED")
		if !strings.Contains(got.Message, "this artifact is an image (image/png, 40008 bytes), not text") {
			t.Errorf("%v: %s", selector, got.Message)
		}
	}
	for _, v := range e.Views {
		c.Tool("tool_view", object{"handle": v.Handle, "selector": v.Selector}).OK()
	}
}

// TestS42Execute holds W31: a small result passes whole, a large one stands behind
// handles that are all listed, and tool_view shows it.
func TestS42Execute(t *testing.T) {
	var rows []string
	for i := range 3000 {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"name":"row %d"}`, i, i))
	}
	large := "[" + strings.Join(rows, ",") + "]"
	serve := func() *gateway.Server {
		s := newShop()
		raw(s.Registry, "big", "rows", answers(registry.TextResult(large)))
		raw(s.Registry, "big", "parts", answers(&registry.Result{Content: []mcp.Content{
			&mcp.TextContent{Text: strings.Repeat("word ", 4000)}, &mcp.ImageContent{MIMEType: "image/png", Data: []byte{0, 1, 2, 255}},
		}}))
		raw(s.Registry, "big", "failed", answers(&registry.Result{Content: []mcp.Content{&mcp.TextContent{Text: "no such row"}}, IsError: true}))
		return gateway.NewServer(s, nil)
	}
	ids := func(c *cashtest.Client, path string) string {
		return idsIn(c.Tool("tool_browse", object{"path": path}).OK().Text)[0]
	}
	overAll(t, serve, func(t *testing.T, c *cashtest.Client) {
		e := execute(t, c, ids(c, "/orders/create"), object{"customer": "c-1", "quantity": 2})
		if e.Status != firewall.OK || e.Summary != "created 2 for c-1" || len(e.Artifacts) != 0 || e.Provenance["tool_id"] != ids(c, "/orders/create") {
			t.Errorf("envelope %+v", e)
		}
		if e = execute(t, c, ids(c, "/orders/cancel"), object{"id": "1"}); e.Provenance["safety"] != "destructive" {
			t.Errorf("W38: provenance %v", e.Provenance)
		}
		e = execute(t, c, ids(c, "/big/rows"), nil)
		if e.Status != firewall.OK || len(e.Artifacts) != 1 || len(e.Views) == 0 || e.Artifacts[0].Size != int64(len(large)) {
			t.Fatalf("envelope %+v", e)
		}
		for _, v := range e.Views {
			c.Tool("tool_view", object{"handle": v.Handle, "selector": v.Selector}).OK()
		}
		var page view.Page
		c.Tool("tool_view", object{"handle": e.Artifacts[0].Handle, "selector": object{"type": "rows", "start": 2998, "end": 3000}}).Decode(&page)
		if !sameJSON(string(page.Data), `[{"id":2998,"name":"row 2998"},{"id":2999,"name":"row 2999"}]`) {
			t.Errorf("page %+v", page)
		}
		c.Tool("tool_view", object{"handle": e.Artifacts[0].Handle, "selector": `{"type":"tail","chars":20}`}).Decode(&page) // as text, too
		if e = execute(t, c, ids(c, "/big/parts"), nil); len(e.Artifacts) != 2 {
			t.Errorf("artifacts %+v", e.Artifacts)
		}
		failed := c.Tool("tool_execute", object{"tool_id": ids(c, "/big/failed")})
		if e := envelopeOf(t, failed); !failed.IsError || e.Status != firewall.Failed || e.Summary != "no such row" {
			t.Errorf("a result that is an error: %s", failed.Text)
		}
		skill := c.Tool("tool_execute", object{"tool_id": "skill::orders:restock#" + hashOf(t, "orders", "restock"), "args": object{"shelf": "shelf 9"}})
		if e := envelopeOf(t, skill); !strings.Contains(e.Summary, "shelf 9") {
			t.Errorf("skill: %s", skill.Text)
		}
	})
}

// hashOf returns the hash in the id of a skill of the shop.
func hashOf(t *testing.T, path, name string) string {
	t.Helper()
	sk, err := newShop().Skill(t.Context(), path, name)
	if err != nil {
		t.Fatal(err)
	}
	return sk.ID().Hash
}

// TestS42Views holds W33 at the gateway: every page is bounded and says how to go
// on, until all has been seen; and wrong selectors are VIEW_FAILED.
func TestS42Views(t *testing.T) {
	reg := registry.New(nil)
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "line %d of a long text\n", i)
	}
	raw(reg, "", "text", answers(registry.TextResult(b.String())))
	raw(reg, "", "json", answers(registry.TextResult(`{"items":[`+strings.Repeat(`{"id":1,"deep":[1,2,3]},`, 2000)+`{"id":2}],"count":2001}`)))
	c := inMemory(t, gateway.NewServer(reg, nil), nil)
	text := execute(t, c, idOf(t, reg, "text"), nil).Artifacts[0].Handle
	doc := execute(t, c, idOf(t, reg, "json"), nil).Artifacts[0].Handle

	var all strings.Builder
	selector := json.RawMessage(`{"type":"lines","start":0,"end":5000}`)
	for pages := 0; selector != nil; pages++ {
		r := c.Tool("tool_view", object{"handle": text, "selector": selector})
		var page view.Page
		r.Decode(&page)
		if r.Chars() > view.DefaultLimit || pages > 100 {
			t.Fatalf("page %d has %d characters", pages, r.Chars())
		}
		all.WriteString(strings.TrimSuffix(page.Text, "\n") + "\n")
		selector = page.Next
	}
	if all.String() != b.String() {
		t.Errorf("the pages have %d bytes, the text %d", all.Len(), b.Len())
	}
	for _, good := range []string{`{"type":"head"}`, `{"type":"tail","chars":10}`, `{"type":"json_keys"}`, `{"type":"path","path":"$.items[*].id"}`,
		`{"type":"search","query":"count","context":1}`, `{"type":"rows","start":1,"end":3}`, `null`} {
		c.Tool("tool_view", object{"handle": doc, "selector": json.RawMessage(good)}).OK()
	}
	for _, bad := range []string{`{}`, `{"type":"all"}`, `{"type":7}`, `{"type":"lines","start":-1}`, `{"type":"lines","start":9,"end":2}`, `{"type":"rows","start":99999999,"end":999999999}`,
		`{"type":"path"}`, `{"type":"path","path":"$["}`, `{"type":"search"}`, `{"type":"search","query":"(","regexp":true}`, `{"type":"head","chars":"x"}`, `{"type":"head","start":1e300}`,
		`[]`, `7`, `"x"`, `true`, `{"type":"json_keys","keys":7}`, `{"type":"path","path":"` + strings.Repeat("$..*", 10000) + `"}`} {
		wantCode(t, c.Tool("tool_view", object{"handle": doc, "selector": json.RawMessage(bad)}), gateway.ViewFailed)
	}
}

// TestS44RepairVectors holds the fixtures of tolerant arguments from one end to the
// other: what arrives, and what the provenance says was done.
func TestS44RepairVectors(t *testing.T) {
	reg := registry.New(nil)
	var arrived json.RawMessage
	type vector struct {
		Args, Result, Schema json.RawMessage
		Repairs              []registry.Repair
	}
	var vectors []vector
	for i, line := range lines(t, "testdata/args_repair.jsonl") {
		var v vector
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		v.Schema = json.RawMessage(`{"type":"object",` + strings.TrimPrefix(string(v.Schema), "{")) // which MCP demands
		vectors = append(vectors, v)
		f, err := registry.RemoteFunc(fmt.Sprintf("f%d", i), "", registry.Remote{InputSchema: v.Schema,
			Handler: func(_ context.Context, c *registry.Call) (*registry.Result, error) {
				arrived = slices.Clone(c.Arguments)
				return registry.TextResult("done"), nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		reg.Namespace("v", "").Add(f)
	}
	c := inMemory(t, gateway.NewServer(reg, &gateway.Options{Serve: serve.Options{Repair: true}}), nil)
	strict := inMemory(t, gateway.NewServer(reg, nil), nil)
	for i, v := range vectors {
		call := object{"tool_id": idOf(t, reg, fmt.Sprintf("v.f%d", i)), "args": v.Args}
		want := v.Result
		if string(v.Args) == "null" {
			want = json.RawMessage(`{}`)
		}
		arrived = nil
		r := c.Tool("tool_execute", call)
		if !valid(t, v.Schema, want) {
			if wantCode(t, r, gateway.ArgsInvalid); arrived != nil {
				t.Errorf("%s arrived as %s", v.Args, arrived)
			}
			continue
		}
		if !sameJSON(string(arrived), string(want)) {
			t.Errorf("%s arrived as %s, want %s: %s", v.Args, arrived, want, r.Text)
			continue
		}
		if got, want := toJSON(envelopeOf(t, r).Provenance["arg_repairs"]), toJSON(v.Repairs); len(v.Repairs) > 0 && !sameJSON(got, want) || len(v.Repairs) == 0 && got != "null" {
			t.Errorf("%s: repairs %s, want %s", v.Args, got, want)
		}
		arrived = nil
		if strict := strict.Tool("tool_execute", call); len(v.Repairs) > 0 {
			if wantCode(t, strict, gateway.ArgsInvalid); arrived != nil {
				t.Errorf("without repair %s arrived", v.Args)
			}
		}
	}
}

// valid asks another validator.
func valid(t *testing.T, schema, args json.RawMessage) bool {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	return json.Unmarshal(args, &v) == nil && resolved.Validate(v) == nil
}
