package files

import (
	"fmt"
	"os"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// The modes of a commit.
const (
	replace    = "replace"
	addOnly    = "add_only"
	updateOnly = "update_only"
)

// The actions on a file.
const (
	overwrite = "overwrite"
	create    = "create"
	skip      = "skip"
)

// A write is a change to one file.
type write struct {
	path     string
	change   change
	data     []byte // new content; set by plan, unless the file is skipped
	sum      string // SHA-256 of data
	old      *state // the current file; nil is none
	action   string
	conflict string // why the write must not happen; empty is no conflict
}

// done returns the outcome of a write.
func (w *write) done() written {
	size := len(w.data)
	switch w.action {
	case skip:
		return written{Path: w.path, Result: "skipped"}
	case create:
		return written{w.path, "created", w.sum, &size}
	}
	return written{w.path, "written", w.sum, &size}
}

// maxEdits bounds the edits of a roundtrip.
const maxEdits = 1000

// writes parses the changes of a roundtrip, without looking at the files.
func (f *Files) writes(changes []change) ([]*write, error) {
	if len(changes) > f.maxFiles {
		return nil, tooMany(len(changes), f.maxFiles)
	}
	edits := 0
	writes := make([]*write, len(changes))
	known := make(map[string]bool, len(changes))
	for i, c := range changes {
		p, err := cleanPath(c.Path)
		if err != nil {
			return nil, err
		}
		if known[p] {
			return nil, duplicate(p, p)
		}
		known[p] = true
		if err := c.check(); err != nil {
			return nil, err
		}
		if edits += len(c.Edits); edits > maxEdits {
			return nil, invalid("There are too many edits; at most %d are taken at once.", maxEdits)
		}
		c.Path = p
		writes[i] = &write{path: p, change: c}
	}
	return writes, checkFolders(writes, known)
}

// checkFolders rejects a path that is a parent folder of another one.
func checkFolders(writes []*write, known map[string]bool) error {
	for _, w := range writes {
		for i, c := range w.path {
			if c == '/' && known[w.path[:i]] {
				return invalid("The changes have %s both as a file and as a folder of %s.", quote(w.path[:i]), quote(w.path))
			}
		}
	}
	return nil
}

func duplicate(a, b string) error {
	if a == b {
		return invalid("The changes have %s more than once.", quote(a))
	}
	return invalid("The changes have %s and %s, which are the same file.", quote(a), quote(b))
}

func tooMany(n, most int) error {
	return invalid("There are %d files; a roundtrip takes at most %d. Split it.", n, most)
}

func (f *Files) tooMuch() error {
	return invalid("The contents are too large; a roundtrip takes at most %d bytes in all. Split it.", f.maxBytes)
}

// plan decides the action and the new content of each write. It passes each write with the content of its file to
// visit, and does not keep that content.
func (f *Files) plan(m *manifest, writes []*write, mode string, visit func(*write)) error {
	var bytes int64
	for _, w := range writes {
		var err error
		if w.old, err = f.current(w.path); err != nil {
			return err
		}
		sum, listed := m.sums[w.path]
		w.judge(sum, listed, mode)
		// The edits of a file in conflict were made for another content.
		if err := f.resolve(w); err != nil && (w.conflict == "" || w.change.Content != nil) {
			return err
		}
		if bytes += int64(len(w.data)); bytes > f.maxBytes {
			return f.tooMuch()
		}
		visit(w)
		if w.old != nil {
			w.old.data = nil
		}
	}
	return checkSame(writes)
}

// judge decides one write, given the manifest's entry for its file.
func (w *write) judge(sum string, listed bool, mode string) {
	switch {
	case w.old != nil && mode == addOnly, w.old == nil && mode == updateOnly:
		w.action = skip
	case w.old == nil:
		w.action = create
		if sum != "" {
			w.conflict = "removed since roundtrip_start"
		}
	default:
		w.action = overwrite
		switch {
		case !listed:
			w.conflict = "exists, and is not in the manifest"
		case sum == "":
			w.conflict = "created since roundtrip_start"
		case sum != w.old.sum:
			w.conflict = "changed since roundtrip_start"
		}
	}
}

// checkSame rejects two paths that are the same file, because the file system ignores case or normalizes Unicode. If
// both are new, this only shows later.
func checkSame(writes []*write) error {
	alike := make(map[string][]*write)
	for _, w := range writes {
		if w.old == nil {
			continue
		}
		key := fold(w.path)
		for _, o := range alike[key] {
			if os.SameFile(o.old.info, w.old.info) {
				return duplicate(o.path, w.path)
			}
		}
		alike[key] = append(alike[key], w)
	}
	return nil
}

// conflicts returns the error of the writes in conflict, or nil.
func conflicts(writes []*write) *registry.Error {
	var texts []string
	var details []map[string]any
	for _, w := range writes {
		if w.conflict == "" {
			continue
		}
		details = append(details, map[string]any{"path": w.path, "reason": w.conflict})
		if len(texts) < 10 {
			texts = append(texts, quote(w.path)+" ("+w.conflict+")")
		}
	}
	if len(details) == 0 {
		return nil
	}
	list := strings.Join(texts, ", ")
	if more := len(details) - len(texts); more > 0 {
		list += fmt.Sprintf(", and %d more", more)
	}
	e := failed("Nothing was written, because of conflicts: %s.", list)
	e.Details = map[string]any{"conflicts": details}
	return e
}
