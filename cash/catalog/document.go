package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// maxDefinitions bounds the definitions of one kind.
const maxDefinitions = 100_000

// A document is split into its lists, one for each kind.
type document [len(kinds)]list

// A list holds the elements of one list of a document. Each element is JSON, but may be invalid otherwise.
type list struct {
	elements []element
	beyond   int // number of elements over the limit, the first of them in this line
	line     int
	server   string // name of the server of the tools
}

type element struct {
	raw  []byte // a part of the document
	line int
}

// readDocument finds the lists. It requires only that the document is JSON, so that one bad definition does not
// spoil the others.
func readDocument(data []byte) (*document, error) {
	if !json.Valid(data) {
		return nil, misspelled(data)
	}
	r := reader{data: data, line: 1}
	doc := new(document)
	var err error
	switch start := strictjson.SkipSpace(data, 0); data[start] {
	case '[':
		doc[0] = r.readList(start)
	case '{':
		err = r.object(doc, start)
	default:
		err = errors.New("the catalog is neither a list of tools nor an object with such a list")
	}
	return doc, err
}

// misspelled returns the position of the first syntax error.
func misspelled(data []byte) error {
	var syntax *json.SyntaxError
	err := json.Unmarshal(data, new(json.RawMessage))
	if !errors.As(err, &syntax) {
		return fmt.Errorf("the catalog is not JSON: %w", err)
	}
	before := data[:min(max(int(syntax.Offset)-1, 0), len(data))] // the offset is after the byte
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Errorf("the catalog is not JSON: line %d, column %d: %w", line, column, err)
}

// A reader scans a document and counts lines.
type reader struct {
	data     []byte
	at, line int // a position, and its line
	server   string
}

func (r *reader) lineAt(i int) int {
	r.line += bytes.Count(r.data[r.at:i], []byte("\n"))
	r.at = i
	return r.line
}

// object reads the members of a document.
func (r *reader) object(doc *document, i int) error {
	seen := make(map[string]bool)
	for i = strictjson.SkipSpace(r.data, i+1); r.data[i] != '}'; {
		end := strictjson.Skip(r.data, i)
		key := strictjson.Text(r.data[i:end])
		i = strictjson.SkipSpace(r.data, strictjson.SkipSpace(r.data, end)+1) // after the colon
		end = strictjson.Skip(r.data, i)
		if key == "server_name" && !strictjson.Take(&r.server, r.data[i:end]) {
			return fmt.Errorf("line %d: %s: want a string, got type %s", r.lineAt(i), key, strictjson.KindOf(r.data[i:end]))
		}
		for k := range kinds {
			if kinds[k].member != key {
				continue
			}
			if line := r.lineAt(i); seen[key] {
				return fmt.Errorf("line %d: %s: listed before", line, key)
			}
			seen[key] = true
			switch kind := strictjson.KindOf(r.data[i:end]); kind {
			case strictjson.Array:
				doc[k] = r.readList(i)
			case strictjson.Null:
			default:
				return fmt.Errorf("line %d: %s: want an array, got type %s", r.line, key, kind)
			}
		}
		i = strictjson.NextItem(r.data, end)
	}
	doc[0].server = r.server
	if len(seen) > 0 {
		return nil
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.member)
	}
	return fmt.Errorf("the catalog has none of the members %s", strings.Join(names, ", "))
}

// readList reads the array at i.
func (r *reader) readList(i int) list {
	var l list
	for i = strictjson.SkipSpace(r.data, i+1); r.data[i] != ']'; {
		end := strictjson.Skip(r.data, i)
		if len(l.elements) < maxDefinitions {
			l.elements = append(l.elements, element{r.data[i:end], r.lineAt(i)})
		} else if l.beyond++; l.beyond == 1 {
			l.line = r.lineAt(i)
		}
		i = strictjson.NextItem(r.data, end)
	}
	return l
}
