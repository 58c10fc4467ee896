package cash

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Manifest returns the server's manifest (RFC 5.5): [Options.Manifest] with its empty fields filled
// in.
//
//   - Namespaces and skills are those that an anonymous caller sees, for every reader, up to the
//     most that a document can hold.
//   - The date is the day of the last change that was observed in them, at first the server's
//     start.
func (s *Server) Manifest(ctx context.Context) (*manifest.Manifest, error) {
	m := s.opts.manifest()
	m.Endpoint = cmp.Or(m.Endpoint, endpointFor(ctx), "stdio:"+s.opts.Name)
	ctx = registry.WithCaller(ctx, nil)
	if m.Namespaces == nil {
		namespaces, err := s.published(ctx)
		if err != nil {
			return nil, err
		}
		m.Namespaces = namespaces
	}
	if m.Skills == nil {
		skills, err := s.publishedSkills(ctx)
		if err != nil {
			return nil, err
		}
		m.Skills = skills
	}
	if m.LastUpdated == "" {
		m.LastUpdated = s.edition.of(&m, s.started)
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	return &m, nil
}

// manifest returns the parts of the manifest that do not depend on the request.
func (o *Options) manifest() manifest.Manifest {
	var m manifest.Manifest
	if o.Manifest != nil {
		m = *o.Manifest
	}
	m.Version = cmp.Or(m.Version, manifest.SpecVersion)
	m.Publisher = cmp.Or(m.Publisher, o.Name, defaultName)
	return m
}

// checkManifest returns the error of an invalid [Options.Manifest], or nil.
func (o *Options) checkManifest() error {
	m := o.manifest()
	m.LastUpdated = cmp.Or(m.LastUpdated, time.Now().UTC().Format(time.DateOnly))
	m.Endpoint = cmp.Or(m.Endpoint, "https://localhost/mcp")
	if m.Namespaces == nil {
		m.Namespaces = []manifest.Namespace{{Suggested: "any", Description: "Any."}}
	}
	_, err := m.YAML() // checks the fields and the size
	return err
}

// ManifestHandler returns the HTTP handler of the manifest. Mount it at [manifest.WellKnownPath],
// outside your login. It answers in YAML, or in JSON to clients that prefer it. A manifest without
// an endpoint names /mcp at the requested host.
func (s *Server) ManifestHandler() http.Handler {
	h := manifest.Handler(s.Manifest, &manifest.HandlerOptions{Logger: s.opts.Serve.Logger})
	return withHost(h)
}

type endpointKey struct{}

// withHost puts the request into the context of next, for [endpointFor].
func withHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), endpointKey{}, r)))
	})
}

func isLoopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// endpointFor returns the server's address, as the client sees it. Empty if the request in ctx is none of HTTP.
func endpointFor(ctx context.Context) string {
	r, ok := ctx.Value(endpointKey{}).(*http.Request)
	switch {
	case !ok:
		return ""
	case r.TLS == nil && isLoopback(r.Host): // a proxy in front of a non-local server speaks TLS
		return "http://" + r.Host + "/mcp"
	}
	return "https://" + r.Host + "/mcp"
}

// addIdentity adds the resource cash://server with the manifest as JSON (RFC 5.6). It is for
// operators: hosts do not show it to users.
//
// The content has a further member, revision: it changes with what the reading caller sees. Clients
// can subscribe to the resource and are told when it changes for them.
func (f face) addIdentity(srv *mcp.Server, h *serve.Host) {
	watched := &serve.Watched{URI: manifest.ResourceURI, Revision: f.revision}
	h.AddResource(srv, &mcp.Resource{
		URI: manifest.ResourceURI, Name: "server", MIMEType: manifest.MediaTypeJSON,
		Description: "The server's manifest, for aggregators and operators.",
		Annotations: &mcp.Annotations{Audience: []mcp.Role{"assistant"}, Priority: 0.1},
	}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		revision, err := h.Revision(ctx, req, watched)
		if err != nil { // a refused caller reads what is public
			revision = ""
		}
		return f.readIdentity(ctx, revision)
	})
	h.AddWatched(srv, watched)
}

func (f face) readIdentity(ctx context.Context, revision string) (*mcp.ReadResourceResult, error) {
	m, err := f.Manifest(ctx)
	if err != nil {
		f.opts.Serve.Logger.ErrorContext(ctx, "no manifest", "error", err)
		return nil, errors.New("the manifest is not available")
	}
	data, err := m.MarshalJSON()
	if err != nil {
		return nil, errors.New("the manifest is not available")
	}
	if revision != "" {
		data = append(data[:len(data)-1], `,"revision":"`+revision+`"}`...)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: manifest.ResourceURI, MIMEType: manifest.MediaTypeJSON, Text: string(data),
	}}}, nil
}
