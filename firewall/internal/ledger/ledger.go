// Package ledger is the index of an artifact store: artifacts by owner with their expiry, and the room that is left.
// The stores of package firewall and firewall/disk share it.
//
//	room, full := l.Reserve(owner, size) // before the call
//	ref, entry := l.Admit(room.Owner, l.Now(), data, "text/plain", "")
//	l.Keep(room, []*ledger.Entry{entry})
//	l.Release(room)
//
// # How it works
//
// Artifacts and reservations are items of a [bounded.Store]. Each counts in the share of its payer, in the total, and
// if its owner is a guest, in the share of all guests. A reservation stays until it is released. An artifact stays
// until its promise ends, and then until it expires or its room is needed. If the payer's share is full, the payer's
// oldest artifact goes. If the total is full and the payer has none, that of the payer with the most of it goes.
//
// The parent imports this package, so its types mirror the parent's and convert into them.
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
	Promise          time.Duration
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
	limit, each  bounded.Amount // in total, and of each payer
	age, promise time.Duration
	now          func() time.Time

	kept *bounded.Store[key, *Entry]
	gone []*Entry // since the last sweep
}

// A key is the handle of an artifact, or identifies a reservation.
type key struct {
	handle Digest
	room   *Room
}

// An Owner mirrors the parent's Owner. Payer is set.
type Owner struct {
	ID, Payer Digest
	Guest     bool
}

// OwnerOf returns an owner for the fields of the parent's. An empty payer is the owner itself.
func OwnerOf(id, payer string, guest bool) Owner {
	return Owner{DigestOf(id), DigestOf(cmp.Or(payer, id)), guest}
}

// An Entry is an artifact in the index.
type Entry struct {
	Ref              // without its handle
	Handle, Content  Digest
	Owner            Owner
	Created, Expires time.Time
	Record           string // the file of the record, in a store on disk
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
	Owner Owner
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
	l.promise = min(cmp.Or(max(o.Promise, 0), 5*time.Minute), l.age)
	if l.now == nil {
		l.now = time.Now
	}
	l.kept = bounded.New(l.now, func(it *bounded.Item[key, *Entry]) {
		if it.Value != nil {
			l.gone = append(l.gone, it.Value)
		}
	})
	l.kept.Rank(payer, l.limit)
	return l
}

// Now returns the time of the ledger's clock.
func (l *Ledger) Now() time.Time { return l.now() }

// Age returns how long an artifact is kept.
func (l *Ledger) Age() time.Duration { return l.age }

// Used returns the number and the bytes of artifacts and reservations, expired ones too until the next Sweep.
func (l *Ledger) Used() (count, bytes int64) {
	all := l.kept.Used(bounded.Share{})
	return all.Count, all.Bytes
}

// Reserve sweeps, then makes room for one artifact of size bytes. A result may have more parts, but their number is not
// known yet. Evicted artifacts are among those that the next Sweep returns.
func (l *Ledger) Reserve(owner Owner, size int64) (*Room, *Full) {
	return l.reserve(owner, size, l.limit)
}

// Exchange works like Reserve, but takes no more room than it gains by eviction. It is for a full disk.
func (l *Ledger) Exchange(owner Owner, size int64) (*Room, *Full) {
	return l.reserve(owner, size, bounded.Amount{Count: l.limit.Count, Bytes: max(l.kept.Used(bounded.Share{}).Bytes, 1)})
}

func (l *Ledger) reserve(owner Owner, size int64, most bounded.Amount) (*Room, *Full) {
	r := &Room{Owner: owner, Bytes: max(size, 0)}
	takes := bounded.Amount{Count: 1, Bytes: r.Bytes}
	shares := l.shares(owner, most)
	r.item = l.kept.Put(key{room: r}, nil, bounded.Terms{Takes: takes, Promised: bounded.Never}, shares...)
	if r.item != nil {
		return r, nil
	}
	for i := range shares {
		if short := l.kept.Shortage(shares[i], takes); short != nil {
			return nil, full(short, scopes[shares[i].Kind])
		}
	}
	return nil, &Full{Limit: "bytes"} // not reached: a share had no room
}

// The kinds of shares, besides that of all.
const (
	payer  = "payer"
	guests = "guests"
)

// scopes are the ends of the names of limits, by kind of share.
var scopes = map[string]string{payer: " per owner", guests: " of guests"}

// shares returns the shares of an owner's artifacts: of its payer, of all guests if it is one, and of all with the
// limit most. Guests have three quarters.
func (l *Ledger) shares(owner Owner, most bounded.Amount) []bounded.Share {
	list := make([]bounded.Share, 0, 3)
	list = append(list, bounded.Share{Kind: payer, Of: string(owner.Payer[:]), Most: l.each, Evicts: true})
	if owner.Guest {
		few := bounded.Amount{Count: l.limit.Count - l.limit.Count/4, Bytes: l.limit.Bytes - l.limit.Bytes/4}
		list = append(list, bounded.Share{Kind: guests, Most: few, Evicts: true})
	}
	return append(list, bounded.Share{Most: most, Evicts: true})
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

// Keep sweeps, then adds artifacts to the index. They take the room of r as far as it goes.
func (l *Ledger) Keep(r *Room, all []*Entry) {
	l.kept.Sweep()
	for _, e := range all {
		r.Bytes = max(r.Bytes-e.cost(), 0)
		l.kept.Resize(r.item, bounded.Amount{Bytes: r.Bytes})
		l.Enter(e)
	}
}

// Enter adds an artifact to the index, even if there is no room after eviction.
func (l *Ledger) Enter(e *Entry) {
	takes := bounded.Amount{Count: 1, Bytes: e.cost()}
	terms := bounded.Terms{Takes: takes, Expires: e.Expires, Promised: earlier(e.Created.Add(l.promise), e.Expires)}
	shares := l.shares(e.Owner, l.limit)
	if l.kept.Put(key{handle: e.Handle}, e, terms, shares...) == nil {
		for i := range shares {
			shares[i].Most = bounded.Amount{}
		}
		l.kept.Put(key{handle: e.Handle}, e, terms, shares...)
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Find sweeps, then returns the entry of the owner's ID under handle, or nil. A handle of another owner takes the same
// time as an unknown one.
func (l *Ledger) Find(owner Digest, handle string) *Entry {
	if len(handle) != handleLength {
		return nil
	}
	it := l.kept.Get(key{handle: DigestOf(handle)})
	if it == nil || subtle.ConstantTimeCompare(it.Value.Owner.ID[:], owner[:]) == 0 {
		return nil
	}
	return it.Value
}

// Sweep removes the expired entries. It returns them and the evicted ones.
func (l *Ledger) Sweep() (gone []*Entry) {
	l.kept.Sweep()
	gone, l.gone = l.gone, nil
	return gone
}

// Admit makes an entry for a part of owner, and a new handle for it. The entry is not in the index yet.
func (l *Ledger) Admit(owner Owner, now time.Time, data []byte, mediaType, label string) (Ref, *Entry) {
	ref := Ref{MediaType: plainText(mediaType), Label: plainText(label), Size: int64(len(data))}
	handle := newHandle()
	e := &Entry{Ref: ref, Handle: DigestOf(handle), Owner: owner, Content: Sum(data), Created: now, Expires: now.Add(l.age)}
	return e.RefAs(handle), e
}

// plainText returns a copy of s that is valid UTF-8, so that it survives a round trip through a file.
func plainText(s string) string { return strings.Clone(strings.ToValidUTF8(s, "\uFFFD")) }
