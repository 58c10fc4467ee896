package cash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pkoukk/tiktoken-go"
	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// connect returns a client of srv in memory, for as long as the test.
func connect(t testing.TB, ctx context.Context, srv *cash.Server) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		srv.Run(ctx, far)
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(ctx, near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		cancel()
		<-done
	})
	return session
}

// registryOf returns a registry with n functions in namespaces of ten.
func registryOf(n int) *registry.Registry {
	reg := registry.New(nil)
	for i := range n {
		ns := reg.Namespace(fmt.Sprintf("ns%d", i/10), fmt.Sprintf("Namespace %d.", i/10))
		ns.Add(registry.Func(fmt.Sprintf("f%d", i), fmt.Sprintf("Function %d.", i), func(context.Context, struct{}) (string, error) {
			return "ok", nil
		}))
	}
	return reg
}

func listTools(t *testing.T, reg *registry.Registry) []byte {
	t.Helper()
	res, err := connect(t, context.Background(), cash.NewServer(reg, nil)).ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.NextCursor != "" {
		t.Error("more than one page")
	}
	data, err := json.Marshal(res.Tools)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestToolsAreStatic holds R1 and R2: three tools, the same bytes for any
// number of functions.
func TestToolsAreStatic(t *testing.T) {
	few, many := listTools(t, registryOf(5)), listTools(t, registryOf(5000))
	if !bytes.Equal(few, many) {
		t.Errorf("tools/list depends on the registry:\n%s\n%s", few, many)
	}
	var tools []*mcp.Tool
	if err := json.Unmarshal(few, &tools); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		if tool.Description == "" || tool.Annotations == nil {
			t.Errorf("%s has no description or no annotations", tool.Name)
		}
		for name, prop := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			if text, _ := prop.(map[string]any)["description"].(string); text == "" {
				t.Errorf("%s: parameter %s is not described", tool.Name, name)
			}
		}
	}
	if got := strings.Join(names, " "); got != "call help skill" {
		t.Errorf("tools: %s", got)
	}
}

// TestToolsCost holds the tools array to 450 cl100k tokens.
func TestToolsCost(t *testing.T) {
	ranks, err := tiktoken_loader.NewOfflineLoader().LoadTiktokenBpe("cl100k_base.tiktoken")
	if err != nil {
		t.Fatal(err)
	}
	// The pattern by which cl100k_base splits text.
	const pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	bpe, err := tiktoken.NewCoreBPE(ranks, nil, pattern)
	if err != nil {
		t.Fatal(err)
	}
	enc := tiktoken.NewTiktoken(bpe, &tiktoken.Encoding{Name: "cl100k_base", PatStr: pattern, MergeableRanks: ranks}, nil)
	tools := listTools(t, registryOf(5))
	n := len(enc.EncodeOrdinary(string(tools)))
	t.Logf("tools/list: %d bytes, %d tokens", len(tools), n)
	if n > 450 {
		t.Errorf("tools/list costs %d tokens", n)
	}
}

// TestGivenTwice holds that an argument beside kwargs is refused in every spelling, and named as given twice if it is in
// kwargs too.
func TestGivenTwice(t *testing.T) {
	hyphen := registry.Func("hyphen", "", func(_ context.Context, in struct {
		ID string `json:"order-id"`
	}) (string, error) {
		return in.ID, nil
	})
	underscore := registry.Func("underscore", "", func(_ context.Context, in struct {
		ID string `json:"order_id"`
	}) (string, error) {
		return in.ID, nil
	})
	s := connect(t, t.Context(), serverOf(hyphen, underscore))
	for _, function := range []string{"hyphen", "underscore"} {
		for _, beside := range []string{"order-id", "order_id", "orderId"} {
			args := fmt.Sprintf(`{"function":%q,%q:"a","kwargs":{"order_id":"b"}}`, function, beside)
			refused(t, tool(t, s, "call", args), "INVALID_ARGUMENTS", "is given twice, in `kwargs` and beside it. Pass it in `kwargs` only.")
		}
		refused(t, tool(t, s, "call", fmt.Sprintf(`{"function":%q,"order-id":"a"}`, function)), "INVALID_ARGUMENTS", "belongs in `kwargs`.")
	}
}

func TestHint(t *testing.T) {
	srv := cash.NewServer(registryOf(1), &cash.Options{Serve: serve.Options{Hint: "Orders, stock and customers of a shop."}})
	res, err := connect(t, context.Background(), srv).ListTools(context.Background(), nil)
	if err != nil || !strings.HasSuffix(res.Tools[1].Description, "customers of a shop.") {
		t.Errorf("the hint is not in %q, %v", res.Tools[1].Description, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a hint of 201 characters is taken")
		}
	}()
	cash.NewServer(registryOf(1), &cash.Options{Serve: serve.Options{Hint: strings.Repeat("é", 201)}})
}

// TestInstructions holds the line that clients get when they connect: bounded,
// and different for callers who see different things.
func TestInstructions(t *testing.T) {
	reg := registryOf(2000)
	reg.Namespace("admin", "", registry.VisibleTo(registry.Roles("boss"))).Add(registry.Func("f", "", func(context.Context, struct{}) (string, error) { return "", nil }))
	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Instructions: "A shop."}})
	for _, c := range []*registry.Caller{nil, {ID: "b", Roles: []string{"boss"}}} {
		ctx := registry.WithCaller(context.Background(), c)
		got := connect(t, ctx, srv).InitializeResult().Instructions
		if !strings.HasPrefix(got, "A shop.\n\n") || !strings.Contains(got, "help()") || !strings.Contains(got, "ns1, ") || len(got) > 420 {
			t.Errorf("instructions %q", got)
		}
		if strings.Contains(got, "admin") != c.HasRole("boss") {
			t.Errorf("instructions for %+v: %q", c, got)
		}
	}
}
