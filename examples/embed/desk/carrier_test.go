package desk

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// carrier is the carrier's MCP server. A user's token is the user's name and a suffix.
type carrier struct {
	mu     sync.Mutex
	tokens map[string]string // users by token
	called []string          // by whom, at each call
}

const (
	serviceToken = "the-desk-itself"
	accountOf    = "-at-the-carrier"
)

// newCarrier starts a carrier at which some users have accounts. It returns its URL too.
func newCarrier(t *testing.T, mode serve.HTTPMode, users ...string) (*carrier, string) {
	c := &carrier{tokens: map[string]string{serviceToken: "desk"}}
	for _, u := range users {
		c.tokens[u+accountOf] = u
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("track", "Tell where a parcel is.", c.track, registry.ReadOnly))
	face := plain.NewServer(reg, &plain.Options{Serve: serve.Options{HTTP: mode, VerifyToken: c.verify}})
	web := httptest.NewServer(face.Handler())
	t.Cleanup(func() {
		_ = face.Shutdown(context.Background())
		web.Close()
	})
	return c, web.URL
}

func (c *carrier) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	user, ok := c.tokens[token]
	if !ok {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: user, Expiration: time.Now().Add(time.Hour)}, nil
}

func (c *carrier) track(ctx context.Context, in struct {
	Parcel string `json:"parcel"`
}) (string, error) {
	user := registry.CallerFrom(ctx).ID
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called = append(c.called, user)
	return fmt.Sprintf("%s of %s is on its way", in.Parcel, user), nil
}

// revoke takes a user's account away.
func (c *carrier) revoke(user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tokens, user+accountOf)
}

// Each user calls the carrier with an account of their own. Without one, they are asked to connect it.
func TestCarrier(t *testing.T) {
	for mode, name := range map[serve.HTTPMode]string{serve.SessionsOnly: "sessions", serve.NoSessions: "stateless"} {
		for _, version := range protocolVersions {
			t.Run(name+" "+version, func(t *testing.T) {
				c, url := newCarrier(t, mode, "carla", "anton")
				s := newStand(t, newMemory(), "-carrier", url)
				store := func(user string) {
					if a := s.do(t, s.token(user), "PUT", "/accounts/carrier", user+accountOf); a.code != http.StatusOK {
						t.Fatalf("%+v", a)
					}
				}
				asked := ""
				carla, greta := s.connect(t, "carla", version), s.connect(t, "greta", version)
				d := &cashtest.Dialer{Version: version, HTTPClient: s.as(s.token("anton")), Client: &mcp.ClientOptions{
					Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: new(mcp.URLElicitationCapabilities)}},
					ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						asked = r.Params.URL
						store("anton")
						return &mcp.ElicitResult{Action: "accept"}, nil
					},
				}}
				anton := d.ConnectHTTP(t, publicURL+"/mcp")
				track := func(c *cashtest.Client) *cashtest.Reply {
					return c.Call("parcels", "track", map[string]any{"parcel": "P-1"})
				}
				carla.Help("parcels", "").OK() // waits until the carrier's functions are there
				store("carla")
				if text := track(carla).OK().Text; text != "P-1 of carla is on its way" {
					t.Errorf("carla: %s", text)
				}
				if text := track(anton).OK().Text; text != "P-1 of anton is on its way" || asked != publicURL+"/accounts" {
					t.Errorf("anton, who was asked to open %q: %s", asked, text)
				}
				if r := track(greta); !r.IsError || !strings.Contains(r.Text, "account") {
					t.Errorf("greta, who has no account: %s", r.Text)
				}
				c.revoke("carla")
				if r := track(carla); !r.IsError || !strings.Contains(r.Text, "account") {
					t.Errorf("carla, whose account is gone: %s", r.Text)
				}
				c.mu.Lock()
				defer c.mu.Unlock()
				if got := strings.Join(c.called, " "); got != "carla anton" {
					t.Errorf("the carrier was called by %s", got)
				}
			})
		}
	}
}
