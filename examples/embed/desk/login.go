package desk

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// login knows the users of requests by their tokens.
type login struct {
	store    Store
	log      *slog.Logger
	keys     keys
	issuer   string // of tokens: the authorization server
	audience string // of tokens: this service
}

// token returns a token for a user.
func (l *login) token(user string, expires time.Time) string {
	return l.keys.sign(claims{Issuer: l.issuer, Audience: l.audience, Subject: user, Expires: expires.Unix()})
}

// user returns the user of a token, and when the token expires. The error is errToken if there is none, else
// errStore. Users and roles are read from the store, so that what is taken from a user is gone with the next request.
func (l *login) user(ctx context.Context, token string) (User, time.Time, error) {
	c, err := l.keys.verify(token)
	expires := time.Unix(c.Expires, 0)
	if err != nil || c.Issuer != l.issuer || c.Audience != l.audience || !time.Now().Before(expires) {
		return User{}, time.Time{}, errToken
	}
	u, err := l.store.User(ctx, c.Subject)
	switch {
	case errors.Is(err, ErrNoUser):
		return User{}, time.Time{}, errToken
	case err != nil:
		l.log.ErrorContext(ctx, "login failed", "error", err)
		return User{}, time.Time{}, errStore
	}
	return u, expires, nil
}

// require lets requests with a token pass, with their caller.
func (l *login) require(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		u, _, err := l.user(r.Context(), token)
		switch {
		case errors.Is(err, errToken):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, err.Error(), http.StatusUnauthorized)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			next.ServeHTTP(w, r.WithContext(registry.WithCaller(r.Context(), caller(u))))
		}
	})
}

// caller returns the user as the caller that both ways in put into the context.
func caller(u User) *registry.Caller {
	return &registry.Caller{ID: u.ID, Roles: u.Roles, Attributes: map[string]string{"tenant": u.Tenant}}
}

// tenant returns the tenant of the caller in ctx. Nothing belongs to the empty one.
func tenant(ctx context.Context) string {
	if c := registry.CallerFrom(ctx); c != nil {
		return c.Attributes["tenant"]
	}
	return ""
}
