package files

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// The journal is a folder in the root, because files can only be renamed within a
// file system. Besides the lock it has, while files change:
const (
	journalFolder = ".cash-files"
	lockName      = journalFolder + "/lock"
	recordName    = journalFolder + "/record"     // what is about to be done, and undone if it is found
	recordTemp    = journalFolder + "/record.tmp" // the record while it is written
	doneName      = journalFolder + "/done"       // the record of what is done
	newPrefix     = journalFolder + "/new-"       // the new contents, numbered as in the record
	oldPrefix     = journalFolder + "/old-"       // the old ones
)

// A record is what a transaction does.
type record struct {
	Files   []recordFile `json:"files"`
	Folders []string     `json:"folders,omitempty"` // that are made, each after those above it
}

// A recordFile is one file of it.
type recordFile struct {
	Path string `json:"path"`
	Old  bool   `json:"old,omitempty"` // whether there was one
	Size int64  `json:"size"`          // of the new content
	Sum  string `json:"sum"`           // its SHA-256
}

// transact does the writes, all or none. f.mu is held for writing. What is done is
// done for good: the end of ctx stops it only at the beginning.
func (f *Files) transact(ctx context.Context, writes []*write) error {
	if len(writes) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	failure := f.try(writes)
	if failure == nil {
		f.tidy()
		return nil
	}
	if err := f.settle(); err != nil {
		f.unsettled = true
		f.log.ErrorContext(ctx, "the files of a commit that failed cannot be put back", "error", err)
		failure.Message += " Putting back what was there before failed too; it is tried again before anything else is read or written."
		return failure
	}
	failure.Message += " Nothing was changed."
	return failure
}

// try does the writes, and leaves it to settle to undo what has failed.
func (f *Files) try(writes []*write) *registry.Error {
	r := record{}
	for i, w := range writes {
		if err := f.stage(i, w); err != nil {
			return ioError("Writing", w.path, err)
		}
		r.Files = append(r.Files, recordFile{w.path, w.old != nil, int64(len(w.data)), w.sum})
	}
	var err error
	if r.Folders, err = f.missing(writes); err != nil {
		return ioError("Making the folders for", writes[0].path, err)
	}
	if err := f.begin(&r); err != nil {
		return ioError("Writing", journalFolder, err)
	}
	for _, folder := range r.Folders {
		err := f.disk.Mkdir(folder, 0o755)
		if err != nil && !errors.Is(err, fs.ErrExist) { // or somebody else was first
			return ioError("Making the folder", folder, err)
		}
	}
	for i, w := range writes {
		if failure := f.place(i, w); failure != nil {
			return failure
		}
	}
	if err := f.finish(&r); err != nil {
		return ioError("Writing", journalFolder, err)
	}
	return nil
}

// stage puts the new content of a file into the journal, and the old one beside it.
func (f *Files) stage(i int, w *write) error {
	name := newPrefix + strconv.Itoa(i)
	if err := f.disk.Discard(name); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if w.old != nil {
		mode = w.old.info.Mode().Perm()
	}
	err := f.disk.Create(name, mode|0o200, func(file *os.File) error {
		if _, err := file.Write(w.data); err != nil {
			return err
		}
		if w.old == nil {
			return nil // what the process makes new, its umask applies to
		}
		return file.Chmod(mode)
	})
	if err != nil || w.old == nil {
		return err
	}
	return f.backUp(w.path, oldPrefix+strconv.Itoa(i), mode)
}

// backUp gives an old file a second name, or copies it where there are none.
func (f *Files) backUp(p, name string, mode fs.FileMode) error {
	if err := f.disk.Discard(name); err != nil {
		return err
	}
	if f.disk.Link(p, name) == nil {
		return nil
	}
	from, err := f.disk.Open(p)
	if err != nil {
		return err
	}
	defer from.Close()
	if info, err := from.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(errors.New("it is not a regular file any more"), err)
	}
	return f.disk.Create(name, mode|0o200, func(to *os.File) error {
		if _, err := io.Copy(to, from); err != nil {
			return err
		}
		return to.Chmod(mode)
	})
}

// missing returns the folders that the writes need, each after those above it.
func (f *Files) missing(writes []*write) (folders []string, err error) {
	known := map[string]bool{".": true}
	for _, w := range writes {
		for i, c := range w.path {
			dir := w.path[:i]
			if c != '/' || known[dir] {
				continue
			}
			known[dir] = true
			_, err := f.disk.Lstat(dir)
			if errors.Is(err, fs.ErrNotExist) {
				folders = append(folders, dir)
			} else if err != nil {
				return nil, err
			}
		}
	}
	return folders, nil
}

// begin makes the record last. Nothing is done to the files before.
func (f *Files) begin(r *record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(data) > maxRecord { // it would not be read again
		return errors.New("too many folders are to be made at once")
	}
	if err := f.disk.Discard(recordTemp); err != nil {
		return err
	}
	_, err = f.disk.Replace(recordTemp, recordName, 0o600, func(file *os.File) error {
		_, err := file.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	return f.disk.Sync(".") // for the journal's own name
}

// place renames a new file to where it belongs, unless another program has changed
// what is there.
func (f *Files) place(i int, w *write) *registry.Error {
	if err := f.unchanged(w); err != nil {
		return registry.AsError(err)
	}
	if err := f.disk.Rename(newPrefix+strconv.Itoa(i), w.path); err != nil {
		return ioError("Writing", w.path, err)
	}
	return nil
}

// unchanged returns an error if what is there is not what a write replaces.
func (f *Files) unchanged(w *write) error {
	sum := ""
	if w.old != nil && w.old.sum != "" { // not every change shows from outside
		now, err := f.current(w.path)
		if err != nil {
			return err
		}
		if now != nil {
			sum = now.sum
		}
	}
	info, err := f.stat(w.path) // after it: it may have been replaced while it was read
	switch {
	case err != nil:
		return err
	case w.old == nil && info != nil:
		return failed("%s was created by somebody else meanwhile, or is another spelling of a file of this change.", quote(w.path))
	case w.old != nil && (info == nil || !same(w.old.info, info) || sum != w.old.sum):
		return failed("%s was changed by somebody else meanwhile.", quote(w.path))
	}
	return nil
}

// finish makes the new names last, and takes the record away.
func (f *Files) finish(r *record) error {
	for _, dir := range r.dirs() {
		if err := f.disk.Sync(dir); err != nil {
			return err
		}
	}
	if err := f.disk.Rename(recordName, doneName); err != nil {
		return err
	}
	err := f.disk.Sync(journalFolder)
	if err == nil {
		return nil
	}
	if f.disk.Rename(doneName, recordName) == nil {
		return err
	}
	// It is done, and cannot be undone.
	f.log.Error("a commit may be lost with the power", "error", err)
	return nil
}

// dirs returns the folders in which the record changes names.
func (r *record) dirs() (dirs []string) {
	for _, file := range r.Files {
		dirs = append(dirs, path.Dir(file.Path))
	}
	for _, folder := range r.Folders {
		dirs = append(dirs, path.Dir(folder))
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")), cmp.Compare(a, b))
	})
	return slices.Compact(dirs)
}
