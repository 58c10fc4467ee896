package cost

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Face is a form in which a registry is served.
type Face string

// The faces, by the names of their packages.
const (
	Plain      Face = "plain"
	CaSH       Face = "cash"
	Gateway    Face = "gateway"
	Proxy      Face = "proxy" // of package gateway
	Disclosure Face = "disclosure"
	Facade     Face = "facade"
	Endpoint   Face = "endpoint"
)

// Faces returns all faces. The first one lists every function as a tool.
func Faces() []Face {
	return []Face{Plain, CaSH, Gateway, Proxy, Disclosure, Facade, Endpoint}
}

// A Runner is an MCP server of any face.
type Runner interface {
	Run(context.Context, mcp.Transport) error
}

// newServer returns a server of a face with default options.
func newServer(f Face, src registry.Source, around ...registry.Middleware) Runner {
	o := serve.Options{Middleware: around}
	switch f {
	case Plain:
		return plain.NewServer(src, &plain.Options{Serve: o})
	case Gateway:
		return gateway.NewServer(src, &gateway.Options{Serve: o})
	case Proxy:
		return gateway.NewServer(src, &gateway.Options{Serve: o, Mode: gateway.Proxy})
	case Disclosure:
		return disclosure.NewServer(src, &disclosure.Options{Serve: o, FetchesPerMinute: -1})
	case Facade:
		return facade.NewServer(src, &facade.Options{Serve: o})
	}
	return cash.NewServer(src, &cash.Options{Serve: o})
}

// A model is the part of a model that knows one face. It is for one talk.
type model interface {
	// do takes the turns of a step. An error means that the step failed.
	do(t *talk, s *Step, f *registry.Function) error
}

func newModel(f Face) (model, error) {
	switch f {
	case Plain:
		return plainModel{}, nil
	case CaSH:
		return &cashModel{seen: make(known), read: make(known)}, nil
	case Gateway:
		return &gatewayModel{seen: make(known), read: make(known)}, nil
	case Proxy:
		return &proxyModel{make(known)}, nil
	case Disclosure:
		return &disclosureModel{make(known)}, nil
	case Facade:
		return &facadeModel{make(known)}, nil
	case Endpoint:
		return nil, nil
	}
	return nil, fmt.Errorf("no face %q", f)
}

// known are functions that the model knows something about.
type known map[*registry.Function]bool

// first reports whether f is new, and makes it known.
func (k known) first(f *registry.Function) bool {
	was := k[f]
	k[f] = true
	return !was
}
