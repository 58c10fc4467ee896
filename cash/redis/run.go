package redis

import (
	"context"
	"crypto/sha1" // names scripts in the protocol
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/rueidis"
	"github.com/sony/gobreaker/v2"

	"github.com/cash-mcp/go-sdk/cash/control"
)

// The breaker opens after threshold failures in a row, for pause. Then it lets one operation through.
const (
	threshold = 5
	pause     = time.Second
)

// ErrUnreachable is wrapped by the errors of operations that had no answer of the server. Whether the server did them
// is unknown.
var ErrUnreachable = errors.New("redis: the server did not answer")

// clock begins the scripts that need the time. now is that of the server, in microseconds.
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function whole(x) return string.format('%.0f', x + 0) end -- never -0
`

// A script is an atomic operation. Its keys have one hash tag.
type script struct {
	step string // for errors: "claiming a plan token"
	text string
	sha  string
	lua  *rueidis.Lua
}

func newScript(step, text string) *script {
	sum := sha1.Sum([]byte(text))
	return &script{step, text, hex.EncodeToString(sum[:]), rueidis.NewLuaScript(text)}
}

// run runs a script: in one round trip, or in two if the server does not know it yet. It is never repeated, because a
// first attempt without an answer may have been successful.
func (c *Client) run(ctx context.Context, s *script, keys []string, args ...string) (rueidis.RedisMessage, error) {
	return c.do(ctx, s.step, func(ctx context.Context) (rueidis.RedisMessage, error) {
		return s.lua.Exec(ctx, c.redis, keys, args).ToMessage()
	})
}

// do does an operation within the client's timeout, through the breaker. A nil answer is no error.
func (c *Client) do(ctx context.Context, step string, f func(context.Context) (rueidis.RedisMessage, error)) (rueidis.RedisMessage, error) {
	if err := ctx.Err(); err != nil {
		return rueidis.RedisMessage{}, err
	}
	reply, err := c.breaker.Execute(func() (rueidis.RedisMessage, error) {
		ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
		defer cancel()
		reply, err := f(ctx)
		if rueidis.IsRedisNil(err) {
			err = nil
		}
		return reply, err
	})
	return reply, c.explain(step, err)
}

// unready begins the answers of a server that cannot serve for now. They count as failures.
var unready = []string{"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "TRYAGAIN", "BUSY", "MISCONF", "NOREPLICAS"}

// answered reports whether the server has done its work, for the breaker.
func answered(err error) bool {
	reply, ok := rueidis.IsRedisErr(err)
	if !ok {
		return err == nil
	}
	text := textOf(reply)
	for _, word := range unready {
		if strings.HasPrefix(text, word) {
			return false
		}
	}
	return true
}

// textOf returns the text of an error of the server. What it repeats of a command is cut off. Before Redis 7, that of a
// command in a script stands in one of the script:
//
//	ERR Error running script (...): @user_script:1: @user_script: 1: -OOM ...
func textOf(reply *rueidis.RedisError) string {
	text, _, _ := strings.Cut(reply.Error(), ", with args")
	if _, at, ok := strings.Cut(text, "@user_script: "); ok {
		if _, inner, ok := strings.Cut(at, ": -"); ok {
			return strings.TrimSpace(inner)
		}
	}
	return text
}

// canceled reports whether the caller has ended the operation, which says nothing about the server.
func canceled(err error) bool { return errors.Is(err, context.Canceled) }

// excluded reports whether an error says nothing about the server, for the breaker.
func excluded(err error) bool { return canceled(err) || errors.Is(err, errUnconfirmed) }

// explain returns an error with the step, the address and what to do; nil for nil.
func (c *Client) explain(step string, err error) error {
	if err == nil {
		return nil
	}
	where := fmt.Sprintf("redis at %s: %s", c.address(), step)
	var reply *rueidis.RedisError
	if answer, ok := rueidis.IsRedisErr(err); ok {
		reply = answer
	}
	var netError net.Error
	switch {
	case reply != nil:
		return c.explainReply(where, reply)
	case errors.Is(err, errUnconfirmed):
		return fmt.Errorf("%s: %w: %w; check its replicas, or lower Options.Replicas", where, ErrUnreachable, err)
	case canceled(err):
		return fmt.Errorf("%s: %w", where, err)
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return fmt.Errorf("%s: %w %d times in a row; it is tried again within a second", where, ErrUnreachable, threshold)
	case errors.Is(err, rueidis.ErrClosing):
		return fmt.Errorf("%s: %w: the client is closed", where, ErrUnreachable)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netError) && netError.Timeout():
		return fmt.Errorf("%s: %w in time: %w; check its load and the network", where, ErrUnreachable, err)
	}
	return fmt.Errorf("%s: %w: %w; check that it runs, and that it can be reached from here", where, ErrUnreachable, err)
}

// explainReply explains an error of the server.
func (c *Client) explainReply(where string, reply *rueidis.RedisError) error {
	text := textOf(reply)
	word, _, _ := strings.Cut(text, " ")
	switch word {
	case "OOM":
		return fmt.Errorf("%s: %w: the server's memory is full; raise its maxmemory", where, control.ErrNoRoom)
	case "NOAUTH", "WRONGPASS", "NOPERM":
		return fmt.Errorf("%s: %s; check Username and Password, and that the user may run EVALSHA, EVAL, INFO, SUBSCRIBE and PUBLISH, and the keys ~%s*", where, text, c.opts.Prefix)
	}
	if !answered(reply) {
		return fmt.Errorf("%s: %w: %s", where, ErrUnreachable, text)
	}
	return fmt.Errorf("%s: %s", where, text)
}

// unexpected returns the error of an answer that no script of this package gives. err may be nil.
func (c *Client) unexpected(s *script, err error) error {
	return fmt.Errorf("redis at %s: %s: unexpected answer (%v); check that nothing else writes keys %s*", c.address(), s.step, err, c.opts.Prefix)
}

func (c *Client) address() string { return strings.Join(c.opts.Addresses, ",") }
