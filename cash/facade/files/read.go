package files

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
)

// A state is a file as it was read.
type state struct {
	info fs.FileInfo
	data []byte
	sum  string // SHA-256 in lower-case hex; empty if the file was not read, perhaps because it is too large
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// stat returns the info of the file to edit at a path, nil if nothing is there. Anything but a regular file is an
// error.
func (f *Files) stat(p string) (fs.FileInfo, error) {
	_, info, err := f.find(p, toEdit)
	if err != nil || info == nil {
		return nil, err
	}
	return info, checkRegular(p, info)
}

func checkRegular(p string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return failed("%s is a folder, and a file is wanted.", quote(p))
	}
	return failed("%s is no regular file, but a device, a pipe or the like. It is not opened.", quote(p))
}

// current returns the file at a path for editing, nil if nothing is there. A file that is too large has no content.
func (f *Files) current(p string) (*state, error) {
	info, err := f.stat(p)
	if err != nil || info == nil {
		return nil, err
	}
	if info.Size() > f.maxFile {
		return &state{info: info}, nil
	}
	return f.read(p, p)
}

// maxTries bounds the retries of an operation that other programs interfere with.
const maxTries = 3

// read reads the regular file at place. Errors name it p.
func (f *Files) read(place, p string) (*state, error) {
	for range maxTries {
		s, err := f.readOnce(place, p)
		if s != nil || err != nil {
			return s, err
		}
	}
	return nil, failed("%s keeps changing while it is read. Try again later.", quote(p))
}

// readOnce returns nil if the file changed during the read.
func (f *Files) readOnce(place, p string) (*state, error) {
	file, err := f.disk.Open(place)
	if err != nil {
		return nil, ioError("Opening", p, err)
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil {
		return nil, ioError("Reading", p, os.ErrInvalid)
	}
	if err := checkRegular(p, before); err != nil {
		return nil, err
	}
	if before.Size() > f.maxFile {
		return nil, f.tooLarge(p, before.Size())
	}
	var data []byte
	err = f.disk.Step("read", place, func() (err error) {
		data, err = io.ReadAll(io.LimitReader(file, before.Size()+1))
		return err
	})
	if err != nil {
		return nil, ioError("Reading", p, err)
	}
	after, err := file.Stat()
	if err != nil || int64(len(data)) != before.Size() || !same(before, after) {
		return nil, nil
	}
	return &state{after, data, sumOf(data)}, nil
}

// same reports whether a file is unchanged, judging by its metadata.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

func (f *Files) tooLarge(p string, size int64) error {
	return failed("%s is too large: it has %d bytes, and at most %d are taken.", quote(p), size, f.maxFile)
}
