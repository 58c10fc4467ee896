package facade_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// issues is a result of 3,063 bytes, as an issue tracker gives it.
//
//go:embed testdata/issues.json
var issues string

// tracked is the type of issues, without tags.
type tracked struct {
	Total      int      `json:"total_count"`
	Incomplete bool     `json:"incomplete_results"`
	Issues     []issue  `json:"issues"`
	Next       string   `json:"next_cursor"`
	Warnings   []string `json:"warnings"`
}

type issue struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	State  string `json:"state"`
	User   struct {
		Login string `json:"login"`
		ID    int64  `json:"id"`
		URL   string `json:"url"`
	} `json:"user"`
	Labels []struct {
		Name  string `json:"name"`
		Color string `json:"color"`
	} `json:"labels"`
	Comments  int    `json:"comments_count"`
	Created   string `json:"created_at"`
	Updated   string `json:"updated_at"`
	Body      string `json:"body"`
	Reactions struct {
		Total int `json:"total_count"`
		Plus  int `json:"plus"`
		Minus int `json:"minus"`
	} `json:"reactions"`
}

// tracker is an MCP server of another maker. It notes the arguments that it gets.
type tracker struct {
	*mcp.Server
	mu  sync.Mutex
	got []string
}

func (s *tracker) arguments() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.got, " ")
}

func newTracker() *tracker {
	s := &tracker{Server: mcp.NewServer(&mcp.Implementation{Name: "tracker"}, nil)}
	add := func(name, schema string, res *mcp.CallToolResult) {
		s.AddTool(&mcp.Tool{Name: name, Description: "List issues.", InputSchema: json.RawMessage(schema)},
			func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.got = append(s.got, name+string(req.Params.Arguments))
				return res, nil
			})
	}
	const none = `{"type":"object"}`
	add("text", none, &mcp.CallToolResult{Content: []mcp.Content{text(issues)}})
	add("structured", none, &mcp.CallToolResult{StructuredContent: json.RawMessage(issues), Content: []mcp.Content{text(issues)}})
	add("closed", `{"type":"object","properties":{"page":{"type":"integer"}},"additionalProperties":false}`, &mcp.CallToolResult{Content: []mcp.Content{text(issues)}})
	add("other_detail", `{"type":"object","properties":{"detail":{"type":"string","enum":["low","high"]}}}`, &mcp.CallToolResult{Content: []mcp.Content{text(issues)}})
	add("own_detail", `{"type":"object","properties":{"detail":{"enum":["full","standard","minimal"]}}}`, &mcp.CallToolResult{Content: []mcp.Content{text(issues)}})
	return s
}

// mounted adds servers to a registry and waits for them.
func mounted(t *testing.T, reg *registry.Registry, servers map[string]upstream.Endpoint) {
	t.Helper()
	agg := upstream.New(reg, nil)
	for label, e := range servers {
		if err := agg.Add(upstream.Server{Label: label, Endpoint: e}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(func() {
		defer cancel()
		if err := agg.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	if err := agg.Wait(ctx); err != nil {
		t.Fatal(err)
	}
}

func raw(name string, res *registry.Result, facts ...registry.FuncOption) *registry.Function {
	f, err := registry.RawFunc(name, "List issues.", nil, func(context.Context, json.RawMessage) (*registry.Result, error) { return res, nil }, facts...)
	if err != nil {
		panic(err)
	}
	return f
}

// typed is a function whose output type has no tags.
func typed(name string, facts ...registry.FuncOption) *registry.Function {
	return registry.Func(name, "List issues.", func(context.Context, struct{}) (v tracked, err error) {
		return v, json.Unmarshal([]byte(issues), &v)
	}, facts...)
}

// TestF8WithoutTags holds what the levels make of one result of a type without tags, of raw functions and of another
// server, over every link. Before, each level had 3,063 bytes.
func TestF8WithoutTags(t *testing.T) {
	serve := func() *facade.Server {
		reg := registry.New(nil)
		reg.Namespace("own", "").Add(typed("typed"), raw("raw", registry.TextResult(issues)),
			raw("structured", &registry.Result{Structured: json.RawMessage(issues), Content: []mcp.Content{text(issues)}}))
		mounted(t, reg, map[string]upstream.Endpoint{"up": upstream.InMemory{Server: newTracker()}})
		return facade.NewServer(reg, &facade.Options{Tools: true})
	}
	if len(issues) != 3063 {
		t.Fatalf("the example has %d bytes", len(issues))
	}
	overAll(t, serve, func(t *testing.T, c *cashtest.Client) {
		for _, q := range []struct {
			tool string
			args object
		}{
			{"OwnExecute", object{"cmd": "typed"}}, {"OwnExecute", object{"cmd": "raw"}}, {"OwnExecute", object{"cmd": "structured"}},
			{"UpExecute", object{"cmd": "text"}}, {"UpExecute", object{"cmd": "structured"}}, {"UpExecute", object{"cmd": "closed"}},
			{"ToolsExecute", object{"cmd": "execute", "params": object{"name": "up.text"}}},
		} {
			at := func(level string) envelope {
				args := maps.Clone(q.args)
				if level != "" {
					args["detail"] = level
				}
				return okOf(t, c, q.tool, args)
			}
			full, standard, minimal, none := at("full"), at("standard"), at("minimal"), at("")
			if string(full.Data) != issues || full.Omitted != nil {
				t.Errorf("%s %v: full is %s", q.tool, q.args, full.text)
			}
			if len(standard.Data) != 2170 || standard.Omitted != nil || string(none.Data) != string(standard.Data) ||
				!strings.Contains(string(standard.Data), "… (1392 characters)\"") || fmt.Sprint(keysOf(t, standard.Data)) != fmt.Sprint(keysOf(t, full.Data)) {
				t.Errorf("%s %v: standard has %d bytes: %s", q.tool, q.args, len(standard.Data), standard.text)
			}
			const want = `{"total_count":3,"incomplete_results":false,"issues":[` +
				`{"number":412,"title":"Export stops after the first region","state":"open","comments_count":0},` +
				`{"number":398,"title":"Document the retry budget","state":"open","comments_count":3},` +
				`{"number":377,"title":"Dates in the report are off by one","state":"closed","comments_count":6}],` +
				`"next_cursor":"b2Zmc2V0PTM","warnings":["The index is 4 minutes old."]}`
			if string(minimal.Data) != want || strings.Join(minimal.Omitted, " ") != "issues[].user issues[].labels issues[].created_at issues[].updated_at issues[].body issues[].reactions" {
				t.Errorf("%s %v: minimal has %d bytes: %s", q.tool, q.args, len(minimal.Data), minimal.text)
			}
		}
	})
}

// TestF8Untrimmed holds that one option switches it off, for a server and for a function, and that tags keep their
// effect.
func TestF8Untrimmed(t *testing.T) {
	long := registry.TextResult(issues)
	reg := registry.New(nil)
	reg.Namespace("one", "").Add(raw("raw", long, registry.Untrimmed), typed("typed", registry.Untrimmed))
	reg.Namespace("all", "").Add(raw("raw", long))
	mounted(t, reg, map[string]upstream.Endpoint{"up": upstream.InMemory{Server: newTracker()}})
	for _, whole := range []bool{false, true} {
		shop := newShop()
		shop.Namespace("more", "").Add(raw("raw", long))
		c := inMemory(t, facade.NewServer(reg, &facade.Options{Untrimmed: whole}), nil)
		for _, level := range []string{"minimal", "standard", "full"} {
			for tool, cmds := range map[string][]string{"OneExecute": {"raw", "typed"}, "AllExecute": {"raw"}, "UpExecute": {"text", "own_detail"}} {
				for _, cmd := range cmds {
					e := okOf(t, c, tool, object{"cmd": cmd, "detail": level})
					same := string(e.Data) == issues && e.Omitted == nil
					if want := whole || level == "full" || tool == "OneExecute" || cmd == "own_detail"; same != want {
						t.Errorf("Untrimmed %t, %s %s %s: %s", whole, tool, cmd, level, e.text)
					}
				}
			}
		}
		tagged := inMemory(t, facade.NewServer(shop, &facade.Options{Untrimmed: whole}), nil)
		if e := okOf(t, tagged, "OrdersExecute", object{"cmd": "get", "detail": "minimal", "params": object{"order_id": "ORD-1"}}); string(e.Data) != `{"order_id":"ORD-1","title":"Order 1"}` {
			t.Errorf("tags: %s", e.text)
		}
	}
}

// TestF2Promise holds that a tool promises levels only where one changes a result, and ignores them elsewhere.
func TestF2Promise(t *testing.T) {
	numbers := func(context.Context, struct{}) ([]struct{ X, Y float64 }, error) {
		return make([]struct{ X, Y float64 }, 3), nil
	}
	says := func(context.Context, struct{}) (string, error) { return strings.Repeat("words ", 200), nil }
	reg := registry.New(nil)
	add := func(namespace string, f ...*registry.Function) { reg.Namespace(namespace, "").Add(f...) }
	add("texts", registry.Func("say", "", says), raw("hidden", registry.TextResult(issues), registry.VisibleTo(registry.Roles("boss"))))
	add("numbers", registry.Func("points", "", numbers), registry.Func("say", "", says))
	add("whole", raw("raw", registry.TextResult(issues), registry.Untrimmed), typed("typed", registry.Untrimmed))
	add("mixed", registry.Func("say", "", says), raw("raw", registry.TextResult(issues)))
	add("typed", typed("typed"))
	add("tagged", registry.Func("get", "", func(context.Context, struct{}) (order, error) { return anOrder(1), nil }, registry.Untrimmed))
	add("away", registry.Func("say", "", says))
	reg.Namespace("away.below", "").Unavailable(&registry.Error{Kind: registry.Unavailable, Message: "Gone."})
	for whole, want := range map[bool]string{
		false: "AwayExecute MixedExecute TaggedExecute ToolsExecute TypedExecute",
		true:  "AwayExecute TaggedExecute ToolsExecute",
	} {
		c := inMemory(t, facade.NewServer(reg, &facade.Options{Untrimmed: whole, Tools: true}), nil)
		var promised []string
		for _, tool := range c.Tools() {
			schema := toJSON(tool.InputSchema)
			if strings.Contains(schema, `"minimal"`) {
				promised = append(promised, tool.Name)
			}
			if strictjson.Check([]byte(schema)) != nil || !containsAll(schema, `"cmd"`, `"params"`) {
				t.Errorf("%s: schema %s", tool.Name, schema)
			}
		}
		if got := strings.Join(promised, " "); got != want {
			t.Errorf("Untrimmed %t: %s promise levels, want %s", whole, got, want)
		}
		boss := inMemory(t, facade.NewServer(reg, &facade.Options{Untrimmed: whole}), named("max", "boss"))
		if schema := toJSON(toolNamed(boss, "TextsExecute").InputSchema); strings.Contains(schema, `"minimal"`) == whole {
			t.Errorf("Untrimmed %t: who sees more is promised %s", whole, schema)
		}
		for tool, cmd := range map[string]string{"TextsExecute": "say", "NumbersExecute": "points", "WholeExecute": "raw"} {
			full := okOf(t, c, tool, object{"cmd": cmd, "detail": "full"})
			if minimal := okOf(t, c, tool, object{"cmd": cmd, "detail": "minimal"}); minimal.text != full.text {
				t.Errorf("%s: minimal is %s", tool, minimal.text)
			}
		}
	}
}

// TestF8Mounted holds that a server with domains that mounts another one passes the level on and trims nothing twice,
// and that other servers get no argument that they do not know.
func TestF8Mounted(t *testing.T) {
	inner := registry.New(nil)
	theirs := newTracker()
	mounted(t, inner, map[string]upstream.Endpoint{"tracker": upstream.InMemory{Server: theirs}})
	inner.Namespace("own", "").Add(typed("typed"), raw("whole", registry.TextResult(issues), registry.Untrimmed))
	outer := registry.New(nil)
	mounted(t, outer, map[string]upstream.Endpoint{"far": upstream.InMemory{Server: facade.NewServer(inner, nil)}})
	near, far := inMemory(t, facade.NewServer(inner, nil), nil), inMemory(t, facade.NewServer(outer, nil), nil)
	if !strings.Contains(toJSON(toolNamed(far, "FarExecute").InputSchema), `"minimal"`) {
		t.Error("the levels are not promised")
	}
	for _, level := range []string{"minimal", "standard", "full", ""} {
		for tool, cmds := range map[string][]string{"TrackerExecute": {"text", "structured", "closed", "other_detail"}, "OwnExecute": {"typed", "whole"}} {
			for _, cmd := range cmds {
				args := object{"cmd": cmd}
				through := object{"cmd": tool, "params": object{"cmd": cmd}}
				if level != "" {
					args["detail"], through["detail"] = level, level
				}
				want := okOf(t, near, tool, args)
				if got := okOf(t, far, "FarExecute", through); !sameJSON(string(got.Data), want.text) || got.Omitted != nil || got.Count != nil {
					t.Errorf("%s %s %s: %s, want %s", tool, cmd, level, got.text, want.text)
				}
			}
		}
	}
	// The level in params is the caller's own word to the other server.
	got := okOf(t, far, "FarExecute", object{"cmd": "OwnExecute", "detail": "minimal", "params": object{"cmd": "typed", "detail": "full"}})
	if string(strictjson.Member(got.Data, "data")) != issues {
		t.Errorf("its own level: %s", got.text)
	}
	if got := theirs.arguments(); strings.Contains(got, "detail\"") {
		t.Errorf("arguments %s", got)
	}
	okOf(t, near, "TrackerExecute", object{"cmd": "own_detail", "detail": "minimal"})
	okOf(t, near, "TrackerExecute", object{"cmd": "own_detail", "params": object{"detail": "full"}})
	if got := theirs.arguments(); !strings.HasSuffix(got, `own_detail{"detail":"minimal"} own_detail{"detail":"full"}`) {
		t.Errorf("arguments %s", got)
	}
}

// TestF9EveryList holds that every list has a count, whoever gives it.
func TestF9EveryList(t *testing.T) {
	three := []mcp.Content{text("[1,2,3]")}
	for _, q := range []struct {
		name string
		res  registry.Result
		want int // -1 is none
	}{
		{"array", registry.Result{Content: three}, 3},
		{"array of a value", registry.Result{Content: three, JSON: true}, 3},
		{"structured array", registry.Result{Structured: json.RawMessage(`[1]`), Content: three}, 1},
		{"wrapped", registry.Result{Structured: json.RawMessage(`{"result":[{"id":1,"x":2},{"id":2}]}`)}, 2},
		{"its own count", registry.Result{Content: three, Count: ptr(17)}, 17},
		{"members named count", registry.Result{Content: []mcp.Content{text(`[{"id":1,"count":7,"x":1}]`)}}, 1},
		{"a member named count", registry.Result{Content: []mcp.Content{text(`{"count":7,"items":[1]}`)}}, -1},
		{"lists", registry.Result{Content: []mcp.Content{text(`{"a":[1],"b":[2]}`)}}, -1},
		{"object", registry.Result{Content: []mcp.Content{text(`{"a":{"b":[1]}}`)}}, -1},
		{"empty", registry.Result{Content: []mcp.Content{text(`[]`)}}, 0},
		{"text", registry.Result{Content: []mcp.Content{text(`[sic]`)}}, -1},
		{"texts", registry.Result{Content: []mcp.Content{text("a"), text("[1]")}}, -1},
		{"number", registry.Result{Content: []mcp.Content{text("7")}, JSON: true}, -1},
	} {
		for _, level := range []string{"minimal", "standard", "full"} {
			e := okOf(t, inMemory(t, answering(&q.res, nil), nil), "NExecute", object{"cmd": "f", "detail": level})
			if got := -1; e.Count != nil {
				if got = *e.Count; got != q.want {
					t.Errorf("%s, %s: count %d, want %d", q.name, level, got, q.want)
				}
			} else if q.want >= 0 {
				t.Errorf("%s, %s: no count in %s", q.name, level, e.text)
			}
		}
	}
}

func ptr(n int) *int { return &n }

// TestF8Kept holds what no level changes: failures, marks, members that are called like ours, texts, and texts that
// structured content repeats.
func TestF8Kept(t *testing.T) {
	long := strings.Repeat("words ", 200)
	failed := &registry.Result{IsError: true, Content: []mcp.Content{text(`{"error":"` + long + `","list":[{"id":1,"x":2}]}`)}}
	r := answering(failed, nil).Execute(t.Context(), "n", &facade.Request{Cmd: "f", Detail: registry.Minimal})
	if !strings.Contains(r.Error, `"x":2`) || !strings.Contains(r.Error, long) || r.Omitted != nil || r.Count != nil {
		t.Errorf("a failure: %+v", r)
	}
	for _, q := range []struct {
		res  registry.Result
		want string // at minimal
		more int    // contents
	}{
		{registry.Result{Content: []mcp.Content{text(`{"omitted":["mine"],"count":5,"list":[{"id":1,"omitted":"x","y":1}]}`)}},
			`"data":{"omitted":["mine"],"count":5,"list":[{"id":1,"omitted":"x"}]},"omitted":["list[].y"]}`, 0},
		{registry.Result{Content: []mcp.Content{text(`[{"id":1,"x":2}]`)}}, `"data":[{"id":1}],"count":1,"omitted":["[].x"]}`, 0},
		{registry.Result{Content: []mcp.Content{text(long)}}, `"data":` + toJSON(long) + `}`, 0},
		{registry.Result{Content: []mcp.Content{text(toJSON(long))}, JSON: true}, `"data":` + toJSON(long) + `}`, 0},
		{registry.Result{Structured: json.RawMessage(`{"result":` + toJSON(long) + `}`), Content: []mcp.Content{text(long)}}, `"data":{"result":` + toJSON(long) + `}}`, 0},
		{registry.Result{Structured: json.RawMessage(`{"n":1,"a":` + toJSON(long) + `,"list":[{"id":1,"x":"cut"}]}`), Content: []mcp.Content{text(long), text("cut"), text("more"), text(`{"n":1}`)}},
			`"data":{"n":1,"a":"` + strings.Repeat("words ", 22) + `words… (1200 characters)","list":[{"id":1}]},"omitted":["list[].x"]}`, 1},
		{registry.Result{Content: []mcp.Content{text(`[{"id":1,"x":2}]`), text(`[{"id":1,"x":2}]`)}}, `"data":["[{\"id\":1,\"x\":2}]","[{\"id\":1,\"x\":2}]"]}`, 0},
	} {
		r := inMemory(t, answering(&q.res, nil), nil).Tool("NExecute", object{"cmd": "f", "detail": "minimal"})
		if e := envelopeOf(t, r); !strings.HasSuffix(e.text, q.want) || len(r.Raw.Content) != 1+q.more {
			t.Errorf("%d contents: %s, want %s", len(r.Raw.Content), e.text, q.want)
		}
	}
}

// TestF8Controls holds that the size limit measures what the level leaves, and that a cached result keeps its level
// with what it names.
func TestF8Controls(t *testing.T) {
	runs := 0
	list, err := registry.RawFunc("list", "List issues.", nil, func(context.Context, json.RawMessage) (*registry.Result, error) {
		runs++
		return registry.TextResult(issues), nil
	}, registry.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	say := registry.Func("say", "", func(context.Context, struct{}) (string, error) { return issues, nil }, registry.ReadOnly)
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(list, say)
	controls := &control.Controls{Cache: control.NewCache(&control.CacheOptions{ReadOnly: true, TTL: time.Hour})}
	c := inMemory(t, facade.NewServer(reg, &facade.Options{Serve: serve.Options{Controls: controls, Middleware: []registry.Middleware{control.SizeLimit(1000)}}}), nil)
	for range 2 {
		if e := okOf(t, c, "NExecute", object{"cmd": "list", "detail": "minimal"}); len(e.Omitted) != 6 || len(e.Data) > 500 {
			t.Errorf("minimal: %s", e.text)
		}
		if e := failedOf(t, c, "NExecute", object{"cmd": "list"}); !strings.Contains(e.Error, "detail=minimal") {
			t.Errorf("standard: %s", e.text)
		}
		if e := failedOf(t, c, "NExecute", object{"cmd": "list", "detail": "full"}); strings.Contains(e.Error, "detail=minimal") {
			t.Errorf("full: %s", e.text)
		}
		if e := failedOf(t, c, "NExecute", object{"cmd": "say"}); strings.Contains(e.Error, "detail=minimal") {
			t.Errorf("a text: %s", e.text)
		}
	}
	if runs != 3 {
		t.Errorf("%d runs", runs)
	}
}

// TestF8Hostile holds that no result of another server breaks the envelope or takes long, at any level.
func TestF8Hostile(t *testing.T) {
	var names strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&names, `,"m%d":1`, i)
	}
	for name, data := range map[string]string{
		"deep":       strings.Repeat(`[{"id":1,"a":`, 240) + "1" + strings.Repeat("}]", 240),
		"too deep":   strings.Repeat(`[{"id":1,"a":`, 5000) + "1" + strings.Repeat("}]", 5000),
		"names":      `[{"id":1` + names.String() + `}]`,
		"long names": `[{"id":1,"` + strings.Repeat(`\u202e\u0000_`, 100_000) + `":1}]`,
		"surrogate":  `[{"id":1,"x":"\ud800"}]`,
		"twice":      `[{"id":1,"id":2,"x":1}]`,
		"number":     `[{"id":1e999,"x":1}]`,
		"cut":        `[{"id":1,"x":`,
		"not UTF-8":  "[{\"id\":1,\"x\":\"\xff\"}]",
		"empty name": `[{"id":1,"":{"":1}}]`,
		"line":       `{"a":"` + strings.Repeat("\u0301", 2000) + `","b":"` + strings.Repeat(`\u2028`, 600) + `"}`,
	} {
		c := inMemory(t, answering(registry.TextResult(data), nil), nil)
		sizes := make([]int, 0, 3)
		for _, level := range []string{"minimal", "standard", "full"} {
			e := okOf(t, c, "NExecute", object{"cmd": "f", "detail": level})
			sizes = append(sizes, len(e.Data))
			if len(e.Omitted) > 21 || len(strings.Join(e.Omitted, "")) > 10_000 || strings.Contains(strings.Join(e.Omitted, ""), "\u202e") {
				t.Errorf("%s: omitted %.300q", name, e.Omitted)
			}
		}
		if !slices.IsSorted(sizes) {
			t.Errorf("%s: sizes %v", name, sizes)
		}
	}
}
