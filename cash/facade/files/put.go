package files

import (
	"context"
	"path"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

type putInput struct {
	Path     string `json:"path" jsonschema:"File, relative to the root. Folders on the way are made." cash:"example=src/main.go"`
	Content  string `json:"content" jsonschema:"The whole new content."`
	Encoding string `json:"encoding,omitempty" jsonschema:"How content is written." cash:"enum=utf-8|base64,default=utf-8"`
	Expect   string `json:"expect,omitempty" jsonschema:"Write only if the file is still this: its SHA-256 in hex, or absent." cash:"pattern='^([0-9a-fA-F]{64}|absent)$'"`
}

// A written is a file that was written, created or skipped.
type written struct {
	Path   string `json:"path" cash:"detail=minimal"`
	Result string `json:"result" cash:"detail=minimal"`            // written, created or skipped
	SHA256 string `json:"sha256,omitempty" cash:"detail=standard"` // of the new content
	Size   *int   `json:"size,omitempty" cash:"detail=full"`       // of the new content
}

func (f *Files) put(ctx context.Context, in putInput) (*written, error) {
	p, err := cleanPath(in.Path)
	if err != nil {
		return nil, err
	}
	data, err := f.decode(p, in.Content, in.Encoding)
	if err != nil {
		return nil, err
	}
	if err := f.writing(); err != nil {
		return nil, err
	}
	defer f.mu.Unlock()
	w := &write{path: p, data: data, sum: sumOf(data)}
	if w.old, err = f.expect(p, in.Expect); err != nil {
		return nil, err
	}
	w.action = overwrite
	if w.old == nil {
		w.action = create
	}
	if err := f.transact(ctx, []*write{w}); err != nil {
		return nil, err
	}
	out := w.done()
	return &out, nil
}

// expect returns the file at a path if it matches sum: anything, a SHA-256, or absent.
func (f *Files) expect(p, sum string) (*state, error) {
	look := f.current
	if sum == "" || sum == "absent" {
		look = f.glance
	}
	s, err := look(p)
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
	Path   string `json:"path" jsonschema:"File, relative to the root." cash:"example=src/old.go"`
	Expect string `json:"expect,omitempty" jsonschema:"Delete only if the file still has this SHA-256, in hex." cash:"pattern='^[0-9a-fA-F]{64}$'"`
}

// A deleted is a file that was deleted.
type deleted struct {
	Path    string `json:"path" cash:"detail=minimal"`
	Deleted bool   `json:"deleted" cash:"detail=minimal"`
}

func (f *Files) delete(ctx context.Context, in deleteInput) (*deleted, error) {
	p, err := cleanPath(in.Path)
	if err != nil {
		return nil, err
	}
	if err := f.writing(); err != nil {
		return nil, err
	}
	defer f.mu.Unlock()
	s, err := f.expect(p, in.Expect)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return nil, notFound(p)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	if err := f.disk.Remove(p); err != nil {
		return nil, ioError("Deleting", p, err)
	}
	if err := f.disk.Sync(path.Dir(p)); err != nil {
		f.log.WarnContext(ctx, "a deleted file may be back after a loss of power", "file", p, "error", err)
	}
	return &deleted{p, true}, nil
}
