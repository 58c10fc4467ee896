package mcpclient

import (
	"bufio"
	"bytes"
	"errors"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A chunk collects the bytes of one message. Of an oversized message it keeps only the beginning and the end.
type chunk struct {
	limit int
	size  int
	data  []byte // all bytes; empty if oversized
	head  []byte
	tail  []byte
}

// add adds bytes. It reports false if the message is too large to read on.
func (c *chunk) add(p []byte) bool {
	before := c.size
	c.size += len(p)
	switch {
	case c.size <= c.limit:
		c.data = append(c.data, p...)
		return true
	case before <= c.limit:
		c.head = append(bytes.Clone(c.data[:min(len(c.data), sniffed)]), p...)
		c.tail = bytes.Clone(c.data[max(0, len(c.data)-sniffed):])
		c.data = nil
	}
	c.head = c.head[:min(len(c.head), sniffed)]
	c.tail = append(c.tail, p...)
	if len(c.tail) > 16*sniffed {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-sniffed:]...)
	}
	return c.size <= c.limit+maxNoise
}

// all returns the bytes, or an *oversize error.
func (c *chunk) all() ([]byte, error) {
	if c.size > c.limit {
		return nil, &oversize{c.head, c.tail}
	}
	return c.data, nil
}

// oversize is the error for a message that is too large. Reading can continue after it.
type oversize struct{ head, tail []byte }

func (*oversize) Error() string { return "too large" }

// lines reads lines of at most limit bytes.
type lines struct {
	r     *bufio.Reader
	limit int
	last  bool // the line just returned has no end: nothing follows
}

// next returns the next line without its end. The error is an *oversize; an *[Error], after which nothing can be
// read; or that of the reader.
func (l *lines) next() ([]byte, error) {
	c := chunk{limit: l.limit}
	for {
		part, err := l.r.ReadSlice('\n')
		if err == nil {
			part = part[:len(part)-1]
		}
		if !c.add(part) {
			return nil, tooLarge(l.limit)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && c.size == 0:
			return nil, err
		default:
			l.last = err != nil
			return c.all()
		}
	}
}

// half reports whether the last data of a connection are only the beginning of a message.
func half(data []byte) bool { return strictjson.Check(data) != nil }
