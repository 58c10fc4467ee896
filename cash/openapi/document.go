package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Limits of documents.
const (
	maxDocument = 64 << 20
	maxFiles    = 100
	maxDepth    = 200
	maxHops     = 32 // references that lead to references
)

// A set holds a document and the files that its references lead to.
type set struct {
	files fs.FS // may be nil
	docs  map[string]*node
	work  *work
}

// A work bounds what is read of a set: a small document can refer to its parts again and again. Its unit is a byte of
// text, or some nanoseconds.
type work struct{ left int64 }

// maxWork is some twenty times what a document of 1,200 operations needs.
const maxWork = 256 << 20

var errWork = errors.New("the document refers to so much of itself that the rest is not read")

// spend reports whether there is enough left.
func (w *work) spend(n int) bool {
	w.left -= int64(n)
	return w.left >= 0
}

func (w *work) over() bool { return w.left < 0 }

// An origin is a document of a set. The name of the first one is empty.
type origin struct {
	name string
	work *work
}

// A node is a value of a document, read when it is asked for.
type node struct {
	raw     []byte
	file    *origin
	read    bool
	keys    []string
	keyed   int // bytes of the keys
	members map[string]*node
	list    []*node
}

// readSet returns the set of a document, and its top.
func readSet(data []byte, files fs.FS) (*set, *node, error) {
	s := &set{files: files, docs: make(map[string]*node), work: &work{maxWork}}
	raw, err := readJSON(data)
	if err != nil {
		return nil, nil, err
	}
	if version := spelling(strictjson.Member(raw, "swagger")); version != "" {
		if raw, err = convert(raw, version); err != nil {
			return nil, nil, err
		}
	}
	top := &node{raw: raw, file: &origin{work: s.work}}
	switch version := versionOf(top); {
	case version == "":
		return nil, nil, errors.New("there is no member openapi or swagger that gives a version: want an OpenAPI document")
	case !strings.HasPrefix(version, "3."):
		return nil, nil, fmt.Errorf("OpenAPI %.50q is not supported: want 3.0, 3.1, 3.2 or Swagger 2.0", version)
	}
	s.docs[""] = top
	return s, top, nil
}

// versionOf returns the version of an OpenAPI document.
func versionOf(top *node) string {
	if m := top.get("openapi"); m != nil {
		return spelling(m.raw)
	}
	return ""
}

// spelling returns the value of a text, and a number as it is spelled: YAML takes a version without quotes for one.
func spelling(value []byte) string {
	if strictjson.KindOf(value) == strictjson.Number {
		return string(value)
	}
	return strictjson.Text(value)
}

// readJSON returns a document in JSON or YAML as strict JSON, with its order of keys.
func readJSON(data []byte) ([]byte, error) {
	if len(data) > maxDocument {
		return nil, fmt.Errorf("the document has %d bytes; at most %d are read", len(data), maxDocument)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if strictjson.KindOf(data) != strictjson.Object {
		var err error
		if data, err = fromYAML(data); err != nil {
			return nil, err
		}
	}
	if err := strictjson.CheckDepth(data, maxDepth); err != nil {
		var at *strictjson.Error
		if errors.As(err, &at) {
			return nil, fmt.Errorf("line %d: %s", 1+bytes.Count(data[:min(at.Offset, len(data))], []byte("\n")), at.Reason)
		}
		return nil, err
	}
	return data, nil
}

func (n *node) kind() strictjson.Kind {
	if n == nil {
		return strictjson.Null
	}
	return strictjson.KindOf(n.raw)
}

func (n *node) load() {
	if n == nil || n.read {
		return
	}
	n.read = true
	if !n.file.work.spend(len(n.raw) / 8) {
		return
	}
	switch n.kind() {
	case strictjson.Object:
		n.members = make(map[string]*node)
		for key, value := range strictjson.Members(n.raw) {
			n.keys, n.keyed = append(n.keys, key), n.keyed+len(key)
			n.members[key] = &node{raw: value, file: n.file}
		}
	case strictjson.Array:
		for _, value := range strictjson.Elements(n.raw) {
			n.list = append(n.list, &node{raw: value, file: n.file})
		}
	}
}

// get returns a member of an object; nil if there is none.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	n.load()
	n.file.work.spend(8)
	return n.members[key]
}

func (n *node) names() []string {
	if n == nil {
		return nil
	}
	n.load()
	n.file.work.spend(n.keyed + 8*len(n.keys))
	return n.keys
}

func (n *node) elements() []*node {
	if n == nil {
		return nil
	}
	n.load()
	n.file.work.spend(8 * len(n.list))
	return n.list
}

func (n *node) text(key string) string {
	return n.get(key).string()
}

// string returns the value of a text; empty if it is none.
func (n *node) string() string {
	if n.kind() == strictjson.String && n.file.work.spend(len(n.raw)) {
		return strictjson.Text(n.raw)
	}
	return ""
}

// line returns a text clean, on one line, of at most so many characters.
func (n *node) line(most int) string {
	return strings.Clone(clean.Line(clean.Beginning(n.string(), 8*most), most))
}

// about returns a description, clean and bounded.
func (n *node) about(key string) string {
	return strings.Clone(clean.Cut(clean.Text(clean.Beginning(n.text(key), 8*maxDescription)), maxDescription))
}

// yes returns a boolean member, and whether there is one.
func (n *node) yes(key string) (yes, ok bool) {
	m := n.get(key)
	if m.kind() != strictjson.Bool {
		return false, false
	}
	return string(m.raw) == "true", true
}

// is reports whether a schema has a type, which 3.1 lists.
func (n *node) is(word string) bool {
	return n.text("type") == word || slices.Contains(n.texts("type"), word)
}

func (n *node) texts(key string) []string {
	var list []string
	for _, e := range n.get(key).elements() {
		if e.kind() == strictjson.String {
			list = append(list, e.string())
		}
	}
	return list
}

// resolve returns what n refers to, or n itself. key identifies the target of a reference; it is empty without one.
func (s *set) resolve(n *node) (target *node, key string, err error) {
	for range maxHops {
		if n.get("$ref").kind() != strictjson.String {
			return n, key, nil
		}
		if n, key, err = s.lookup(n.text("$ref"), n.file.name); err != nil {
			return nil, "", err
		}
	}
	return nil, "", errors.New("references lead to one another without end")
}

// lookup returns the value that a reference in doc names.
func (s *set) lookup(ref, doc string) (*node, string, error) {
	if !s.work.spend(100 + 2*len(ref)) {
		return nil, "", errWork
	}
	name, pointer, _ := strings.Cut(ref, "#")
	if name != "" {
		var err error
		if doc, err = s.open(name, doc); err != nil {
			return nil, "", err
		}
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil, "", fmt.Errorf("$ref %q is no JSON pointer", ref)
	}
	n := s.docs[doc]
	for i, part := range strings.Split(pointer, "/") {
		if i == 0 {
			continue
		}
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		if n.kind() == strictjson.Array {
			n.load()
			at, err := strconv.Atoi(part)
			if err == nil && at >= 0 && at < len(n.list) {
				n = n.list[at]
				continue
			}
			n = nil
		}
		if n = n.get(part); n == nil {
			return nil, "", fmt.Errorf("$ref %q names nothing", ref)
		}
	}
	return n, doc + "#" + pointer, nil
}

// open reads a file of the embedder's, and returns its name.
func (s *set) open(ref, from string) (string, error) {
	name, err := url.PathUnescape(ref)
	if err != nil || s.files == nil || strings.Contains(name, ":") || strings.HasPrefix(name, "/") {
		return "", fmt.Errorf("$ref %q leads out of the document, which is not followed", ref)
	}
	name = path.Join(path.Dir(from), name)
	if s.docs[name] != nil {
		return name, nil
	}
	if len(s.docs) > maxFiles {
		return "", fmt.Errorf("$ref %q is one of more than %d files", ref, maxFiles)
	}
	data, err := readFile(s.files, name, maxDocument)
	if !s.work.spend(len(data)) { // of one that is no document too, which each reference reads again
		return "", errWork
	}
	if err == nil {
		data, err = readJSON(data)
	}
	if err != nil {
		return "", fmt.Errorf("reading $ref %q: %w", ref, err)
	}
	s.docs[name] = &node{raw: data, file: &origin{name, s.work}}
	return name, nil
}
