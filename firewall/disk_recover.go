package firewall

import (
	"errors"
	"io/fs"
	"slices"
)

// maxStale bounds how many files are removed when a store is opened, so that
// a directory full of them costs seconds. The rest waits for the next time.
const maxStale = 1 << 16

// A recovery fills the index of a [Disk] from its directory. Nothing is removed
// before all records have been read: systems may skip names in a list that
// changes.
type recovery struct {
	disk    *Disk
	found   []*stored
	handles map[digest]bool
	live    map[string]bool // records and blobs that stay
	unread  bool            // there is something that could not be read, this time
}

func (d *Disk) recover() error {
	r := recovery{disk: d, handles: make(map[digest]bool), live: make(map[string]bool)}
	err := d.folder.each(func(name string) {
		if isRecord(name) {
			r.readRecord(name)
		}
	})
	if err != nil {
		return err
	}
	// In order, or adding them would take long.
	slices.SortStableFunc(r.found, func(a, b *stored) int { return a.expires.Compare(b.expires) })
	for _, s := range r.found {
		d.ledger.enter(s)
		d.blobs[s.content]++
	}
	return r.clean()
}

// readRecord takes up the artifacts of a record that are whole.
func (r *recovery) readRecord(name string) {
	d := r.disk
	data, err := d.folder.read(name, maxRecord)
	if err != nil && !errors.Is(err, errDamaged) && !errors.Is(err, fs.ErrNotExist) {
		r.spare(name, err)
		return
	}
	var all []*stored
	if err == nil {
		all, err = decodeRecord(name, data)
	}
	if err != nil {
		d.log.Error("removing a damaged record of artifacts", "file", name, "error", err)
		return
	}
	now := d.ledger.now()
	for _, s := range all {
		// No clock of the past makes an artifact stay for ever.
		if latest := now.Add(d.ledger.age); s.expires.After(latest) {
			s.expires = latest
		}
		if now.Before(s.expires) {
			r.take(s)
		}
	}
}

// take takes up an artifact if its blob is there.
func (r *recovery) take(s *stored) {
	name := blobName(s.content)
	size, err := r.disk.folder.size(name, maxPart)
	switch {
	case err != nil && !errors.Is(err, errDamaged) && !errors.Is(err, fs.ErrNotExist):
		r.spare(s.record, err)
		return
	case err == nil && (size != s.Size || r.handles[s.handle]):
		err = errDamaged
	}
	if err != nil {
		r.disk.log.Error("an artifact is lost", "record", s.record, "file", name, "error", err)
		return
	}
	r.handles[s.handle] = true
	r.live[name], r.live[s.record] = true, true
	r.found = append(r.found, s)
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
	return r.disk.folder.each(func(name string) {
		if !isOwn(name) || r.live[name] || r.unread && isDigest(name, blobPrefix) {
			return
		}
		if stale++; stale <= maxStale {
			r.disk.remove(name)
		}
	})
}
