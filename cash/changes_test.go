package cash_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestListChangedByFace holds which faces tell their clients that tools have
// changed: those whose tools do.
func TestListChangedByFace(t *testing.T) {
	for _, test := range []struct {
		name    string
		make    func(registry.Source, serve.Options) face
		changes bool
	}{
		{"cash", faces["cash"], false},
		{"gateway", faces["gateway"], false},
		{"proxy", faces["proxy"], true},
		{"disclosure", faces["disclosure"], true},
		{"facade", faces["facade"], true},
		{"plain", faces["plain"], true},
		{"of a source that does not say", func(src registry.Source, o serve.Options) face {
			return faces["plain"](struct{ registry.Source }{src}, o)
		}, false},
	} {
		for _, own := range []bool{false, true} {
			for _, link := range cashtest.Links()[:2] {
				name := test.name + "/" + link.String()
				if own {
					name += "/AddTo"
				}
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { checkListChanged(t, test.make, own, link, test.changes) })
				})
			}
		}
	}
}

func checkListChanged(t *testing.T, newFace func(registry.Source, serve.Options) face, own bool, link cashtest.Link, changes bool) {
	reg := registry.New(nil)
	answer := func(context.Context, struct{}) (string, error) { return "", nil }
	reg.Namespace("shop", "A shop.").Add(registry.Func("list", "List.", answer))
	var srv cashtest.Runner = newFace(reg, serve.Options{})
	if own {
		theirs := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: changes}}})
		newFace(reg, serve.Options{}).AddTo(theirs)
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
