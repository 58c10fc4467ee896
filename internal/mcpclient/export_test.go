package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Notification reads a message as one without the SDK's decoder; nil if that is left
// to it.
func Notification(raw []byte) *jsonrpc.Request {
	if messages, err := parse(raw); err != nil || len(messages) != 1 {
		return nil
	}
	return notification(raw)
}

// ReadLines returns the lines of data; nil stands for one that is too large. ok is
// false if reading ended before the end.
func ReadLines(data []byte, limit int) (all [][]byte, ok bool) {
	l := lines{r: bufio.NewReaderSize(bytes.NewReader(data), 16), limit: limit}
	return readAll(l.next)
}

// ReadEvents returns the data of the events that have some, in the same way.
func ReadEvents(data []byte, limit int) (all [][]byte, ok bool) {
	e := newEvents(bytes.NewReader(data), limit)
	e.r = bufio.NewReaderSize(bytes.NewReader(data), 16)
	return readAll(func() ([]byte, error) {
		ev, err := e.next()
		return ev.data, err
	})
}

func readAll(next func() ([]byte, error)) (all [][]byte, ok bool) {
	for {
		data, err := next()
		var large *oversize
		switch {
		case errors.As(err, &large):
			if len(large.head) > sniffed || len(large.tail) > 17*sniffed {
				panic("more than a bit is kept")
			}
			all = append(all, nil)
		case err != nil:
			return all, err == io.EOF
		default:
			all = append(all, append([]byte{}, data...))
		}
	}
}
