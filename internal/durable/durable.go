// Package durable changes the files of a folder crash-safely: after a crash there is the old state or the new one, and
// a finished change survives a power loss.
//
//	folder, err := durable.Open("/var/lib/shop") // made if it is not there
//	_, err = folder.Replace(".state.tmp", "state.json", 0o600, func(file *os.File) error {
//		_, err := file.Write(data)
//		return err
//	})
//
// # How it works
//
// [Folder.Replace] writes a temporary file in the same folder, syncs it, renames it, and syncs the folder. Protocols
// for several files use the single operations. Find temporary files of a crash with [Folder.Names].
//
// Every operation is a step. Fault is called before each step, and may fail it or end the process; package durabletest
// has such faults. A test that fails or kills at every step proves a protocol.
//
// # Limits
//
// Windows cannot sync a folder: after a power loss an old name may come back. File systems that ignore sync give no
// guarantee.
package durable

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// ErrDamaged means that a file is not regular, or is too large.
var ErrDamaged = errors.New("the file is damaged")

// A Folder is a folder with crash-safe operations on the files below it. Names are relative to it and use slashes.
// Errors are *[fs.PathError] with the step, the name and the cause; they do not reveal the location of the folder.
type Folder struct {
	Root *os.Root
	// Fault, if not nil, is called before each step with the operation and the name. If it returns an error, the step
	// fails with it. For a rename or a link, the name is both names joined by a NUL.
	Fault func(op, name string) error
}

// Open opens a folder. A missing folder and its missing parents are created durably, accessible to the user only. The
// caller closes Root.
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

// Step runs one operation on a file as a step.
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

// Cause returns the system's error without the operation and the names.
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

// LockShared works like [Folder.Lock], but the file may have other shared locks.
func (f Folder) LockShared(name string) (lock io.Closer, err error) {
	err = f.Step("lock", name, func() (err error) {
		lock, err = rootfs.LockShared(f.Root, name)
		return err
	})
	return lock, err
}

// maxPause bounds the pause between two attempts of [Await].
const maxPause = 10 * time.Millisecond

// Await locks as soon as nobody else has the lock, in at most wait. Then the error is [rootfs.ErrLocked].
func Await(ctx context.Context, wait time.Duration, lock func() (io.Closer, error)) (io.Closer, error) {
	until := time.Now().Add(wait)
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, maxPause) {
		held, err := lock()
		if !errors.Is(err, rootfs.ErrLocked) || time.Now().After(until) {
			return held, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// Lstat returns the info of a file. It does not follow links.
func (f Folder) Lstat(name string) (info fs.FileInfo, err error) {
	err = f.Step("stat", name, func() (err error) {
		info, err = f.Root.Lstat(name)
		return err
	})
	return info, err
}

// Open opens a file for reading. It does not block on a FIFO.
func (f Folder) Open(name string) (file *os.File, err error) {
	err = f.Step("open", name, func() (err error) {
		file, err = f.Root.OpenFile(name, os.O_RDONLY|rootfs.OpenFlags, 0)
		return err
	})
	return file, err
}

// Read returns the content of a file. The error is [ErrDamaged] if it is not a regular file of at most most bytes.
func (f Folder) Read(name string, most int64) (data []byte, err error) {
	err = f.Step("read", name, func() (err error) {
		data, err = readRegular(f.Root, name, most)
		return err
	})
	return data, err
}

func readRegular(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name) // first: opening a special file may have an effect
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

// OpenFile opens a file for writing, and creates it if it is missing. With [os.O_EXCL] the file must not exist.
func (f Folder) OpenFile(name string, flags int, mode fs.FileMode) (file *os.File, err error) {
	err = f.Step("create", name, func() (err error) {
		file, err = f.Root.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags|rootfs.OpenFlags, mode)
		return err
	})
	return file, err
}

// Create writes a new file and syncs it.
func (f Folder) Create(name string, mode fs.FileMode, write func(*os.File) error) error {
	return f.Write(name, os.O_EXCL, mode, write)
}

// Write works like [Folder.Create] for a file that may exist already, unless flags have [os.O_EXCL]. Bytes that write
// does not overwrite stay.
func (f Folder) Write(name string, flags int, mode fs.FileMode, write func(*os.File) error) error {
	file, err := f.OpenFile(name, flags, mode)
	if err != nil {
		return err
	}
	defer file.Close() // Sync has already reported losses
	if err := f.Step("write", name, func() error { return write(file) }); err != nil {
		return err
	}
	return f.Step("sync", name, file.Sync)
}

// Replace atomically replaces the file name, or creates it: after a crash there is the old file or the new one. After
// an error before the rename nothing has changed. If the sync of the folder fails, the new file is in place but may be
// lost with the power. temp is the name of the file until the rename, in the same folder; no other file may have it.
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
		_ = f.Discard(temp) // on an error it stays as a leftover
		return nil, err
	}
	return info, f.Sync(path.Dir(name))
}

// Mkdir creates a folder.
func (f Folder) Mkdir(name string, mode fs.FileMode) error {
	return f.Step("mkdir", name, func() error { return f.Root.Mkdir(name, mode) })
}

// Link gives a file a second name.
func (f Folder) Link(from, to string) error {
	return f.Step("link", from+"\x00"+to, func() error { return f.Root.Link(from, to) })
}

// Rename renames a file, and replaces a file with the new name.
func (f Folder) Rename(from, to string) error {
	return f.Step("rename", from+"\x00"+to, func() error { return f.Root.Rename(from, to) })
}

// Remove removes a file, an empty folder, or a link itself.
func (f Folder) Remove(name string) error {
	return f.Step("remove", name, func() error { return f.Root.Remove(name) })
}

// Discard removes a file if it exists.
func (f Folder) Discard(name string) error {
	if err := f.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sync makes the names in a folder durable.
func (f Folder) Sync(name string) error {
	return f.Step("flush", name, func() error { return rootfs.SyncFolder(f.Root, name) })
}

// Names calls visit with the entries of a folder, in no order, until visit returns false. It must not call Info of
// an entry.
func (f Folder) Names(name string, visit func(fs.DirEntry) bool) error {
	return f.Step("list", name, func() error {
		dir, err := f.Root.OpenFile(name, os.O_RDONLY|rootfs.OpenFlags, 0)
		if err != nil {
			return err
		}
		defer dir.Close()
		listed, err := rootfs.Listed(dir)
		if err != nil {
			return err
		}
		defer listed.Close()
		for {
			entries, err := listed.ReadDir(1024)
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
