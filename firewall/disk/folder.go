package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// errDamaged says that a file is not what the store has written.
var errDamaged = errors.New("the file is damaged")

// lockName is the file that is locked while a store uses the directory.
const lockName = "lock"

// A folder is the directory of a [Store], with the few things that are done to
// the files in it. Names are without a directory.
type folder struct {
	root *os.Root
	lock io.Closer
	// fault, of tests, is asked before each step, and may make it fail.
	fault func(op, name string) error
}

// openFolder opens a directory, and locks it.
func openFolder(dir string, fault func(op, name string) error) (*folder, error) {
	if err := makeDirectory(dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{root: root, fault: fault}
	err = f.step("open", lockName, func() (err error) {
		f.lock, err = rootfs.Lock(root, lockName)
		if errors.Is(err, rootfs.ErrLocked) {
			err = fmt.Errorf("another store uses the directory: %w", err)
		}
		return err
	})
	if err != nil {
		root.Close()
		return nil, err
	}
	return f, nil
}

// makeDirectory makes a directory and those above it, to last.
func makeDirectory(dir string) error {
	var above []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		above = append(above, filepath.Dir(d))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, d := range above {
		root, err := os.OpenRoot(d)
		if err != nil {
			return err
		}
		err = rootfs.SyncFolder(root, ".")
		root.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) close() error { return errors.Join(f.lock.Close(), f.root.Close()) }

// step does something with a file. Errors name the file, and not where it is.
func (f *folder) step(op, name string, do func() error) error {
	var err error
	if f.fault != nil {
		err = f.fault(op, name)
	}
	if err == nil {
		err = do()
	}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// allocate makes a file of some size, and takes the space for it where the
// system can.
func (f *folder) allocate(name string, size int64) error {
	file, err := f.create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return f.step("allocate", name, func() error { return allocate(file, size) })
}

// write gives a file a new content, which is on the disk when it returns. The
// file may be there already.
func (f *folder) write(name string, data []byte) error {
	file, err := f.create(name)
	if err != nil {
		return err
	}
	defer file.Close() // what could be lost by it, Sync has said
	err = f.step("write", name, func() error {
		_, err := file.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	err = f.step("truncate", name, func() error { return file.Truncate(int64(len(data))) })
	if err != nil {
		return err
	}
	return f.step("sync", name, file.Sync)
}

func (f *folder) create(name string) (file *os.File, err error) {
	err = f.step("create", name, func() (err error) {
		file, err = f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|rootfs.OpenFlags, 0o600)
		return err
	})
	return file, err
}

// read returns the content of a regular file of at most some bytes.
func (f *folder) read(name string, most int64) (data []byte, err error) {
	err = f.step("read", name, func() (err error) {
		data, err = readRegular(f.root, name, most)
		return err
	})
	return data, err
}

func readRegular(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name) // first: to open what is no file may do something
	if err != nil {
		return nil, err
	}
	if !isRegular(info, most) {
		return nil, errDamaged
	}
	file, err := root.OpenFile(name, os.O_RDONLY|rootfs.OpenFlags, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, err
	}
	if !isRegular(info, most) {
		return nil, errDamaged
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(file, data)
	return data, err
}

func isRegular(info fs.FileInfo, most int64) bool {
	return info.Mode().IsRegular() && info.Size() <= most
}

// size returns the size of a regular file of at most some bytes.
func (f *folder) size(name string, most int64) (size int64, err error) {
	err = f.step("size", name, func() error {
		info, err := f.root.Lstat(name)
		if err != nil {
			return err
		}
		if !isRegular(info, most) {
			return errDamaged
		}
		size = info.Size()
		return nil
	})
	return size, err
}

// rename gives a file another name, in place of what has that.
func (f *folder) rename(from, to string) error {
	return f.step("rename", from+" "+to, func() error { return f.root.Rename(from, to) })
}

// remove removes a file, or a link but not what it leads to.
func (f *folder) remove(name string) error {
	return f.step("remove", name, func() error { return f.root.Remove(name) })
}

// sync makes names last.
func (f *folder) sync() error {
	return f.step("sync", ".", func() error { return rootfs.SyncFolder(f.root, ".") })
}

// each calls visit with the names of what is no directory.
func (f *folder) each(visit func(name string)) error {
	return f.step("list", ".", func() error {
		dir, err := f.root.Open(".")
		if err != nil {
			return err
		}
		defer dir.Close()
		for {
			entries, err := dir.ReadDir(1024)
			for _, e := range entries {
				if !e.IsDir() {
					visit(e.Name())
				}
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
}
