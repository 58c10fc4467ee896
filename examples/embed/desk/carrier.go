package desk

import (
	"context"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// carrier returns the MCP server of the carrier, a company at which each user has an account of their own.
func (s *Service) carrier() upstream.Server {
	return upstream.Server{
		Label:       "parcels",
		Description: "Parcels at the carrier.",
		Timeout:     callTimeout,
		Endpoint: upstream.HTTP{ // reads the catalog
			URL:    s.cfg.carrier,
			Header: http.Header{"Authorization": {"Bearer " + s.cfg.carrierToken}},
		},
		Credentials: func(_ context.Context, c *registry.Caller) (auth.OAuthHandler, error) {
			return &account{store: s.store, user: c.ID, page: s.cfg.at("/accounts")}, nil
		},
	}
}

// account is a user's account at the carrier.
type account struct {
	store Store
	user  string
	page  string // at which the user connects it
}

// TokenSource implements [auth.OAuthHandler]. It reads the token that the user has stored.
func (a *account) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	token, err := a.store.CarrierToken(ctx, a.user)
	if errors.Is(err, ErrNoAccount) {
		return nil, &upstream.ConnectError{URL: a.page}
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token}), err
}

// Authorize implements [auth.OAuthHandler]. The carrier refuses the token, or wants more rights of it, so the user has to
// connect the account again.
func (a *account) Authorize(_ context.Context, _ *http.Request, res *http.Response) error {
	res.Body.Close()
	return &upstream.ConnectError{URL: a.page}
}
