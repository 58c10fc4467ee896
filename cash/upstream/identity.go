package upstream

import (
	"cmp"
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream/discover"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/toolid"
)

// identityPart is the part of the time to connect that reading cash://server may take.
const identityPart = 4

// identity reads cash://server (RFC 5.6); nil if the server has no such resource. The error is one of its text.
func (s *session) identity(ctx context.Context) (*manifest.Manifest, error) {
	if !s.offers(toolid.Resource) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ConnectTimeout/identityPart)
	defer cancel()
	ctx, _ = mcpclient.WithExchange(ctx)
	res, err := s.client.ReadResource(ctx, &mcp.ReadResourceParams{URI: manifest.ResourceURI, Meta: s.via(ctx)})
	s.forgetResource(ctx, manifest.ResourceURI) // whatever the server says of its age: the next read compares
	if err != nil || len(res.Contents) == 0 {
		return nil, nil
	}
	return manifest.Parse([]byte(res.Contents[0].Text))
}

// identify reads the server's identity into the catalog. It compares it with the manifest that led to the server, else
// with the first identity. A difference is noted, logged once, and an error if the operator wants the server held.
func (in *inventory) identify(ctx context.Context, s *session, c *catalog) *CallError {
	m, err := s.identity(ctx)
	if err != nil {
		c.note("cash://server cannot be used: %v", err)
	}
	if m == nil {
		return nil
	}
	c.identity = m
	for _, w := range m.Warnings() {
		c.note("cash://server: %s", w)
	}
	before, what := in.published.Load(), "is not what its manifest says"
	if before == nil {
		if s.asOf.IsZero() { // what is replayed is nobody's first identity
			in.first = cmp.Or(in.first, m)
		}
		before, what = cmp.Or(in.first, m), "has changed"
	}
	changes := discover.Changes(before, m)
	for _, change := range changes {
		c.note("cash://server %s: %s", what, change)
	}
	told := strings.Join(changes, "; ")
	if told != in.told && told != "" {
		in.log.Warn("cash://server "+what, "changes", told, "held", in.cfg.HoldIdentity)
	}
	in.told = told
	if told == "" || !in.cfg.HoldIdentity {
		return nil
	}
	return &CallError{Class: Redirected, Sent: true, Reason: "its cash://server " + what + ": " + changes[0], other: true}
}

// onlyNamespace returns the description of the only namespace that the identity names; empty if there are others.
func (c *catalog) onlyNamespace() string {
	if c.identity == nil {
		return ""
	}
	return onlyDescription(c.identity)
}
