package desk

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
)

// Config is what the service is told when it starts.
type Config struct {
	addr     string   // to listen on
	url      *url.URL // of the service, as its clients know it
	issuer   string   // of the tokens
	keys     keys     // that the tokens are signed with
	tokenFor string   // the user to print a token for; empty serves

	carrier      string // URL of the carrier's MCP server; empty is none
	carrierToken string // of the service itself, which reads the catalog
}

// Configure reads the arguments, and the secrets from the environment.
func Configure(args []string, getenv func(string) string, stderr io.Writer) (*Config, error) {
	var cfg Config
	flags := flag.NewFlagSet("embed", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&cfg.addr, "addr", "127.0.0.1:8080", "listen on `address`")
	public := flags.String("url", "", "the `URL` by which clients know the service (default http://ADDRESS)")
	flags.StringVar(&cfg.issuer, "issuer", "", "the `URL` of the authorization server (default the service itself)")
	flags.StringVar(&cfg.carrier, "carrier", "", "the `URL` of the carrier's MCP server (default none)")
	flags.StringVar(&cfg.tokenFor, "token", "", "print a token for `user`")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, errors.New("there are no arguments besides the flags")
	}
	var err error
	cfg.url, err = url.Parse(cmp.Or(*public, "http://"+cfg.addr))
	if err != nil || cfg.url.Scheme != "http" && cfg.url.Scheme != "https" || cfg.url.Hostname() == "" {
		return nil, errors.New("-url takes an http or https URL; without it, -addr needs a host")
	}
	cfg.issuer = cmp.Or(cfg.issuer, cfg.url.String())
	if cfg.keys, err = parseKeys(getenv("DESK_KEYS")); err != nil {
		return nil, fmt.Errorf("DESK_KEYS: %w", err)
	}
	if cfg.carrierToken = getenv("DESK_CARRIER_TOKEN"); cfg.carrier != "" && cfg.carrierToken == "" {
		return nil, errors.New("-carrier needs a token in DESK_CARRIER_TOKEN")
	}
	return &cfg, nil
}

// at returns the URL of a path of the service.
func (c *Config) at(path string) string { return c.url.JoinPath(path).String() }

// login returns the login for the users in store.
func (c *Config) login(store Store, log *slog.Logger) *login {
	return &login{store: store, log: log, keys: c.keys, issuer: c.issuer, audience: c.at("/mcp")}
}
