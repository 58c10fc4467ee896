package files

import (
	"context"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

type startInput struct {
	Paths []string `json:"paths" jsonschema:"Files to edit, relative to the root; also those that are to be created." cash:"minItems=1"`
}

// A started is the result of roundtrip_start.
type started struct {
	ManifestID string    `json:"manifestId" cash:"detail=minimal"`
	Expires    time.Time `json:"expires" cash:"detail=standard"`
	// Manifest has the SHA-256 of each file; null if the file does not exist.
	Manifest map[string]*string `json:"manifest" cash:"detail=minimal"`
	Files    []startedFile      `json:"files" cash:"detail=standard"`
}

// A startedFile is a file at the start of a roundtrip.
type startedFile struct {
	Path     string `json:"path" cash:"detail=minimal"`
	Exists   bool   `json:"exists" cash:"detail=minimal"`
	Size     int    `json:"size" cash:"detail=standard"`
	Encoding string `json:"encoding,omitempty" cash:"detail=standard"` // utf-8 or base64
	Content  string `json:"content" cash:"detail=standard"`
}

func (f *Files) start(ctx context.Context, in startInput) (*started, error) {
	if len(in.Paths) > f.maxFiles {
		return nil, f.tooMany(len(in.Paths))
	}
	out := &started{Manifest: make(map[string]*string), Files: []startedFile{}}
	sums := make(map[string]string)
	for _, p := range in.Paths {
		p, err := cleanPath(p)
		if err != nil {
			return nil, err
		}
		if _, known := sums[p]; !known {
			sums[p] = ""
			out.Files = append(out.Files, startedFile{Path: p})
		}
	}
	if err := f.readAll(ctx, out, sums); err != nil {
		return nil, err
	}
	m := f.manifests.add(registry.CallerFrom(ctx).Owner(), sums)
	out.ManifestID, out.Expires = m.id, m.expires.UTC()
	return out, nil
}

// readAll reads the files in a state between two commits.
func (f *Files) readAll(ctx context.Context, out *started, sums map[string]string) error {
	if err := f.reading(); err != nil {
		return err
	}
	defer f.mu.RUnlock()
	var bytes int64
	for i := range out.Files {
		file := &out.Files[i]
		out.Manifest[file.Path] = nil
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := f.current(file.Path)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		if s.sum == "" {
			return f.tooLarge(file.Path, s.info.Size())
		}
		if bytes += int64(len(s.data)); bytes > f.maxBytes {
			return f.tooMuch()
		}
		sums[file.Path] = s.sum
		out.Manifest[file.Path] = &s.sum
		file.Exists, file.Size = true, len(s.data)
		file.Content, file.Encoding = encode(s.data)
	}
	return nil
}

type commitInput struct {
	ManifestID string   `json:"manifestId" jsonschema:"From roundtrip_start."`
	Changes    []change `json:"changes" jsonschema:"The files to write, each with its whole new content." cash:"minItems=1"`
	Mode       string   `json:"mode" jsonschema:"replace overwrites and creates, add_only leaves files that exist, update_only creates none. None deletes." cash:"enum=replace|add_only|update_only"`
}

// A committed is the result of roundtrip_commit.
type committed struct {
	Files   []written `json:"files" cash:"detail=minimal"`
	Written int       `json:"written" cash:"detail=standard"`
	Created int       `json:"created" cash:"detail=standard"`
	Skipped int       `json:"skipped" cash:"detail=standard"`
}

func (f *Files) commit(ctx context.Context, in commitInput) (*committed, error) {
	writes, err := f.writes(in.Changes)
	if err != nil {
		return nil, err
	}
	if err := f.writing(); err != nil {
		return nil, err
	}
	defer f.mu.Unlock()
	m, err := f.manifests.find(registry.CallerFrom(ctx).Owner(), in.ManifestID)
	if err != nil {
		return nil, err
	}
	if err := f.plan(m, writes, in.Mode, func(*write) {}); err != nil {
		return nil, err
	}
	if err := conflicts(writes); err != nil {
		return nil, err
	}
	out, todo := summarize(writes)
	if err := f.transact(ctx, todo); err != nil {
		return nil, err
	}
	f.manifests.remove(m)
	return out, nil
}

// summarize returns the result of a commit, and the writes to execute.
func summarize(writes []*write) (out *committed, todo []*write) {
	out = &committed{Files: []written{}}
	for _, w := range writes {
		out.Files = append(out.Files, w.done())
		switch w.action {
		case skip:
			out.Skipped++
			continue
		case create:
			out.Created++
		case overwrite:
			out.Written++
		}
		todo = append(todo, w)
	}
	return out, todo
}
