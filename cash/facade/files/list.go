package files

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// maxVisited bounds the number of names that a list looks at.
const maxVisited = 50_000

type listInput struct {
	Path      string `json:"path,omitempty" jsonschema:"Folder to list, relative to the root; without it, the root." cash:"example=src"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"Also list what is in the folders below."`
	Limit     int    `json:"limit,omitempty" jsonschema:"Most entries to return." cash:"min=1,max=5000,default=200"`
}

// A listing is the result of list: the first entries by path.
type listing struct {
	Entries []entry `json:"entries" cash:"detail=minimal"`
	Total   int     `json:"total" cash:"detail=minimal"`
	// Incomplete means that not all entries were counted: too many, too deep, or in an unreadable folder.
	Incomplete bool `json:"incomplete,omitempty" cash:"detail=minimal"`
	// LeftOut is the number of entries whose names cannot be used here.
	LeftOut int `json:"left_out,omitempty" cash:"detail=standard"`
}

// Count implements registry.Counter.
func (l listing) Count() int { return l.Total }

// An entry is a file, a folder, a symbolic link, or something else.
type entry struct {
	Path     string     `json:"path" cash:"detail=minimal"`
	Type     string     `json:"type" cash:"detail=standard"`
	Size     *int64     `json:"size,omitempty" cash:"detail=standard"` // of a file
	Modified *time.Time `json:"modified,omitempty" cash:"detail=full"`
}

func (f *Files) list(ctx context.Context, in listInput) (listing, error) {
	if err := f.reading(); err != nil {
		return listing{}, err
	}
	defer f.mu.RUnlock()
	shown, place, err := f.folder(in.Path)
	if err != nil {
		return listing{}, err
	}
	w := walk{files: f, recursive: in.Recursive}
	if err := w.walk(ctx, shown, place); err != nil {
		return listing{}, err
	}
	slices.SortFunc(w.found, func(a, b found) int { return cmp.Compare(a.shown, b.shown) })
	l := listing{Entries: []entry{}, Total: len(w.found), Incomplete: w.incomplete, LeftOut: w.leftOut}
	for _, e := range w.found {
		if len(l.Entries) >= cmp.Or(in.Limit, 200) {
			break
		}
		if err := ctx.Err(); err != nil {
			return listing{}, err
		}
		info, err := f.disk.Lstat(e.place)
		if errors.Is(err, fs.ErrNotExist) {
			l.Total-- // it is gone already
			continue
		}
		if err != nil {
			return listing{}, ioError("Listing", e.shown, err)
		}
		l.Entries = append(l.Entries, newEntry(e.shown, info))
	}
	return l, nil
}

// folder returns the name of a listed folder as requested, and its real path.
func (f *Files) folder(p string) (shown, place string, err error) {
	if p == "" || p == "." || p == "./" {
		return "", ".", nil
	}
	if p[0] != '/' { // reject an absolute path
		p = strings.TrimRight(p, "/")
	}
	if shown, err = cleanPath(p); err != nil {
		return "", "", err
	}
	place, info, err := f.find(shown, true)
	switch {
	case err != nil:
		return "", "", err
	case info == nil:
		return "", "", failed("There is no folder %s.", quote(shown))
	case !info.IsDir():
		return "", "", failed("%s is not a folder.", quote(shown))
	}
	return shown, place, nil
}

func newEntry(shown string, info fs.FileInfo) entry {
	modified := info.ModTime().UTC()
	e := entry{Path: shown, Type: "other", Modified: &modified}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		size := info.Size()
		e.Type, e.Size = "file", &size
	case mode.IsDir():
		e.Type = "folder"
	case mode&fs.ModeSymlink != 0:
		e.Type = "link"
	}
	return e
}

// A walk collects the entries of a folder and of its subfolders. It follows no links.
type walk struct {
	files      *Files
	recursive  bool
	found      []found
	visited    int
	leftOut    int
	incomplete bool
}

type found struct{ shown, place string }

func (w *walk) walk(ctx context.Context, shown, place string) error {
	for todo := []found{{shown, place}}; len(todo) > 0 && w.visited <= maxVisited; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		err := w.files.disk.Names(at.place, func(e fs.DirEntry) bool {
			if w.visited++; w.visited > maxVisited || ctx.Err() != nil {
				w.incomplete = true
				return false
			}
			if folder := w.visit(at, e); folder != nil {
				todo = append(todo, *folder)
			}
			return true
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil || at.place != place && errors.Is(err, fs.ErrNotExist): // it may be gone already
		case at.place == place:
			return ioError("Listing", cmp.Or(at.shown, "."), err)
		default:
			w.incomplete = true
			w.files.log.WarnContext(ctx, "a folder cannot be listed", "folder", at.shown, "error", err)
		}
	}
	return nil
}

// visit adds one entry. It returns a subfolder to list next, or nil.
func (w *walk) visit(at found, e fs.DirEntry) *found {
	if at.place == "." && isJournal(e.Name()) {
		return nil
	}
	child := found{path.Join(at.shown, e.Name()), path.Join(at.place, e.Name())}
	if !usable(e.Name()) || len(child.shown) > maxPath {
		w.leftOut++
		return nil
	}
	w.found = append(w.found, child)
	switch {
	case !w.recursive || !e.IsDir():
		return nil
	case strings.Count(child.shown, "/")+1 >= maxDepth:
		w.incomplete = true
		return nil
	}
	return &child
}
