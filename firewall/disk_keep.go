package firewall

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
)

type diskRoom struct {
	disk *Disk
	room *room
	file string // holds the space until it becomes a blob; may be empty
}

// Keep implements [Reservation].
//
// A part becomes a whole file under a name for the time being, then a blob. The
// record, which makes all parts of the result artifacts at once, comes last.
func (r *diskRoom) Keep(ctx context.Context, parts []Part) ([]Ref, error) {
	d := r.disk
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.life.RUnlock()
	refs, all := d.ledger.admit(r.room.owner, parts)
	if len(all) == 0 {
		return refs, nil
	}
	k := keeping{disk: d, temps: make(map[digest]string)}
	if err := k.run(ctx, r, parts, all); err != nil {
		k.undo()
		return nil, fmt.Errorf("keeping a result: %w", err)
	}
	return refs, nil
}

// Release implements [Reservation].
func (r *diskRoom) Release() {
	d := r.disk
	d.life.RLock()
	defer d.life.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ledger.release(r.room)
	if r.file != "" && !d.closed {
		d.remove(r.file)
		r.file = ""
	}
}

// A keeping is a Keep on its way, and knows what is to be undone if it fails.
type keeping struct {
	disk   *Disk
	temps  map[digest]string // files that hold contents already
	blobs  []digest          // contents that count already
	record string            // the file that holds the record, under either name
}

func (k *keeping) run(ctx context.Context, r *diskRoom, parts []Part, all []*stored) error {
	name, data, err := encodeRecord(all)
	if err != nil {
		return err
	}
	for i, s := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := k.writeBlob(r, s, parts[i].Data); err != nil {
			return err
		}
	}
	if err := k.placeBlobs(all); err != nil {
		return err
	}
	if err := k.writeRecord(name, data); err != nil {
		return err
	}
	for _, s := range all {
		s.record = name
	}
	k.disk.mu.Lock()
	defer k.disk.mu.Unlock()
	k.disk.ledger.keep(r.room, all)
	return nil
}

// writeBlob writes a content even if the store has it: its file may have been
// damaged, and the time would tell that somebody has the same.
func (k *keeping) writeBlob(r *diskRoom, s *stored, data []byte) error {
	switch {
	case s.Size > maxPart:
		return errors.New("a part has more than 1 GiB")
	case k.temps[s.content] != "":
		return nil
	}
	temp := r.file
	if r.file = ""; temp == "" {
		temp = tempPrefix + rand.Text()
	}
	k.temps[s.content] = temp
	return k.disk.folder.write(temp, data)
}

// placeBlobs gives the contents their names, and makes them last.
func (k *keeping) placeBlobs(all []*stored) error {
	d := k.disk
	d.mu.Lock()
	for _, s := range all {
		if temp := k.temps[s.content]; temp != "" {
			if err := d.folder.rename(temp, blobName(s.content)); err != nil {
				d.mu.Unlock()
				return err
			}
			delete(k.temps, s.content)
			delete(d.litter, blobName(s.content))
		}
		d.blobs[s.content]++
		k.blobs = append(k.blobs, s.content)
	}
	d.mu.Unlock()
	// Even if another Keep has put the same content there: it may not have come
	// that far.
	return d.folder.sync()
}

func (k *keeping) writeRecord(name string, data []byte) error {
	f := k.disk.folder
	k.record = tempPrefix + rand.Text()
	if err := f.write(k.record, data); err != nil {
		return err
	}
	if err := f.rename(k.record, name); err != nil {
		return err
	}
	k.record = name
	return f.sync()
}

func (k *keeping) undo() {
	d := k.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if k.record != "" {
		d.remove(k.record)
	}
	for _, c := range k.blobs {
		d.drop(c)
	}
	for _, temp := range k.temps {
		d.remove(temp)
	}
}
