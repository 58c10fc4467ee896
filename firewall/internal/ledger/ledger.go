// Package ledger is the index of an artifact store: artifacts by owner with their expiry, and the room that is left.
// The stores of package firewall and firewall/disk share it.
//
//	room, full := l.Reserve(owner, size) // before the call
//	ref, entry := l.Admit(owner, l.Now(), data, "text/plain", "")
//	l.Keep(room, []*ledger.Entry{entry})
//	l.Release(room)
//
// # How it works
//
// Artifacts and reservations are items of a [bounded.Store]. Each counts in the share of its owner and in the total. An
// artifact stays until it expires, a reservation until it is released. The parent imports this package, so its types
// mirror the parent's and convert into them.
//
// # Limits
//
// The ledger holds no contents and no lock.
package ledger

import (
	"cmp"
	"crypto/subtle"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// Limits bound a ledger. Zero and less is the default. The fields mirror the parent's MemoryOptions, which explain
// them.
type Limits struct {
	MaxBytes         int64
	MaxBytesPerOwner int64
	MaxArtifacts     int
	MaxPerOwner      int
	MaxAge           time.Duration
	Now              func() time.Time
}

// A Full says which limit leaves no room, and for how long. It converts to the parent's FullError.
type Full struct {
	Limit      string
	RetryAfter time.Duration
}

// A Ref converts to the parent's Ref.
type Ref struct {
	Handle    string
	MediaType string
	Size      int64
	Label     string
}

// A Ledger is the index of a store. Only Now, Age and Admit are safe for concurrent use.
type Ledger struct {
	limit, each bounded.Amount // in total, and of each owner
	age         time.Duration
	now         func() time.Time

	kept *bounded.Store[key, *Entry]
	gone []*Entry // since the last sweep
}

// A key is the handle of an artifact, or identifies a reservation.
type key struct {
	handle Digest
	room   *Room
}

// An Entry is an artifact in the index.
type Entry struct {
	Ref                    // without its handle
	Handle, Owner, Content Digest
	Created, Expires       time.Time
	Record                 string // the file of the record, in a store on disk
}

// cost is the number of bytes that an entry counts for.
func (e *Entry) cost() int64 { return e.Size + int64(len(e.MediaType)+len(e.Label)) }

// RefAs returns the reference to the artifact under the given handle.
func (e *Entry) RefAs(handle string) Ref {
	ref := e.Ref
	ref.Handle = handle
	return ref
}

// A Room is the rest of a reservation.
type Room struct {
	Owner Digest
	Bytes int64
	item  *bounded.Item[key, *Entry]
}

// New returns an empty ledger.
func New(o Limits) *Ledger {
	l := &Ledger{
		limit: bounded.Amount{Bytes: cmp.Or(max(o.MaxBytes, 0), 256<<20), Count: int64(cmp.Or(max(o.MaxArtifacts, 0), 10_000))},
		each:  bounded.Amount{Bytes: cmp.Or(max(o.MaxBytesPerOwner, 0), 64<<20), Count: int64(cmp.Or(max(o.MaxPerOwner, 0), 1000))},
		age:   cmp.Or(max(o.MaxAge, 0), 30*time.Minute),
		now:   o.Now,
	}
	if l.now == nil {
		l.now = time.Now
	}
	l.kept = bounded.New(l.now, func(it *bounded.Item[key, *Entry]) {
		if it.Value != nil {
			l.gone = append(l.gone, it.Value)
		}
	})
	return l
}

// Now returns the time of the ledger's clock.
func (l *Ledger) Now() time.Time { return l.now() }

// Age returns how long an artifact is kept.
func (l *Ledger) Age() time.Duration { return l.age }

// Reserve sweeps, then makes room for one artifact of size bytes. A result may have more parts, but their number is not
// known yet.
func (l *Ledger) Reserve(owner Digest, size int64) (*Room, *Full) {
	r := &Room{Owner: owner, Bytes: max(size, 0)}
	takes, mine, all := bounded.Amount{Count: 1, Bytes: r.Bytes}, l.share(owner), bounded.Share{Most: l.limit}
	mine.Most = l.each
	r.item = l.kept.Put(key{room: r}, nil, bounded.Terms{Takes: takes, Promised: bounded.Never}, mine, all)
	if r.item != nil {
		return r, nil
	}
	if short := l.kept.Shortage(mine, takes); short != nil {
		return nil, full(short, " per owner")
	}
	return nil, full(l.kept.Shortage(all, takes), "")
}

// share returns the share of an owner, without limits.
func (l *Ledger) share(owner Digest) bounded.Share {
	return bounded.Share{Kind: "owner", Of: string(owner[:])}
}

func full(short *bounded.Shortage, whose string) *Full {
	if short.Bytes {
		return &Full{"bytes" + whose, short.Wait}
	}
	return &Full{"artifacts" + whose, short.Wait}
}

// Release ends the reservation r.
func (l *Ledger) Release(r *Room) {
	l.kept.Remove(r.item)
	r.Bytes = 0
}

// Keep adds artifacts to the index. They take the room of r as far as it goes.
func (l *Ledger) Keep(r *Room, all []*Entry) {
	for _, e := range all {
		l.Enter(e)
		r.Bytes = max(r.Bytes-e.cost(), 0)
		l.kept.Resize(r.item, bounded.Amount{Bytes: r.Bytes})
	}
}

// Enter adds an artifact to the index even if there is no room.
func (l *Ledger) Enter(e *Entry) {
	takes := bounded.Amount{Count: 1, Bytes: e.cost()}
	l.kept.Put(key{handle: e.Handle}, e, bounded.Terms{Takes: takes, Expires: e.Expires, Promised: e.Expires}, l.share(e.Owner), bounded.Share{})
}

// Find sweeps, then returns the entry of owner under handle, or nil. A handle of another owner takes the same time as
// an unknown one.
func (l *Ledger) Find(owner Digest, handle string) *Entry {
	if len(handle) != handleLength {
		return nil
	}
	it := l.kept.Get(key{handle: DigestOf(handle)})
	if it == nil || subtle.ConstantTimeCompare(it.Value.Owner[:], owner[:]) == 0 {
		return nil
	}
	return it.Value
}

// Sweep removes the expired entries and returns them.
func (l *Ledger) Sweep() (gone []*Entry) {
	l.kept.Sweep()
	gone, l.gone = l.gone, nil
	return gone
}

// Admit makes an entry for a part of owner, and a new handle for it. The entry is not in the index yet.
func (l *Ledger) Admit(owner Digest, now time.Time, data []byte, mediaType, label string) (Ref, *Entry) {
	ref := Ref{MediaType: plainText(mediaType), Label: plainText(label), Size: int64(len(data))}
	handle := newHandle()
	e := &Entry{Ref: ref, Handle: DigestOf(handle), Owner: owner, Content: Sum(data), Created: now, Expires: now.Add(l.age)}
	return e.RefAs(handle), e
}

// plainText returns a copy of s that is valid UTF-8, so that it survives a round trip through a file.
func plainText(s string) string { return strings.Clone(strings.ToValidUTF8(s, "\uFFFD")) }
