package files

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/registry"
)

// maxRecord bounds the record that is read.
const maxRecord = 64 << 20

// settle undoes what the record says, if there is one, and tidies the journal up. It
// may be interrupted at any point, and done again. f.mu is held for writing, or
// nobody else has f.
func (f *Files) settle() error {
	r, err := f.readRecord()
	if err != nil {
		return err
	}
	if r != nil {
		if err := f.undo(r); err != nil {
			return err
		}
		if err := f.disk.Remove(recordName); err != nil {
			return err
		}
	}
	// If the record came back with a loss of power, it would undo what others do from now on.
	if err := f.disk.Sync(journalFolder); err != nil {
		return err
	}
	f.unsettled = false
	f.tidy()
	return nil
}

// readRecord returns nil if there is none.
func (f *Files) readRecord() (*record, error) {
	data, err := f.disk.Read(recordName, maxRecord)
	damaged := fmt.Errorf("%s is damaged: compare the files with those in its folder, and remove it", recordName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, durable.ErrDamaged):
		return nil, damaged
	case err != nil:
		return nil, err
	}
	r := new(record)
	if json.Unmarshal(data, r) != nil || !r.valid() {
		return nil, damaged
	}
	return r, nil
}

// valid reports whether the record leads nowhere that no write does.
func (r *record) valid() bool {
	paths := slices.Clone(r.Folders)
	for _, file := range r.Files {
		paths = append(paths, file.Path)
	}
	for _, p := range paths {
		if cleaned, err := cleanPath(p); err != nil || cleaned != p {
			return false
		}
	}
	return len(r.Files) > 0
}

// undo puts back what was there before.
func (f *Files) undo(r *record) error {
	for i, file := range slices.Backward(r.Files) {
		if err := f.undoFile(i, file); err != nil {
			return fmt.Errorf("putting back %s: %w", quote(file.Path), err)
		}
	}
	for _, folder := range slices.Backward(r.Folders) {
		if err := f.undoFolder(folder); err != nil {
			return fmt.Errorf("removing the folder %s: %w", quote(folder), err)
		}
	}
	for _, dir := range r.dirs() {
		if info, err := f.disk.Lstat(dir); err == nil && info.IsDir() {
			if err := f.disk.Sync(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// undoFile puts a file back, unless it is as it was, or as somebody else has made it.
func (f *Files) undoFile(i int, file recordFile) error {
	old := oldPrefix + strconv.Itoa(i)
	if kept, err := f.exists(old); err != nil || file.Old && !kept {
		return err // it has been put back already
	}
	info, way, err := f.left(file.Path)
	if err != nil || !way {
		return err
	}
	ours, err := f.isOurs(i, file, info)
	switch {
	case err != nil || !ours:
		return err
	case !file.Old:
		return f.disk.Remove(file.Path)
	}
	err = f.disk.Rename(old, file.Path)
	if errors.Is(err, fs.ErrNotExist) {
		f.log.Error("a file of a commit that failed is gone with its folder", "file", file.Path)
		return nil
	}
	return err
}

// isOurs reports whether the file there, nil for none, is what the transaction has
// left. Somebody else may have written the same content, or removed the old file.
func (f *Files) isOurs(i int, file recordFile, info fs.FileInfo) (bool, error) {
	staged, err := f.disk.Lstat(newPrefix + strconv.Itoa(i))
	switch {
	case err == nil && (info == nil || !os.SameFile(staged, info)):
		return false, nil // it was not renamed yet
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	case info == nil:
		return file.Old, nil
	}
	return f.isNew(file, info)
}

func (f *Files) exists(name string) (bool, error) {
	_, err := f.disk.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// left returns what is at a path of the record, nil for nothing, and whether there
// is a way to it: somebody else may have put a link or a file in place of a folder.
func (f *Files) left(p string) (info fs.FileInfo, way bool, err error) {
	_, info, err = f.find(p, false)
	if err == nil {
		return info, true, nil
	}
	if cause := registry.AsError(err).Err; cause != nil {
		return nil, false, cause
	}
	f.log.Error("what is in the way of a commit that failed is left there", "path", p)
	return nil, false, nil
}

// isNew reports whether there is the new content of a file.
func (f *Files) isNew(file recordFile, info fs.FileInfo) (bool, error) {
	if !info.Mode().IsRegular() || info.Size() != file.Size {
		return false, nil
	}
	from, err := f.disk.Open(file.Path)
	if err != nil {
		return false, err
	}
	defer from.Close()
	sum := sha256.New()
	err = f.disk.Step("read", file.Path, func() error {
		_, err := io.Copy(sum, io.LimitReader(from, file.Size))
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)) == file.Sum, err
}

// undoFolder removes a folder that was made, unless something is in it.
func (f *Files) undoFolder(folder string) error {
	info, _, err := f.left(folder)
	if err != nil || info == nil || !info.IsDir() {
		return err
	}
	empty := true
	err = f.disk.Names(folder, func(fs.DirEntry) bool {
		empty = false
		return false
	})
	if err != nil || !empty {
		return err
	}
	return f.disk.Remove(folder)
}

// tidy removes what is left in the journal. What cannot be removed is in nobody's
// way, and removed another time.
func (f *Files) tidy() {
	var names []string
	err := f.disk.Names(journalFolder, func(e fs.DirEntry) bool {
		name := journalFolder + "/" + e.Name()
		if name == recordTemp || name == doneName || strings.HasPrefix(name, newPrefix) || strings.HasPrefix(name, oldPrefix) {
			names = append(names, name)
		}
		return true
	})
	for _, name := range names {
		if e := f.disk.Discard(name); e != nil {
			err = e
		}
	}
	if err != nil {
		f.log.Warn("the journal of the files cannot be tidied up", "error", err)
	}
}
