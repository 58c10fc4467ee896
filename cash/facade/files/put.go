package files

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

type putInput struct {
	change
	Expect string `json:"expect,omitempty" jsonschema:"Write only if the file is still this: its SHA-256 in hex, or absent." cash:"pattern='^([0-9a-fA-F]{64}|absent)$'"`
}

// A written is a file that was written, created or skipped.
type written struct {
	Path   string `json:"path" cash:"detail=minimal"`
	Result string `json:"result" cash:"detail=minimal"`            // written, created or skipped
	SHA256 string `json:"sha256,omitempty" cash:"detail=standard"` // of the new content
	Size   *int   `json:"size,omitempty" cash:"detail=full"`       // of the new content
}

func (f *Files) put(ctx context.Context, in putInput) (*written, error) {
	writes, err := f.writes([]change{in.change})
	if err != nil {
		return nil, err
	}
	w := writes[0]
	end, err := f.writing(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if w.old, err = f.expect(w.path, in.Expect); err != nil {
		return nil, err
	}
	w.action = overwrite
	if w.old == nil {
		w.action = create
	}
	if err := f.resolve(w); err != nil {
		return nil, err
	}
	if err := f.transact(ctx, writes); err != nil {
		return nil, err
	}
	out := w.done()
	return &out, nil
}

// expect returns the file at a path if it matches sum: anything, a SHA-256, or absent.
func (f *Files) expect(p, sum string) (*state, error) {
	s, err := f.current(p)
	switch {
	case err != nil:
		return nil, err
	case sum == "":
		return s, nil
	case sum == "absent":
		if s != nil {
			return nil, unexpected(p, "exists")
		}
		return nil, nil
	case s == nil:
		return nil, unexpected(p, "does not exist")
	case s.sum != strings.ToLower(sum):
		return nil, unexpected(p, "has changed")
	}
	return s, nil
}

func unexpected(p, how string) *registry.Error {
	e := failed("%s %s, other than expected. Nothing was changed.", quote(p), how)
	e.Hint = "Get the file again, and decide anew."
	return e
}

type deleteInput struct {
	Path   string `json:"path" jsonschema:"File or empty folder, relative to the root." cash:"example=src/old.go"`
	Expect string `json:"expect,omitempty" jsonschema:"Delete only if it is a file that still has this SHA-256, in hex." cash:"pattern='^[0-9a-fA-F]{64}$'"`
}

// A deleted is what was deleted.
type deleted struct {
	Path    string `json:"path" cash:"detail=minimal"`
	Deleted bool   `json:"deleted" cash:"detail=minimal"`
}

func (f *Files) delete(ctx context.Context, in deleteInput) (*deleted, error) {
	p, err := cleanPath(in.Path)
	if err != nil {
		return nil, err
	}
	end, err := f.writing(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	_, info, err := f.find(p, toEdit)
	switch {
	case err != nil:
		return nil, err
	case info == nil:
		return nil, notFound(p)
	case info.IsDir() && in.Expect == "":
		err = f.checkEmpty(p)
	case in.Expect == "":
		err = checkRegular(p, info)
	default:
		_, err = f.expect(p, in.Expect)
	}
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := f.disk.Remove(p); err != nil {
		return nil, ioError("Deleting", p, err)
	}
	f.flush(ctx, path.Dir(p))
	return &deleted{p, true}, nil
}

// checkEmpty returns an error if a folder has anything in it.
func (f *Files) checkEmpty(p string) error {
	empty := true
	err := f.disk.Names(p, func(fs.DirEntry) bool {
		empty = false
		return false
	})
	switch {
	case err != nil:
		return ioError("Deleting", p, err)
	case !empty:
		return failed("%s is a folder that is not empty. Only files and empty folders are deleted.", quote(p))
	}
	return nil
}

// flush makes a change of the names in a folder durable.
func (f *Files) flush(ctx context.Context, folder string) {
	if err := f.disk.Sync(folder); err != nil {
		f.log.WarnContext(ctx, "a change of names may be lost with the power", "folder", folder, "error", err)
	}
}
