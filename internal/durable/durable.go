// Package durable changes the files of a folder so that a crash leaves the old or the
// new, and what was said to be done stays done after a loss of power.
//
//	folder, err := durable.Open("/var/lib/shop") // made if it is not there
//	_, err = folder.Replace(".state.tmp", "state.json", 0o600, func(file *os.File) error {
//		_, err := file.Write(data)
//		return err
//	})
//
// # How it works
//
// [Folder.Replace] writes a temporary file in the same folder, flushes it, renames it,
// and flushes the folder. A protocol of more files is made of the single operations.
// A file that a crash has left under a temporary name is found with [Folder.Names].
//
// Every operation is a step: Fault is asked before it, and may fail it or end the
// process. Package durabletest has such faults. A test that fails or kills at each
// step shows that a protocol holds.
//
// # Limits
//
// Windows cannot flush a folder: there a loss of power may bring an old name back.
// File systems that flush nothing keep no promise.
package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// ErrDamaged is the error for what is not a regular file, or is too large.
var ErrDamaged = errors.New("the file is damaged")

// A Folder is a folder with the things that are done to the files below it. Names have
// slashes, and are relative to it. Its errors are *[fs.PathError]: they have the step,
// the name and the cause, and do not say where the folder is.
type Folder struct {
	Root *os.Root
	// Fault, if not nil, is asked before each step, with the operation and the name.
	// Its error is the error of the step. The name of a rename or a link has both
	// names, with a NUL between them.
	Fault func(op, name string) error
}

// Open opens a folder. It is made if it is not there, with those above it, for the
// user alone and to last. Close its Root.
func Open(dir string, fault func(op, name string) error) (Folder, error) {
	if err := mkdirAll(dir); err != nil {
		return Folder{}, err
	}
	root, err := os.OpenRoot(dir)
	return Folder{Root: root, Fault: fault}, err
}

func mkdirAll(dir string) error {
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

// Step does something with a file.
func (f Folder) Step(op, name string, do func() error) error {
	var err error
	if f.Fault != nil {
		err = f.Fault(op, name)
	}
	if err == nil {
		err = do()
	}
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: strings.ReplaceAll(name, "\x00", " "), Err: Cause(err)}
}

// Cause returns what the system says of an operation on a file, without the operation
// and the names.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}

// Lock locks a file until the result is closed or the process ends.
func (f Folder) Lock(name string) (lock io.Closer, err error) {
	err = f.Step("lock", name, func() (err error) {
		lock, err = rootfs.Lock(f.Root, name)
		return err
	})
	return lock, err
}

// Lstat describes a file, or a link itself.
func (f Folder) Lstat(name string) (info fs.FileInfo, err error) {
	err = f.Step("stat", name, func() (err error) {
		info, err = f.Root.Lstat(name)
		return err
	})
	return info, err
}

// Open opens a file for reading, and waits for no FIFO.
func (f Folder) Open(name string) (file *os.File, err error) {
	err = f.Step("open", name, func() (err error) {
		file, err = f.Root.OpenFile(name, os.O_RDONLY|rootfs.OpenFlags, 0)
		return err
	})
	return file, err
}

// Read returns the content of a file. The error is [ErrDamaged] if it is not a regular
// one of at most that many bytes.
func (f Folder) Read(name string, most int64) (data []byte, err error) {
	err = f.Step("read", name, func() (err error) {
		data, err = readRegular(f.Root, name, most)
		return err
	})
	return data, err
}

func readRegular(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name) // first: opening what is not a file may do something
	if err != nil {
		return nil, err
	}
	if !isRegular(info, most) {
		return nil, ErrDamaged
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
		return nil, ErrDamaged
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(file, data)
	return data, err
}

func isRegular(info fs.FileInfo, most int64) bool {
	return info.Mode().IsRegular() && info.Size() <= most
}

// OpenFile opens a file for writing, and makes it if it is not there; with [os.O_EXCL]
// it must not be there.
func (f Folder) OpenFile(name string, flags int, mode fs.FileMode) (file *os.File, err error) {
	err = f.Step("create", name, func() (err error) {
		file, err = f.Root.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags|rootfs.OpenFlags, mode)
		return err
	})
	return file, err
}

// Create writes a new file, which is on the disk when it returns.
func (f Folder) Create(name string, mode fs.FileMode, write func(*os.File) error) error {
	return f.Write(name, os.O_EXCL, mode, write)
}

// Write is [Folder.Create] for a file that may be there already, unless flags say
// [os.O_EXCL]. What was in it stays where write does not write.
func (f Folder) Write(name string, flags int, mode fs.FileMode, write func(*os.File) error) error {
	file, err := f.OpenFile(name, flags, mode)
	if err != nil {
		return err
	}
	defer file.Close() // what could be lost by it, Sync has said
	if err := f.Step("write", name, func() error { return write(file) }); err != nil {
		return err
	}
	return f.Step("sync", name, file.Sync)
}

// Replace puts a new file in the place of name, or makes it: after a crash there is
// the old one or the new one. If there is an error before the rename, nothing has
// changed; if the flush of the folder fails, the new file is there and may be lost with
// the power. Temp is the name of the file until it is complete, in the same folder; no
// file may have it.
func (f Folder) Replace(temp, name string, mode fs.FileMode, write func(*os.File) error) (info fs.FileInfo, err error) {
	err = f.Create(temp, mode, func(file *os.File) error {
		if err := write(file); err != nil {
			return err
		}
		info, err = file.Stat()
		return err
	})
	if err == nil {
		err = f.Rename(temp, name)
	}
	if err != nil {
		_ = f.Discard(temp) // or who looks for leftovers finds it
		return nil, err
	}
	return info, f.Sync(path.Dir(name))
}

// Mkdir makes a folder.
func (f Folder) Mkdir(name string, mode fs.FileMode) error {
	return f.Step("mkdir", name, func() error { return f.Root.Mkdir(name, mode) })
}

// Link gives a file a second name.
func (f Folder) Link(from, to string) error {
	return f.Step("link", from+"\x00"+to, func() error { return f.Root.Link(from, to) })
}

// Rename gives a file another name, in place of what has that.
func (f Folder) Rename(from, to string) error {
	return f.Step("rename", from+"\x00"+to, func() error { return f.Root.Rename(from, to) })
}

// Remove removes a file, an empty folder, or a link but not what it leads to.
func (f Folder) Remove(name string) error {
	return f.Step("remove", name, func() error { return f.Root.Remove(name) })
}

// Discard removes what may not be there.
func (f Folder) Discard(name string) error {
	if err := f.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sync makes the names in a folder last.
func (f Folder) Sync(name string) error {
	return f.Step("flush", name, func() error { return rootfs.SyncFolder(f.Root, name) })
}

// Names calls visit with what is in a folder, in no order, until it returns false.
func (f Folder) Names(name string, visit func(fs.DirEntry) bool) error {
	return f.Step("list", name, func() error {
		dir, err := f.Root.OpenFile(name, os.O_RDONLY|rootfs.OpenFlags, 0)
		if err != nil {
			return err
		}
		defer dir.Close()
		for {
			entries, err := dir.ReadDir(1024)
			for _, e := range entries {
				if !visit(e) {
					return nil
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
