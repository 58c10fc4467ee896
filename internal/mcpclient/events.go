package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// An event is one server-sent event.
type event struct {
	name, id, retry string
	data            []byte
	last            bool // the connection was cut within it
}

// message reports whether the event carries a message.
func (e event) message() bool {
	return len(e.data) > 0 && (e.name == "" || e.name == "message")
}

// events parses server-sent events with at most limit bytes of data (HTML Living Standard, section 9.2.6). Unlike
// there, an event at the end of the stream counts although no blank line follows.
type events struct {
	r       *bufio.Reader
	limit   int
	started bool
}

func newEvents(r io.Reader, limit int) *events {
	return &events{r: bufio.NewReaderSize(r, 16<<10), limit: limit}
}

// next returns the next event. The error is an *oversize; an *[Error], after which nothing can be read; or that of
// the reader. With an error, the event has the other fields that were read.
func (e *events) next() (event, error) {
	p := pending{data: chunk{limit: e.limit}}
	for noise := 0; noise <= e.limit+maxNoise; {
		n, err := e.field(&p)
		noise += n + 1
		switch {
		case p.endless:
			return p.event, tooLarge(e.limit)
		case err == nil && n > 0:
		case p.some: // a blank line, or the end
			var all error
			p.event.data, all = p.data.all()
			p.event.last = err != nil && !errors.Is(err, io.EOF)
			return p.event, all
		case err != nil:
			return event{}, err
		}
	}
	if p.data.size > e.limit {
		return p.event, tooLarge(e.limit)
	}
	return event{}, errNoise
}

var errNoise = malformed("it sends no messages, but other things without end")

// pending is an event whose end has not been read.
type pending struct {
	event
	data    chunk
	lines   int  // data lines
	some    bool // it has a field
	endless bool
}

// field reads a line and returns its length without the line end. Length zero ends an event.
func (e *events) field(p *pending) (int, error) {
	line, err := e.part()
	if !e.started {
		e.started = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	n := len(line)
	key, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	isData := string(key) == "data"
	if isData {
		p.some = true
		if p.lines++; p.lines > 1 {
			p.endless = !p.data.add([]byte("\n"))
		}
		p.endless = p.endless || !p.data.add(value)
	} else if !errors.Is(err, bufio.ErrBufferFull) {
		p.set(string(key), string(value)) // a value longer than the buffer is of no use
	}
	for errors.Is(err, bufio.ErrBufferFull) && !p.endless && n <= e.limit+maxNoise {
		line, err = e.part()
		n += len(line)
		if isData {
			p.endless = !p.data.add(line)
		}
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		err = nil
	}
	return n, err
}

// part reads a line without its end. If the error is bufio.ErrBufferFull, it is only as much as fits the buffer. It
// is valid until the next call.
func (e *events) part() ([]byte, error) {
	part, err := e.r.ReadSlice('\n')
	switch {
	case err == nil:
		part = bytes.TrimSuffix(part[:len(part)-1], []byte("\r"))
	case errors.Is(err, bufio.ErrBufferFull) && part[len(part)-1] == '\r':
		_ = e.r.UnreadByte() // it may be part of the line end
		part = part[:len(part)-1]
	}
	return part, err
}

// set stores a field other than data.
func (p *pending) set(key, value string) {
	if len(value) > maxField || !utf8.ValidString(value) {
		return
	}
	switch key {
	case "event":
		p.name = value
	case "retry":
		p.retry = value
	case "id":
		if strings.ContainsAny(value, "\x00\r") {
			return
		}
		p.id = value
	default:
		return
	}
	p.some = true
}
