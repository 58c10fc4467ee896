package disk

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/cash-mcp/go-sdk/firewall/internal/ledger"
	"github.com/cash-mcp/go-sdk/internal/durable"
)

// maxStale bounds how many stale files one Open removes, so that it takes seconds at most. The next Open removes more.
const maxStale = 1 << 16

// A recovery rebuilds the index of a [Store] from its directory. It is used by Open. It removes files only after all
// records have been read, because some systems skip names while a directory changes.
type recovery struct {
	disk    *Store
	found   []*ledger.Entry
	handles map[ledger.Digest]bool
	live    map[string]bool // records and blobs that stay
	unread  bool            // some record could not be read this time
}

func (d *Store) recover() error {
	r := recovery{disk: d, handles: make(map[ledger.Digest]bool), live: make(map[string]bool)}
	err := d.each(func(name string) {
		if isRecord(name) {
			r.readRecord(name)
		}
	})
	if err != nil {
		return err
	}
	// Sorted by expiry: the ledger adds sorted entries faster.
	slices.SortStableFunc(r.found, func(a, b *ledger.Entry) int { return a.Expires.Compare(b.Expires) })
	d.ledger.Sweep() // tells the ledger the time
	for _, e := range r.found {
		d.ledger.Enter(e)
		d.blobs[e.Content]++
	}
	if err := r.clean(); err != nil {
		return err
	}
	d.sweep() // what was evicted, if the limits are lower than they were
	return nil
}

// readRecord indexes the artifacts of a record whose blobs are whole.
func (r *recovery) readRecord(name string) {
	d := r.disk
	data, err := d.folder.Read(name, maxRecord)
	if err != nil && !errors.Is(err, durable.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) {
		r.spare(name, err)
		return
	}
	var all []*ledger.Entry
	if err == nil {
		all, err = decodeRecord(name, data)
	}
	if err != nil {
		d.log.Error("removing a damaged record of artifacts", "file", name, "error", err)
		return
	}
	now := d.ledger.Now()
	for _, e := range all {
		// A clock that was wrong in the past must not keep an artifact for ever.
		if latest := now.Add(d.ledger.Age()); e.Expires.After(latest) {
			e.Expires = latest
		}
		if e.Created.After(now) {
			e.Created = now
		}
		if now.Before(e.Expires) {
			r.take(e)
		}
	}
}

// take indexes an artifact if its blob exists.
func (r *recovery) take(e *ledger.Entry) {
	name := blobName(e.Content)
	info, err := r.disk.folder.Lstat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		r.spare(e.Record, err)
		return
	case err == nil && (!info.Mode().IsRegular() || info.Size() != e.Size || r.handles[e.Handle]):
		err = durable.ErrDamaged
	}
	if err != nil {
		r.disk.log.Error("an artifact is lost", "record", e.Record, "file", name, "error", err)
		return
	}
	r.handles[e.Handle] = true
	r.live[name], r.live[e.Record] = true, true
	r.found = append(r.found, e)
}

// spare leaves an unreadable record for the next Open. All blobs stay too, because any of them may belong to it.
func (r *recovery) spare(name string, err error) {
	r.live[name], r.unread = true, true
	r.disk.log.Error("a record of artifacts cannot be read", "file", name, "error", err)
}

// clean removes the store's own files that no record refers to.
func (r *recovery) clean() error {
	stale := 0
	return r.disk.each(func(name string) {
		if !isOwn(name) || r.live[name] || r.unread && isDigest(name, blobPrefix) {
			return
		}
		if stale++; stale <= maxStale {
			r.disk.remove(name)
		}
	})
}

// each calls visit with the name of every entry that is not a directory.
func (d *Store) each(visit func(name string)) error {
	return d.folder.Names(".", func(e fs.DirEntry) bool {
		if !e.IsDir() {
			visit(e.Name())
		}
		return true
	})
}
