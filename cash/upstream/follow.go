package upstream

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// The three tools of a CaSH server never change, only what is behind them. A server of this module tells of that
// through its identity resource (RFC 5.6): clients can subscribe to it, and it has a revision of what the reading
// client sees. Other servers are read again on a timer.

const (
	followTimeout = 5 * time.Second // for one request about the resource
	ackTimeout    = time.Second     // for the acknowledgement of a subscription
	maxRevision   = 128             // bytes
)

// follow subscribes to the server's identity resource, once in a session. If that fails, the server is read on a timer.
// Call it before the server is read, so that no change is missed.
func (s *session) follow(ctx context.Context) {
	r := s.client.InitializeResult()
	if s.following || r == nil || r.Capabilities == nil || r.Capabilities.Resources == nil || !r.Capabilities.Resources.Subscribe {
		return
	}
	s.following = true
	ctx, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	_, err := apart.Do(ctx, 0, func() (none struct{}, err error) { // ends with the connection at the latest
		return none, s.client.Subscribe(ctx, &mcp.SubscribeParams{URI: manifest.ResourceURI, Meta: s.via(ctx)})
	}, nil)
	if err != nil {
		s.log.Debug("it does not tell of changes", "error", err)
		return
	}
	if r.ProtocolVersion > lastWithSessions {
		select {
		case <-s.acknowledged:
		case <-time.After(ackTimeout): // a later one counts as a change
		case <-ctx.Done():
		}
	}
}

// acknowledges reports whether an acknowledgement is that of follow. Each reopened stream brings another one.
func acknowledges(params json.RawMessage) bool {
	var p mcp.SubscriptionsAcknowledgedParams
	return json.Unmarshal(params, &p) == nil && slices.Contains(p.Notifications.ResourceSubscriptions, manifest.ResourceURI)
}

// withVia adds the servers that a subscription comes through, which the SDK has no parameter for.
func (s *session) withVia(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if p, ok := req.GetParams().(*mcp.SubscriptionsListenParams); ok {
			meta := s.via(ctx)
			for key, value := range p.Meta {
				meta[key] = value
			}
			p.Meta = meta
		}
		return next(ctx, method, req)
	}
}

// revision returns the revision of what this client sees of the server; empty if the server does not give one.
func (s *session) revision(ctx context.Context) string {
	if !s.following {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	ctx, _ = mcpclient.WithExchange(ctx)
	res, err := s.client.ReadResource(ctx, &mcp.ReadResourceParams{URI: manifest.ResourceURI, Meta: s.via(ctx)})
	s.forgetResource(ctx, manifest.ResourceURI)
	if err != nil || len(res.Contents) != 1 || strictjson.Check([]byte(res.Contents[0].Text)) != nil {
		return ""
	}
	text := strictjson.Text(strictjson.Member([]byte(res.Contents[0].Text), "revision"))
	if len(text) > maxRevision {
		return ""
	}
	return text
}

// seekPause is the time between two reads of a server because of unknown names.
const seekPause = 5 * time.Second

// missed implements [cashsource.Options].Missed: an unknown name may be new on the server. Anonymous callers cause no
// traffic. Hidden names are unknown ones, so neither traffic nor time tells them apart.
func (in *inventory) missed(ctx context.Context) {
	if !registry.CallerFrom(ctx).Anonymous() {
		in.seek()
	}
}

// seek requests that the server is read again, at most once in seekPause.
func (in *inventory) seek() { in.seeks.Do(func() { signal(in.sought) }) }

// noticed requests that the server is read again if it does not know what its own tree had.
func (in *inventory) noticed(a *wire.Answer) {
	switch registry.Kind(strictjson.Text(a.Extra[registry.MetaCode])) {
	case registry.UnknownFunction, registry.UnknownNamespace, registry.UnknownSkill:
		in.seek()
	}
}
