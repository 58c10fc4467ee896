package redis

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
)

// quota is the [control.QuotaStore]. An owner has one hash, which expires with its session, and for each scope a list
// of the calls of the last minute:
//
//	cash:quota:{owner}          start    when the session began: what is older in the lists does not count
//	                            s:scope  calls in the session
//	                            b:scope  when the burst of the scope will be whole again (GCRA)
//	cash:quota:{owner}:scope    times of calls, oldest first
type quota struct{ *Client }

// takeQuota has the owner and the scopes as keys. Its arguments are dry, idle and minute, and for each scope the limits
// per minute, at once and per session. Times are in microseconds. It returns the refusing scope from 1, or 0, whether
// the limit is that of the session, and the wait, which is -1 if waiting does not help.
var takeQuota = newScript("counting a call", clock+`
local dry, idle, minute = ARGV[1] == '1', tonumber(ARGV[2]), tonumber(ARGV[3])
local owner = KEYS[1]
local start = tonumber(redis.call('HGET', owner, 'start') or '')
local begun = start or now
local refused, bySession, longest = 0, 0, 0
for i = 2, #KEYS do
	local log, scope = KEYS[i], string.sub(KEYS[i], #owner + 2)
	local most, burst, session = tonumber(ARGV[3*i-2]), tonumber(ARGV[3*i-1]), tonumber(ARGV[3*i])
	local wait, by = 0, 0
	if session ~= 0 and tonumber(redis.call('HGET', owner, 's:' .. scope) or 0) >= session then
		wait, by = math.huge, 1
	elseif most < 0 or most > 0 and burst < 0 then
		wait = math.huge
	elseif most > 0 then
		local oldest = redis.call('LINDEX', log, 0)
		while oldest and (now - oldest >= minute or tonumber(oldest) < begun) do
			redis.call('LPOP', log)
			oldest = redis.call('LINDEX', log, 0)
		end
		local n = redis.call('LLEN', log)
		if n >= most then
			wait = math.min(redis.call('LINDEX', log, n - most) + minute - now, minute)
		end
		if burst > 0 and burst < most then
			local full = tonumber(redis.call("HGET", owner, "b:" .. scope) or 0)
			wait = math.max(wait, full - (burst - 1) * minute / most - now)
		end
	end
	if wait > longest then refused, bySession, longest = i - 1, by, wait end
end
if refused > 0 then
	if start and not dry then redis.call('PEXPIRE', owner, whole(math.ceil(idle / 1000))) end
	if longest == math.huge then return {refused, bySession, -1} end
	return {refused, bySession, math.ceil(longest)}
end
if dry then return {0, 0, 0} end
if not start then redis.call('HSET', owner, 'start', whole(now)) end
for i = 2, #KEYS do
	local log, scope = KEYS[i], string.sub(KEYS[i], #owner + 2)
	local most, burst = tonumber(ARGV[3*i-2]), tonumber(ARGV[3*i-1])
	redis.call('HINCRBY', owner, 's:' .. scope, 1)
	if most > 0 then
		redis.call('RPUSH', log, whole(now))
		redis.call('PEXPIRE', log, whole(math.ceil(minute / 1000)))
		if burst > 0 and burst < most then
			local field = 'b:' .. scope
			local before = tonumber(redis.call('HGET', owner, field) or 0)
			redis.call('HSET', owner, field, whole(math.max(before, now) + minute / most))
		end
	end
end
redis.call('PEXPIRE', owner, whole(math.ceil(idle / 1000)))
return {0, 0, 0}
`)

var forgetQuota = newScript("ending a session", `return redis.call('DEL', KEYS[1])`)

// Take implements [control.QuotaStore].
func (q quota) Take(ctx context.Context, t *control.Taking) (*control.Refusal, error) {
	refusal, err := q.take(ctx, t)
	if err != nil && q.opts.QuotaOpen && errors.Is(err, ErrUnreachable) {
		return nil, nil
	}
	return refusal, err
}

func (q quota) take(ctx context.Context, t *control.Taking) (*control.Refusal, error) {
	dry := "0"
	if t.Dry {
		dry = "1"
	}
	owner := q.ownerKey(t.Owner)
	keys := []string{owner}
	args := []string{dry, strconv.FormatInt(t.Idle.Microseconds(), 10), strconv.FormatInt(q.minute.Microseconds(), 10)}
	for _, w := range t.Windows {
		keys = append(keys, owner+":"+q.names.of("scope", w.Scope))
		args = append(args, strconv.Itoa(w.Limit.PerMinute), strconv.Itoa(w.Limit.Burst), strconv.Itoa(w.Limit.PerSession))
	}
	reply, err := q.run(ctx, takeQuota, keys, args...)
	if err != nil {
		return nil, err
	}
	numbers, err := reply.AsIntSlice()
	if err != nil || len(numbers) != 3 || numbers[0] < 0 || numbers[0] > int64(len(t.Windows)) {
		return nil, q.unexpected(takeQuota, err)
	}
	if numbers[0] == 0 {
		return nil, nil
	}
	return &control.Refusal{
		Window: t.Windows[numbers[0]-1], Session: numbers[1] == 1, Wait: time.Duration(max(numbers[2], 0)) * time.Microsecond,
	}, nil
}

// Forget implements [control.QuotaStore].
func (q quota) Forget(ctx context.Context, owner string) error {
	_, err := q.run(ctx, forgetQuota, []string{q.ownerKey(owner)})
	return err
}

func (q quota) ownerKey(owner string) string { return q.key("quota", q.names.of("owner", owner), "") }
