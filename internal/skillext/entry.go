package skillext

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// An Entry is an entry of another server, checked by the rules of the extension.
type Entry struct {
	URI         string
	Name        string
	Prefix      []string // the segments before the name
	FrontMatter json.RawMessage
	Dynamic     bool
	Files       []EntryFile // SKILL.md among them; nil if Dynamic
	Changed     []string    // paths of functions that have changed since the skill was written, as the server says
	Hash        [sha256.Size]byte
}

// Fields returns the front matter of a dynamic skill as it is served on.
func (e *Entry) Fields() registry.SkillOption {
	return registry.FrontMatter(strictjson.Canonical(wire.CleanJSON(e.FrontMatter)))
}

// Listing returns what an entry says, for comparison with another of its URI:
//
//	{"files": {"SKILL.md": "sha256:...", ...}, "frontmatter": {...}}
//
// Files are "dynamic" if the entry says so. Their order, their sizes, which digests imply, and other members of the
// entry are left out.
func (e *Entry) Listing() json.RawMessage {
	if e.Dynamic {
		return DynamicListing(e.FrontMatter)
	}
	files := make(map[string]string, len(e.Files))
	for _, f := range e.Files {
		files[f.Path] = f.Digest
	}
	return listing(e.FrontMatter, files)
}

// DynamicListing returns the listing of a dynamic skill with this front matter.
func DynamicListing(frontMatter json.RawMessage) json.RawMessage {
	return listing(frontMatter, Dynamic)
}

func listing(frontMatter json.RawMessage, files any) json.RawMessage {
	return strictjson.MustMarshal(map[string]any{"files": files, "frontmatter": frontMatter})
}

// An EntryFile is a file of an entry.
type EntryFile struct {
	Resource
	Path string // within the skill's directory, unescaped
}

// Limits of an entry.
const (
	maxEntry    = 1 << 20 // bytes
	maxEntryURI = 2 << 10 // bytes
	maxMain     = 1 << 20 // bytes of SKILL.md, which models read whole
)

// ParseEntry reads an entry that another server lists. Its errors quote nothing. With an error, the entry is nil, or says
// which skill it is of.
func ParseEntry(raw []byte) (*Entry, error) {
	if len(raw) > maxEntry {
		return nil, fmt.Errorf("its entry has more than %d bytes", maxEntry)
	}
	if err := strictjson.Check(raw); err != nil {
		return nil, err
	}
	e := &Entry{URI: URIOf(raw), FrontMatter: strictjson.Member(raw, "frontmatter"), Hash: sha256.Sum256(raw)}
	root, ok := strings.CutSuffix(e.URI, "/"+registry.SkillMD)
	_, path, hasScheme := strings.Cut(root, "://")
	if !ok || !hasScheme || len(e.URI) > maxEntryURI {
		return nil, errors.New("its uri is not that of a SKILL.md")
	}
	segments, err := unescaped(path)
	if err != nil {
		return nil, fmt.Errorf("its uri %w", err)
	}
	last := len(segments) - 1
	e.Prefix, e.Name = segments[:last], segments[last]
	if strictjson.KindOf(e.FrontMatter) != strictjson.Object || strictjson.Text(strictjson.Member(e.FrontMatter, "name")) != e.Name {
		return e, errors.New("the name in its front matter is not the last part of its uri")
	}
	e.Changed = changedIn(raw)
	resources := strictjson.Member(raw, "resources")
	if strictjson.KindOf(resources) == strictjson.String && strictjson.Text(resources) == Dynamic {
		e.Dynamic = true
		return e, nil
	}
	return e, e.readFiles(resources, root)
}

// changedIn returns the changed functions of an entry. What is no path is left out.
func changedIn(raw []byte) (paths []string) {
	for _, one := range strictjson.Elements(strictjson.Member(strictjson.Member(raw, "_meta"), registry.MetaChanged)) {
		path := strictjson.Text(one)
		if _, ok := registry.CanonicalPath(path); ok && path != "" && len(paths) < maxChanged {
			paths = append(paths, path)
		}
	}
	return paths
}

const maxChanged = 100

func (e *Entry) readFiles(resources []byte, root string) error {
	if strictjson.KindOf(resources) != strictjson.Array {
		return errors.New("it has no list of its files")
	}
	seen, folders, total, main := make(map[string]bool), make(map[string]bool), 0, false
	for i, raw := range strictjson.Elements(resources) {
		if i == registry.MaxSkillFiles {
			return fmt.Errorf("it has more than %d files", registry.MaxSkillFiles)
		}
		f := EntryFile{Resource: Resource{URI: URIOf(raw), Digest: strictjson.Text(strictjson.Member(raw, "digest"))}}
		below, ok := strings.CutPrefix(f.URI, root+"/")
		segments, err := unescaped(below)
		switch {
		case !ok || err != nil || len(f.URI) > maxEntryURI:
			return fmt.Errorf("its file %d is not a file of its directory", i+1)
		case !isDigest(f.Digest):
			return fmt.Errorf("its file %d has no SHA-256 digest", i+1)
		}
		f.Path = strings.Join(segments, "/")
		if f.Size, err = strconv.Atoi(string(strictjson.Member(raw, "size"))); err != nil || f.Size < 0 {
			return fmt.Errorf("its file %d has no size", i+1)
		}
		if f.URI == e.URI && f.Size > maxMain {
			return errTooLong
		}
		if f.Size > registry.MaxSkillSize || total+f.Size > registry.MaxSkillSize {
			return fmt.Errorf("its files have more than %d bytes in all", registry.MaxSkillSize)
		}
		// Hosts may keep files where case makes no difference.
		folded := strings.ToLower(f.Path)
		if seen[folded] {
			return fmt.Errorf("its file %d is listed twice, perhaps in another case", i+1)
		}
		seen[folded] = true
		for dir := path.Dir(folded); dir != "." && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
		total += f.Size
		main = main || f.URI == e.URI
		e.Files = append(e.Files, f)
	}
	for dir := range folders {
		if seen[dir] {
			return errors.New("one of its files is a folder as well")
		}
	}
	if !main {
		return errors.New("its SKILL.md is not among its files")
	}
	return nil
}

var errTooLong = fmt.Errorf("its SKILL.md has more than %d bytes", maxMain)

// unescaped returns the segments of a path in a URI. All are names: not empty, no dots alone, nothing invisible.
func unescaped(path string) ([]string, error) {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		text, err := url.PathUnescape(s)
		if err != nil || !fs.ValidPath(text) || text == "." || strings.ContainsAny(text, `/\`) ||
			strings.ContainsAny(s, "?#") || clean.Line(text, len(text)) != text {
			return nil, errors.New("has a part that is no name")
		}
		segments[i] = text
	}
	return segments, nil
}

func isDigest(text string) bool {
	digits, ok := strings.CutPrefix(text, DigestPrefix)
	sum, err := hex.DecodeString(digits)
	return ok && err == nil && len(sum) == sha256.Size && digits == strings.ToLower(digits)
}

// Verify returns an error if a file that was read is not the one of the entry.
func (f *EntryFile) Verify(text string) error {
	sum := sha256.Sum256([]byte(text))
	switch {
	case len(text) != f.Size:
		return errors.New("a file has another size than its entry says")
	case DigestPrefix+hex.EncodeToString(sum[:]) != f.Digest:
		return errors.New("a file has another digest than its entry says")
	}
	return nil
}

// SameFields reports whether two front matters as JSON are equal. Numbers are compared by value, and so are the two
// ways to tell a date: readers of YAML differ in both.
func SameFields(a, b json.RawMessage) bool {
	x, err := decoded(a)
	if err != nil {
		return false
	}
	y, err := decoded(b)
	return err == nil && same(x, y)
}

func decoded(data json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key, value := range x {
			other, ok := y[key]
			if !ok || !same(value, other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		m, errM := x.Float64()
		n, errN := y.Float64()
		return x == y || errM == nil && errN == nil && m == n
	case string:
		y, ok := b.(string)
		return ok && (x == y || sameTime(x, y))
	}
	return a == b
}

// sameTime reports whether two texts are one time, of which at least one is a date alone.
func sameTime(a, b string) bool {
	if len(b) == len(time.DateOnly) {
		a, b = b, a
	}
	x, err := time.Parse(time.DateOnly, a)
	if err != nil {
		return false
	}
	y, err := time.Parse(time.RFC3339, b)
	return err == nil && x.Equal(y)
}
