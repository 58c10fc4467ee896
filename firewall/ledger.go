package firewall

import (
	"crypto/subtle"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// A FullError says which limit of a store leaves no room, and for how long. It
// wraps [ErrFull].
type FullError struct {
	// Limit is "bytes", "artifacts", "bytes per owner" or "artifacts per owner",
	// or "disk" if the disk of a [Disk] is full.
	Limit string
	// RetryAfter is the time after which enough artifacts have expired. Zero says
	// that this is not known: what is in the way are calls that are running, or
	// the limit is smaller than what was asked for.
	RetryAfter time.Duration
}

func (e *FullError) Error() string {
	text := fmt.Sprintf("%v: the limit on %s is reached", ErrFull, e.Limit)
	if e.Limit == "disk" {
		text = ErrFull.Error() + ": the disk is full"
	}
	if e.RetryAfter > 0 {
		text += fmt.Sprintf("; there is room again in %v", e.RetryAfter.Truncate(time.Second)+time.Second)
	}
	return text
}

// Unwrap returns [ErrFull].
func (e *FullError) Unwrap() error { return ErrFull }

// A quota bounds artifacts.
type quota struct {
	bytes int64
	count int
}

// A ledger is the index of a store, and knows what there is room for. It is not
// safe for concurrent use.
type ledger struct {
	limit, each quota // of all, and of each owner
	age         time.Duration
	now         func() time.Time

	artifacts map[digest]*stored // by handle
	owners    map[digest]*tally
	all       tally
}

// A stored is an artifact in the index. The handle in its Ref is empty.
type stored struct {
	Ref
	handle, owner, content digest
	created, expires       time.Time
	record                 string // the file that holds this, of a Disk
}

// cost is what s counts for.
func (s *stored) cost() int64 { return s.Size + int64(len(s.MediaType)+len(s.Label)) }

// artifact returns what Open does.
func (s *stored) artifact(handle string, data []byte) *Artifact {
	a := &Artifact{Ref: s.Ref, Data: data, Created: s.created, Expires: s.expires}
	a.Handle = handle
	return a
}

// A tally sums up what is kept and reserved. Equal contents count every time, so
// that nobody can tell from it what others have.
type tally struct {
	bytes int64
	count int
	kept  []*stored // by expiry, the next first
}

// A room is what is left of a reservation.
type room struct {
	owner digest
	bytes int64
	count int
}

func newLedger(o MemoryOptions) *ledger {
	l := &ledger{
		limit:     quota{orDefault(o.MaxBytes, 256<<20), orDefault(o.MaxArtifacts, 10_000)},
		each:      quota{orDefault(o.MaxBytesPerOwner, 64<<20), orDefault(o.MaxPerOwner, 1000)},
		age:       orDefault(o.MaxAge, 30*time.Minute),
		now:       o.Now,
		artifacts: make(map[digest]*stored),
		owners:    make(map[digest]*tally),
	}
	if l.now == nil {
		l.now = time.Now
	}
	return l
}

func orDefault[T int | int64 | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// reserve makes room for one artifact of some bytes. A result may have more
// parts; how many is not known before.
func (l *ledger) reserve(owner digest, size int64) (*room, error) {
	r := &room{owner, max(size, 0), 1}
	mine, now := l.of(owner), l.now()
	if err := mine.full(l.each, r, now, " per owner"); err != nil {
		l.forget(owner)
		return nil, err
	}
	if err := l.all.full(l.limit, r, now, ""); err != nil {
		l.forget(owner)
		return nil, err
	}
	l.add(owner, r.bytes, r.count)
	return r, nil
}

// release gives r back.
func (l *ledger) release(r *room) {
	l.add(r.owner, -r.bytes, -r.count)
	r.bytes, r.count = 0, 0
	l.forget(r.owner)
}

// keep enters artifacts, in what is left of r as far as that goes.
func (l *ledger) keep(r *room, all []*stored) {
	for _, s := range all {
		l.enter(s)
		bytes, count := min(r.bytes, s.cost()), min(r.count, 1)
		l.add(r.owner, -bytes, -count)
		r.bytes, r.count = r.bytes-bytes, r.count-count
	}
}

// enter adds an artifact to the index.
func (l *ledger) enter(s *stored) {
	l.artifacts[s.handle] = s
	l.add(s.owner, s.cost(), 1)
	l.all.insert(s)
	l.of(s.owner).insert(s)
}

// find returns what owner has under handle, nil if that is nothing, after a
// sweep. What others have there costs the same time as nothing.
func (l *ledger) find(owner digest, handle string) *stored {
	if len(handle) != handleLength {
		return nil
	}
	s := l.artifacts[digestOf(handle)]
	if s == nil || subtle.ConstantTimeCompare(s.owner[:], owner[:]) == 0 {
		return nil
	}
	return s
}

// sweep takes out what has expired, and returns it.
func (l *ledger) sweep() []*stored {
	now, n := l.now(), 0
	for n < len(l.all.kept) && !now.Before(l.all.kept[n].expires) {
		n++
	}
	gone := l.all.shift(n)
	for _, s := range gone {
		delete(l.artifacts, s.handle)
		l.of(s.owner).shift(1) // it is in the same order
		l.add(s.owner, -s.cost(), -1)
		l.forget(s.owner)
	}
	return gone
}

func (l *ledger) of(owner digest) *tally {
	t := l.owners[owner]
	if t == nil {
		t = new(tally)
		l.owners[owner] = t
	}
	return t
}

// forget drops the tally of an owner who has nothing.
func (l *ledger) forget(owner digest) {
	if t := l.owners[owner]; t != nil && t.count == 0 && t.bytes == 0 {
		delete(l.owners, owner)
	}
}

func (l *ledger) add(owner digest, bytes int64, count int) {
	for _, t := range []*tally{&l.all, l.of(owner)} {
		t.bytes += bytes
		t.count += count
	}
}

// full returns an error if t has no room for r.
func (t *tally) full(limit quota, r *room, now time.Time, whose string) error {
	switch {
	case t.count >= limit.count:
		return &FullError{"artifacts" + whose, t.wait(limit, r, now)}
	case r.bytes > limit.bytes-t.bytes:
		return &FullError{"bytes" + whose, t.wait(limit, r, now)}
	}
	return nil
}

// wait returns the time after which enough has expired to make room for r, zero
// if that is never enough.
func (t *tally) wait(limit quota, r *room, now time.Time) time.Duration {
	bytes, count := t.bytes, t.count
	for _, s := range t.kept {
		bytes, count = bytes-s.cost(), count-1
		if count < limit.count && r.bytes <= limit.bytes-bytes {
			return s.expires.Sub(now)
		}
	}
	return 0
}

// insert puts s behind all that expire no later, most of the time at the end.
func (t *tally) insert(s *stored) {
	i := sort.Search(len(t.kept), func(i int) bool { return t.kept[i].expires.After(s.expires) })
	t.kept = slices.Insert(t.kept, i, s)
}

// shift takes out the first n.
func (t *tally) shift(n int) []*stored {
	gone := slices.Clone(t.kept[:n])
	clear(t.kept[:n])
	t.kept = t.kept[n:]
	return gone
}

// admit describes parts as artifacts of owner, made now.
func (l *ledger) admit(owner digest, parts []Part) (refs []Ref, all []*stored) {
	now := l.now()
	refs, all = make([]Ref, len(parts)), make([]*stored, len(parts))
	for i, p := range parts {
		ref := Ref{MediaType: plainText(p.MediaType), Label: plainText(p.Label), Size: int64(len(p.Data))}
		handle := newHandle()
		all[i] = &stored{
			Ref: ref, owner: owner, handle: digestOf(handle), content: sumOf(p.Data),
			created: now, expires: now.Add(l.age),
		}
		refs[i] = ref
		refs[i].Handle = handle
	}
	return refs, all
}

// plainText returns a copy of s that is valid UTF-8, as it is read back from a file.
func plainText(s string) string { return strings.Clone(strings.ToValidUTF8(s, "\uFFFD")) }
