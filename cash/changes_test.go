package cash_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// addable is a face that can be added to an MCP server of the embedder's own.
type addable interface {
	cashtest.Face
	AddTo(*mcp.Server)
}

// TestListChangedByFace holds which faces tell their clients that tools have
// changed: those whose tools do.
func TestListChangedByFace(t *testing.T) {
	for _, face := range []struct {
		name    string
		serve   func(registry.Source) addable
		changes bool
	}{
		{"cash", func(src registry.Source) addable { return cash.NewServer(src, nil) }, false},
		{"gateway", func(src registry.Source) addable { return gateway.NewServer(src, nil) }, false},
		{"proxy", func(src registry.Source) addable {
			return gateway.NewServer(src, &gateway.Options{Mode: gateway.Proxy})
		}, true},
		{"disclosure", func(src registry.Source) addable {
			srv := disclosure.NewServer(src, nil)
			return srv
		}, true},
		{"facade", func(src registry.Source) addable { return facade.NewServer(src, nil) }, true},
		{"plain", func(src registry.Source) addable { return plain.NewServer(src, nil) }, true},
		{"of a source that does not say", func(src registry.Source) addable { return plain.NewServer(struct{ registry.Source }{src}, nil) }, false},
	} {
		for _, own := range []bool{false, true} {
			for _, link := range cashtest.Links()[:2] {
				name := face.name + "/" + link.String()
				if own {
					name += "/AddTo"
				}
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { checkListChanged(t, face.serve, own, link, face.changes) })
				})
			}
		}
	}
}

func checkListChanged(t *testing.T, serve func(registry.Source) addable, own bool, link cashtest.Link, changes bool) {
	reg := registry.New(nil)
	answer := func(context.Context, struct{}) (string, error) { return "", nil }
	reg.Namespace("shop", "A shop.").Add(registry.Func("list", "List.", answer))
	var srv cashtest.Runner = serve(reg)
	if own {
		theirs := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: changes}}})
		serve(reg).AddTo(theirs)
		srv = theirs
	}
	var told atomic.Int64
	c := (&cashtest.Dialer{Version: link.Version, Client: &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told.Add(1) },
	}}).Connect(t, srv)
	if got := c.Session.InitializeResult().Capabilities.Tools.ListChanged; got != changes {
		t.Errorf("the capability is %v", got)
	}
	c.Tools()
	time.Sleep(time.Minute) // in a bubble
	reg.Namespace("stock", "A stock.").Add(registry.Func("list", "List.", answer))
	time.Sleep(time.Minute)
	if got, want := told.Load(), map[bool]int64{true: 1}[changes]; got != want {
		t.Errorf("told %d times, want %d", got, want)
	}
}
