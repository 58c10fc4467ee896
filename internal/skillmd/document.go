package skillmd

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxSize is the largest text in bytes that Parse accepts.
	MaxSize = 1 << 20
	// MaxFrontMatter is the largest front matter in bytes that Parse accepts.
	MaxFrontMatter = 64 << 10
)

// Document is a skill text split into used metadata and served Markdown (R68). Of the front matter only name and
// description are kept; all other keys, such as allowed-tools or hooks, are dropped (R77).
type Document struct {
	// Name is the front matter's name, trimmed; empty if there is none.
	Name string
	// Description is the front matter's description on one line; empty if there is none.
	Description string
	// Body is the Markdown after the front matter, with LF line ends, without leading blank lines. It is not stripped
	// yet.
	Body string
	// BodyLine is the line of the source, from 1, at which Body starts. Add BodyLine-1 to a line of a Removal or
	// Reference for its line in the file.
	BodyLine int
}

// Parse splits a SKILL.md text. The front matter is optional. If the first line is "---", it must be closed by another
// "---" and hold one YAML mapping without duplicate keys, anchors, aliases or deep nesting. Scalars are kept as text,
// so an unquoted 1.0 or a date is a valid name. A byte order mark and CRLF line ends are accepted.
//
// Errors name a line of data and never quote values.
func Parse(data []byte) (*Document, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("skill text has %d bytes, more than %d: shorten it", len(data), MaxSize)
	}
	if line := invalidLine(data); line > 0 {
		return nil, fmt.Errorf("line %d: skill text is not valid UTF-8: save it as UTF-8", line)
	}
	text := unixLines(strings.TrimPrefix(string(data), "\ufeff"))
	head, body, line, err := splitFrontMatter(text)
	if err != nil {
		return nil, err
	}
	doc := &Document{}
	if err := doc.readFrontMatter(head); err != nil {
		return nil, err
	}
	doc.setBody(body, line)
	return doc, nil
}

// setBody drops leading blank lines and counts them.
func (d *Document) setBody(body string, line int) {
	for {
		first, rest, more := strings.Cut(body, "\n")
		if !more || strings.TrimSpace(first) != "" {
			break
		}
		body = rest
		line++
	}
	d.Body, d.BodyLine = body, line
}

// splitFrontMatter returns the lines between the two "---", the rest, and the line at which the rest starts.
func splitFrontMatter(text string) (head, body string, line int, err error) {
	first, rest, _ := strings.Cut(text, "\n")
	if !isDelimiter(first) {
		return "", text, 1, nil
	}
	line = 2
	for start := 0; start < len(rest); line++ {
		end, next := len(rest), len(rest)
		if i := strings.IndexByte(rest[start:], '\n'); i >= 0 {
			end, next = start+i, start+i+1
		}
		if isDelimiter(rest[start:end]) {
			return rest[:start], rest[next:], line + 1, nil
		}
		if next > MaxFrontMatter {
			return "", "", 0, fmt.Errorf("line %d: front matter has more than %d bytes: close it with --- or shorten it", line, MaxFrontMatter)
		}
		start = next
	}
	return "", "", 0, errors.New("line 1: front matter is not closed: end it with a line that holds only ---")
}

func isDelimiter(line string) bool {
	return strings.TrimRight(line, " \t") == "---"
}

// unixLines replaces CRLF and single CR by LF. Markdown treats all three as line ends.
func unixLines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// oneLine replaces each run of blanks, line ends and control characters by one blank.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// invalidLine returns the line of the first byte that is not UTF-8, or 0.
func invalidLine(data []byte) int {
	if utf8.Valid(data) {
		return 0
	}
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return 1 + bytes.Count(data[:at], []byte("\n"))
}
