package control_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// Both generations of the protocol: the first asks while a call waits, the
// second by its result.
var versions = []string{"2025-11-25", "2026-07-28"}

// A person is a client's handler of questions, who remembers them.
type person struct {
	mu      sync.Mutex
	asked   []string
	answers []*mcp.ElicitResult // in order; the last is repeated
}

func (p *person) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		n := min(len(p.asked), len(p.answers)-1)
		p.asked = append(p.asked, req.Params.Message)
		return p.answers[n], nil
	}}
}

type order struct {
	Item string `json:"item" jsonschema:"What to order."`
}

// shop has shop.order, which needs approval, and shop.list, which does not.
func shop(t testing.TB) (srv *cash.Server, ran *[]string) {
	t.Helper()
	reg := registry.New(nil)
	ran = new([]string)
	reg.Namespace("shop", "A shop.").Add(
		registry.Func("order", "Orders an item.", func(_ context.Context, in order) (string, error) {
			*ran = append(*ran, in.Item)
			return "ordered " + in.Item, nil
		}),
		registry.Func("list", "Lists what there is.", func(context.Context, struct{}) (string, error) { return "tea", nil }),
	)
	controls := control.Controls{Policy: policy(t, control.Rule{Decision: control.RequireApproval, Tools: []string{"shop.order"}})}
	return cash.NewServer(reg, &cash.Options{Serve: serve.Options{Middleware: controls.Middleware()}}), ran
}

func TestW38PersonAtTheClientApproves(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			srv, ran := shop(t)
			p := &person{answers: []*mcp.ElicitResult{answer("decline", nil), answer("accept", false), answer("accept", true)}}
			d := cashtest.Dialer{Version: version, Client: p.options()}
			c := d.Connect(t, srv)
			if got := c.Call("shop", "list", nil).OK().Text; got != "tea" || len(p.asked) != 0 {
				t.Errorf("list: %q after %d questions", got, len(p.asked))
			}
			for range 2 {
				if r := c.Call("shop", "order", order{"tea"}); !r.IsError || !strings.Contains(r.Text, "did not approve") {
					t.Errorf("not approved: %v %q", r.IsError, r.Text)
				}
			}
			if got := c.Call("shop", "order", order{"tea"}).OK().Text; got != "ordered tea" || len(p.asked) != 3 || len(*ran) != 1 {
				t.Errorf("approved: %q, %d questions, ran %q", got, len(p.asked), *ran)
			}
			for _, want := range []string{"Tool: shop.order\n", `item: "tea"`} {
				if !strings.Contains(p.asked[0], want) {
					t.Errorf("the person read %q", p.asked[0])
				}
			}
		})
	}
}

func TestW38NobodyAtTheClient(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			srv, ran := shop(t)
			d := cashtest.Dialer{Version: version}
			if r := d.Connect(t, srv).Call("shop", "order", order{"tea"}); !r.IsError || !strings.Contains(r.Text, "needs the approval") || len(*ran) != 0 {
				t.Errorf("the answer is %v %q", r.IsError, r.Text)
			}
		})
	}
}

// A tool of a server behind ours is approved, and then asks for itself.
func TestW39ApprovalAndAQuestionOfTheServer(t *testing.T) {
	for _, theirs := range versions {
		for _, ours := range versions {
			t.Run("server "+theirs+", client "+ours, func(t *testing.T) {
				reg := registry.New(nil)
				agg := upstream.New(reg, nil)
				if err := agg.Add(upstream.Server{Label: "door", Endpoint: upstream.InMemory{Server: greeter(theirs)}}); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := agg.Close(context.Background()); err != nil {
						t.Error(err)
					}
				})
				if err := agg.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				controls := control.Controls{Policy: policy(t, control.Rule{Decision: control.RequireApproval})}
				srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Middleware: controls.Middleware()}})
				p := &person{answers: []*mcp.ElicitResult{answer("accept", true), {Action: "accept", Content: map[string]any{"name": "Ada"}}}}
				d := cashtest.Dialer{Version: ours, Client: p.options()}
				got := d.Connect(t, srv).Call("door", "greet", nil).OK().Text
				if got != "hello Ada" || len(p.asked) != 2 || p.asked[1] != "Who is there?" {
					t.Errorf("the answer is %q after %q", got, p.asked)
				}
			})
		}
	}
}

// greeter asks for a name, in the way of the protocol version of its client, and
// greets it.
func greeter(version string) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "greeter"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{version}})
	srv.AddTool(&mcp.Tool{Name: "greet", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			q := &mcp.ElicitParams{Message: "Who is there?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)}
			a, _ := req.Params.InputResponses["who"].(*mcp.ElicitResult)
			switch {
			case version == versions[0]:
				var err error
				if a, err = req.Session.Elicit(ctx, q); err != nil {
					return nil, err
				}
			case a == nil:
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": q}, RequestState: "at the door"}, nil
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello " + a.Content["name"].(string)}}}, nil
		})
	return srv
}

// A client that is asked while the call waits may answer when the call has long
// given up, over the connection that it has.
func TestW38PersonAnswersLate(t *testing.T) {
	dial := map[string]func(*testing.T, *cashtest.Dialer, *cash.Server) *cashtest.Client{
		"in memory": func(t *testing.T, d *cashtest.Dialer, srv *cash.Server) *cashtest.Client { return d.Connect(t, srv) },
		"over HTTP": func(t *testing.T, d *cashtest.Dialer, srv *cash.Server) *cashtest.Client {
			web := httptest.NewServer(srv.Handler())
			t.Cleanup(web.Close)
			return d.ConnectHTTP(t, web.URL)
		},
	}
	for name, dial := range dial {
		t.Run(name, func(t *testing.T) {
			reg := registry.New(nil)
			f := registry.Func("order", "Orders.", func(context.Context, struct{}) (string, error) { return "ordered", nil }, registry.Timeout(time.Second))
			reg.Namespace("shop", "A shop.").Add(f)
			p := policy(t, control.Rule{Decision: control.RequireApproval})
			srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Middleware: []registry.Middleware{p.Middleware()}}})
			answers, asked := make(chan *mcp.ElicitResult), 0
			d := &cashtest.Dialer{Version: versions[0], Client: &mcp.ClientOptions{
				ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked++
					select {
					case a := <-answers:
						return a, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				},
			}}
			c := dial(t, d, srv)
			if r := c.Call("shop", "order", nil); !r.IsError || !strings.Contains(r.Text, "has not answered yet") {
				t.Errorf("the first answer is %v %q", r.IsError, r.Text)
			}
			answers <- answer("accept", true)
			r := c.Call("shop", "order", nil)
			for n := 0; r.IsError && n < 50; n++ { // until the answer has made its way
				r = c.Call("shop", "order", nil)
			}
			if r.OK().Text != "ordered" || asked != 1 {
				t.Errorf("the answer is %q after %d questions", r.Text, asked)
			}
		})
	}
}
