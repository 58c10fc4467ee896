package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// asStand makes the test's binary be the stand that it names, over standard input and output.
const asStand = "TEST_AS_STAND"

func serveStand(name string) int {
	r := new(rig)
	defer r.close()
	s, err := stands[name](r)
	if err == nil {
		err = s.Run(registry.WithCaller(context.Background(), clerk), &mcp.StdioTransport{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func openStand(t *testing.T, name string) cashtest.Face {
	t.Helper()
	r := new(rig)
	s, err := stands[name](r)
	t.Cleanup(r.close)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A rig holds what a stand needs until it closes.
type rig struct{ ends []func() }

func (r *rig) close() {
	for _, end := range r.ends {
		end()
	}
}

// stands are the servers that the replays talk to.
var stands = map[string]func(*rig) (cashtest.Face, error){
	// The shop itself.
	"cash":    shopStand("cash"),
	"gateway": shopStand("gateway"),
	"proxy": shopGateway(func() *gateway.Options { // with the names that 4.1 prints
		return &gateway.Options{Mode: gateway.Proxy, CanonicalNames: true}
	}),

	// CaSH servers.
	"desk": func(*rig) (cashtest.Face, error) { return newDesk(), nil },
	"wide": func(*rig) (cashtest.Face, error) { // its gate lets more pass
		return cash.NewServer(shopGoods(store.New(), "cash").tools, &cash.Options{SizeLimit: 50_000}), nil
	},
	"roles": func(*rig) (cashtest.Face, error) { // with a namespace that the clerk may not see
		g := shopGoods(store.New(), "cash")
		addReports(g.tools.Namespace("vault", "What managers see.", registry.VisibleTo(registry.Roles("manager"))), store.New().Desk(store.AllChannels))
		return newServer(g), nil
	},
	"published": func(*rig) (cashtest.Face, error) { // with the manifest of RFC 5.5
		return cash.NewServer(shopGoods(store.New(), "cash").tools, &cash.Options{Manifest: &manifest.Manifest{
			LastUpdated: "2026-04-24", Publisher: "The Shop", Copyright: "2026 The Shop", Endpoint: "https://shop.example/mcp",
			CacheTTL:       time.Hour,
			Authentication: &manifest.Authentication{Scheme: manifest.SchemeBearer, DocsURL: "https://shop.example/docs/mcp-auth"},
		}}), nil
	},
	"aggregator": func(r *rig) (cashtest.Face, error) { // the shop and a server without namespaces
		reg, err := r.mount(
			upstream.Server{Label: "shop", Description: "A shop.", Endpoint: upstream.InMemory{Server: newTestServer()}},
			upstream.Server{Label: "desk", Description: "The wholesale desk.", Endpoint: upstream.InMemory{Server: newDesk()}},
		)
		return cash.NewServer(reg, nil), err
	},
	"outer": func(r *rig) (cashtest.Face, error) { // an aggregator of an aggregator
		inner, err := r.mount(upstream.Server{Label: "shop", Endpoint: upstream.InMemory{Server: newTestServer()}})
		if err != nil {
			return nil, err
		}
		reg, err := r.mount(upstream.Server{Label: "inner", Endpoint: upstream.InMemory{Server: cash.NewServer(inner, nil)}})
		return cash.NewServer(reg, nil), err
	},
	"twoshops": func(r *rig) (cashtest.Face, error) { // both suggest orders, and a third is away
		reg, err := r.mount(
			upstream.Server{Label: "shoporders", Description: "Orders of the shop.", Namespace: "orders", Endpoint: upstream.InMemory{Server: newTestServer()}},
			upstream.Server{Label: "warehouseorders", Description: "Orders of the warehouse.", Namespace: "orders", Endpoint: upstream.InMemory{Server: newTestServer()}},
			upstream.Server{Label: "crm", Description: "Manage contacts and accounts.", Endpoint: upstream.HTTP{URL: "http://127.0.0.1:1/mcp"}, ConnectTimeout: time.Second},
		)
		return cash.NewServer(reg, nil), err
	},

	// The shop behind gateways with options.
	"structured": shopGateway(func() *gateway.Options { return &gateway.Options{Structured: true} }),
	"stable":     shopGateway(func() *gateway.Options { return &gateway.Options{CacheStable: true} }),
	"escaping":   shopStand("proxy"),
	"strict":     parcelStand(false),
	"tolerant":   parcelStand(true),
	"cached": shopGateway(func() *gateway.Options {
		return controlled(&control.Controls{Cache: control.NewCache(&control.CacheOptions{ReadOnly: true})})
	}),
	"cachedcheck": shopGateway(func() *gateway.Options { // one tool alone
		return controlled(&control.Controls{Cache: control.NewCache(&control.CacheOptions{ReadOnly: true, Allow: []string{"inventory.check"}})})
	}),
	"limited": shopGateway(func() *gateway.Options {
		return controlled(&control.Controls{Quota: control.NewQuota(&control.QuotaOptions{
			Meta:  map[string]control.Limit{"tool_browse": {PerSession: 3}, "tool_view": {PerMinute: 1}},
			Tools: map[string]control.Limit{"orders.get": {PerMinute: 2}, "inventory.check": {PerSession: 1}},
		})})
	}),
	"planned": shopGateway(func() *gateway.Options {
		return controlled(&control.Controls{Plans: control.NewPlans(&control.PlanOptions{
			Require: func(c *registry.Call) bool { return c.Function.Destructive() },
		})})
	}),

	// Other servers behind gateways.
	"courier": courierStand(nil, 0),
	"retried": courierStand(&control.Controls{Retry: &control.Retry{
		MaxAttempts: 3, BaseDelay: time.Millisecond, MaxDelay: time.Second, Rand: func() float64 { return 0 },
		Idempotent: func(*registry.Function) bool { return true },
	}}, 0),
	"late": courierStand(nil, 200*time.Millisecond),
	"mounted": func(r *rig) (cashtest.Face, error) { // the shop as an upstream
		reg, err := r.mount(upstream.Server{Label: "shop", Endpoint: upstream.InMemory{Server: newTestServer()}})
		return gateway.NewServer(reg, nil), err
	},
	"live":     liveStand,
	"menus":    menusStand,
	"changing": changingStand,
	"recorded": catalogStand("testdata/replay/recorded.json"), // the tools of section 1.4
	"snapshot": catalogStand("testdata/replay/snapshot.json"), // the document of section 9.5
	"bare":     catalogStand("testdata/replay/bare.json"),     // a list of tools alone
}

func shopStand(face string) func(*rig) (cashtest.Face, error) {
	return func(*rig) (cashtest.Face, error) { return newFace(face, shopGoods(store.New(), face)), nil }
}

func shopGateway(opts func() *gateway.Options) func(*rig) (cashtest.Face, error) {
	return func(*rig) (cashtest.Face, error) {
		return gateway.NewServer(shopGoods(store.New(), "gateway").tools, opts()), nil
	}
}

func controlled(c *control.Controls) *gateway.Options {
	return &gateway.Options{Serve: serve.Options{Controls: c}}
}

// parcelStand is a gateway with a function that has a parameter of each type of section 4.4 and returns its arguments.
func parcelStand(repair bool) func(*rig) (cashtest.Face, error) {
	const schema = `{"type":"object","properties":{"count":{"type":"integer"},"kilos":{"type":"number"},"fragile":{"type":"boolean"},` +
		`"note":{"type":"null"},"label":{"type":"string"}},"additionalProperties":false}`
	return func(*rig) (cashtest.Face, error) {
		pack, err := registry.RawFunc("pack", "Pack a parcel.", json.RawMessage(schema), func(_ context.Context, args json.RawMessage) (*registry.Result, error) {
			return registry.TextResult(string(args)), nil
		})
		if err != nil {
			return nil, err
		}
		reg := registry.New(nil)
		reg.Namespace("parcels", "Pack parcels.").Add(pack)
		return gateway.NewServer(reg, &gateway.Options{Serve: serve.Options{Repair: repair}}), nil
	}
}

// newDesk is a small server that needs no namespaces (RFC 4.2).
func newDesk() *cash.Server {
	reg := registry.New(nil)
	addReports(reg.Namespace("", ""), store.New().Desk(store.Wholesale))
	return cash.NewServer(reg, nil)
}

// mount returns a registry with the servers, which have all been tried.
func (r *rig) mount(servers ...upstream.Server) (*registry.Registry, error) {
	return r.mountWith(nil, servers...)
}

func (r *rig) mountWith(opts *upstream.Options, servers ...upstream.Server) (*registry.Registry, error) {
	reg := registry.New(nil)
	agg := upstream.New(reg, opts)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	r.ends = append(r.ends, func() { _ = agg.Close(ctx); cancel() })
	for _, s := range servers {
		if err := agg.Add(s); err != nil {
			return nil, err
		}
	}
	return reg, agg.Wait(ctx)
}

func catalogStand(file string) func(*rig) (cashtest.Face, error) {
	return func(*rig) (cashtest.Face, error) {
		g, err := catalogGoods(file, io.Discard)
		if err != nil {
			return nil, err
		}
		return newGateway(g), nil
	}
}

// shipment has the answer that its caller wants of the courier.
type shipment struct {
	OrderID string `json:"order_id"`
	Answer  string `json:"answer,omitempty" jsonschema:"An HTTP status, or one of: refuse, fail, hang."`
}

// courierStand is a gateway in front of a server over HTTP that fails on command. A call takes timeout at most.
func courierStand(controls *control.Controls, timeout time.Duration) func(*rig) (cashtest.Face, error) {
	return func(r *rig) (cashtest.Face, error) {
		closing := make(chan struct{})
		var requests atomic.Int64 // calls that have reached the courier
		courier := mcp.NewServer(&mcp.Implementation{Name: "courier", Version: "1.0.0"}, nil)
		ship := &mcp.Tool{Name: "ship", Description: "Ship an order.", Annotations: &mcp.ToolAnnotations{IdempotentHint: true}}
		mcp.AddTool(courier, ship, func(ctx context.Context, _ *mcp.CallToolRequest, in shipment) (*mcp.CallToolResult, any, error) {
			switch in.Answer {
			case "refuse":
				return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "no van\x1b[31m\nat 10.1.2.3"}
			case "fail":
				return nil, nil, errors.New("the parcel is lost")
			case "hang":
				select {
				case <-ctx.Done():
				case <-closing:
				}
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("shipped %s, request %d", in.OrderID, requests.Load())}}}, nil, nil
		})
		courier.AddTool(&mcp.Tool{
			Name: "weigh", Description: "Weigh a parcel.", InputSchema: json.RawMessage(`{"type":"object","properties":{"kilos":{"type":"kilo"}}}`),
		}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return new(mcp.CallToolResult), nil
		})
		web := httptest.NewServer(failing(&requests, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return courier }, &mcp.StreamableHTTPOptions{Stateless: true})))
		reg, err := r.mount(upstream.Server{Label: "courier", Endpoint: upstream.HTTP{URL: web.URL}, Timeout: timeout})
		r.ends = append(r.ends, func() { close(closing); web.Close() })
		if controls == nil {
			controls = new(control.Controls)
		}
		return gateway.NewServer(reg, controlled(controls)), err
	}
}

// failing counts calls, and answers them with the HTTP status that their arguments name, such as 503 or "503 once".
func failing(requests *atomic.Int64, next http.Handler) http.Handler {
	failed := false
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(req.Body, 1<<20))
		var call struct {
			Method string
			Params struct{ Arguments struct{ Answer string } }
		}
		_ = json.Unmarshal(body, &call) // other messages have no answer
		if call.Method == "tools/call" {
			requests.Add(1)
		}
		var status int
		var once string
		fmt.Sscan(call.Params.Arguments.Answer, &status, &once)
		if status == 0 || once != "" && failed {
			req.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, req)
			return
		}
		failed = true
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "7")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strconv.Itoa(status)+" from 10.1.2.3")
	})
}

// liveStand is a gateway in front of servers with the tools of sections 1.4 and 4.5.
func liveStand(r *rig) (cashtest.Face, error) {
	var servers []upstream.Server
	for _, s := range []struct{ label, tool, version string }{
		{"github", "github.create_issue", "1.4.0"},
		{"slack", "slack_send_message", ""},
		{"files", "read_file", ""},
		{"weather", "weather.get", "2024-05"},
		{"billing", "refund", "1"},
	} {
		srv := mcp.NewServer(&mcp.Implementation{Name: s.label, Version: "1.0.0"}, nil)
		tool := &mcp.Tool{Name: s.tool, Description: "Does " + s.tool + ".", InputSchema: json.RawMessage(`{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]}`)}
		if s.version != "" {
			tool.Meta = mcp.Meta{"version": s.version}
		}
		if yes := true; s.label == "billing" {
			tool.Annotations = &mcp.ToolAnnotations{DestructiveHint: &yes}
		}
		srv.AddTool(tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: req.Params.Name + " has run"}}}, nil
		})
		servers = append(servers, upstream.Server{Label: s.label, Endpoint: upstream.InMemory{Server: srv}})
	}
	reg, err := r.mount(servers...)
	return gateway.NewServer(reg, controlled(&control.Controls{Quota: control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 10}})})), err
}

// menusStand is a gateway in front of two servers that have the same resource (section 9.3).
func menusStand(r *rig) (cashtest.Face, error) {
	resources := registry.New(nil)
	var servers []upstream.Server
	for label, text := range map[string]string{"oslo": "Tea.", "paris": "Thé."} {
		srv := mcp.NewServer(&mcp.Implementation{Name: label, Version: "1.0.0"}, nil)
		srv.AddResource(&mcp.Resource{URI: "shop://menu", Name: "menu", Description: "The menu."}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "shop://menu", MIMEType: "text/plain", Text: text}}}, nil
		})
		srv.AddResource(&mcp.Resource{URI: "shop://prices/" + label, Name: "prices"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "shop://prices/" + label, MIMEType: "text/plain", Text: strings.Repeat("A cup of tea costs 3.50.\n", 1000)}}}, nil
		})
		servers = append(servers, upstream.Server{Label: label, Endpoint: upstream.InMemory{Server: srv}})
	}
	reg, err := r.mountWith(&upstream.Options{Resources: resources}, servers...)
	return gateway.NewServer(reg, &gateway.Options{Resources: resources}), err
}

// changingStand is a gateway whose catalog changes when its tool admin.rename runs: refund becomes repay.
func changingStand(*rig) (cashtest.Face, error) {
	reg := registry.New(nil)
	billing := func(name string) *registry.Registry {
		tree := registry.New(nil)
		tree.Namespace("", "").Add(registry.Func(name, "Pay money back.", func(context.Context, struct{}) (string, error) { return name, nil }))
		return tree
	}
	err := reg.Replace("billing", billing("refund"))
	reg.Namespace("admin", "Look after the catalog.").Add(registry.Func("rename", "Rename the refund.", func(context.Context, struct{}) (string, error) {
		return "renamed", reg.Replace("billing", billing("repay"))
	}))
	return gateway.NewServer(reg, nil), err
}

// The documents of the stands have nothing to find fault with.
func TestReplayCatalogs(t *testing.T) {
	for _, name := range []string{"recorded", "snapshot", "bare"} {
		report, err := catalog.New(nil).LoadFile("testdata/replay/" + name + ".json")
		if err != nil || len(report.Findings) > 0 {
			t.Errorf("%s: %v, %v", name, report, err)
		}
	}
}
