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

// maxRecord bounds the size of a record, in bytes.
const maxRecord = 64 << 20

// settle undoes the changes of the record, if there is one, and cleans up the journal. It may be interrupted at any
// point and repeated. The caller holds f.mu for writing, or nobody else has f.
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
	// If the record reappeared after a power loss, it would undo later changes.
	if err := f.disk.Sync(journalFolder); err != nil {
		return err
	}
	f.unsettled = false
	f.tidy()
	return nil
}

// readRecord returns the record, or nil if there is none.
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

// valid reports whether all paths of the record are ones that a write may have.
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

// undo restores the old state.
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

// undoFile restores a file, unless it is unchanged or another program has changed it.
func (f *Files) undoFile(i int, file recordFile) error {
	old := oldPrefix + strconv.Itoa(i)
	if kept, err := f.exists(old); err != nil || file.Old && !kept {
		return err // restored already
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

// isOurs reports whether info, nil for none, is the file that the transaction left. Another program may have written
// the same content, or removed the old file.
func (f *Files) isOurs(i int, file recordFile, info fs.FileInfo) (bool, error) {
	staged, err := f.disk.Lstat(newPrefix + strconv.Itoa(i))
	switch {
	case err == nil && (info == nil || !os.SameFile(staged, info)):
		return false, nil // not renamed yet
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

// left returns the info at a path of the record, nil for nothing. way is false if the path is blocked: another program
// may have replaced a folder by a link or a file.
func (f *Files) left(p string) (info fs.FileInfo, way bool, err error) {
	_, info, err = f.find(p, toUndo)
	if err == nil {
		return info, true, nil
	}
	if cause := registry.AsError(err).Err; cause != nil {
		return nil, false, cause
	}
	f.log.Error("what is in the way of a commit that failed is left there", "path", p)
	return nil, false, nil
}

// isNew reports whether the file has the new content.
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

// undoFolder removes a folder that the transaction created, if it is empty.
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

// tidy removes leftovers from the journal. A file that cannot be removed does no harm; the next tidy tries again.
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
