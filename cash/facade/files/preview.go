package files

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/cash-mcp/go-sdk/registry"
)

// A previewed is the result of roundtrip_preview.
type previewed struct {
	// PreviewID commits exactly these changes. It is empty if they are too large to be kept.
	PreviewID string          `json:"previewId,omitempty" cash:"detail=minimal"`
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

// Bounds of the diffs at level standard, in bytes: of all, and of each.
const (
	maxShownDiffs = 6000
	maxShownDiff  = 4000
)

// Detail implements registry.Detailer. At level standard long diffs are cut after the first lines, with a note.
func (p previewed) Detail(registry.Detail) any {
	sizes := make([]int, len(p.Files))
	for i, file := range p.Files {
		sizes[i] = len(file.Diff)
	}
	most := min(fairShare(sizes, maxShownDiffs), maxShownDiff)
	p.Files = slices.Clone(p.Files)
	for i := range p.Files {
		if file := &p.Files[i]; len(file.Diff) > most {
			shown := max(most-200, 0) // leave room for the note
			shown = strings.LastIndexByte(file.Diff[:shown], '\n') + 1
			file.Note = fmt.Sprintf("The diff is cut: these are the first %d of its %d bytes. The detail level full shows all of it.", shown, len(file.Diff))
			file.Diff = file.Diff[:shown]
		}
	}
	return p
}

// fairShare returns how much each of sizes may have at most, so that they have most in all.
func fairShare(sizes []int, most int) int {
	sizes = slices.Sorted(slices.Values(sizes))
	for i, size := range sizes {
		if left := len(sizes) - i; size*left > most {
			return most / left
		}
		most -= size
	}
	return math.MaxInt
}

// preview is like commit, without writing.
func (f *Files) preview(ctx context.Context, in commitInput) (*previewed, error) {
	end, err := f.reading(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	r, err := f.roundtrip(ctx, &in, replace)
	if err != nil {
		return nil, err
	}
	out := &previewed{Files: []previewedFile{}, Conflicts: []string{}}
	room := maxDiffs
	err = f.plan(r.manifest, r.writes, r.mode, func(w *write) {
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
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	out.PreviewID = f.keep(r)
	return out, nil
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
	case w.sum == "":
		return "", "No diff: the edits do not fit the file as it is now."
	case w.old == nil:
		from = "/dev/null"
	case w.old.sum == "":
		return "", "No diff: the file is too large."
	case w.old.sum == w.sum:
		return "", "No difference."
	default:
		old = w.old.data
	}
	var texts [2]string
	for i, data := range [][]byte{old, w.data} {
		var encoding string
		switch texts[i], encoding = encode(data); {
		case encoding == asBase64 || strings.IndexByte(texts[i], 0) >= 0:
			return "", "No diff: the content is not text."
		case len(data) > maxDiffBytes || strings.Count(texts[i], "\n") > maxDiffLines:
			return "", fmt.Sprintf("No diff: only contents of at most %d bytes and %d lines are compared.", maxDiffBytes, maxDiffLines)
		}
	}
	text, err := udiff.ToUnified(from, to, texts[0], udiff.Lines(texts[0], texts[1]), udiff.DefaultContextLines)
	if err != nil {
		return "", "No diff: the contents cannot be compared."
	}
	if text == "" {
		return "", "The text stays, its encoding changes."
	}
	return text, ""
}
