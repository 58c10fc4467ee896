package disk

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/internal/ledger"
	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

type room struct {
	disk  *Store
	room  *ledger.Room
	spare spare // holds the disk space until it becomes a blob
}

// Keep implements [firewall.Reservation]. It writes each part to a temporary file and renames the file to a blob. The
// record comes last and turns all parts into artifacts at once.
func (r *room) Keep(ctx context.Context, parts []firewall.Part) ([]firewall.Ref, error) {
	d := r.disk
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.life.RUnlock()
	if len(parts) == 0 {
		return nil, nil
	}
	refs, all, now := make([]firewall.Ref, len(parts)), make([]*ledger.Entry, len(parts)), d.ledger.Now()
	for i, p := range parts {
		ref, e := d.ledger.Admit(r.room.Owner, now, p.Data, p.MediaType, p.Label)
		refs[i], all[i] = firewall.Ref(ref), e
	}
	k := keeping{disk: d, temps: make(map[ledger.Digest]string)}
	if err := k.run(ctx, r, parts, all); err != nil {
		k.undo()
		if rootfs.IsFull(err) {
			err = errDiskFull
		}
		return nil, fmt.Errorf("keeping a result: %w", err)
	}
	return refs, nil
}

// Release implements [firewall.Reservation].
func (r *room) Release() {
	d := r.disk
	d.life.RLock()
	defer d.life.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ledger.Release(r.room)
	if r.spare.name != "" && !d.closed {
		d.giveBack(r.spare)
		r.spare = spare{}
	}
}

// A keeping is one Keep in progress. It remembers what to undo if the Keep fails.
type keeping struct {
	disk   *Store
	temps  map[ledger.Digest]string // files that hold contents already
	blobs  []ledger.Digest          // contents that are counted already
	record [2]string                // the temporary name and the final name of the record
}

func (k *keeping) run(ctx context.Context, r *room, parts []firewall.Part, all []*ledger.Entry) error {
	name, data, err := encodeRecord(all)
	if err != nil {
		return err
	}
	for i, e := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := k.writeBlob(r, e, parts[i].Data); err != nil {
			return err
		}
	}
	if err := k.placeBlobs(all); err != nil {
		return err
	}
	if err := k.writeRecord(name, data); err != nil {
		return err
	}
	for _, e := range all {
		e.Record = name
	}
	k.disk.mu.Lock()
	defer k.disk.mu.Unlock()
	k.disk.ledger.Keep(r.room, all)
	k.disk.sweep() // what was evicted
	return nil
}

// writeBlob writes a content even if the store has it already. The old file may be damaged, and a faster answer would
// reveal that another owner has the same content.
func (k *keeping) writeBlob(r *room, e *ledger.Entry, data []byte) error {
	switch {
	case e.Size > maxPart:
		return errors.New("a part has more than 1 GiB")
	case k.temps[e.Content] != "":
		return nil
	}
	temp := r.spare.name
	if r.spare = (spare{}); temp == "" {
		temp = tempName()
	}
	k.temps[e.Content] = temp
	return k.disk.write(temp, data)
}

// write replaces the content of a file and syncs it to disk. The file may exist already.
func (d *Store) write(name string, data []byte) error {
	return d.folder.Write(name, 0, 0o600, func(file *os.File) error {
		if _, err := file.Write(data); err != nil {
			return err
		}
		return d.folder.Step("truncate", name, func() error { return file.Truncate(int64(len(data))) })
	})
}

// placeBlobs renames the temporary files to blobs and syncs the directory.
func (k *keeping) placeBlobs(all []*ledger.Entry) error {
	d := k.disk
	d.mu.Lock()
	for _, e := range all {
		if temp := k.temps[e.Content]; temp != "" {
			if err := d.folder.Rename(temp, blobName(e.Content)); err != nil {
				d.mu.Unlock()
				return err
			}
			delete(k.temps, e.Content)
			delete(d.litter, blobName(e.Content))
		}
		d.blobs[e.Content]++
		k.blobs = append(k.blobs, e.Content)
	}
	d.mu.Unlock()
	// Sync even if another Keep has placed the same blob: its own sync may still be missing.
	return d.folder.Sync(".")
}

func (k *keeping) writeRecord(name string, data []byte) error {
	k.record = [2]string{tempName(), name}
	_, err := k.disk.folder.Replace(k.record[0], name, 0o600, func(file *os.File) error {
		_, err := file.Write(data)
		return err
	})
	return err
}

func (k *keeping) undo() {
	d := k.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range k.record {
		if name != "" {
			d.remove(name)
		}
	}
	for _, c := range k.blobs {
		d.drop(c)
	}
	for _, temp := range k.temps {
		d.remove(temp)
	}
}
