package redis

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// ResultLimits bound cached and withheld results of all replicas together. Zero means the default.
type ResultLimits struct {
	// MaxBytes bounds all results together, as their [control.StoredResult.Size] says. Zero is 64 MiB.
	MaxBytes int
	// MaxEntries bounds the number of results. Zero is 10,000.
	MaxEntries int
	// MaxBytesPerOwner bounds the promised results of one owner, and of all without an owner together. Zero is a
	// quarter of MaxBytes.
	MaxBytesPerOwner int
	// MaxPerOwner bounds the number of promised results of an owner. Zero is 16.
	MaxPerOwner int
}

func (l *ResultLimits) fill() {
	l.MaxBytes = cmp.Or(max(l.MaxBytes, 0), 64<<20)
	l.MaxEntries = cmp.Or(max(l.MaxEntries, 0), 10_000)
	l.MaxBytesPerOwner = cmp.Or(max(l.MaxBytesPerOwner, 0), max(l.MaxBytes/4, 1))
	l.MaxPerOwner = cmp.Or(max(l.MaxPerOwner, 0), 16)
}

// Results returns the store of cached and withheld results. What is not promised is an LRU.
func (c *Client) Results() control.ResultStore { return results{c} }

// results is the [control.ResultStore]. All results have one hash tag, so that limits are exact:
//
//	cash:results:{all}:r:id     owner, promised, bytes, and the sealed result
//	cash:results:{all}:expiry   ids by expiry
//	cash:results:{all}:lru      ids that are not promised, by last use
//	cash:results:{all}:used     b, n of all; b:owner, n:owner of what is promised
//	cash:results:{all}:edition  changes with every Flush
type results struct{ *Client }

const resultRules = clock + `
local base = KEYS[1]
local used, lru, expiry = base .. ':used', base .. ':lru', base .. ':expiry'
local function n(x) return tonumber(x or 0) or 0 end
local function at(id) return base .. ':r:' .. id end
local function count(owner, promised, bytes, things)
	redis.call('HINCRBY', used, 'b', whole(bytes))
	redis.call('HINCRBY', used, 'n', whole(things))
	if promised == '1' then
		redis.call('HINCRBY', used, 'b:' .. owner, whole(bytes))
		if redis.call('HINCRBY', used, 'n:' .. owner, whole(things)) <= 0 then
			redis.call('HDEL', used, 'b:' .. owner, 'n:' .. owner)
		end
	end
end
local function drop(id)
	redis.call('ZREM', expiry, id)
	redis.call('ZREM', lru, id)
	local r = redis.call('HMGET', at(id), 'owner', 'promised', 'bytes')
	if not r[1] then return false end
	redis.call('DEL', at(id))
	count(r[1], r[2], -n(r[3]), -1)
	return true
end
local function recount() -- the server may drop any key
	redis.call('DEL', used)
	if redis.call('EXISTS', expiry) == 0 then redis.call('DEL', lru) end
	for _, id in ipairs(redis.call('ZRANGE', expiry, 0, -1)) do
		local r = redis.call('HMGET', at(id), 'owner', 'promised', 'bytes')
		if r[1] then count(r[1], r[2], n(r[3]), 1) else drop(id) end
	end
end
local lost = redis.call('EXISTS', used, expiry) < 2
while true do
	local old = redis.call('ZRANGEBYSCORE', expiry, '-inf', whole(now), 'LIMIT', 0, 100)
	if #old == 0 then break end
	for _, id in ipairs(old) do lost = not drop(id) or lost end
end
if lost then recount() end
local edition = redis.call('GET', base .. ':edition') or '0'
`

// findResult takes an id. It returns the edition, and the sealed result if there is one.
var findResult = newScript("looking for a result", resultRules+`
local data = redis.call('HGET', at(ARGV[1]), 'data')
if not data or not redis.call('ZSCORE', expiry, ARGV[1]) then return {edition} end
if redis.call('ZSCORE', lru, ARGV[1]) then redis.call('ZADD', lru, whole(now), ARGV[1]) end
return {edition, data}
`)

// keepResult takes id, owner, promised, bytes, life, edition, the limits of all and of the owner, and the data.
var keepResult = newScript("keeping a result", resultRules+`
local id, owner, promised, bytes, life, from = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local maxBytes, maxThings, maxEach, maxThingsEach = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
if from ~= '' and from ~= edition then return 0 end
drop(id)
if bytes > maxBytes or life <= 0 then return 0 end
if promised == '1' then
	local u = redis.call('HMGET', used, 'b:' .. owner, 'n:' .. owner)
	if n(u[1]) + bytes > maxEach or maxThingsEach > 0 and n(u[2]) + 1 > maxThingsEach then return 0 end
end
while true do
	local u = redis.call('HMGET', used, 'b', 'n')
	if n(u[1]) + bytes <= maxBytes and n(u[2]) + 1 <= maxThings then break end
	local oldest = redis.call('ZRANGE', lru, 0, 0)[1]
	if not oldest then return 0 end
	if not drop(oldest) then recount() end
end
redis.call('HSET', at(id), 'owner', owner, 'promised', promised, 'bytes', whole(bytes), 'data', ARGV[11])
redis.call('ZADD', expiry, whole(now + life), id)
if promised ~= '1' then redis.call('ZADD', lru, whole(now), id) end
count(owner, promised, bytes, 1)
return 1
`)

var expireResult = newScript("shortening the life of a result", resultRules+`
if redis.call('ZSCORE', expiry, ARGV[1]) then
	redis.call('ZADD', expiry, 'LT', whole(now + tonumber(ARGV[2])), ARGV[1])
end
return 1
`)

// flushResults takes the next edition. Results that are not promised are dropped.
var flushResults = newScript("dropping cached results", resultRules+`
redis.call('SET', base .. ':edition', ARGV[1])
for _, id in ipairs(redis.call('ZRANGE', lru, 0, -1)) do drop(id) end
return 1
`)

// A resultRecord is a result as it is stored.
type resultRecord struct {
	Result   []byte
	Size     int
	Limit    int
	Promised bool
}

func (r results) keys() []string { return []string{r.key("results", "all", "")} }

func (r results) id(key control.ResultKey) string { return r.names.of("result", key.Owner, key.Key) }

// Find implements [control.ResultStore].
func (r results) Find(ctx context.Context, key control.ResultKey) (*control.StoredResult, string, error) {
	id := r.id(key)
	reply, err := r.run(ctx, findResult, r.keys(), id)
	if err != nil {
		return nil, "", err
	}
	list, err := reply.AsStrSlice()
	if err != nil || len(list) != 1 && len(list) != 2 {
		return nil, "", r.unexpected(findResult, err)
	}
	if len(list) == 1 {
		return nil, list[0], nil
	}
	data, err := r.seal.open("result "+id, []byte(list[1]))
	if err != nil {
		return nil, "", err
	}
	var record resultRecord
	if err := json.Unmarshal(data, &record); err != nil {
		return nil, "", fmt.Errorf("redis: reading a stored result: %w", err)
	}
	res := new(registry.Result)
	if err := res.UnmarshalBinary(record.Result); err != nil {
		return nil, "", fmt.Errorf("redis: reading a stored result: %w", err)
	}
	return &control.StoredResult{Result: res, Size: record.Size, Limit: record.Limit, Promised: record.Promised}, list[0], nil
}

// Keep implements [control.ResultStore]. A result with contents of foreign types is not kept.
func (r results) Keep(ctx context.Context, key control.ResultKey, s *control.StoredResult) (bool, error) {
	result, err := s.Result.MarshalBinary()
	if err != nil {
		return false, fmt.Errorf("redis: %w", err)
	}
	data, err := json.Marshal(resultRecord{result, s.Size, s.Limit, s.Promised})
	if err != nil {
		return false, fmt.Errorf("redis: %w", err)
	}
	id, l, mostEach := r.id(key), r.opts.Results, r.opts.Results.MaxPerOwner
	if key.Owner == "" {
		mostEach = 0
	}
	run := r.run
	if s.Promised {
		run = r.runConfirmed
	}
	reply, err := run(ctx, keepResult, r.keys(), id, r.names.of("owner", key.Owner), flag(s.Promised), strconv.Itoa(s.Size),
		strconv.FormatInt(s.Lasts.Microseconds(), 10), s.Edition, strconv.Itoa(l.MaxBytes), strconv.Itoa(l.MaxEntries),
		strconv.Itoa(l.MaxBytesPerOwner), strconv.Itoa(mostEach), string(r.seal.close("result "+id, data)))
	if err != nil {
		return false, err
	}
	n, err := reply.AsInt64()
	if err != nil {
		return false, r.unexpected(keepResult, err)
	}
	return n == 1, nil
}

// Expire implements [control.ResultStore].
func (r results) Expire(ctx context.Context, key control.ResultKey, after time.Duration) error {
	_, err := r.run(ctx, expireResult, r.keys(), r.id(key), strconv.FormatInt(after.Microseconds(), 10))
	return err
}

// Flush implements [control.ResultStore].
func (r results) Flush(ctx context.Context) error {
	_, err := r.run(ctx, flushResults, r.keys(), rand.Text())
	return err
}
