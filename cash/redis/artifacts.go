package redis

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/firewall"
)

// ArtifactLimits bound the artifacts of all replicas together. Zero means the default; the replicas should agree.
type ArtifactLimits struct {
	// MaxBytes bounds the bytes kept and reserved. Zero is 256 MiB. Sealing and the server take some more.
	MaxBytes int64
	// MaxBytesPerOwner bounds the bytes of one [firewall.Owner.Payer]. Zero is 64 MiB.
	MaxBytesPerOwner int64
	// MaxArtifacts bounds the number of artifacts and reservations. Zero is 10,000.
	MaxArtifacts int
	// MaxPerOwner bounds the artifacts and reservations of one payer. Zero is 1,000.
	MaxPerOwner int
	// MaxAge is how long an artifact is kept at most. Zero is half an hour.
	MaxAge time.Duration
	// Promise is how long an artifact is kept at least. Then it may give way to others. Zero is 5 minutes, more than
	// MaxAge is MaxAge.
	Promise time.Duration
}

func (l *ArtifactLimits) fill() {
	l.MaxBytes = cmp.Or(max(l.MaxBytes, 0), 256<<20)
	l.MaxBytesPerOwner = cmp.Or(max(l.MaxBytesPerOwner, 0), 64<<20)
	l.MaxArtifacts = cmp.Or(max(l.MaxArtifacts, 0), 10_000)
	l.MaxPerOwner = cmp.Or(max(l.MaxPerOwner, 0), 1000)
	l.MaxAge = cmp.Or(max(l.MaxAge, 0), 30*time.Minute)
	l.Promise = min(cmp.Or(max(l.Promise, 0), 5*time.Minute), l.MaxAge)
}

// args are the first arguments of the scripts over artifacts.
func (l *ArtifactLimits) args() []string {
	return []string{
		strconv.FormatInt(l.MaxBytes, 10), strconv.FormatInt(l.MaxBytesPerOwner, 10), strconv.Itoa(l.MaxArtifacts), strconv.Itoa(l.MaxPerOwner),
	}
}

// Artifacts returns the store of artifacts. If the payer's share is full, its oldest artifact whose promise has ended
// gives way. If all room is taken, the same holds; a payer without such an artifact takes the room of the payer who has
// the most. A reservation of a replica that has ended lapses within a minute.
func (c *Client) Artifacts() firewall.Store { return artifacts{c} }

// artifacts is the [firewall.Store]. The index of all artifacts and reservations has one hash tag, so that limits are
// exact. The contents are spread over a cluster, and found by a name of owner and handle: a foreign handle is a missing
// key like any other.
//
//	cash:artifacts:{all}:e:id    payer, guest, bytes, things, chunks of an artifact; a reservation has no chunks
//	cash:artifacts:{all}:expiry  ids by expiry
//	cash:artifacts:{all}:all     ids by the end of their promise; also :guests, and :p:payer for each payer
//	cash:artifacts:{all}:used    bytes and things: b, n; gb, gn of guests; b:payer, n:payer
//	cash:artifacts:{all}:rank    payers by their part of the room
//	cash:artifact:{id}:0         the head and the first bytes, then :1 and so on
type artifacts struct{ *Client }

const artifactRules = clock + `
local base, used = KEYS[1], KEYS[1] .. ':used'
local maxBytes, maxEach, maxThings, maxThingsEach = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local maxGuest, maxThingsGuest = maxBytes - math.floor(maxBytes / 4), maxThings - math.floor(maxThings / 4)
local function n(x) return tonumber(x or 0) or 0 end
local function entry(id) return base .. ':e:' .. id end
local function of(payer) return base .. ':p:' .. payer end
local function count(payer, guest, bytes, things)
	redis.call('HINCRBY', used, 'b', whole(bytes))
	redis.call('HINCRBY', used, 'n', whole(things))
	if guest == '1' then
		redis.call('HINCRBY', used, 'gb', whole(bytes))
		redis.call('HINCRBY', used, 'gn', whole(things))
	end
	local b = redis.call('HINCRBY', used, 'b:' .. payer, whole(bytes))
	local t = redis.call('HINCRBY', used, 'n:' .. payer, whole(things))
	if b <= 0 and t <= 0 and redis.call('EXISTS', of(payer)) == 0 then
		redis.call('HDEL', used, 'b:' .. payer, 'n:' .. payer)
		redis.call('ZREM', base .. ':rank', payer)
	else
		redis.call('ZADD', base .. ':rank', tostring(math.max(b / maxBytes, t / maxThings)), payer)
	end
end
local function add(id, payer, guest, bytes, chunks, promised, expires)
	redis.call('HSET', entry(id), 'payer', payer, 'guest', guest, 'bytes', whole(bytes), 'things', 1, 'chunks', chunks)
	redis.call('ZADD', base .. ':expiry', expires, id)
	redis.call('ZADD', base .. ':all', promised, id)
	redis.call('ZADD', of(payer), promised, id)
	if guest == '1' then redis.call('ZADD', base .. ':guests', promised, id) end
	count(payer, guest, bytes, 1)
end
local function drop(id)
	redis.call('ZREM', base .. ':expiry', id)
	redis.call('ZREM', base .. ':all', id)
	local e = redis.call('HMGET', entry(id), 'payer', 'guest', 'bytes', 'things', 'chunks')
	if not e[1] then return nil end
	redis.call('DEL', entry(id))
	redis.call('ZREM', of(e[1]), id)
	if e[2] == '1' then redis.call('ZREM', base .. ':guests', id) end
	count(e[1], e[2], -n(e[3]), -n(e[4]))
	return n(e[5])
end
local lost = redis.call('EXISTS', used) == 0 -- the server may drop any key
local function recount()
	if not lost then return end
	lost = false
	redis.call('DEL', used, base .. ':rank')
	for _, id in ipairs(redis.call('ZRANGE', base .. ':expiry', 0, -1)) do
		local e = redis.call('HMGET', entry(id), 'payer', 'guest', 'bytes', 'things')
		if e[1] then count(e[1], e[2], n(e[3]), n(e[4])) else drop(id) end
	end
end
while true do
	local old = redis.call('ZRANGEBYSCORE', base .. ':expiry', '-inf', whole(now), 'LIMIT', 0, 100)
	if #old == 0 then break end
	for _, id in ipairs(old) do
		lost = not drop(id) or lost
	end
end
recount()
local gone = {}
local function oldest(set)
	while true do
		local id = redis.call('ZRANGEBYSCORE', set, '-inf', whole(now), 'LIMIT', 0, 1)[1]
		if not id or redis.call('EXISTS', entry(id)) == 1 then return id end
		redis.call('ZREM', set, id)
		lost = redis.call('ZREM', base .. ':expiry', id) == 1 or lost
		recount()
	end
end
local function largest()
	local any = oldest(base .. ':all')
	if not any then return nil end
	for first = 0, math.huge, 10 do -- nearly always the first payer has one; there may be thousands
		local payers = redis.call('ZREVRANGE', base .. ':rank', first, first + 9)
		for _, payer in ipairs(payers) do
			local id = oldest(of(payer))
			if id then return id end
		end
		if #payers < 10 then return any end
	end
end
local function short(b, t, mostBytes, mostThings, bytes)
	if t + 1 > mostThings then return 'artifacts', t + 1 - mostThings end
	if b + bytes > mostBytes then return 'bytes', b + bytes - mostBytes end
end
local function wait(set, which, excess)
	local list = redis.call('ZRANGE', set, 0, 999, 'WITHSCORES')
	for i = 1, #list, 2 do
		local promised = tonumber(list[i + 1])
		if promised == math.huge then return 0 end
		excess = excess - (which == 'bytes' and n(redis.call('HGET', entry(list[i]), 'bytes')) or 1)
		if excess <= 0 then return math.max(promised - now, 0) end
	end
	return 0
end
local function room(payer, guest, bytes)
	local mostBytes = guest == '1' and math.min(maxEach, maxGuest) or math.min(maxEach, maxBytes)
	if bytes > mostBytes then
		if mostBytes == maxEach then return 'bytes per owner', 0 end
		return guest == '1' and 'bytes of guests' or 'bytes', 0
	end
	while true do
		local u = redis.call('HMGET', used, 'b', 'n', 'gb', 'gn', 'b:' .. payer, 'n:' .. payer)
		local set, whose = of(payer), ' per owner'
		local which, excess = short(n(u[5]), n(u[6]), maxEach, maxThingsEach, bytes)
		local victim = which and oldest(of(payer))
		if not which and guest == '1' then
			set, whose = base .. ':guests', ' of guests'
			which, excess = short(n(u[3]), n(u[4]), maxGuest, maxThingsGuest, bytes)
			victim = which and (oldest(of(payer)) or oldest(set))
		end
		if not which then
			set, whose = base .. ':all', ''
			which, excess = short(n(u[1]), n(u[2]), maxBytes, maxThings, bytes)
			victim = which and (oldest(of(payer)) or largest())
		end
		if not which then return nil end
		if not victim then return which .. whose, wait(set, which, excess) end
		local chunks = drop(victim)
		table.insert(gone, victim)
		table.insert(gone, whole(chunks))
	end
end
`

// reserveRoom takes id, payer, guest, bytes and lease. It returns the limit that is reached, the wait in microseconds,
// the time, and the artifacts that have given way, each with its chunks.
var reserveRoom = newScript("reserving room for a result", artifactRules+`
local id, payer, guest, bytes, lease = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local limit, again = room(payer, guest, bytes)
if not limit then add(id, payer, guest, bytes, 0, '+inf', whole(now + lease)) end
return {limit or '', whole(again or 0), whole(now), gone}
`)

// keepArtifacts takes the reservation, payer, guest, and for each artifact id, bytes, chunks, end of promise and expiry.
var keepArtifacts = newScript("keeping a result", artifactRules+`
local held, payer, guest = ARGV[5], ARGV[6], ARGV[7]
for i = 8, #ARGV, 5 do
	local id, bytes, chunks, promised, expires = ARGV[i], tonumber(ARGV[i+1]), ARGV[i+2], ARGV[i+3], ARGV[i+4]
	local e = redis.call('HMGET', entry(held), 'bytes', 'things')
	if e[1] then
		local rest = math.max(n(e[1]) - bytes, 0)
		redis.call('HSET', entry(held), 'bytes', whole(rest), 'things', 0)
		count(payer, guest, rest - n(e[1]), -n(e[2]))
	end
	room(payer, guest, bytes)
	add(id, payer, guest, bytes, chunks, promised, expires)
end
return {'', '0', whole(now), gone}
`)

var releaseRoom = newScript("giving back room", artifactRules+`
drop(ARGV[5])
return 1
`)

// renewRooms takes a lease and reservations.
var renewRooms = newScript("renewing reservations", artifactRules+`
for i = 6, #ARGV do
	redis.call('ZADD', base .. ':expiry', 'XX', whole(now + tonumber(ARGV[5])), ARGV[i])
end
return 1
`)

// chunkSize is the number of bytes of a chunk; chunksAtOnce are sent or read together.
const (
	chunkSize    = 512 << 10
	chunksAtOnce = 8
)

// A head describes an artifact. It stands before its first bytes, after its length.
type head struct {
	MediaType, Label string
	Size             int64
	Created, Expires time.Time
	Chunks           int
}

func (a artifacts) indexKeys() []string { return []string{a.key("artifacts", "all", "")} }

func (a artifacts) chunkKey(id string, i int) string {
	return a.key("artifact", id, ":"+strconv.Itoa(i))
}

// Reserve implements [firewall.Store].
func (a artifacts) Reserve(ctx context.Context, owner firewall.Owner, size int64) (firewall.Reservation, error) {
	r := &room{artifacts: a, id: rand.Text(), owner: owner.ID, payer: a.names.of("payer", cmp.Or(owner.Payer, owner.ID)), guest: flag(owner.Guest)}
	args := append(a.opts.Artifacts.args(), r.id, r.payer, r.guest, strconv.FormatInt(max(size, 0), 10), strconv.FormatInt(a.lease.Microseconds(), 10))
	a.rooms.hold(r.id)
	limit, wait, now, err := a.index(ctx, reserveRoom, args)
	if err != nil || limit != "" {
		a.rooms.release(r.id) // if the server has reserved it, it lapses
	}
	switch {
	case err != nil:
		return nil, full(err)
	case limit != "":
		return nil, &firewall.FullError{Limit: limit, RetryAfter: wait}
	}
	r.began, r.now = time.Now(), now
	return r, nil
}

// full makes the error of a server without memory one of the firewall.
func full(err error) error {
	if errors.Is(err, control.ErrNoRoom) {
		return fmt.Errorf("%w: %w", firewall.ErrFull, err)
	}
	return err
}

// index runs a script over the index, and deletes the contents of what has given way. now is the time of the server.
func (a artifacts) index(ctx context.Context, s *script, args []string) (limit string, wait time.Duration, now time.Time, err error) {
	run := a.run
	if s == keepArtifacts {
		run = a.runConfirmed
	}
	reply, err := run(ctx, s, a.indexKeys(), args...)
	if err != nil {
		return "", 0, now, err
	}
	list, err := reply.ToArray()
	if err != nil || len(list) != 4 {
		return "", 0, now, a.unexpected(s, err)
	}
	limit, err1 := list[0].ToString()
	micro, err2 := list[1].AsInt64()
	time1, err3 := list[2].AsInt64()
	gone, err4 := list[3].AsStrSlice()
	if err := errors.Join(err1, err2, err3, err4); err != nil || len(gone)%2 != 0 {
		return "", 0, now, a.unexpected(s, err)
	}
	var keys []string
	for i := 0; i < len(gone); i += 2 {
		chunks, err := strconv.Atoi(gone[i+1])
		if err != nil {
			return "", 0, now, a.unexpected(s, err)
		}
		keys = append(keys, a.chunkKeys(gone[i], chunks)...)
	}
	a.erase(ctx, keys)
	return limit, time.Duration(micro) * time.Microsecond, time.UnixMicro(time1), nil
}

func (a artifacts) chunkKeys(id string, chunks int) (keys []string) {
	for i := range chunks {
		keys = append(keys, a.chunkKey(id, i))
	}
	return keys
}

// erase deletes contents. What is not deleted because of an error expires by itself.
func (a artifacts) erase(ctx context.Context, keys []string) {
	const page = 500
	for len(keys) > 0 {
		some := keys[:min(page, len(keys))]
		keys = keys[len(some):]
		_ = a.multi(ctx, "deleting results", func(i int) rueidis.Completed {
			return a.redis.B().Unlink().Key(some[i]).Build()
		}, len(some), nil)
	}
}

// multi does n commands at once. got, if not nil, takes each answer.
func (a artifacts) multi(ctx context.Context, step string, command func(i int) rueidis.Completed, n int, got func(i int, m rueidis.RedisMessage) error) error {
	_, err := a.do(ctx, step, func(ctx context.Context) (last rueidis.RedisMessage, err error) {
		commands := make([]rueidis.Completed, n)
		for i := range commands {
			commands[i] = command(i)
		}
		for i, result := range a.redis.DoMulti(ctx, commands...) {
			if last, err = result.ToMessage(); err == nil && got != nil {
				err = got(i, last)
			}
			if err != nil {
				return last, err
			}
		}
		return last, nil
	})
	return err
}

// Open implements [firewall.Store].
func (a artifacts) Open(ctx context.Context, id, handle string) (*firewall.Artifact, error) {
	name := a.names.of("artifact", id, handle)
	chunks := make([][]byte, 1)
	err := a.read(ctx, name, chunks, 0)
	if err != nil {
		return nil, err
	}
	h, first, err := splitHead(chunks[0])
	if err != nil {
		return nil, err
	}
	data := first
	for at := 1; at < h.Chunks; {
		some := make([][]byte, min(chunksAtOnce, h.Chunks-at))
		if err := a.read(ctx, name, some, at); err != nil {
			return nil, err
		}
		for _, chunk := range some {
			data = append(data, chunk...)
		}
		at += len(some)
	}
	if int64(len(data)) != h.Size {
		return nil, firewall.ErrNotFound
	}
	ref := firewall.Ref{Handle: handle, MediaType: h.MediaType, Label: h.Label, Size: h.Size}
	return &firewall.Artifact{Ref: ref, Data: data, Created: h.Created, Expires: h.Expires}, nil
}

// read reads chunks from the one at. A missing chunk is [firewall.ErrNotFound].
func (a artifacts) read(ctx context.Context, name string, chunks [][]byte, at int) error {
	err := a.multi(ctx, "reading a result", func(i int) rueidis.Completed {
		return a.redis.B().Get().Key(a.chunkKey(name, at+i)).Build()
	}, len(chunks), func(i int, m rueidis.RedisMessage) error {
		text, err := m.ToString()
		chunks[i] = []byte(text)
		return err
	})
	if err != nil {
		return err
	}
	for i := range chunks {
		if len(chunks[i]) == 0 {
			return firewall.ErrNotFound
		}
		if chunks[i], err = a.seal.open(name+":"+strconv.Itoa(at+i), chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

// splitHead separates the head from the first bytes.
func splitHead(chunk []byte) (h head, rest []byte, err error) {
	if len(chunk) >= 4 {
		if n := int(binary.BigEndian.Uint32(chunk)); n <= len(chunk)-4 {
			if err = json.Unmarshal(chunk[4:4+n], &h); err == nil && h.Chunks >= 1 {
				return h, chunk[4+n:], nil
			}
		}
	}
	return head{}, nil, errors.New("redis: reading a result: its head is damaged")
}

// A room is a [firewall.Reservation].
type room struct {
	artifacts
	id, owner    string
	payer, guest string
	released     bool
	began, now   time.Time // when it was made, by the clock of this process and of the server
}

// Keep implements [firewall.Reservation]. The contents are written first, and the index last.
func (r *room) Keep(ctx context.Context, parts []firewall.Part) (refs []firewall.Ref, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	now := r.now.Add(time.Since(r.began))
	limits := r.opts.Artifacts
	expires, promised := now.Add(limits.MaxAge), now.Add(limits.Promise)
	args := append(limits.args(), r.id, r.payer, r.guest)
	var written []string // keys
	defer func() {
		if err != nil {
			r.erase(context.WithoutCancel(ctx), written)
			err = full(err)
		}
	}()
	for _, part := range parts {
		ref := firewall.Ref{
			Handle: "art-" + rand.Text(), Size: int64(len(part.Data)),
			MediaType: strings.ToValidUTF8(part.MediaType, "\uFFFD"), Label: strings.ToValidUTF8(part.Label, "\uFFFD"),
		}
		id, chunks := r.names.of("artifact", r.owner, ref.Handle), max((len(part.Data)+chunkSize-1)/chunkSize, 1)
		written = append(written, r.chunkKeys(id, chunks)...)
		if err := r.write(ctx, id, part.Data, head{ref.MediaType, ref.Label, ref.Size, now, expires, chunks}); err != nil {
			return nil, err
		}
		refs = append(refs, ref)
		args = append(args, id, strconv.Itoa(len(part.Data)+len(ref.MediaType)+len(ref.Label)), strconv.Itoa(chunks),
			strconv.FormatInt(promised.UnixMicro(), 10), strconv.FormatInt(expires.UnixMicro(), 10))
	}
	if len(parts) == 0 {
		return refs, nil
	}
	if _, _, _, err = r.index(ctx, keepArtifacts, args); err != nil {
		return nil, err
	}
	return refs, nil
}

// write stores a content in chunks that expire with it.
func (a artifacts) write(ctx context.Context, id string, data []byte, h head) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	for at := 0; at < h.Chunks; at += chunksAtOnce {
		err := a.multi(ctx, "writing a result", func(i int) rueidis.Completed {
			begin := (at + i) * chunkSize
			chunk := data[begin:min(begin+chunkSize, len(data))]
			if at+i == 0 {
				chunk = append(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...), chunk...)
			}
			sealed := a.seal.close(id+":"+strconv.Itoa(at+i), chunk)
			return a.redis.B().Set().Key(a.chunkKey(id, at+i)).Value(rueidis.BinaryString(sealed)).PxatMillisecondsTimestamp(h.Expires.UnixMilli()).Build()
		}, min(chunksAtOnce, h.Chunks-at), nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// Release implements [firewall.Reservation]. If the server cannot be reached, the reservation lapses.
func (r *room) Release() {
	if r.released {
		return
	}
	r.released = true
	r.rooms.release(r.id)
	_, _ = r.run(context.Background(), releaseRoom, r.indexKeys(), append(r.opts.Artifacts.args(), r.id)...)
}

// rooms are the reservations of this process. They are renewed as long as the process lives.
type rooms struct {
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu   sync.Mutex
	held map[string]bool
}

// lease is how long a reservation outlasts its process.
const lease = 30 * time.Second

func newRooms(c *Client) *rooms {
	ctx, cancel := context.WithCancel(context.Background())
	r := &rooms{cancel: cancel, held: make(map[string]bool)}
	r.done.Go(func() { r.renew(ctx, artifacts{c}) })
	return r
}

func (r *rooms) close() {
	r.cancel()
	r.done.Wait()
}

func (r *rooms) hold(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[id] = true
}

func (r *rooms) release(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, id)
}

// renew renews all reservations three times within a lease, until ctx ends.
func (r *rooms) renew(ctx context.Context, a artifacts) {
	ticker := time.NewTicker(a.lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		args := append(a.opts.Artifacts.args(), strconv.FormatInt(a.lease.Microseconds(), 10))
		fixed := len(args)
		r.mu.Lock()
		for id := range r.held {
			args = append(args, id)
		}
		r.mu.Unlock()
		if len(args) > fixed {
			_, _ = a.run(ctx, renewRooms, a.indexKeys(), args...) // the next tick tries again
		}
	}
}
