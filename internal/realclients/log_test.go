//go:build realclients

package realclients

import (
	"bytes"
	"regexp"
	"sync"
)

// endpoint is how the shop says where it listens, in a complete line.
var endpoint = regexp.MustCompile(`(http://\S+/mcp)\s`)

// logBuffer keeps the first 64 KiB of what a process writes, and reports the
// first address in it. It may be read while the process still runs.
type logBuffer struct {
	ready chan string // buffered

	mu    sync.Mutex
	buf   bytes.Buffer
	found bool
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := max(0, 64<<10-b.buf.Len())
	b.buf.Write(p[:min(len(p), room)])
	if url := endpoint.FindSubmatch(b.buf.Bytes()); !b.found && url != nil {
		b.found = true
		b.ready <- string(url[1])
	}
	return len(p), nil
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
