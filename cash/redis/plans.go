package redis

import (
	"context"
	"strconv"
	"time"
)

// plans is the [control.PlanStore]. A used token is a key that expires with the token. Its value is the state that the
// token is held for.
type plans struct{ *Client }

// keptLonger is how long a used token stays after its expiry: the clock of a server that takes over may be behind.
const keptLonger = time.Minute

var claimPlan = newScript("claiming a plan token", clock+`
local state, expires = ARGV[1], tonumber(ARGV[2])
if now >= expires * 1000 then return {0, ''} end
local was = redis.call('GET', KEYS[1])
if was == false then
	redis.call('SET', KEYS[1], '', 'PXAT', whole(expires + tonumber(ARGV[3])))
	return {1, ''}
end
if was == '' or was ~= state then return {0, ''} end
redis.call('SET', KEYS[1], '', 'KEEPTTL')
return {1, was}
`)

var releasePlan = newScript("releasing a plan token", `
if ARGV[1] == '' then
	redis.call('DEL', KEYS[1])
else
	redis.call('SET', KEYS[1], ARGV[1], 'XX', 'KEEPTTL')
end
return 1
`)

// Claim implements [control.PlanStore].
func (p plans) Claim(ctx context.Context, token, state string, expires time.Time) (was string, claimed bool, err error) {
	reply, err := p.runConfirmed(ctx, claimPlan, []string{p.planKey(token)}, state, strconv.FormatInt(expires.UnixMilli(), 10), strconv.FormatInt(keptLonger.Milliseconds(), 10))
	if err != nil {
		return "", false, err
	}
	pair, err := reply.ToArray()
	if err != nil || len(pair) != 2 {
		return "", false, p.unexpected(claimPlan, err)
	}
	done, err := pair[0].AsInt64()
	if err != nil {
		return "", false, p.unexpected(claimPlan, err)
	}
	was, err = pair[1].ToString()
	if err != nil {
		return "", false, p.unexpected(claimPlan, err)
	}
	return was, done == 1, nil
}

// Release implements [control.PlanStore].
func (p plans) Release(ctx context.Context, token, state string) error {
	_, err := p.run(ctx, releasePlan, []string{p.planKey(token)}, state)
	return err
}

func (p plans) planKey(token string) string { return p.key("plan", p.names.of("plan", token), "") }
