//go:build realclients

package realclients

import (
	"bytes"
	"regexp"
	"sync"
)

// logBuffer keeps the first 64 KiB of what a process writes, and reports what
// pattern finds in it first. It may be read while the process still runs.
type logBuffer struct {
	pattern *regexp.Regexp // with one group
	ready   chan string    // buffered

	mu    sync.Mutex
	buf   bytes.Buffer
	found bool
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := max(0, 64<<10-b.buf.Len())
	b.buf.Write(p[:min(len(p), room)])
	if found := b.pattern.FindSubmatch(b.buf.Bytes()); !b.found && found != nil {
		b.found = true
		b.ready <- string(found[1])
	}
	return len(p), nil
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
