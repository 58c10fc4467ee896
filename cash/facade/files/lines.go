package files

import (
	"bytes"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// A lineIndex remembers where lines begin in large files, so that the next reading goes on there.
type lineIndex struct {
	known *bounded.Store[string, *marks] // by place
}

// Marks are the beginnings of lines in a file, in order.
type marks struct {
	mu   sync.Mutex
	info fs.FileInfo // the marks hold as long as the file is the same
	list []mark
}

// A mark is where a line begins, or a place inside one.
type mark struct {
	offset int64
	line   int // from 1
	inside bool
}

// Bounds of the index and of one reading. A reading goes minScanned bytes, whatever time that takes.
const (
	maxIndexed = 16      // files
	maxMarks   = 1 << 15 // of a file
	markEvery  = 4 << 20 // bytes
	scanBlock  = 256 << 10
	minScanned = 64 << 20
)

func newLineIndex() *lineIndex { return &lineIndex{bounded.New[string, *marks](nil, nil)} }

// of returns the marks of a file.
func (x *lineIndex) of(place string, info fs.FileInfo) *marks {
	x.known.Lock()
	defer x.known.Unlock()
	if it := x.known.Get(place); it != nil && same(it.Value.info, info) {
		return it.Value
	} else if it != nil {
		x.known.Remove(it)
	}
	m := &marks{info: info, list: []mark{{line: 1}}}
	x.known.Put(place, m, bounded.Terms{Takes: bounded.Amount{Count: 1}}, bounded.Share{Most: bounded.Amount{Count: maxIndexed}, Evicts: true})
	return m
}

// find returns where a line begins. If there is no such line, it returns the end of the file. found is false if the
// line was not reached in time; then at is the last mark.
func (m *marks) find(r io.ReaderAt, line int) (at mark, found bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.list) - 1; i >= 0; i-- {
		if at = m.list[i]; at.line < line || at.line == line && !at.inside {
			break
		}
	}
	begun, from, buf := time.Now(), at.offset, make([]byte, scanBlock)
	for at.line < line {
		n, err := r.ReadAt(buf, at.offset)
		if n == 0 {
			return at, true, noEOF(err)
		}
		block := buf[:n]
		if lines := bytes.Count(block, newline); at.line+lines < line {
			// Blocks end with a line, unless it is longer.
			if end := bytes.LastIndexByte(block, '\n') + 1; end > 0 {
				at = mark{at.offset + int64(end), at.line + lines, false}
			} else {
				at = mark{at.offset + int64(n), at.line, true}
			}
			m.add(at)
		} else {
			for at.line < line {
				i := bytes.IndexByte(block, '\n') + 1
				at = mark{at.offset + int64(i), at.line + 1, false}
				block = block[i:]
			}
		}
		if at.line < line && at.offset-from > minScanned && time.Since(begun) > maxTime {
			return m.list[len(m.list)-1], false, nil
		}
	}
	return at, true, nil
}

var newline = []byte("\n")

// add adds a mark, if it is far enough behind the last one.
func (m *marks) add(at mark) {
	if last := m.list[len(m.list)-1]; at.offset-last.offset >= markEvery && len(m.list) < maxMarks {
		m.list = append(m.list, at)
	}
}

func noEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
