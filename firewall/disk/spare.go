package disk

import (
	"fmt"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// A spare is a file that holds disk space for a result. It also proves, before a tool runs, that the directory can be
// written. A call whose result is not kept leaves its spare to the next call. The zero value is no spare.
type spare struct {
	name    string
	size    int64
	checked time.Time // when the space was allocated or last checked
}

// Bounds of the spares that wait for a call.
const (
	maxSpares = 8
	maxSpare  = 4 << 20     // bytes of one
	spareAge  = time.Second // after which the disk is probed again
)

// errDiskFull is the error of a full disk.
var errDiskFull = &firewall.FullError{Limit: "disk"}

// giveBack keeps a spare for the next call, or removes it. An empty spare holds no space. The caller holds d.mu.
func (d *Store) giveBack(s spare) {
	if s.size > 0 && s.size <= maxSpare && len(d.spares) < maxSpares {
		d.spares = append(d.spares, s)
		return
	}
	d.remove(s.name)
}

// prepare makes sure that a spare holds size bytes.
func (d *Store) prepare(s spare, size int64) (spare, error) {
	now := d.ledger.Now()
	if s.name != "" && s.size >= size && now.Sub(s.checked).Abs() < spareAge {
		return s, nil
	}
	if s.name == "" {
		s.name = tempName()
	}
	s.size, s.checked = max(s.size, size), now
	switch err := d.allocate(s.name, s.size); {
	case rootfs.IsFull(err):
		return s, errDiskFull
	case err != nil:
		return s, fmt.Errorf("making room for a result: %w", err)
	}
	return s, nil
}

// allocate creates a file and reserves disk space for it, where the system can. The file may exist already.
func (d *Store) allocate(name string, size int64) error {
	file, err := d.folder.OpenFile(name, 0, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	return d.folder.Step("allocate", name, func() error { return allocate(file, size) })
}
