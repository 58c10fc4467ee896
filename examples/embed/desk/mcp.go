package desk

import (
	"context"
	"embed"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

//go:embed skills
var skills embed.FS // skills/<namespace>/<name>.md or skills/<namespace>/<name>/SKILL.md

// newRegistry returns the functions and skills that models find.
func (s *Service) newRegistry() *registry.Registry {
	reg := registry.New(nil)
	admins := registry.VisibleTo(registry.Roles("admin"))
	reg.Namespace("tickets", "Questions that customers have sent.").Add(
		registry.Func("list", "List tickets, all or those with a status.", s.desk.List, registry.ReadOnly),
		registry.Func("close", "Close a ticket in the name of the caller.", inTx(s.store, s.desk.Close), registry.Idempotent(true)),
		registry.Func("delete", "Delete a ticket for good.", inTx(s.store, s.desk.Delete), registry.Destructive(true), admins),
	)
	reg.Namespace("staff", "How the desk is doing.", admins).Add( // its skills too
		registry.Func("workload", "Count the tickets that each clerk has closed.", s.desk.Workload, registry.ReadOnly),
	)
	reg.AddSkills(skills)
	return reg
}

// newFace returns the MCP endpoint over reg.
func (s *Service) newFace(reg *registry.Registry) *cash.Server {
	return cash.NewServer(reg, &cash.Options{
		Name:    "desk",
		Version: "1.0.0",
		Serve: serve.Options{
			VerifyToken: s.verifyToken,
			Identify:    identify,
			Resource: &oauthex.ProtectedResourceMetadata{
				Resource:             s.login.audience,
				AuthorizationServers: []string{s.login.issuer},
				ResourceName:         "The ticket desk",
			},

			AllowedHosts: []string{s.cfg.url.Hostname()},
			Address:      clientAddress,

			Timeout:    callTimeout,
			Middleware: []registry.Middleware{s.discreet},
			Controls:   s.newControls(),
			Logger:     s.log,
			Observe:    s.opts.Observe,
		},
		Manifest: &manifest.Manifest{
			Publisher:      "The ticket desk",
			Authentication: &manifest.Authentication{Scheme: manifest.SchemeOAuth2},
		},
	})
}

// newControls log each call and limit how often a user calls a function.
func (s *Service) newControls() *control.Controls {
	return &control.Controls{
		Audit: &control.Audit{Logger: s.log},
		Quota: control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 120, Burst: 30}}),
	}
}

// discreet keeps the database's own words from models, as reply does from clients of the routes. The text of any other
// error is shown.
func (s *Service) discreet(next registry.Handler) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		res, err := next(ctx, c)
		var own *registry.Error // of the library: a limit, a deadline
		if err == nil || errors.Is(err, ErrNoTicket) || errors.As(err, &own) {
			return res, err
		}
		s.log.ErrorContext(ctx, "call failed", "function", c.Function.Path(), "error", err)
		return nil, errStore
	}
}

// userKey is the key of a token's extra facts for its user.
const userKey = "user"

// verifyToken is the service's login in the form of the MCP SDK.
func (s *Service) verifyToken(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	u, expires, err := s.login.user(ctx, token)
	switch {
	case errors.Is(err, errToken):
		return nil, auth.ErrInvalidToken // status 401
	case err != nil:
		return nil, err // status 500, with the error's text
	}
	return &auth.TokenInfo{UserID: u.ID, Scopes: u.Roles, Expiration: expires, Extra: map[string]any{userKey: u}}, nil
}

// identify returns the caller of each request.
func identify(_ context.Context, in *serve.Incoming) (*registry.Caller, error) {
	if in.Token != nil {
		if u, ok := in.Token.Extra[userKey].(User); ok {
			return caller(u), nil
		}
	}
	return nil, errToken
}

// mount adds the MCP endpoint to mux, and what clients and load balancers ask without a token.
func (s *Service) mount(mux *http.ServeMux) {
	mux.Handle("/mcp", s.face.Handler())
	mux.Handle(s.face.ResourceHandler())
	mux.Handle(manifest.WellKnownPath, s.face.ManifestHandler())
	mux.Handle("/livez", s.face.LiveHandler())
	mux.Handle("/readyz", s.face.ReadyHandler())
}
