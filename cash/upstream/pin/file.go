package pin

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

// File is a [Store] in a JSON file that people can read and compare. It is indented and sorted; invisible
// characters are written as escapes:
//
//	{
//	  "version": 1,
//	  "upstreams": {
//	    "shop": {
//	      "tools": [
//	        {
//	          "name": "create",
//	          "hash": "5f0c…",
//	          "description": "Create an order.",
//	          "inputSchema": {
//	            "type": "object"
//	          }
//	        }
//	      ]
//	    }
//	  }
//	}
//
// The functions of a CaSH server have the same form, in the member functions, next to tools. Skills are in the member
// skills, with what their server lists of them in the member skill ([Definition]).
//
//   - A tool that is removed from the file is no longer pinned.
//   - An edited tool no longer matches its hash. Such a file, or a damaged one, is refused as a whole until it is
//     repaired.
//   - A changed file is read again. Changes by other processes are noticed within two seconds.
//   - A symbolic link is replaced by a regular file on the first save.
//   - Several processes may use one file. Who writes locks a second file next to it, which is removed again, except on
//     Windows. Systems without locks for files may lose one of two changes at the same moment.
type File struct {
	path  string
	fault func(op, name string) error // set by tests; see durable.Folder

	news notifier

	mu   sync.Mutex
	info os.FileInfo // of the file when it was read; nil if there is none
	pins map[string]Pins
}

// Limits of a pin file. The depth is that of a definition plus that of the file around it.
const (
	maxFile     = 64 << 20
	maxPinDepth = strictjson.MaxDepth + 5
)

// OpenFile returns the pins in a file. A missing file counts as empty. The first save creates it, readable by its
// owner only.
func OpenFile(path string) (*File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding pin file: %w", err)
	}
	f := &File{path: path}
	if _, err := f.current(); err != nil {
		return nil, err
	}
	return f, nil
}

// Load implements [Store].
func (f *File) Load(ctx context.Context, label string) (Pins, error) {
	if err := ctx.Err(); err != nil {
		return Pins{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	pins, err := f.current()
	if err != nil {
		return Pins{}, err
	}
	p := pins[label]
	p.Definitions = maps.Clone(p.Definitions)
	return p, nil
}

// Swap implements [Store]. The file is replaced atomically: after a crash or a power loss it is the old one or the
// new one, and once Swap has succeeded the new one. It is an error if a definition is nil, has another name than
// its key or is not JSON, or if the file would exceed 64 MiB.
func (f *File) Swap(ctx context.Context, label, revision string, definitions map[string]*Definition) (next string, err error) {
	if err := check(label, definitions); err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	root, err := os.OpenRoot(filepath.Dir(f.path))
	if err != nil {
		return "", fmt.Errorf("writing pin file %s: %w", f.path, err)
	}
	defer root.Close()
	folder := durable.Folder{Root: root, Fault: f.fault}
	unlock, err := f.lock(ctx, folder)
	if err != nil {
		return "", fmt.Errorf("locking pin file %s: %w", f.path, err)
	}
	defer unlock()
	pins, err := f.current()
	if err != nil {
		return "", err
	}
	if pins[label].Revision != revision {
		return "", ErrChanged
	}
	if pins = maps.Clone(pins); pins == nil {
		pins = make(map[string]Pins)
	}
	if pins[label] = (Pins{Definitions: definitions}); definitions == nil {
		delete(pins, label)
	}
	if err := f.write(folder, pins); err != nil {
		return "", fmt.Errorf("writing pin file %s: %w", f.path, err)
	}
	f.news.notify()
	return f.pins[label].Revision, nil
}

// maxLocked bounds the wait for other processes that write.
const maxLocked = 10 * time.Second

// lock keeps other processes from writing, until unlock is called.
func (f *File) lock(ctx context.Context, folder durable.Folder) (unlock func(), err error) {
	name := "." + filepath.Base(f.path) + ".lock"
	lock, err := durable.Await(ctx, maxLocked, func() (io.Closer, error) { return folder.Lock(name) })
	if errors.Is(err, errors.ErrUnsupported) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	return func() {
		_ = folder.Root.Remove(name) // while it is locked: afterwards it may be the lock of another
		_ = lock.Close()             // closing unlocks, whatever the error
	}, nil
}

// poll is the interval of the checks for changes by others.
const poll = 2 * time.Second

// Watch implements [Store].
func (f *File) Watch(ctx context.Context, changed func(label string)) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	return watch(ctx, &f.news, tick.C, f.revisions, changed)
}

// revisions returns the revision of each upstream. If the file cannot be read, they stay as they were.
func (f *File) revisions() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = f.current() // the error goes to the next Load
	return revisionsOf(f.pins)
}

// revision returns the hash of the names and hashes of definitions.
func revision(definitions map[string]*Definition) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		fmt.Fprintf(sum, "%q %s\n", name, definitions[name].Hash())
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// current returns the content of the file now. The caller holds f.mu.
func (f *File) current() (map[string]Pins, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.info, f.pins = nil, nil
		return nil, nil
	}
	if err == nil && sameVersion(f.info, info) {
		return f.pins, nil
	}
	if err == nil {
		err = f.read(info)
	}
	if err != nil {
		return nil, fmt.Errorf("reading pin file %s: %w", f.path, err)
	}
	return f.pins, nil
}

// sameVersion reports whether a file is unchanged.
func sameVersion(a, b os.FileInfo) bool {
	return a != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func (f *File) read(info os.FileInfo) error {
	if !info.Mode().IsRegular() { // reading a FIFO would never end
		return errors.New("not a regular file")
	}
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return err
	}
	pins, err := decodePins(data)
	if err != nil {
		return err
	}
	f.info, f.pins = info, pins
	return nil
}

func (f *File) write(folder durable.Folder, pins map[string]Pins) error {
	data, err := encodePins(pins)
	if err != nil {
		return err
	}
	if pins, err = decodePins(data); err != nil {
		return fmt.Errorf("it could not be read again: %w", err)
	}
	name := filepath.Base(f.path)
	info, err := folder.Replace("."+name+"-"+rand.Text(), name, 0o600, func(file *os.File) error {
		_, err := file.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	f.info, f.pins = info, pins
	return nil
}

// The types for encoding/json.
type (
	pinDocument struct {
		Version   int                       `json:"version"`
		Upstreams map[string]pinnedUpstream `json:"upstreams"`
	}
	pinnedUpstream struct {
		Tools     []pinnedTool `json:"tools"`
		Functions []pinnedTool `json:"functions,omitempty"`
		Skills    []pinnedTool `json:"skills,omitempty"`
	}
	pinnedTool struct {
		Name         string          `json:"name"`
		Hash         string          `json:"hash"`
		Title        string          `json:"title,omitempty"`
		Description  string          `json:"description,omitempty"`
		InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
		OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
		Annotations  json.RawMessage `json:"annotations,omitempty"`
		Icons        json.RawMessage `json:"icons,omitempty"`
		Meta         json.RawMessage `json:"_meta,omitempty"`
		Skill        json.RawMessage `json:"skill,omitempty"`
	}
)

func encodePins(pins map[string]Pins) ([]byte, error) {
	doc := pinDocument{Version: 1, Upstreams: make(map[string]pinnedUpstream, len(pins))}
	for label, pinned := range pins {
		definitions := pinned.Definitions
		u := pinnedUpstream{Tools: []pinnedTool{}}
		for _, name := range slices.Sorted(maps.Keys(definitions)) {
			d := definitions[name]
			list := [kinds]*[]pinnedTool{&u.Tools, &u.Functions, &u.Skills}[d.kind()]
			*list = append(*list, pinnedTool{
				name, d.Hash(), d.Title, d.Description, d.InputSchema, d.OutputSchema, d.Annotations, d.Icons, d.Meta, d.Skill,
			})
		}
		doc.Upstreams[label] = u
	}
	data, err := strictjson.MarshalFile(doc)
	return wire.EscapeHidden(data), err
}

// decodePins reads a pin file.
func decodePins(data []byte) (map[string]Pins, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("more than %d bytes", maxFile)
	}
	if err := strictjson.CheckDepth(data, maxPinDepth); err != nil {
		return nil, atLine(data, err)
	}
	pins := make(map[string]Pins)
	version := false
	err := strictjson.EachMember(data, func(key string, value []byte) error {
		switch key {
		case "version":
			if version = string(value) == "1"; !version {
				return fmt.Errorf("version %s is not known, only 1", shown(value))
			}
			return nil
		case "upstreams":
			return decodeUpstreams(pins, value)
		}
		return unknownMember(key)
	})
	if err == nil && !version {
		err = errors.New("no version")
	}
	if err != nil {
		return nil, err
	}
	return pins, nil
}

func decodeUpstreams(pins map[string]Pins, data []byte) error {
	return strictjson.EachMember(data, func(label string, value []byte) error {
		if label == "" {
			return errors.New("upstream without a label")
		}
		definitions := make(map[string]*Definition)
		err := strictjson.EachMember(value, func(key string, value []byte) error {
			switch key {
			case "tools":
				return decodeDefinitions(definitions, tool, key, value)
			case "functions":
				return decodeDefinitions(definitions, function, key, value)
			case "skills":
				return decodeDefinitions(definitions, skill, key, value)
			}
			return unknownMember(key)
		})
		if err != nil {
			return fmt.Errorf("upstream %s: %w", quoted(label), err)
		}
		pins[label] = Pins{revision(definitions), definitions}
		return nil
	})
}

// decodeDefinitions reads the tools, the functions or the skills of an upstream.
func decodeDefinitions(definitions map[string]*Definition, k kind, key string, data []byte) error {
	if kind := strictjson.KindOf(data); kind != strictjson.Array {
		return fmt.Errorf("%s: want an array, got type %s", key, kind)
	}
	for i, raw := range strictjson.Elements(data) {
		d, err := decodePinned(raw, k)
		if err == nil && definitions[d.Name] != nil {
			err = errors.New("it is pinned twice")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", wire.Place(strings.TrimSuffix(key, "s"), i, d), err)
		}
		definitions[d.Name] = d
	}
	return nil
}

// decodePinned reads a definition and checks its hash. With an error, the definition holds the parts that could be
// read.
func decodePinned(data []byte, k kind) (*Definition, error) {
	d, hash := &Definition{Function: k == function}, ""
	err := strictjson.EachMember(data, func(key string, value []byte) error {
		switch {
		case key == "hash":
			return strictjson.Set(&hash, key, value)
		case key == "skill" && k == skill:
			return strictjson.Set(&d.Skill, key, value)
		}
		known, err := d.set(key, value)
		if !known {
			return unknownMember(key)
		}
		return err
	})
	switch {
	case err != nil:
		return d, err
	case d.Name == "":
		return d, errors.New("no name")
	case d.kind() != k:
		return d, errors.New("it lacks what the server lists of it")
	case hash != d.Hash():
		return d, errors.New("its hash is of another definition; restore it, or take it out of the file and accept it anew")
	}
	for _, raw := range []*json.RawMessage{&d.InputSchema, &d.OutputSchema, &d.Annotations, &d.Icons, &d.Meta, &d.Skill} { // without the white space of the file
		*raw = strictjson.Compact(*raw)
	}
	return d, nil
}

func unknownMember(key string) error { return fmt.Errorf("unknown member %s", quoted(key)) }

// atLine adds the line number to an error of strictjson.
func atLine(data []byte, err error) error {
	e := err.(*strictjson.Error)
	return fmt.Errorf("line %d: %s", 1+bytes.Count(data[:e.Offset], []byte{'\n'}), clean.Line(e.Error(), 200))
}
