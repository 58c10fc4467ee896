package disk

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/cash-mcp/go-sdk/firewall/internal/ledger"
	"github.com/cash-mcp/go-sdk/internal/durable"
)

// maxStale bounds how many files are removed when a store is opened, so that
// a directory full of them costs seconds. The rest waits for the next time.
const maxStale = 1 << 16

// A recovery fills the index of a [Store] from its directory. Nothing is removed
// before all records have been read: systems may skip names in a list that
// changes.
type recovery struct {
	disk    *Store
	found   []*ledger.Entry
	handles map[ledger.Digest]bool
	live    map[string]bool // records and blobs that stay
	unread  bool            // there is something that could not be read, this time
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
	// In order, or adding them would take long.
	slices.SortStableFunc(r.found, func(a, b *ledger.Entry) int { return a.Expires.Compare(b.Expires) })
	for _, e := range r.found {
		d.ledger.Enter(e)
		d.blobs[e.Content]++
	}
	return r.clean()
}

// readRecord takes up the artifacts of a record that are whole.
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
		// No clock of the past makes an artifact stay for ever.
		if latest := now.Add(d.ledger.Age()); e.Expires.After(latest) {
			e.Expires = latest
		}
		if now.Before(e.Expires) {
			r.take(e)
		}
	}
}

// take takes up an artifact if its blob is there.
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

// spare leaves a record that cannot be read now for the next time, and with it
// all blobs, because any of them may be its own.
func (r *recovery) spare(name string, err error) {
	r.live[name], r.unread = true, true
	r.disk.log.Error("a record of artifacts cannot be read", "file", name, "error", err)
}

// clean removes the store's own files that nothing refers to.
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

// each calls visit with the names of what is no directory.
func (d *Store) each(visit func(name string)) error {
	return d.folder.Names(".", func(e fs.DirEntry) bool {
		if !e.IsDir() {
			visit(e.Name())
		}
		return true
	})
}
