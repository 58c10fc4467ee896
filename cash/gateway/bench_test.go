package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/registry"
)

// document is a catalog of n tools, with descriptions like those of real ones.
func document(n int, change string) []byte {
	verbs := []string{"create", "list", "update", "delete", "search", "export", "merge", "archive"}
	nouns := []string{"issue", "invoice", "customer", "branch", "ticket", "shipment", "report", "webhook", "channel", "dashboard"}
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		about := ""
		if i == n/2 {
			about = change
		}
		verb, noun := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
		fmt.Fprintf(&b, `{"name":"service%d.%s_%s_%d","description":"%s%s the %s with number %d. Give the workspace that it belongs to; filters may be combined. `+
			`Returns the %s as it is afterwards, with its history and all that refers to it, and an error if it is locked by somebody else.",`+
			`"inputSchema":{"type":"object","properties":{"workspace":{"type":"string","description":"Name of the workspace."},"id":{"type":"string","description":"Of the %s."},`+
			`"filters":{"type":"array","items":{"type":"object","properties":{"field":{"type":"string"},"value":{"type":"string"}}}},"limit":{"type":"integer","minimum":1,"maximum":100,"default":20}},`+
			`"required":["workspace"]},"annotations":{"readOnlyHint":%t,"tags":["%s"]},"result":{"ok":true,"number":%d}}`,
			i/100, verb, noun, i, about, verb, noun, i, noun, noun, i%2 == 0, noun, i)
	}
	b.WriteByte(']')
	return []byte(b.String())
}

// BenchmarkRefresh measures the way from the bytes of a document to the first
// cards, with everything made that later requests need: tools=N from nothing,
// change/tools=N after one tool has changed.
func BenchmarkRefresh(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		docs := [2][]byte{document(n, ""), document(n, "Now: ")}
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := catalog.New(nil)
				ready(b, c, gateway.NewServer(c.Tools(), nil), docs[0], n)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s-to-first-browse")
		})
		b.Run(fmt.Sprintf("change/tools=%d", n), func(b *testing.B) {
			c := catalog.New(nil)
			srv := gateway.NewServer(c.Tools(), nil)
			ready(b, c, srv, docs[0], n)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				ready(b, c, srv, docs[i%2], n)
			}
		})
	}
}

func ready(b *testing.B, c *catalog.Catalog, srv *gateway.Server, doc []byte, n int) {
	if _, err := c.Load(doc); err != nil {
		b.Fatal(err)
	}
	report, err := srv.Refresh(b.Context())
	if err != nil || report.Tools != n || len(report.Findings) > 0 {
		b.Fatal(report, err)
	}
	cards, err := srv.Browse(b.Context(), &gateway.BrowseRequest{Query: "create an invoice"})
	if err != nil || len(cards) == 0 {
		b.Fatal(cards, err)
	}
}

// BenchmarkBrowse measures tool_browse over a connection in memory.
func BenchmarkBrowse(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		c := catalog.New(nil)
		if _, err := c.Load(document(n, "")); err != nil {
			b.Fatal(err)
		}
		session := inMemory(b, gateway.NewServer(c.Tools(), nil), nil).Session
		for _, args := range []object{{"query": "merge two branches"}, {"path": "/"}, {"path": "/service0"}} {
			name := "path"
			if args["query"] != nil {
				name = "query"
			} else if args["path"] == "/" {
				name = "root"
			}
			b.Run(fmt.Sprintf("tools=%d/%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					must(b, session, "tool_browse", args)
				}
			})
		}
	}
}

func must(b *testing.B, session *mcp.ClientSession, tool string, args any) {
	res, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil || res.IsError {
		b.Fatal(toJSON(res), err)
	}
}

// BenchmarkExecute compares a round trip of tool_execute with the direct call of the
// same function on a server of the SDK, turn by turn; x-direct is the ratio of the
// medians.
func BenchmarkExecute(b *testing.B) {
	create := func(_ context.Context, in createOrder) (string, error) {
		return fmt.Sprintf("created %d for %s", in.Quantity, in.Customer), nil
	}
	reg := registry.New(nil)
	reg.Namespace("orders", "Orders.").Add(registry.Func("create", "Create an order.", create))
	sdk := mcp.NewServer(&mcp.Implementation{Name: "direct"}, nil)
	sdk.AddTool(&mcp.Tool{Name: "create", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in createOrder
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		text, err := create(ctx, in)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, err
	})
	args := object{"customer": "C-42", "quantity": 3, "note": "Leave it with the neighbours."}
	gate := inMemory(b, gateway.NewServer(reg, nil), nil).Session
	direct := connectSDK(b, sdk)
	call := object{"tool_id": idOf(b, reg, "orders.create"), "args": args}
	var times [2][]time.Duration
	for b.Loop() {
		start := time.Now()
		must(b, direct, "create", args)
		middle := time.Now()
		must(b, gate, "tool_execute", call)
		times[0] = append(times[0], middle.Sub(start))
		times[1] = append(times[1], time.Since(middle))
	}
	b.ReportMetric(float64(median(times[1]))/float64(median(times[0])), "x-direct")
	b.ReportMetric(float64(median(times[1])), "ns/execute")
}

// BenchmarkExecuteOnDisk compares tool_execute of a small result, without a
// transport, over a store on disk with the same over a store in memory, turn by turn;
// x-memory is the ratio of the medians.
func BenchmarkExecuteOnDisk(b *testing.B) {
	reg := registry.New(nil)
	reg.Namespace("orders", "Orders.").Add(registry.Func("create", "Create an order.", func(_ context.Context, in createOrder) (string, error) {
		return fmt.Sprintf("created %d for %s", in.Quantity, in.Customer), nil
	}))
	onDisk, err := disk.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer onDisk.Close()
	req := &gateway.ExecuteRequest{ID: idOf(b, reg, "orders.create"), Args: json.RawMessage(`{"customer":"C-42","quantity":3,"note":"Leave it with the neighbours."}`)}
	var servers [2]*gateway.Server
	for i, store := range []firewall.Store{firewall.NewMemory(nil), onDisk} {
		servers[i] = gateway.NewServer(reg, &gateway.Options{Firewall: firewall.New(&firewall.Options{Store: store})})
	}
	var times [2][]time.Duration
	for b.Loop() {
		for i, srv := range servers {
			start := time.Now()
			if _, err := srv.Execute(b.Context(), req); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	b.ReportMetric(float64(median(times[0])), "ns/memory")
	b.ReportMetric(float64(median(times[1])), "ns/disk")
	b.ReportMetric(float64(median(times[1]))/float64(median(times[0])), "x-memory")
}

func connectSDK(b *testing.B, srv *mcp.Server) *mcp.ClientSession {
	near, far := mcp.NewInMemoryTransports()
	if _, err := srv.Connect(b.Context(), far, nil); err != nil {
		b.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).Connect(b.Context(), near, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { session.Close() })
	return session
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// BenchmarkView measures tool_view on an artifact of 10 MB.
func BenchmarkView(b *testing.B) {
	var doc strings.Builder
	doc.WriteByte('[')
	for i := 0; doc.Len() < 10_000_000; i++ {
		if i > 0 {
			doc.WriteString(",\n")
		}
		fmt.Fprintf(&doc, `{"id":%d,"name":"record %d","tags":["a","b"],"note":"A note of some length on the record, so that it is like others."}`, i, i)
	}
	doc.WriteByte(']')
	reg := raw(registry.New(nil), "", "big", answers(registry.TextResult(doc.String())))
	c := inMemory(b, gateway.NewServer(reg, nil), nil)
	handle := execute(b, c, idOf(b, reg, "big"), nil).Artifacts[0].Handle
	for _, selector := range []string{
		`{"type":"head"}`, `{"type":"tail"}`, `{"type":"lines","start":70000,"end":70020}`, `{"type":"rows","start":70000,"end":70020}`,
		`{"type":"json_keys"}`, `{"type":"path","path":"$[70000].name"}`, `{"type":"path","path":"$[?@.id==70000].name"}`, `{"type":"search","query":"record 70000"}`,
	} {
		name, _, _ := strings.Cut(selector[len(`{"type":"`):], `"`)
		if strings.Contains(selector, "?@") {
			name = "filter"
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(doc.Len()))
			for b.Loop() {
				must(b, c.Session, "tool_view", object{"handle": handle, "selector": json.RawMessage(selector)})
			}
		})
	}
}
