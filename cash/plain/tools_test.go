package plain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
)

var shopTools = []string{"orders-cancel", "orders-create", "orders-list", "orders-retail-get", "ping"}

// checkShop checks that the shop is at the other end.
func checkShop(t *testing.T, c *cashtest.Client) {
	t.Helper()
	tools := c.Tools()
	if got := names(tools); !slices.Equal(got, shopTools) {
		t.Errorf("tools %q, want %q", got, shopTools)
	}
	if got := tools[1].Description; got != "Create an order.\n\nThe customer pays later." {
		t.Errorf("description %q", got)
	}
	const ref = `{"additionalProperties":false,"properties":{"id":{"description":"Number of the order.","type":"integer"}},"required":["id"],"type":"object"}`
	for name, want := range map[string][2]string{
		"orders-cancel":     {`{"destructiveHint":true,"idempotentHint":true,"readOnlyHint":false}`, ref},
		"orders-create":     {`null`, wrapped("text", `{"type":"string"}`)}, // nothing is declared
		"orders-list":       {`{"idempotentHint":false,"readOnlyHint":true}`, wrapped("value", `{"items":{"type":"string"},"type":["null","array"]}`)},
		"orders-retail-get": {`null`, ref},
	} {
		i := slices.IndexFunc(tools, func(t *mcp.Tool) bool { return t.Name == name })
		if got := toJSON(tools[i].Annotations); got != want[0] {
			t.Errorf("annotations of %s: %s, want %s", name, got, want[0])
		}
		if got := toJSON(tools[i].OutputSchema); got != want[1] {
			t.Errorf("output schema of %s: %s, want %s", name, got, want[1])
		}
		if tools[i].Title != "" || tools[i].Icons != nil || tools[i].Meta != nil {
			t.Errorf("%s has more than it should: %s", name, toJSON(tools[i]))
		}
	}
	if r := c.Tool("orders-create", object{"customer": "Ada", "quantity": 3}).OK(); r.Text != "created 3 for Ada" {
		t.Errorf("create: %s", r.Text)
	}
	// Exact integers, beyond what a float64 holds.
	if r := c.Tool("orders-retail-get", json.RawMessage(`{"id":9007199254740993}`)).OK(); r.Text != `{"id":9007199254740993}` {
		t.Errorf("get: %s", r.Text)
	}
	for _, args := range []any{nil, json.RawMessage(`null`), object{}} {
		if r := c.Tool("ping", args).OK(); r.Text != "pong" {
			t.Errorf("ping: %s", r.Text)
		}
	}
}

// TestTools: every function is an ordinary tool, over every transport and in both
// generations of the protocol.
func TestTools(t *testing.T) {
	overAll(t, func() *plain.Server { return plain.NewServer(newShop(), nil) }, checkShop)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run("stdio "+version, func(t *testing.T) {
			checkShop(t, (&cashtest.Dialer{Version: version}).ConnectCommand(t, command(t)))
		})
	}
}

// TestY8ExactKeys: keys are matched as they are spelled, and what does not fit is
// refused before anything runs (Y4).
func TestY8ExactKeys(t *testing.T) {
	s := newShop()
	overAll(t, func() *plain.Server { return plain.NewServer(s, nil) }, func(t *testing.T, c *cashtest.Client) {
		for args, want := range map[string]string{
			`{"Customer":"Ada","quantity":3}`:              "customer",
			`{"customer":"Ada","quantity":0}`:              "quantity",
			`{"customer":"Ada","quantity":"3"}`:            "quantity",
			`{"customer":"Ada","quantity":3,"notes":"x"}`:  "did you mean `note`",
			`{"customer":"secret-of-mine","quantity":1.5}`: "quantity",
		} {
			r := c.Tool("orders-create", json.RawMessage(args))
			if !r.IsError || !strings.Contains(r.Text, want) || strings.Contains(r.Text, "secret-of-mine") || r.Raw.Meta[registry.MetaCode] != "INVALID_ARGUMENTS" {
				t.Errorf("%s: %s %v", args, r.Text, r.Raw.Meta)
			}
		}
		if n := s.runs.Load(); n != 0 {
			t.Errorf("%d calls ran", n)
		}
	})
	c := cashtest.Connect(t, plain.NewServer(s, &plain.Options{Serve: serve.Options{Repair: true}}))
	c.Tool("orders-create", object{"customer": "Ada", "quantity": "3"}).OK()
	small := cashtest.Connect(t, plain.NewServer(s, &plain.Options{Serve: serve.Options{MaxArguments: 10}}))
	if r := small.Tool("orders-create", object{"customer": "Ada", "quantity": 3}); !r.IsError || !strings.Contains(r.Text, "at most 10") {
		t.Errorf("too many bytes: %s", r.Text)
	}
}

// TestErrors: each kind of error is one result, its kind where it costs a model
// nothing (Y2).
func TestErrors(t *testing.T) {
	for _, kind := range registry.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			reg := raw(registry.New(nil), "n", "f", fails(&registry.Error{Kind: kind, Message: "It went wrong.", Hint: "Try the other one.", Err: errors.New("cause")}))
			for _, l := range links {
				r := l.Connect(t, plain.NewServer(reg, nil), nil, nil).Tool("n-f", nil)
				if !r.IsError || r.Text != "It went wrong. Try the other one." || r.Raw.Meta[registry.MetaCode] != string(kind) || r.Raw.StructuredContent != nil {
					t.Errorf("%s: %s", l, toJSON(r.Raw))
				}
			}
		})
	}
	reg := raw(registry.New(nil), "", "own", func(context.Context, *registry.Call) (*registry.Result, error) {
		return &registry.Result{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "my own"}}, Meta: map[string]any{"a": "b"}}, nil
	})
	if r := cashtest.Connect(t, plain.NewServer(reg, nil)).Tool("own", nil); !r.IsError || r.Text != "my own" || r.Raw.Meta["a"] != "b" || r.Raw.Meta[registry.MetaCode] != nil {
		t.Errorf("an error of the function itself: %s", toJSON(r.Raw))
	}
}

// TestUnknownTool: what is not there gets the protocol's own error, and so do all
// spellings but the one that is listed.
func TestUnknownTool(t *testing.T) {
	overAll(t, func() *plain.Server { return plain.NewServer(newShop(), nil) }, func(t *testing.T, c *cashtest.Client) {
		for _, name := range []string{"nope", "orders", "orders-", "-orders-create", "orders.create", "orders_create", "Orders-Create", "orders-retail", strings.Repeat("x", 64), strings.Repeat("x-", 50_000)} {
			res, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: object{}})
			if err == nil || !strings.Contains(err.Error(), "unknown tool") {
				t.Errorf("%.30q: %s", name, spoken(res, err))
			}
		}
	})
}

// TestSchemasToTheByte: a schema arrives as it was registered: order, spelling of
// numbers, and all.
func TestSchemasToTheByte(t *testing.T) {
	const schema = `{"type":"object","$comment":"z first","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"type":"number","default":12.50,"pattern":"\u0041<&>"}},"required":["z"]}`
	f, err := registry.RawFunc("f", "F.", json.RawMessage(schema), func(_ context.Context, args json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(string(args)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f)
	for _, l := range links {
		d := &cashtest.Dialer{Version: l.Version}
		c := d.Dial(t, mcpclient.Tap(d.InMemory(plain.NewServer(reg, nil)), mcpclient.Options{}))
		ctx, exchange := mcpclient.WithExchange(t.Context())
		if _, err := c.Session.ListTools(ctx, nil); err != nil {
			t.Fatal(err)
		}
		var page struct {
			Tools []struct{ InputSchema json.RawMessage }
		}
		if err := json.Unmarshal(exchange.Result(), &page); err != nil || len(page.Tools) != 1 {
			t.Fatal(err, string(exchange.Result()))
		}
		if got := string(page.Tools[0].InputSchema); got != schema && got != escaped(schema) {
			t.Errorf("%s: %s, want %s", l, got, schema)
		}
		if r := c.Tool("f", json.RawMessage(`{"z":9007199254740993}`)).OK(); r.Text != `{"z":9007199254740993,"a":12.50}` {
			t.Errorf("arguments %s", r.Text)
		}
	}
}

// escaped is JSON as an encoder may spell it that escapes for HTML.
func escaped(text string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(text)
}

// TestResultsAsTheyAre: nothing is wrapped, held back or re-encoded.
func TestResultsAsTheyAre(t *testing.T) {
	long := strings.Repeat("word ", 50_000)
	limit := 0
	reg := raw(registry.New(nil), "", "all", func(_ context.Context, c *registry.Call) (*registry.Result, error) {
		limit = c.Gate.Limit
		return &registry.Result{
			Content:    []mcp.Content{&mcp.TextContent{Text: long}, &mcp.ImageContent{MIMEType: "image/png", Data: []byte{0, 1, 255}}},
			Structured: json.RawMessage(`{"z":12.50,"a":9007199254740993}`),
			Meta:       map[string]any{"k": "v"},
		}, nil
	})
	d := &cashtest.Dialer{Version: "2025-11-25"}
	c := d.Dial(t, mcpclient.Tap(d.InMemory(plain.NewServer(reg, nil)), mcpclient.Options{}))
	ctx, exchange := mcpclient.WithExchange(t.Context())
	res, err := c.Session.CallTool(ctx, &mcp.CallToolParams{Name: "all"})
	if err != nil || res.IsError || len(res.Content) != 2 {
		t.Fatal(spoken(res, err))
	}
	raw := string(exchange.Result())
	for _, want := range []string{long, `"data":"AAH/"`, `"structuredContent":{"z":12.50,"a":9007199254740993}`, `"_meta":{"k":"v"}`} {
		if !strings.Contains(raw, want) {
			t.Errorf("no %.60s in the result of %d bytes", want, len(raw))
		}
	}
	if limit < 1<<30 {
		t.Errorf("the function's own gate is told to let %d characters through", limit)
	}
}

// TestPages: 5,000 functions arrive in pages, sorted, without gaps and none twice.
func TestPages(t *testing.T) {
	reg := registry.New(nil)
	for i := range 500 {
		ns := reg.Namespace(fmt.Sprintf("area%d.part%d", i%25, i), "A part.")
		for j := range 10 {
			ns.Add(registry.Func(fmt.Sprintf("do%d", j), "Do it.", func(_ context.Context, in orderRef) (string, error) {
				return fmt.Sprint(i, j, in.ID), nil
			}))
		}
	}
	overAll(t, func() *plain.Server { return plain.NewServer(reg, nil) }, func(t *testing.T, c *cashtest.Client) {
		list := names(c.Tools())
		if len(list) != 5000 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != 5000 {
			t.Fatalf("%d tools, sorted %t", len(list), slices.IsSorted(list))
		}
		if r := c.Tool("area7-part432-do9", object{"id": 1}).OK(); r.Text != "432 9 1" {
			t.Errorf("a call: %s", r.Text)
		}
		page, err := c.Session.ListTools(t.Context(), nil)
		if err != nil || len(page.Tools) != 1000 || page.NextCursor == "" || page.CacheScope == "public" {
			t.Errorf("the first page: %d tools, cursor %q, scope %q, %v", len(page.Tools), page.NextCursor, page.CacheScope, err)
		}
	})
}

// TestRaceOfListAndChange: lists are whole while functions come and go, and what a
// list names can be called or has gone.
func TestRaceOfListAndChange(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("fixed", "").Add(registry.Func("f", "F.", func(context.Context, none) (string, error) { return "here", nil }))
	srv := plain.NewServer(reg, nil)
	stop := make(chan struct{})
	var changes sync.WaitGroup
	changes.Add(1)
	go func() {
		defer changes.Done()
		for i := range 1000 {
			select {
			case <-stop:
				return
			default:
				runtime.Gosched()
			}
			reg.Namespace(fmt.Sprintf("n%d", i%40), "").Add(registry.Func(fmt.Sprintf("f%d", i), "F.", func(context.Context, none) (string, error) { return "x", nil }))
		}
	}()
	var clients sync.WaitGroup
	for i := range 4 {
		c := links[i].Connect(t, srv, nil, nil)
		clients.Add(1)
		go func() {
			defer clients.Done()
			for range 10 {
				list := names(c.Tools())
				if !slices.Contains(list, "fixed-f") || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
					t.Errorf("a list of %d is not whole", len(list))
				}
				c.Tool("fixed-f", nil).OK()
				c.Tool(list[len(list)-1], nil).OK()
			}
		}()
	}
	clients.Wait()
	close(stop)
	changes.Wait()
}
