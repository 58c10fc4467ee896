package redis

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
	"github.com/sony/gobreaker/v2"

	"github.com/cash-mcp/go-sdk/cash/control"
)

// Options configure a [Client]. Nil means all defaults.
type Options struct {
	// Addresses are host:port of the server, or of some nodes of one cluster. Nil is 127.0.0.1:6379.
	Addresses []string
	// Username is the user of the server's access control list. Empty is the default user.
	Username string
	// Password is the user's password. It is never logged, nor part of an error. Empty is none.
	Password string
	// TLS configures encrypted connections. Nil does not encrypt.
	TLS *tls.Config
	// Prefix begins all keys and channels, so that several deployments can share a server: at most 64 letters, digits,
	// or any of "-_.:/". Empty is "cash:".
	Prefix string
	// Timeout bounds each operation, besides the deadline of its call. Zero is 2 seconds.
	Timeout time.Duration
	// Key is a secret of at least 32 random bytes that all replicas share. It seals what the stores keep with
	// AES-256-GCM, and derives the names in keys, so that the operator of the server can neither read nor guess them.
	// Nil stores in the clear, under names that are plain hashes.
	Key []byte
	// Evicting accepts a server that drops keys when its memory is full. Such a server may forget that a plan token
	// was used. False refuses it.
	Evicting bool
	// QuotaOpen lets calls pass uncounted if the server cannot be reached. False refuses them.
	QuotaOpen bool
	// Replicas is how many replicas of the server must have a used plan token, a used approval, accepted definitions, or
	// a kept result before the call goes on. If fewer confirm in time, the call is refused, or the result is not kept.
	// Zero does not wait: a failover may forget the last changes.
	Replicas int
	// Approvals bounds the calls that wait for a person.
	Approvals ApprovalLimits
	// Artifacts bounds the large results that are kept.
	Artifacts ArtifactLimits
	// Results bounds cached and withheld results.
	Results ResultLimits
	// CatalogBytes bounds the last-known catalogs of all upstreams together. They are compressed. Zero is 256 MiB.
	CatalogBytes int

	lease time.Duration // of reservations; tests shorten it
	tick  time.Duration // of news; tests lengthen it
}

// A Client is a connection to a server, and all stores over it. It is safe for concurrent use.
type Client struct {
	opts    Options
	redis   rueidis.Client
	breaker *gobreaker.CircuitBreaker[rueidis.RedisMessage]
	names   namer
	seal    *sealer // nil without a key
	news    *news
	forgets []string
	minute  time.Duration // of quotas; tests shorten it
	lease   time.Duration // of reservations
	tickets *tickets
	rooms   *rooms
}

// New connects to a server and checks it: its version is at least 6.2, and it evicts no keys. ctx bounds the
// connection and the checks. Close the client at the end.
func New(ctx context.Context, opts *Options) (*Client, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if err := o.fill(); err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	c := &Client{opts: o, names: newNamer(o.Key), minute: time.Minute, lease: cmp.Or(o.lease, lease)}
	if o.Key != nil {
		c.seal = newSealer(o.Key)
	}
	c.breaker = gobreaker.NewCircuitBreaker[rueidis.RedisMessage](gobreaker.Settings{
		MaxRequests: 1, Timeout: pause, IsSuccessful: answered, IsExcluded: excluded,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= threshold },
	})
	if err := c.connect(ctx); err != nil {
		return nil, c.explain("connecting", err)
	}
	forgets, err := c.check(ctx)
	if err != nil {
		c.redis.Close()
		return nil, err
	}
	c.forgets = forgets
	c.news = newNews(c)
	c.tickets = newTickets(c)
	c.rooms = newRooms(c)
	return c, nil
}

// fill checks the options and sets the defaults.
func (o *Options) fill() error {
	o.Prefix = cmp.Or(o.Prefix, "cash:")
	o.Timeout = cmp.Or(max(o.Timeout, 0), 2*time.Second)
	o.Replicas = max(o.Replicas, 0)
	if len(o.Addresses) == 0 {
		o.Addresses = []string{"127.0.0.1:6379"}
	}
	for _, address := range o.Addresses {
		if _, _, err := net.SplitHostPort(address); err != nil || strings.Contains(address, "@") {
			return errors.New("an address is not host:port; give user and password as Username and Password")
		}
	}
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:/"
	if len(o.Prefix) > 64 || strings.Trim(o.Prefix, allowed) != "" {
		return fmt.Errorf("the prefix %.64q has more than 64 characters, or others than letters, digits and -_.:/", o.Prefix)
	}
	if o.Key != nil && len(o.Key) < minKey {
		return fmt.Errorf("a key of %d bytes; it takes at least %d", len(o.Key), minKey)
	}
	o.Approvals.fill()
	o.Artifacts.fill()
	o.Results.fill()
	o.CatalogBytes = cmp.Or(max(o.CatalogBytes, 0), 256<<20)
	return nil
}

// connect dials the server. A client of rueidis dials without a context, so that the context goes to its dialer.
func (c *Client) connect(ctx context.Context) (err error) {
	var connected atomic.Bool
	c.redis, err = rueidis.NewClient(rueidis.ClientOption{
		InitAddress: c.opts.Addresses, Username: c.opts.Username, Password: c.opts.Password, TLSConfig: c.opts.TLS,
		ClientName: "cash", DisableCache: true, DisableRetry: true, ConnWriteTimeout: 2 * c.opts.Timeout,
		Dialer: net.Dialer{Timeout: c.opts.Timeout, KeepAlive: time.Second},
		DialCtxFn: func(dialing context.Context, address string, d *net.Dialer, config *tls.Config) (net.Conn, error) {
			if !connected.Load() {
				dialing = ctx
			}
			if config != nil {
				return (&tls.Dialer{NetDialer: d, Config: config}).DialContext(dialing, "tcp", address)
			}
			return d.DialContext(dialing, "tcp", address)
		},
	})
	connected.Store(true)
	return err
}

// Close ends the client. Operations in flight fail, and so do all later ones.
func (c *Client) Close() {
	c.news.close()
	c.tickets.close()
	c.rooms.close()
	c.redis.Close()
}

// Forgets lists what the server may lose, one sentence each, for the log: for example all keys when it restarts. It is
// empty if the server keeps a file of all changes, and evicts nothing.
func (c *Client) Forgets() []string { return c.forgets }

// Plans returns the store of used plan tokens.
func (c *Client) Plans() control.PlanStore { return plans{c} }

// Quota returns the store of counted calls.
func (c *Client) Quota() control.QuotaStore { return quota{c} }
