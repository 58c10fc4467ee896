package redis

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
)

// Catalogs returns the store of last-known catalogs of upstreams.
func (c *Client) Catalogs() lastknown.Store { return catalogs{c} }

// catalogs is the [lastknown.Store]. There are few upstreams, so that all of them have one hash tag:
//
//	cash:catalogs:{all}          for each key: when its reading began, its size, its revision, the key sealed; and used,
//	                             the bytes of all
//	cash:catalogs:{all}:order    keys by when they were kept
//	cash:catalogs:{all}:d:key    the catalog, sealed
//	cash:catalogs:{all}:l:key    the lease of who reads
type catalogs struct{ *Client }

var errCatalogTooLarge = errors.New("redis: the catalog is larger than Options.CatalogBytes")

// catalogLife is how long a catalog stays that nobody reads again.
const catalogLife = 30 * 24 * time.Hour

const catalogRules = clock + `
local all, key = KEYS[1], ARGV[1]
local order, lease = all .. ':order', all .. ':l:' .. key
local function drop(k)
	local size = string.match(redis.call('HGET', all, k) or '', '^%S+ (%d+)')
	redis.call('HDEL', all, k)
	redis.call('ZREM', order, k)
	redis.call('DEL', all .. ':d:' .. k)
	if size then redis.call('HINCRBY', all, 'used', '-' .. size) end
end
`

// findCatalog takes key and revision. It returns the time; and when the reading began, the revision and the catalog, which
// is empty at this revision.
var findCatalog = newScript("looking for a catalog", catalogRules+`
local began, revision = string.match(redis.call('HGET', all, key) or '', '^(%S+) %S+ (%S+)')
if not began then return {whole(now)} end
local data = ''
if revision ~= ARGV[2] then data = redis.call('GET', all .. ':d:' .. key) or '' end
return {whole(now), began, revision, data}
`)

// keepCatalog takes key, channel, time of the reading, life, most bytes, revision, sealed key and catalog. Times are
// in microseconds. Without a revision it ends the lease. It returns 0 if the catalog is larger than the store.
var keepCatalog = newScript("keeping a catalog", catalogRules+`
redis.call('DEL', lease)
local began, most, size = math.min(now, tonumber(ARGV[3])), tonumber(ARGV[5]), #ARGV[8]
if ARGV[6] ~= '' then
	local before = string.match(redis.call('HGET', all, key) or '', '^%S+')
	before = before and tonumber(before)
	if before and before > began and before <= now then return 1 end
	if size > most then return 0 end
	drop(key)
	for _, old in ipairs(redis.call('ZRANGEBYSCORE', order, '-inf', whole(now - ARGV[4]), 'LIMIT', 0, 100)) do drop(old) end
	while tonumber(redis.call('HGET', all, 'used') or 0) + size > most do
		local oldest = redis.call('ZRANGE', order, 0, 0)[1]
		if not oldest then break end
		drop(oldest)
	end
	redis.call('SET', all .. ':d:' .. key, ARGV[8])
	redis.call('ZADD', order, whole(now), key)
	redis.call('HSET', all, key, whole(began) .. ' ' .. size .. ' ' .. ARGV[6] .. ' ' .. ARGV[7])
	redis.call('HINCRBY', all, 'used', size)
	redis.call('PUBLISH', ARGV[2], 'catalogs ' .. key)
end
return 1
`)

// claimCatalog takes key and milliseconds.
var claimCatalog = newScript("leasing the reading of a catalog", catalogRules+`
if redis.call('SET', lease, '1', 'NX', 'PX', ARGV[2]) then return 1 end
return 0
`)

func (s catalogs) keys() []string { return []string{s.key("catalogs", "all", "")} }

func (s catalogs) name(key string) string { return s.names.of("catalog", key) }

// revision returns the name of a revision: it is a hash of the catalog, which could be guessed by it.
func (s catalogs) revision(revision string) string {
	if revision == "" {
		return ""
	}
	return s.names.of("revision", revision)
}

// Find implements [lastknown.Store].
func (s catalogs) Find(ctx context.Context, key, have string) (lastknown.Kept, error) {
	name := s.name(key)
	reply, err := s.run(ctx, findCatalog, s.keys(), name, s.revision(have))
	if err != nil {
		return lastknown.Kept{}, err
	}
	list, err := reply.AsStrSlice()
	if err != nil || len(list) != 1 && len(list) != 4 {
		return lastknown.Kept{}, s.unexpected(findCatalog, err)
	}
	now, err := strconv.ParseInt(list[0], 10, 64)
	if err != nil {
		return lastknown.Kept{}, s.unexpected(findCatalog, err)
	}
	if len(list) == 1 {
		return lastknown.Kept{Now: time.UnixMicro(now)}, nil
	}
	began, err := strconv.ParseInt(list[1], 10, 64)
	if err != nil {
		return lastknown.Kept{}, s.unexpected(findCatalog, err)
	}
	k := lastknown.Kept{Revision: have, Began: time.UnixMicro(began), Now: time.UnixMicro(now)}
	if list[2] == s.revision(have) {
		return k, nil
	}
	data, err := s.seal.open("catalog "+name, []byte(list[3]))
	if err != nil {
		return lastknown.Kept{}, err
	}
	revision, rest, ok := strings.Cut(string(data), "\n")
	if !ok || s.revision(revision) != list[2] {
		return lastknown.Kept{}, s.unexpected(findCatalog, nil)
	}
	k.Revision, k.Data = revision, []byte(rest)
	return k, nil
}

// Keep implements [lastknown.Store]. It is an error if the catalog is larger than [Options.CatalogBytes].
func (s catalogs) Keep(ctx context.Context, key string, k lastknown.Kept) error {
	name := s.name(key)
	data := s.seal.close("catalog "+name, append([]byte(k.Revision+"\n"), k.Data...))
	if k.Revision == "" {
		data = nil
	}
	shown := base64.RawStdEncoding.EncodeToString(s.seal.close("catalog key "+name, []byte(key)))
	reply, err := s.run(ctx, keepCatalog, s.keys(), name, s.channel(), strconv.FormatInt(max(k.Began.UnixMicro(), 0), 10), strconv.FormatInt(catalogLife.Microseconds(), 10), strconv.Itoa(s.opts.CatalogBytes),
		s.revision(k.Revision), shown, string(data))
	if err != nil {
		return err
	}
	switch n, err := reply.AsInt64(); {
	case err != nil:
		return s.unexpected(keepCatalog, err)
	case n == 0:
		return errCatalogTooLarge
	}
	return nil
}

// Claim implements [lastknown.Store].
func (s catalogs) Claim(ctx context.Context, key string, lasts time.Duration) (bool, error) {
	reply, err := s.run(ctx, claimCatalog, s.keys(), s.name(key), strconv.FormatInt(max(lasts.Milliseconds(), 1), 10))
	if err != nil {
		return false, err
	}
	n, err := reply.AsInt64()
	if err != nil {
		return false, s.unexpected(claimCatalog, err)
	}
	return n == 1, nil
}

// Watch implements [lastknown.Store].
func (s catalogs) Watch(ctx context.Context, changed func(key string)) error {
	return s.news.watch(ctx, "catalogs", s.listing(s.keys(), "catalog key "), changed)
}
