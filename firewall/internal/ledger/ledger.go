// Package ledger is the index of a store of artifacts: what is kept for whom and
// until when, and how much room there is. The stores of package firewall share it.
//
//	room, full := l.Reserve(owner, size) // before the call
//	ref, entry := l.Admit(owner, l.Now(), data, "text/plain", "")
//	l.Keep(room, []*ledger.Entry{entry})
//	l.Release(room)
//
// # How it works
//
// Every owner has a tally of bytes and artifacts, kept and reserved, and so have all
// together. A list in the order of expiry says what goes next, and when there is room
// again. The parent imports this package, so that the types of both are alike and
// convert into one another.
//
// # Limits
//
// It keeps no contents, and takes no lock.
package ledger

import (
	"cmp"
	"crypto/subtle"
	"slices"
	"sort"
	"strings"
	"time"
)

// Limits bound a ledger. A number that is zero or less stands for its default. The
// fields are those of the parent's MemoryOptions, which explain them.
type Limits struct {
	MaxBytes         int64
	MaxBytesPerOwner int64
	MaxArtifacts     int
	MaxPerOwner      int
	MaxAge           time.Duration
	Now              func() time.Time
}

// A Full says which limit leaves no room, and for how long. It is the parent's
// FullError.
type Full struct {
	Limit      string
	RetryAfter time.Duration
}

// A Ref is the parent's Ref.
type Ref struct {
	Handle    string
	MediaType string
	Size      int64
	Label     string
}

// A quota bounds artifacts.
type quota struct {
	bytes int64
	count int
}

// A Ledger is the index of a store. It is not safe for concurrent use, except for
// Now, Age and Admit.
type Ledger struct {
	limit, each quota // of all, and of each owner
	age         time.Duration
	now         func() time.Time

	artifacts map[Digest]*Entry // by handle
	owners    map[Digest]*tally
	all       tally
}

// An Entry is an artifact in the index.
type Entry struct {
	Ref                    // without its handle
	Handle, Owner, Content Digest
	Created, Expires       time.Time
	Record                 string // the file that holds this, of a store on disk
}

// cost is what an entry counts for.
func (e *Entry) cost() int64 { return e.Size + int64(len(e.MediaType)+len(e.Label)) }

// RefAs returns the reference to the artifact, whose handle is handle.
func (e *Entry) RefAs(handle string) Ref {
	ref := e.Ref
	ref.Handle = handle
	return ref
}

// A tally sums up what is kept and reserved. Equal contents count every time, so
// that nobody can tell from it what others have.
type tally struct {
	bytes int64
	count int
	kept  []*Entry // by expiry, the next first
}

// A Room is what is left of a reservation.
type Room struct {
	Owner Digest
	Bytes int64
	count int
}

// New returns an empty ledger.
func New(o Limits) *Ledger {
	l := &Ledger{
		limit:     quota{cmp.Or(max(o.MaxBytes, 0), 256<<20), cmp.Or(max(o.MaxArtifacts, 0), 10_000)},
		each:      quota{cmp.Or(max(o.MaxBytesPerOwner, 0), 64<<20), cmp.Or(max(o.MaxPerOwner, 0), 1000)},
		age:       cmp.Or(max(o.MaxAge, 0), 30*time.Minute),
		now:       o.Now,
		artifacts: make(map[Digest]*Entry),
		owners:    make(map[Digest]*tally),
	}
	if l.now == nil {
		l.now = time.Now
	}
	return l
}

// Now returns the time of the ledger's clock.
func (l *Ledger) Now() time.Time { return l.now() }

// Age returns how long an artifact is kept.
func (l *Ledger) Age() time.Duration { return l.age }

// Reserve makes room for one artifact of some bytes. A result may have more
// parts; how many is not known before.
func (l *Ledger) Reserve(owner Digest, size int64) (*Room, *Full) {
	r := &Room{owner, max(size, 0), 1}
	mine, now := l.of(owner), l.now()
	if full := mine.full(l.each, r, now, " per owner"); full != nil {
		l.forget(owner)
		return nil, full
	}
	if full := l.all.full(l.limit, r, now, ""); full != nil {
		l.forget(owner)
		return nil, full
	}
	l.add(owner, r.Bytes, r.count)
	return r, nil
}

// Release gives r back.
func (l *Ledger) Release(r *Room) {
	l.add(r.Owner, -r.Bytes, -r.count)
	r.Bytes, r.count = 0, 0
	l.forget(r.Owner)
}

// Keep enters artifacts, in what is left of r as far as that goes.
func (l *Ledger) Keep(r *Room, all []*Entry) {
	for _, e := range all {
		l.Enter(e)
		bytes, count := min(r.Bytes, e.cost()), min(r.count, 1)
		l.add(r.Owner, -bytes, -count)
		r.Bytes, r.count = r.Bytes-bytes, r.count-count
	}
}

// Enter adds an artifact to the index.
func (l *Ledger) Enter(e *Entry) {
	l.artifacts[e.Handle] = e
	l.add(e.Owner, e.cost(), 1)
	l.all.insert(e)
	l.of(e.Owner).insert(e)
}

// Find returns what owner has under handle, nil if that is nothing, after a
// sweep. What others have there costs the same time as nothing.
func (l *Ledger) Find(owner Digest, handle string) *Entry {
	if len(handle) != handleLength {
		return nil
	}
	e := l.artifacts[DigestOf(handle)]
	if e == nil || subtle.ConstantTimeCompare(e.Owner[:], owner[:]) == 0 {
		return nil
	}
	return e
}

// Sweep takes out what has expired, and returns it.
func (l *Ledger) Sweep() []*Entry {
	now, n := l.now(), 0
	for n < len(l.all.kept) && !now.Before(l.all.kept[n].Expires) {
		n++
	}
	gone := l.all.shift(n)
	for _, e := range gone {
		delete(l.artifacts, e.Handle)
		l.of(e.Owner).shift(1) // it is in the same order
		l.add(e.Owner, -e.cost(), -1)
		l.forget(e.Owner)
	}
	return gone
}

func (l *Ledger) of(owner Digest) *tally {
	t := l.owners[owner]
	if t == nil {
		t = new(tally)
		l.owners[owner] = t
	}
	return t
}

// forget drops the tally of an owner who has nothing.
func (l *Ledger) forget(owner Digest) {
	if t := l.owners[owner]; t != nil && t.count == 0 && t.bytes == 0 {
		delete(l.owners, owner)
	}
}

func (l *Ledger) add(owner Digest, bytes int64, count int) {
	for _, t := range []*tally{&l.all, l.of(owner)} {
		t.bytes += bytes
		t.count += count
	}
}

// full returns what leaves no room for r in t, nil if there is room.
func (t *tally) full(limit quota, r *Room, now time.Time, whose string) *Full {
	switch {
	case t.count >= limit.count:
		return &Full{"artifacts" + whose, t.wait(limit, r, now)}
	case r.Bytes > limit.bytes-t.bytes:
		return &Full{"bytes" + whose, t.wait(limit, r, now)}
	}
	return nil
}

// wait returns the time after which enough has expired to make room for r, zero
// if that is never enough.
func (t *tally) wait(limit quota, r *Room, now time.Time) time.Duration {
	bytes, count := t.bytes, t.count
	for _, e := range t.kept {
		bytes, count = bytes-e.cost(), count-1
		if count < limit.count && r.Bytes <= limit.bytes-bytes {
			return e.Expires.Sub(now)
		}
	}
	return 0
}

// insert puts e behind all that expire no later, most of the time at the end.
func (t *tally) insert(e *Entry) {
	i := sort.Search(len(t.kept), func(i int) bool { return t.kept[i].Expires.After(e.Expires) })
	t.kept = slices.Insert(t.kept, i, e)
}

// shift takes out the first n.
func (t *tally) shift(n int) []*Entry {
	gone := slices.Clone(t.kept[:n])
	clear(t.kept[:n])
	t.kept = t.kept[n:]
	return gone
}

// Admit describes a part as an artifact of owner, made now, and refers to it by a new
// handle. The entry is not in the index yet.
func (l *Ledger) Admit(owner Digest, now time.Time, data []byte, mediaType, label string) (Ref, *Entry) {
	ref := Ref{MediaType: plainText(mediaType), Label: plainText(label), Size: int64(len(data))}
	handle := newHandle()
	e := &Entry{Ref: ref, Handle: DigestOf(handle), Owner: owner, Content: Sum(data), Created: now, Expires: now.Add(l.age)}
	return e.RefAs(handle), e
}

// plainText returns a copy of s that is valid UTF-8, as it is read back from a file.
func plainText(s string) string { return strings.Clone(strings.ToValidUTF8(s, "\uFFFD")) }
