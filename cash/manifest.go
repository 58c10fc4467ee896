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

	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Manifest returns what the server publishes of itself (RFC 5.5):
// [Options.Manifest], where what is empty is filled in. Namespaces and skills
// are those that a caller sees of whom nothing is known, whoever asks, and as many
// as a document may hold; the date is that of the last change that was seen of
// them, at first that of the start.
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

// manifest is the manifest without what depends on the request.
func (o *Options) manifest() manifest.Manifest {
	var m manifest.Manifest
	if o.Manifest != nil {
		m = *o.Manifest
	}
	m.Version = cmp.Or(m.Version, manifest.SpecVersion)
	m.Publisher = cmp.Or(m.Publisher, o.Name, defaultName)
	return m
}

// checkManifest returns what is wrong with what the embedder gave.
func (o *Options) checkManifest() error {
	m := o.manifest()
	m.LastUpdated = cmp.Or(m.LastUpdated, time.Now().UTC().Format(time.DateOnly))
	m.Endpoint = cmp.Or(m.Endpoint, "https://localhost/mcp")
	if m.Namespaces == nil {
		m.Namespaces = []manifest.Namespace{{Suggested: "any", Description: "Any."}}
	}
	_, err := m.YAML() // which checks it, and how long it is
	return err
}

// ManifestHandler returns the handler of the manifest, to be mounted at
// [manifest.WellKnownPath]: YAML, or JSON to those who prefer it. Without an
// endpoint of its own the manifest names /mcp at the host that it was asked
// from.
func (s *Server) ManifestHandler() http.Handler {
	h := manifest.Handler(s.Manifest, &manifest.HandlerOptions{Logger: s.opts.Serve.Logger})
	return withHost(h)
}

type endpointKey struct{}

// withHost tells those behind it where the server is, as the client sees it.
func withHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme := "https"
		if r.TLS == nil && isLoopback(r.Host) { // elsewhere something before us speaks TLS
			scheme = "http"
		}
		ctx := context.WithValue(r.Context(), endpointKey{}, scheme+"://"+r.Host+"/mcp")
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func isLoopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

func endpointFor(ctx context.Context) string {
	endpoint, _ := ctx.Value(endpointKey{}).(string)
	return endpoint
}

// addIdentity adds the resource that holds the manifest as JSON (RFC 5.6). It is
// for those who operate servers: hosts do not show it to users.
func (f face) addIdentity(srv *mcp.Server) {
	srv.AddResource(&mcp.Resource{
		URI: manifest.ResourceURI, Name: "server", MIMEType: manifest.MediaTypeJSON,
		Description: "The server's manifest, for aggregators and operators.",
		Annotations: &mcp.Annotations{Audience: []mcp.Role{"assistant"}, Priority: 0.1},
	}, f.readIdentity)
}

func (f face) readIdentity(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	m, err := f.Manifest(ctx)
	if err != nil {
		f.opts.Serve.Logger.ErrorContext(ctx, "no manifest", "error", err)
		return nil, errors.New("the manifest is not available")
	}
	data, err := m.MarshalJSON()
	if err != nil {
		return nil, errors.New("the manifest is not available")
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: manifest.ResourceURI, MIMEType: manifest.MediaTypeJSON, Text: string(data),
	}}}, nil
}
