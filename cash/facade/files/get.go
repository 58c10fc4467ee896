package files

import (
	"context"
	"strings"
	"time"
)

type getInput struct {
	Path      string `json:"path" jsonschema:"File, relative to the root." cash:"example=src/main.go"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"First line to return, from 1. For text." cash:"min=1"`
	Lines     int    `json:"lines,omitempty" jsonschema:"Most lines to return; without it, all. For text." cash:"min=1"`
}

// A file is the result of get.
type file struct {
	Path     string    `json:"path" cash:"detail=minimal"`
	Size     int64     `json:"size" cash:"detail=standard"`   // bytes of the whole file
	SHA256   string    `json:"sha256" cash:"detail=standard"` // of the whole file
	Modified time.Time `json:"modified" cash:"detail=full"`
	Encoding string    `json:"encoding" cash:"detail=standard"` // utf-8 or base64
	// StartLine and TotalLines are set if lines were requested.
	StartLine  int    `json:"start_line,omitempty" cash:"detail=standard"`
	TotalLines *int   `json:"total_lines,omitempty" cash:"detail=standard"`
	Content    string `json:"content" cash:"detail=standard"`
}

func (f *Files) get(_ context.Context, in getInput) (*file, error) {
	p, err := cleanPath(in.Path)
	if err != nil {
		return nil, err
	}
	s, err := f.look(p)
	if err != nil {
		return nil, err
	}
	out := &file{Path: p, Size: s.info.Size(), SHA256: s.sum, Modified: s.info.ModTime().UTC()}
	out.Content, out.Encoding = encode(s.data)
	if in.StartLine == 0 && in.Lines == 0 {
		return out, nil
	}
	if out.Encoding != asText {
		return nil, invalid("%s is not text, and has no lines. Leave out start_line and lines to get all of it.", quote(p))
	}
	out.StartLine = max(in.StartLine, 1)
	total := 0
	out.Content, total = cutLines(out.Content, out.StartLine, in.Lines)
	out.TotalLines = &total
	return out, nil
}

// look reads the file at a path.
func (f *Files) look(p string) (*state, error) {
	if err := f.reading(); err != nil {
		return nil, err
	}
	defer f.mu.RUnlock()
	place, info, err := f.find(p, true)
	switch {
	case err != nil:
		return nil, err
	case info == nil:
		return nil, notFound(p)
	}
	if err := checkRegular(p, info); err != nil {
		return nil, err
	}
	return f.read(place, p)
}

// cutLines returns most lines of a text from line first on, and the number of lines of the text. Zero most is all.
func cutLines(text string, first, most int) (cut string, total int) {
	start, end := len(text), len(text)
	at := 0
	for line := range strings.Lines(text) {
		total++
		if total == first {
			start = at
		}
		at += len(line)
		if most > 0 && total-first == most-1 {
			end = at
		}
	}
	return text[start:max(start, end)], total
}
