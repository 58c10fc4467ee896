package files

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"
)

type listInput struct {
	Path      string `json:"path,omitempty" jsonschema:"Folder to list, relative to the root; without it, the root." cash:"example=src"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"Also list what is in the folders below."`
	Prefix    string `json:"prefix,omitempty" jsonschema:"List only what begins so, below the folder." cash:"example=test_"`
	Glob      string `json:"glob,omitempty" jsonschema:"List only what matches this pattern of a .gitignore file, below the folder." cash:"example=*.go"`
	Gitignore bool   `json:"gitignore,omitempty" jsonschema:"Leave out what the .gitignore files of the root and below it exclude."`
	Limit     int    `json:"limit,omitempty" jsonschema:"Most entries to return." cash:"min=1,max=5000,default=200"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"From next of the page before."`
}

// A listing is the result of list: a page of the entries by path.
type listing struct {
	Entries []entry `json:"entries" cash:"detail=minimal"`
	// Next is the cursor of the next page. Empty is the end.
	Next string `json:"next,omitempty" cash:"detail=minimal"`
	// Total is the exact number of entries on all pages. It is on the first page, if it was found in time.
	Total *int `json:"total,omitempty" cash:"detail=minimal"`
	// Incomplete means that some entries are on no page: they are too deep, or in an unreadable folder.
	Incomplete bool `json:"incomplete,omitempty" cash:"detail=minimal"`
	// LeftOut is the number of entries whose names cannot be used here. It is on the first page.
	LeftOut int `json:"left_out,omitempty" cash:"detail=standard"`
}

// Count implements registry.Counter.
func (l listing) Count() int {
	if l.Total == nil {
		return -1
	}
	return *l.Total
}

// An entry is a file, a folder, a symbolic link, or something else.
type entry struct {
	Path     string     `json:"path" cash:"detail=minimal"`
	Type     string     `json:"type" cash:"detail=standard"`
	Size     *int64     `json:"size,omitempty" cash:"detail=standard"` // of a file
	Modified *time.Time `json:"modified,omitempty" cash:"detail=full"`
}

func (f *Files) list(ctx context.Context, in listInput) (listing, error) {
	glob, err := newGlob(in.Glob)
	if err != nil {
		return listing{}, err
	}
	end, err := f.reading(ctx)
	if err != nil {
		return listing{}, err
	}
	defer end()
	shown, place, err := f.folder(in.Path)
	if err != nil {
		return listing{}, err
	}
	l, total, most := listing{Entries: []entry{}}, 0, cmp.Or(in.Limit, 200)
	var failure error
	w := walk{files: f, recursive: in.Recursive, after: in.Cursor, prefix: below(shown, in.Prefix)}
	w.visit = func(e *entryAt) bool {
		if glob != nil && !glob.matches(strings.TrimPrefix(e.shown, below(shown, "")), e.mode.IsDir()) {
			return true
		}
		if len(l.Entries) == most {
			if l.Next == "" {
				l.Next = l.Entries[most-1].Path
			}
			total++
			return in.Cursor == "" // the rest is only counted
		}
		info, err := f.disk.Lstat(e.place)
		switch {
		case err == nil:
			total++
			l.Entries = append(l.Entries, newEntry(e.shown, info))
		case !errors.Is(err, fs.ErrNotExist): // it may be gone already
			failure = ioError("Listing", e.shown, err)
		}
		return failure == nil
	}
	ended, err := w.run(ctx, shown, place, in.Gitignore)
	if err = cmp.Or(failure, err); err != nil {
		return listing{}, err
	}
	if !ended && l.Next == "" {
		l.Next = w.at
	}
	if ended && in.Cursor == "" {
		l.Total = &total
	}
	l.Incomplete, l.LeftOut = w.incomplete, w.leftOut
	return l, nil
}

// below returns a path below a folder, which may be the root.
func below(folder, p string) string {
	if folder == "" {
		return p
	}
	return folder + "/" + p
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
	place, info, err := f.find(shown, toRead)
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
