package files

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/cash-mcp/go-sdk/registry"
)

type previewInput struct {
	ManifestID string   `json:"manifestId" jsonschema:"From roundtrip_start."`
	Changes    []change `json:"changes" jsonschema:"The files to write, as for roundtrip_commit." cash:"minItems=1"`
	Mode       string   `json:"mode,omitempty" jsonschema:"The mode of the commit." cash:"enum=replace|add_only|update_only,default=replace"`
}

// A previewed is the result of roundtrip_preview.
type previewed struct {
	Files     []previewedFile `json:"files" cash:"detail=minimal"`
	Conflicts []string        `json:"conflicts" cash:"detail=minimal"` // paths; a commit with conflicts writes nothing
}

// A previewedFile is the planned change of one file.
type previewedFile struct {
	Path     string `json:"path" cash:"detail=minimal"`
	Action   string `json:"action" cash:"detail=standard"` // overwrite, create or skip
	Conflict string `json:"conflict,omitempty" cash:"detail=standard"`
	Diff     string `json:"diff,omitempty" cash:"detail=standard"` // unified
	Note     string `json:"note,omitempty" cash:"detail=standard"` // why the diff is missing or incomplete
}

// maxExcerpt is about how many bytes of a diff level standard shows.
const maxExcerpt = 4000

// Detail implements registry.Detailer. At level standard a long diff is cut after the first lines, with a note.
func (p previewedFile) Detail(registry.Detail) any {
	if len(p.Diff) <= maxExcerpt {
		return p
	}
	shown := maxExcerpt - 200 // leave room for the note
	shown = strings.LastIndexByte(p.Diff[:shown], '\n') + 1
	p.Note = fmt.Sprintf("The diff is cut: these are the first %d of its %d bytes. The detail level full shows all of it.", shown, len(p.Diff))
	p.Diff = p.Diff[:shown]
	return p
}

func (f *Files) preview(ctx context.Context, in previewInput) (*previewed, error) {
	writes, err := f.writes(in.Changes)
	if err != nil {
		return nil, err
	}
	if err := f.reading(); err != nil {
		return nil, err
	}
	defer f.mu.RUnlock()
	m, err := f.manifests.find(registry.CallerFrom(ctx).Owner(), in.ManifestID)
	if err != nil {
		return nil, err
	}
	mode := in.Mode
	if mode == "" {
		mode = replace
	}
	out := &previewed{Files: []previewedFile{}, Conflicts: []string{}}
	room := maxDiffs
	err = f.plan(m, writes, mode, func(w *write) {
		p := previewedFile{Path: w.path, Action: w.action, Conflict: w.conflict}
		if w.action != skip && ctx.Err() == nil {
			p.Diff, p.Note = diff(w)
		}
		if room -= len(p.Diff); room < 0 {
			p.Diff, p.Note = "", fmt.Sprintf("No diff: the diffs of a preview have at most %d bytes in all.", maxDiffs)
		}
		if w.conflict != "" {
			out.Conflicts = append(out.Conflicts, w.path)
		}
		out.Files = append(out.Files, p)
	})
	if err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

// Bounds of diffs: the input per file, and the total output.
const (
	maxDiffBytes = 256 << 10
	maxDiffLines = 10_000
	maxDiffs     = 1 << 20
)

// diff returns the unified diff of a write, or a note why there is none.
func diff(w *write) (text, note string) {
	from, to, old := "a/"+w.path, "b/"+w.path, []byte(nil)
	switch {
	case w.old == nil:
		from = "/dev/null"
	case w.old.sum == "":
		return "", "No diff: the file is too large."
	case w.old.sum == w.sum:
		return "", "No difference."
	default:
		old = w.old.data
	}
	for _, data := range [][]byte{old, w.data} {
		switch {
		case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
			return "", "No diff: the content is not text."
		case len(data) > maxDiffBytes || bytes.Count(data, []byte("\n")) > maxDiffLines:
			return "", fmt.Sprintf("No diff: only contents of at most %d bytes and %d lines are compared.", maxDiffBytes, maxDiffLines)
		}
	}
	before, after := string(old), string(w.data)
	text, err := udiff.ToUnified(from, to, before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		return "", "No diff: the contents cannot be compared."
	}
	return text, ""
}
