package gateway_test

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

func proxyOf(src registry.Source) *gateway.Server {
	return gateway.NewServer(src, &gateway.Options{Mode: gateway.Proxy})
}

// TestS41Proxy holds the two surfaces of the proxy: the stripped catalog, and the
// tools that hydrate and execute.
func TestS41Proxy(t *testing.T) {
	s := newShop()
	overAll(t, func() *gateway.Server { return proxyOf(s) }, func(t *testing.T, c *cashtest.Client) {
		var names []string
		for _, tool := range c.Tools() {
			if names = append(names, tool.Name); strings.HasPrefix(tool.Name, "tool_") {
				continue
			}
			if toJSON(tool.InputSchema) != `{"type":"object"}` || tool.Description == "" || card.CL100K().Count(tool.Description, 1000) > card.HardCap {
				t.Errorf("%s is not listed: %s", tool.Name, toJSON(tool))
			}
		}
		want := []string{"tool_execute", "tool_hydrate"}
		for _, id := range idsOf(s.Registry) {
			want = append(want, wireName(id))
		}
		if slices.Sort(names); !slices.Equal(names, sorted(want)) {
			t.Errorf("tools %v, want %v", names, want)
		}

		create := s.id(t, "orders.create")
		var h gateway.Hydration
		c.Tool("tool_hydrate", object{"tool_id": create}).Decode(&h)
		if h.ID != create || !strings.Contains(string(h.InputSchema), `"quantity"`) || h.Description == "" {
			t.Errorf("hydration %+v", h)
		}
		for _, spelled := range []string{create, url.PathEscape(create), strings.NewReplacer(":", "%3A", "#", "%23").Replace(create), " " + create + "\n", wireName(create), " " + wireName(create)} {
			if r := c.Tool("tool_execute", object{"tool_id": spelled, "args": object{"customer": "c", "quantity": 2}}).OK(); r.Text != "created 2 for c" {
				t.Errorf("%s: %s", spelled, r.Text)
			}
		}
		before := s.runs.Load()
		wantCode(t, c.Tool("tool_execute", object{"tool_id": create, "args": object{"quantity": 2}}), gateway.ArgsInvalid)
		if e := wantCode(t, c.Tool(create, object{"customer": "c", "quantity": 2}), gateway.ArgsInvalid); !strings.Contains(e.Message, create) {
			t.Errorf("a direct call is told %q", e.Message)
		}
		if s.runs.Load() != before {
			t.Error("a call that was refused ran")
		}
		wantCode(t, c.Tool("tool_hydrate", object{"tool_id": "orders:nothing#00000000"}), gateway.HydrateFailed)
	})
}

func sorted(list []string) []string { slices.Sort(list); return list }

// wireName is the name of an id with a hash that is not too long.
func wireName(id string) string { return strings.NewReplacer(":", "_", ".", "_", "#", "_").Replace(id) }

func idsOf(reg *registry.Registry) (ids []string) {
	for f := range reg.All() {
		ids = append(ids, f.ID().String())
	}
	return ids
}

// TestS41WireNames holds that the names are ones that model APIs take, and that everything is
// reached by them.
func TestS41WireNames(t *testing.T) {
	s := newShop()
	raw(s.Registry, "a_namespace_of_many_words_that_has_a_long_name", "a_function_of_many_words_that_has_a_long_name_too", answers(registry.TextResult("long")))
	legal := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	overAllOf(t, proxyOf(s), named("ann"), func(t *testing.T, c *cashtest.Client) {
		found, long := "", ""
		for _, tool := range c.Tools() {
			if !legal.MatchString(tool.Name) {
				t.Errorf("%q is not a strict name", tool.Name)
			}
			if strings.Contains(tool.Name, "create") {
				found = tool.Name
			}
			if len(tool.Name) == 64 {
				long = tool.Name
			}
		}
		if r := c.Tool("tool_execute", object{"tool_id": found, "args": object{"customer": "c", "quantity": 2}}).OK(); r.Text != "created 2 for c" {
			t.Errorf("%s: %s", found, r.Text)
		}
		if r := c.Tool("tool_execute", object{"tool_id": long}).OK(); r.Text != "long" {
			t.Errorf("%s: %s", long, r.Text)
		}
		c.Tool("tool_hydrate", object{"tool_id": found}).OK()
		wantCode(t, c.Tool(found, object{}), gateway.ArgsInvalid)
		for _, wrong := range []string{found[:len(found)-8] + "00000000", strings.ToUpper(found), "x" + found, found + "_" + strings.Repeat("0", 32)} {
			wantCode(t, c.Tool("tool_execute", object{"tool_id": wrong}), gateway.HydrateFailed)
			if _, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: wrong}); err == nil {
				t.Errorf("a direct call of %s is answered", wrong)
			}
		}
	})
}

// TestS41SharedNames holds that two ids with one name, which takes a forged hash, both get another, and
// that each name runs its own function.
func TestS41SharedNames(t *testing.T) {
	reg := registry.New(nil)
	for name, place := range map[string]string{"x.y": "up.one", "x_y": "up.two"} {
		id := toolid.ID{Namespace: "up", Name: name, Hash: "12345678"}
		f, err := registry.RemoteFunc("look", "Look.", registry.Remote{
			ID: toolid.Primitive{Kind: toolid.Tool, ID: id}, Handler: answers(registry.TextResult(id.String())),
		})
		if err != nil {
			t.Fatal(err)
		}
		reg.Namespace(place, "").Add(f)
	}
	c := inMemory(t, proxyOf(reg), nil)
	ran := map[string]bool{}
	for _, tool := range c.Tools() {
		if strings.HasPrefix(tool.Name, "up_") {
			ran[c.Tool("tool_execute", object{"tool_id": tool.Name}).OK().Text] = true
		}
	}
	if !ran["up:x.y#12345678"] || !ran["up:x_y#12345678"] {
		t.Errorf("ran %v", ran)
	}
	wantCode(t, c.Tool("tool_execute", object{"tool_id": "up_x_y_12345678"}), gateway.HydrateFailed)
}

// TestS41CanonicalNames holds that the names are the ids where the option asks for them.
func TestS41CanonicalNames(t *testing.T) {
	s := newShop()
	c := inMemory(t, gateway.NewServer(s, &gateway.Options{Mode: gateway.Proxy, CanonicalNames: true}), nil)
	var names []string
	for _, tool := range c.Tools() {
		names = append(names, tool.Name)
	}
	if want := append(idsOf(s.Registry), "tool_execute", "tool_hydrate"); !slices.Equal(sorted(names), sorted(want)) {
		t.Errorf("tools %v, want %v", names, want)
	}
	create := s.id(t, "orders.create")
	for _, spelled := range []string{create, wireName(create)} {
		if r := c.Tool("tool_execute", object{"tool_id": spelled, "args": object{"customer": "c", "quantity": 2}}).OK(); r.Text != "created 2 for c" {
			t.Errorf("%s: %s", spelled, r.Text)
		}
		wantCode(t, c.Tool(spelled, object{}), gateway.ArgsInvalid)
	}
}

// TestS41Pages holds that a long list comes in pages, without gaps and twice the
// same.
func TestS41Pages(t *testing.T) {
	srv := proxyOf(tree(2500, spread))
	c := inMemory(t, srv, nil)
	seen := map[string]bool{}
	for _, tool := range c.Tools() {
		if seen[tool.Name] {
			t.Errorf("%s twice", tool.Name)
		}
		seen[tool.Name] = true
	}
	if len(seen) != 2502 {
		t.Errorf("%d tools", len(seen))
	}
	for _, cursor := range []string{"listed:", "listed:zzz", "listed:\x00\xff" + strings.Repeat("x", 10000)} {
		if _, err := c.Session.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: cursor}); err != nil {
			t.Errorf("cursor %.20q: %v", cursor, err)
		}
	}
}

// TestS41Results holds that results are delivered as they are, but without secrets.
func TestS41Results(t *testing.T) {
	const secret = "AKIAIOSFODNN7EXAMPLE"
	reg := registry.New(nil)
	long := strings.Repeat("word ", 20_000)
	raw(reg, "", "long", answers(registry.TextResult(long)))
	raw(reg, "", "leak", answers(&registry.Result{
		Content: []mcp.Content{
			&mcp.TextContent{Text: "key " + secret},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///k", Text: "key " + secret}},
			&mcp.ImageContent{MIMEType: "image/png", Data: []byte{0, 1, 255}},
		},
		Structured: json.RawMessage(`{"key":"` + secret + `","n":12.50}`),
	}))
	c := inMemory(t, proxyOf(reg), nil)
	if r := c.Tool("tool_execute", object{"tool_id": idOf(t, reg, "long")}).OK(); r.Text != long {
		t.Errorf("%d characters arrive", r.Chars())
	}
	r := c.Tool("tool_execute", object{"tool_id": idOf(t, reg, "leak")}).OK()
	if whole := toJSON(r.Raw); strings.Contains(whole, secret) || !strings.Contains(whole, "[redacted: ") || len(r.Raw.Content) != 3 {
		t.Errorf("the result is %s", whole)
	}
	if image := r.Raw.Content[2].(*mcp.ImageContent); string(image.Data) != "\x00\x01\xff" {
		t.Errorf("the image is %v", image.Data)
	}
}

// TestS41NoDescription holds that a stripped tool has all three members, also if its
// server describes it with nothing.
func TestS41NoDescription(t *testing.T) {
	reg := registry.New(nil)
	raw(reg, "bare", "tool", answers(registry.TextResult("x")))
	f, err := registry.RawFunc("nothing_said", "", json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult("x"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reg.Namespace("bare", "").Add(f)
	for _, tool := range inMemory(t, proxyOf(reg), nil).Tools() {
		if tool.Description == "" {
			t.Errorf("%s lacks a member", toJSON(tool))
		}
	}
}

// TestS41Words holds that a proxy speaks of nothing that it does not have.
func TestS41Words(t *testing.T) {
	s := newShop()
	c := inMemory(t, proxyOf(s), nil)
	said := []string{toJSON(c.Tools())}
	for _, args := range []object{{}, {"tool_id": "x"}, {"tool_id": "a:b#00000000"}, {"tool_id": "skill::a:b#00000000"}, {"tool_id": "resource::a:b#00000000"}, {"id": 1}} {
		for _, tool := range []string{"tool_execute", "tool_hydrate"} {
			r := c.Tool(tool, args)
			errorOf(t, r)
			said = append(said, r.Text)
		}
	}
	for _, text := range said {
		for _, word := range []string{"card", "tool_browse", "Browse", "tool_view", "resource_read"} {
			if strings.Contains(text, word) {
				t.Errorf("there is no %s here: %s", word, text)
			}
		}
	}
}

// TestS41HungRule holds that a rule of the embedder that hangs costs the request
// that asks it, and no more.
func TestS41HungRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		defer close(hang)
		reg := registry.New(nil)
		reg.Namespace("open", "").Add(registry.Func("echo", "Echo.", func(_ context.Context, in struct{}) (string, error) { return "here", nil }))
		reg.Namespace("slow", "", registry.VisibleTo(func(_ context.Context, c *registry.Caller) bool {
			<-hang
			return true
		})).Add(registry.Func("f", "F.", func(_ context.Context, in struct{}) (string, error) { return "", nil }))
		srv := proxyOf(reg)
		client, server := mcp.NewInMemoryTransports()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- srv.Run(ctx, server) }()
		cs, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).Connect(ctx, client, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cs.ListTools(ctx, nil); err == nil {
			t.Error("tools/list was answered")
		}
		id := idOf(t, reg, "open.echo")
		res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "tool_execute", Arguments: object{"tool_id": id}})
		if err != nil || res.IsError {
			t.Errorf("a call after that: %v, %v", res, err)
		}
		_ = cs.Close()
		cancel()
		<-done
	})
}
