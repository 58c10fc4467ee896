package disclosure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Limits of description files.
const (
	maxFiles     = 10_000
	maxFileBytes = 256 << 10
	maxExamples  = 50
	extension    = ".json"
)

// description is the content of a tool's file, as JSON. A nil member is absent.
type description struct {
	text, schema, examples, usage, errors, version json.RawMessage
	modified                                       time.Time // of the file
}

// Descriptions are the description files of a folder. They are safe for concurrent use.
type Descriptions struct {
	fsys fs.FS

	mu    sync.Mutex
	tools map[string]file // by name of the tool
}

// file is a description with the state of its file when it was read. After an error the description is the previous
// one, or empty.
type file struct {
	description
	size int64
}

// ReadDescriptions reads the files <tool>.json of a folder (section 7.1); see the package comment. The error names the
// malformed file.
func ReadDescriptions(fsys fs.FS) (*Descriptions, error) {
	s := &Descriptions{fsys: fsys, tools: make(map[string]file)}
	err := s.read(func(name string, err error) error { return fmt.Errorf("disclosure: description %s: %w", name, err) })
	if err != nil {
		return nil, err
	}
	return s, nil
}

// reload reads changed files. A malformed file is logged once per change, and its previous description stays.
func (s *Descriptions) reload(log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.read(func(name string, err error) error {
		log.Warn("a description is malformed; the last good one stays", "file", name, "error", err)
		return nil
	})
	if err != nil {
		log.Warn("descriptions cannot be read", "error", err)
	}
}

// of returns the file description of a tool.
func (s *Descriptions) of(tool string) description {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools[tool].description
}

// strangers returns the tools with a file that are not in known, sorted.
func (s *Descriptions) strangers(known map[string]bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for name := range s.tools {
		if !known[name] {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// read reads changed files. It calls failed for each malformed one, and stops if that returns an error.
func (s *Descriptions) read(failed func(name string, err error) error) error {
	entries, err := fs.ReadDir(s.fsys, ".")
	if err != nil {
		return fmt.Errorf("disclosure: reading descriptions: %w", err)
	}
	if len(entries) > maxFiles {
		return fmt.Errorf("disclosure: reading descriptions: more than %d files", maxFiles)
	}
	there := make(map[string]bool)
	for _, e := range entries {
		tool, ok := strings.CutSuffix(e.Name(), extension)
		if !ok || strings.HasPrefix(tool, ".") {
			continue
		}
		there[tool] = true
		if err := s.readEntry(tool, e); err != nil {
			if err := failed(e.Name(), err); err != nil {
				return err
			}
		}
	}
	for tool := range s.tools {
		if !there[tool] {
			delete(s.tools, tool)
		}
	}
	return nil
}

// readEntry reads the file of a tool if it has changed.
func (s *Descriptions) readEntry(tool string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	old, ok := s.tools[tool]
	if ok && old.modified.Equal(info.ModTime()) && old.size == info.Size() {
		return nil
	}
	d, err := s.readFile(tool, e)
	if err != nil {
		d = old.description
	}
	d.modified = info.ModTime()
	s.tools[tool] = file{d, info.Size()}
	return err
}

func (s *Descriptions) readFile(tool string, e fs.DirEntry) (description, error) {
	if !e.Type().IsRegular() { // links are not followed, and a pipe would hang
		return description{}, errors.New("not a regular file")
	}
	f, err := s.fsys.Open(e.Name())
	if err != nil {
		return description{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return description{}, err
	}
	if len(data) > maxFileBytes {
		return description{}, fmt.Errorf("larger than %d bytes", maxFileBytes)
	}
	return parseDescription(tool, data)
}

// parseDescription parses the file of a tool.
func parseDescription(tool string, data []byte) (description, error) {
	var d description
	if !isToolName(tool) {
		return d, errors.New("the file's name is not that of a tool")
	}
	if err := strictjson.Check(data); err != nil {
		return d, err
	}
	if kind := strictjson.KindOf(data); kind != strictjson.Object {
		return d, fmt.Errorf("want an object, got %v", kind)
	}
	for key, value := range strictjson.Members(unwrapped(tool, data)) {
		if err := d.member(tool, key, clean.JSON(value)); err != nil {
			return description{}, err
		}
	}
	return d, nil
}

// unwrapped returns the description in a file that has it under the name of its tool, as an answer of the resource does
// (section 11.3).
func unwrapped(tool string, data []byte) []byte {
	members := 0
	for range strictjson.Members(data) {
		members++
	}
	inner := strictjson.Member(data, tool)
	if members != 1 || strictjson.KindOf(inner) != strictjson.Object || slices.Contains(memberNames, tool) && strictjson.Member(inner, "name") == nil {
		return data
	}
	return inner
}

// memberNames are the members of a description. They may be names of tools, too.
var memberNames = []string{"name", "description", "inputSchema", "examples", "usage_guidance", "error_guidance", "version"}

// member sets one member from a file.
func (d *description) member(tool, key string, value json.RawMessage) error {
	kind := strictjson.KindOf(value)
	switch key {
	case "name":
		if strictjson.Text(value) != tool {
			return fmt.Errorf("name is not %q, as the file is called", tool)
		}
	case "description":
		d.text = value
		return wanted(key, kind, kind == strictjson.String && strings.TrimSpace(strictjson.Text(value)) != "", "a text that is not blank")
	case "version":
		d.version = value
		return wanted(key, kind, kind == strictjson.String, "a text")
	case "examples":
		d.examples = value
		n := 0
		for range strictjson.Elements(value) {
			n++
		}
		return wanted(key, kind, kind == strictjson.Array && n <= maxExamples, fmt.Sprintf("an array of at most %d", maxExamples))
	case "usage_guidance":
		d.usage = value
		for name := range strictjson.Members(value) {
			if strings.HasPrefix(name, grantArgument) {
				return fmt.Errorf("usage_guidance has the member %s, which is for grants", grantArgument)
			}
		}
		return wanted(key, kind, kind == strictjson.Object || kind == strictjson.String, "an object or a text")
	case "error_guidance":
		d.errors = value
		return wanted(key, kind, kind == strictjson.Object || kind == strictjson.String, "an object or a text")
	case "inputSchema":
		d.schema = value
		return wanted(key, kind, kind == strictjson.Object, "an object")
	default:
		return fmt.Errorf("unknown member %q", clean.Line(key, 80))
	}
	return nil
}

// wanted returns the error of a member with the wrong type or value.
func wanted(key string, kind strictjson.Kind, ok bool, want string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s: want %s, got %v", key, want, kind)
}
