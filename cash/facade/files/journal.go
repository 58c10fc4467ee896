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

// The journal is a folder in the root, because files can only be renamed within one file system. It holds the locks,
// and while files change:
const (
	journalFolder = ".cash-files"
	recordName    = journalFolder + "/record"     // the intended changes; they are undone if it is found
	recordTemp    = journalFolder + "/record.tmp" // the record while it is written
	doneName      = journalFolder + "/done"       // the record of a finished transaction
	newPrefix     = journalFolder + "/new-"       // the new contents, numbered as in the record
	oldPrefix     = journalFolder + "/old-"       // the old contents
)

// A record lists the changes of a transaction.
type record struct {
	Files   []recordFile `json:"files"`
	Folders []string     `json:"folders,omitempty"` // created folders, each after its parents
}

// A recordFile is one changed file.
type recordFile struct {
	Path string `json:"path"`
	Old  bool   `json:"old,omitempty"` // an old file exists
	Size int64  `json:"size"`          // of the new content
	Sum  string `json:"sum"`           // its SHA-256
}

// transact executes the writes, all or none. The caller has begun [Files.writing]. ctx is only checked at the
// beginning; a commit is not interrupted.
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

// try executes the writes. After a failure, settle undoes them.
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
		if err != nil && !errors.Is(err, fs.ErrExist) { // another program may have created it first
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

// stage writes the new content of a file into the journal, and keeps the old file beside it.
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
			return nil // the umask applies to new files
		}
		return file.Chmod(mode)
	})
	if err != nil || w.old == nil {
		return err
	}
	return f.backUp(w.path, oldPrefix+strconv.Itoa(i), mode)
}

// backUp links an old file to a second name, or copies it if the file system has no links.
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

// missing returns the folders to create for the writes, each after its parents.
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

// begin writes and syncs the record. No file changes before that.
func (f *Files) begin(r *record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(data) > maxRecord { // a larger one could not be read
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
	return f.disk.Sync(".") // sync the name of the journal itself
}

// place renames a new file into place, unless another program has changed the old one.
func (f *Files) place(i int, w *write) *registry.Error {
	if err := f.unchanged(w); err != nil {
		return registry.AsError(err)
	}
	if err := f.disk.Rename(newPrefix+strconv.Itoa(i), w.path); err != nil {
		return ioError("Writing", w.path, err)
	}
	return nil
}

// unchanged returns an error if the current file differs from the one that a write replaces.
func (f *Files) unchanged(w *write) error {
	sum := ""
	if w.old != nil && w.old.sum != "" { // the metadata does not show every change
		now, err := f.current(w.path)
		if err != nil {
			return err
		}
		if now != nil {
			sum = now.sum
		}
	}
	info, err := f.stat(w.path) // after reading: the file may have been replaced meanwhile
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

// finish syncs the new names and removes the record.
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
	// The commit is done and cannot be undone.
	f.log.Error("a commit may be lost with the power", "error", err)
	return nil
}

// dirs returns the folders whose entries the record changes.
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
