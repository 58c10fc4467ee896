package files

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

type startInput struct {
	Paths      []string `json:"paths" jsonschema:"Files to edit, relative to the root; also those that are to be created." cash:"minItems=1"`
	ManifestID string   `json:"manifestId,omitempty" jsonschema:"To see files of an open roundtrip anew, as after a conflict: its manifestId."`
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
	// NextLine or NextOffset is set if the content is an excerpt: where get goes on.
	NextLine   int   `json:"next_line,omitempty" cash:"detail=standard"`
	NextOffset int64 `json:"next_offset,omitempty" cash:"detail=standard"`
}

// Detail implements registry.Detailer. At level standard, long contents are excerpts.
func (s started) Detail(registry.Detail) any {
	sizes := make([]int, len(s.Files))
	for i, file := range s.Files {
		sizes[i] = len(file.Content)
	}
	most := fairShare(sizes, maxExcerpt)
	s.Files = slices.Clone(s.Files)
	for i := range s.Files {
		file := &s.Files[i]
		cut := cutExcerpt(file.Content, file.Encoding, most)
		if len(cut.content) < len(file.Content) {
			file.Content, file.NextLine, file.NextOffset = cut.content, cut.lines, cut.bytes
			if cut.lines > 0 {
				file.NextLine, file.NextOffset = cut.lines+1, 0
			}
		}
	}
	return s
}

func (f *Files) start(ctx context.Context, in startInput) (*started, error) {
	if len(in.Paths) > f.maxFiles {
		return nil, tooMany(len(in.Paths), f.maxFiles)
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
	owner := registry.CallerFrom(ctx).Owner()
	if in.ManifestID != "" {
		m, err := f.manifests.renew(owner, in.ManifestID, sums, f.maxFiles)
		if err != nil {
			return nil, err
		}
		out.ManifestID, out.Expires = m.id, m.expires.UTC()
		return out, nil
	}
	m := f.manifests.add(owner, sums)
	out.ManifestID, out.Expires = m.id, m.expires.UTC()
	return out, nil
}

// readAll reads the files in a state between two commits.
func (f *Files) readAll(ctx context.Context, out *started, sums map[string]string) error {
	end, err := f.reading(ctx)
	if err != nil {
		return err
	}
	defer end()
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
	ManifestID string   `json:"manifestId,omitempty" jsonschema:"From roundtrip_start. Not needed with previewId."`
	PreviewID  string   `json:"previewId,omitempty" jsonschema:"From roundtrip_preview: takes its changes. Changes that are passed too replace those of the same paths."`
	Changes    []change `json:"changes,omitempty" jsonschema:"The files to write, each with its whole new content, edits or a diff. Not needed with previewId." cash:"minItems=1"`
	Mode       string   `json:"mode,omitempty" jsonschema:"replace overwrites and creates, add_only leaves files that exist, update_only creates none. None deletes. Not needed with previewId." cash:"enum=replace|add_only|update_only"`
}

// A roundtrip is an open manifest with changes.
type roundtrip struct {
	*manifest
	preview string // id of exactly these changes, if they are kept
	mode    string
	writes  []*write
}

// roundtrip returns the roundtrip of a request. Without a mode it is the default.
func (f *Files) roundtrip(ctx context.Context, in *commitInput, mode string) (*roundtrip, error) {
	owner := registry.CallerFrom(ctx).Owner()
	r, id, changes := &roundtrip{mode: in.Mode}, in.ManifestID, in.Changes
	if in.PreviewID != "" {
		p, err := f.manifests.kept(owner, in.PreviewID)
		if err != nil {
			return nil, err
		}
		if id != "" && id != p.manifest {
			return nil, invalid("The previewId is of another roundtrip than the manifestId.")
		}
		if id, mode = p.manifest, p.mode; len(changes) == 0 && (in.Mode == "" || in.Mode == mode) {
			r.preview = p.id
		}
		if changes, err = merge(p.changes, changes); err != nil {
			return nil, err
		}
	}
	r.mode = cmp.Or(r.mode, mode)
	switch {
	case id == "":
		return nil, invalid("The manifestId is missing, or a previewId.")
	case len(changes) == 0:
		return nil, invalid("The changes are missing, or a previewId.")
	case r.mode == "":
		return nil, invalid("The mode is missing: replace, add_only or update_only.")
	}
	var err error
	if r.writes, err = f.writes(changes); err == nil {
		r.manifest, err = f.manifests.find(owner, id)
	}
	return r, err
}

// merge replaces kept changes by new ones of the same paths.
func merge(kept, changes []change) ([]change, error) {
	replaced := make(map[string]bool, len(changes))
	for _, c := range changes {
		p, err := cleanPath(c.Path)
		if err != nil {
			return nil, err
		}
		replaced[p] = true
	}
	return append(slices.DeleteFunc(slices.Clone(kept), func(c change) bool { return replaced[c.Path] }), changes...), nil
}

// keep keeps the changes for a commit, and returns their id.
func (f *Files) keep(r *roundtrip) string {
	if r.preview == "" {
		changes := make([]change, len(r.writes))
		for i, w := range r.writes {
			changes[i] = w.change
		}
		r.preview = f.manifests.keep(r.manifest, r.mode, changes)
	}
	return r.preview
}

// A committed is the result of roundtrip_commit.
type committed struct {
	Files   []written `json:"files" cash:"detail=minimal"`
	Written int       `json:"written" cash:"detail=standard"`
	Created int       `json:"created" cash:"detail=standard"`
	Skipped int       `json:"skipped" cash:"detail=standard"`
}

func (f *Files) commit(ctx context.Context, in commitInput) (*committed, error) {
	end, err := f.writing(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	r, err := f.roundtrip(ctx, &in, "")
	if err != nil {
		return nil, err
	}
	if err := f.plan(r.manifest, r.writes, r.mode, func(*write) {}); err != nil {
		return nil, err
	}
	if e := conflicts(r.writes); e != nil {
		e.Hint = "Call `roundtrip_start` with these paths again, and make the changes anew on what it returns."
		if id := f.keep(r); id != "" {
			e.Hint = "Call `roundtrip_start` with this manifestId and only these paths. " +
				"Then commit with the previewId `" + id + "`, which keeps all changes; pass only changes of these paths that must be other ones now."
			e.Details["previewId"] = id
		}
		return nil, e
	}
	out, todo := summarize(r.writes)
	if err := f.transact(ctx, todo); err != nil {
		return nil, err
	}
	f.manifests.remove(r.manifest, in.PreviewID)
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
