package plain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// asServer makes the test's binary be a server of the shop over stdio.
const asServer = "TEST_AS_PLAIN_SERVER"

func TestMain(m *testing.M) {
	if what := os.Getenv(asServer); what != "" {
		reg := newShop().Registry
		if what == "facts" {
			reg, _ = everywhere()
		}
		if err := plain.NewServer(reg, nil).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command is the server as a process of its own.
func command(t *testing.T) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asServer+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

var links = cashtest.Links()

// overAll runs a test over all links, with a server of its own for each.
func overAll(t *testing.T, serve func() *plain.Server, test func(t *testing.T, c *cashtest.Client)) {
	t.Helper()
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) { test(t, l.Connect(t, serve(), nil, nil)) })
	}
}

// object is the arguments of a tool.
type object map[string]any

type orderIn struct {
	Customer string `json:"customer" jsonschema:"Who orders."`
	Quantity int64  `json:"quantity" jsonschema:"How many." cash:"min=1"`
	Note     string `json:"note,omitempty" jsonschema:"For the packers; < & > are fine." cash:"advanced"`
}

type orderRef struct {
	ID int64 `json:"id" jsonschema:"Number of the order."`
}

type none struct{}

// A shop is the registry of most tests, and counts what runs.
type shop struct {
	*registry.Registry
	runs atomic.Int64
}

// newShop has orders.create, orders.list (read-only), orders.cancel (destructive
// and idempotent), orders.retail.get, and the root function ping.
func newShop() *shop {
	s := &shop{Registry: registry.New(nil)}
	create := registry.Func("create", "Create an order.\n\nThe customer\x1b[31m pays\u200b later.", func(_ context.Context, in orderIn) (string, error) {
		s.runs.Add(1)
		return fmt.Sprintf("created %d for %s", in.Quantity, in.Customer), nil
	})
	list := registry.Func("list", "List the orders there are.", func(context.Context, none) ([]string, error) {
		s.runs.Add(1)
		return []string{"ORD-1", "ORD-2"}, nil
	}, registry.ReadOnly)
	cancel := registry.Func("cancel", "Cancel an order.", func(_ context.Context, in orderRef) (orderRef, error) {
		s.runs.Add(1)
		return in, nil
	}, registry.Destructive(true), registry.Idempotent(true))
	get := registry.Func("get", "Get an order.", func(_ context.Context, in orderRef) (orderRef, error) {
		s.runs.Add(1)
		return in, nil
	})
	ping := registry.Func("ping", "", func(context.Context, none) (string, error) { return "pong", nil })
	s.Namespace("orders", "Create and manage orders.").Add(create, list, cancel)
	s.Namespace("orders.retail", "Orders of shops.").Add(get)
	s.Namespace("", "").Add(ping)
	return s
}

// raw adds a function without arguments, with an answer of its own.
func raw(reg *registry.Registry, path, name string, answer registry.Handler) *registry.Registry {
	f, err := registry.RemoteFunc(name, "Does "+name+".", registry.Remote{Handler: answer})
	if err != nil {
		panic(err)
	}
	reg.Namespace(path, "").Add(f)
	return reg
}

// fails is a handler that always fails.
func fails(err error) registry.Handler {
	return func(context.Context, *registry.Call) (*registry.Result, error) { return nil, err }
}

func named(id string, roles ...string) *registry.Caller {
	return &registry.Caller{ID: id, Roles: roles}
}

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func names(tools []*mcp.Tool) []string {
	list := make([]string, len(tools))
	for i, t := range tools {
		list[i] = t.Name
	}
	return list
}

// spoken is all that a result says.
func spoken(r *mcp.CallToolResult, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return toJSON(r)
}
