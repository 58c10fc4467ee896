package files

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/cash-mcp/go-sdk/internal/rootfs"
)

// A disk is the few things that are done to the files below a root. Its errors say
// what is wrong and not where: whoever calls knows the path.
type disk struct {
	root *os.Root
	// fault, of tests, is asked before each step, and may make it fail.
	fault func(op, name string) error
}

func (d disk) step(op, name string, do func() error) error {
	var err error
	if d.fault != nil {
		err = d.fault(op, name)
	}
	if err == nil {
		err = do()
	}
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

func (d disk) lstat(name string) (info fs.FileInfo, err error) {
	err = d.step("stat", name, func() (err error) {
		info, err = d.root.Lstat(name)
		return err
	})
	return info, err
}

// open opens a file for reading, and waits for no FIFO.
func (d disk) open(name string) (file *os.File, err error) {
	err = d.step("open", name, func() (err error) {
		file, err = d.root.OpenFile(name, os.O_RDONLY|rootfs.OpenFlags, 0)
		return err
	})
	return file, err
}

// create writes a new file, which is on the disk when it returns.
func (d disk) create(name string, mode fs.FileMode, write func(*os.File) error) error {
	var file *os.File
	err := d.step("create", name, func() (err error) {
		file, err = d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|rootfs.OpenFlags, mode)
		return err
	})
	if err != nil {
		return err
	}
	defer file.Close() // what could be lost by it, Sync has said
	if err := d.step("write", name, func() error { return write(file) }); err != nil {
		return err
	}
	return d.step("sync", name, file.Sync)
}

func (d disk) mkdir(name string, mode fs.FileMode) error {
	return d.step("mkdir", name, func() error { return d.root.Mkdir(name, mode) })
}

// link gives a file a second name.
func (d disk) link(from, to string) error {
	return d.step("link", from+"\x00"+to, func() error { return d.root.Link(from, to) })
}

// rename gives a file another name, in place of what has that.
func (d disk) rename(from, to string) error {
	return d.step("rename", from+"\x00"+to, func() error { return d.root.Rename(from, to) })
}

func (d disk) remove(name string) error {
	return d.step("remove", name, func() error { return d.root.Remove(name) })
}

// discard removes what may not be there.
func (d disk) discard(name string) error {
	if err := d.remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sync makes the names in a folder last.
func (d disk) sync(folder string) error {
	return d.step("flush", folder, func() error { return rootfs.SyncFolder(d.root, folder) })
}

// names calls visit with what is in a folder, in no order, until it returns false.
func (d disk) names(folder string, visit func(fs.DirEntry) bool) error {
	return d.step("list", folder, func() error {
		dir, err := d.root.OpenFile(folder, os.O_RDONLY|rootfs.OpenFlags, 0)
		if err != nil {
			return err
		}
		defer dir.Close()
		for {
			entries, err := dir.ReadDir(512)
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
