package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/rueidis"
)

// errUnconfirmed says that the server has done something, but that too few of its replicas have it.
var errUnconfirmed = errors.New("redis: too few replicas of the server have confirmed in time")

// runConfirmed runs a script like run, and waits until [Options.Replicas] have what it has changed. WAIT counts for the
// connection that has written, and blocks it. So the script has a connection of its own meanwhile. Both commands are
// sent together.
func (c *Client) runConfirmed(ctx context.Context, s *script, keys []string, args ...string) (rueidis.RedisMessage, error) {
	if c.opts.Replicas == 0 {
		return c.run(ctx, s, keys, args...)
	}
	return c.do(ctx, s.step, func(ctx context.Context) (rueidis.RedisMessage, error) {
		conn, release := c.redis.Dedicate()
		defer release()
		send := func(eval rueidis.Completed) []rueidis.RedisResult {
			wait := conn.B().Wait().Numreplicas(int64(c.opts.Replicas)).Timeout(patience(ctx).Milliseconds()).Build()
			return conn.DoMulti(ctx, eval, wait)
		}
		replies := send(conn.B().Evalsha().Sha1(s.sha).Numkeys(int64(len(keys))).Key(keys...).Arg(args...).Build())
		if unknown, ok := rueidis.IsRedisErr(replies[0].Error()); ok && unknown.IsNoScript() {
			replies = send(conn.B().Eval().Script(s.text).Numkeys(int64(len(keys))).Key(keys...).Arg(args...).Build())
		}
		reply, err := replies[0].ToMessage()
		if err != nil {
			return reply, err
		}
		n, err := replies[1].AsInt64()
		if err == nil && n < int64(c.opts.Replicas) {
			err = fmt.Errorf("%w: %d of %d", errUnconfirmed, n, c.opts.Replicas)
		}
		return reply, err
	})
}

// patience is how long replicas have to confirm: half of the time that is left, so that an answer comes before its end.
func patience(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline() // set by do
	return max(time.Until(deadline)/2, time.Millisecond)
}
