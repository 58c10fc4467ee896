package files

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

type searchInput struct {
	Pattern    string `json:"pattern,omitempty" jsonschema:"Regular expression (RE2) to find in a line." cash:"maxLength=1000,example='func \\w+'"`
	Text       string `json:"text,omitempty" jsonschema:"In place of pattern: text to find in a line." cash:"maxLength=1000"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"Take upper and lower case as the same."`
	Path       string `json:"path,omitempty" jsonschema:"Folder or file to search, relative to the root; without it, all." cash:"example=src"`
	Glob       string `json:"glob,omitempty" jsonschema:"Search only files that match this pattern of a .gitignore file, below the folder." cash:"example=*.go"`
	Gitignore  bool   `json:"gitignore,omitempty" jsonschema:"Leave out what the .gitignore files of the root and below it exclude."`
	Context    int    `json:"context,omitempty" jsonschema:"Lines to return before and after each." cash:"min=0,max=20"`
	Limit      int    `json:"limit,omitempty" jsonschema:"Most lines to find." cash:"min=1,max=1000,default=50"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"From next of the page before."`
}

// A findings is the result of search: a page of the lines that match, by path and line.
type findings struct {
	Matches []match `json:"matches" cash:"detail=minimal"`
	// Next is the cursor of the next page. Empty is the end. A page may have no match and a next one.
	Next string `json:"next,omitempty" cash:"detail=minimal"`
	// Skipped is the number of files on this page that are not text, or cannot be read.
	Skipped int `json:"skipped,omitempty" cash:"detail=standard"`
	// Incomplete means that some folders are on no page: they are too deep or unreadable.
	Incomplete bool `json:"incomplete,omitempty" cash:"detail=minimal"`

	all bool
}

// Count implements registry.Counter. It is the exact number of matches, if all are on this page.
func (r findings) Count() int {
	if !r.all {
		return -1
	}
	return len(r.Matches)
}

// A match is a line that matches. Long lines are cut around the first match.
type match struct {
	Path   string   `json:"path" cash:"detail=minimal"`
	Line   int      `json:"line" cash:"detail=minimal"`
	Text   string   `json:"text" cash:"detail=standard"`
	Before []string `json:"before,omitempty" cash:"detail=standard"`
	After  []string `json:"after,omitempty" cash:"detail=standard"`
}

// Bounds of a search. A search that has done minWork ends after maxTime. A unit of work is a byte and an instruction of
// the pattern.
const (
	minWork    = 32 << 20
	fileWork   = 10_000   // of opening a file
	searchRead = 64 << 10 // bytes; longer lines are searched in parts
	maxProgram = 1000     // instructions of a pattern
	maxLine    = 240      // bytes of a line that are shown
	maxFound   = 64 << 10 // bytes of the lines of a page
	maxAround  = 16 << 10 // bytes that are read for the lines before a match, and for those after it
)

// A finder searches files.
type finder struct {
	re       *regexp.Regexp
	units    int  // of work per byte
	lineWise bool // lines are matched one by one
	context  int
	limit    int
	glob     *pattern

	found findings
	bytes int
	work  int
	begun time.Time
	buf   []byte
}

func (f *Files) search(ctx context.Context, in searchInput) (*findings, error) {
	s, err := newFinder(&in)
	if err != nil {
		return nil, err
	}
	at, err := parsePosition(in.Cursor)
	if err != nil {
		return nil, err
	}
	end, err := f.reading(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	shown, place, single, err := f.searched(in.Path)
	if err != nil {
		return nil, err
	}
	if single {
		if at.path != shown || at.offset < 0 {
			at = position{path: shown}
		}
		f.searchFile(s, place, at)
	} else if err := f.searchFolder(ctx, s, shown, place, at, in.Gitignore); err != nil {
		return nil, err
	}
	s.found.all = in.Cursor == "" && s.found.Next == ""
	return &s.found, ctx.Err()
}

// searched returns what a search is in: a folder, or a single file.
func (f *Files) searched(p string) (shown, place string, single bool, err error) {
	if cleaned, err := cleanPath(p); err == nil {
		place, info, err := f.find(cleaned, toRead)
		if err == nil && info != nil && info.Mode().IsRegular() {
			return cleaned, place, true, nil
		}
	}
	shown, place, err = f.folder(p)
	return shown, place, false, err
}

func (f *Files) searchFolder(ctx context.Context, s *finder, shown, place string, at position, ignoring bool) error {
	w := walk{files: f, recursive: true, after: at.path}
	if at.offset >= 0 { // the file is not done
		if target, info, err := f.find(at.path, toRead); err == nil && info != nil && strings.HasPrefix(at.path, below(shown, "")) {
			if f.searchFile(s, target, at); s.found.Next != "" {
				return nil
			}
		}
	}
	w.visit = func(e *entryAt) bool {
		if !e.mode.IsRegular() || s.glob != nil && !s.glob.matches(strings.TrimPrefix(e.shown, below(shown, "")), false) {
			return true
		}
		f.searchFile(s, e.place, position{path: e.shown})
		return s.found.Next == "" && ctx.Err() == nil
	}
	ended, err := w.run(ctx, shown, place, ignoring)
	if err != nil {
		return err
	}
	if !ended && s.found.Next == "" {
		s.found.Next = position{path: w.at, offset: -1}.String()
	}
	s.found.Incomplete = w.incomplete
	return nil
}

// A position is where a search goes on: at a line of a file, or behind the path if offset is negative.
type position struct {
	path   string
	offset int64 // where the line begins
	line   int
}

// String returns the position as a cursor.
func (p position) String() string { return fmt.Sprintf("%d:%d:%s", p.offset, p.line, p.path) }

func parsePosition(cursor string) (p position, err error) {
	if cursor == "" {
		return position{offset: -1}, nil
	}
	if n, _ := fmt.Sscanf(cursor, "%d:%d:", &p.offset, &p.line); n < 2 || p.offset < -1 || p.line < 0 || strings.Count(cursor, ":") < 2 {
		return p, invalid("The cursor is not one from next.")
	}
	p.path = strings.SplitN(cursor, ":", 3)[2]
	if cleaned, err := cleanPath(strings.TrimSuffix(p.path, "/")); err != nil || cleaned != strings.TrimSuffix(p.path, "/") {
		return p, invalid("The cursor is not one from next.")
	}
	return p, nil
}

// newFinder compiles the pattern of a search.
func newFinder(in *searchInput) (*finder, error) {
	expression := in.Pattern
	switch {
	case (in.Text == "") == (in.Pattern == ""):
		return nil, invalid("A search needs either pattern or text.")
	case in.Text != "":
		if expression = regexp.QuoteMeta(in.Text); strings.Contains(in.Text, "\n") {
			return nil, invalid("The text to find has a line break, and lines are searched.")
		}
	}
	flags := "(?m)"
	if in.IgnoreCase {
		flags = "(?mi)"
	}
	tree, err := syntax.Parse(flags+expression, syntax.Perl)
	if err != nil {
		reason := "it cannot be parsed"
		if e, ok := err.(*syntax.Error); ok {
			reason = clean.Line(e.Code.String(), 80)
		}
		return nil, invalid("The pattern is not a regular expression of RE2: %s.", reason)
	}
	s := &finder{units: programSize(tree), lineWise: tellsEnds(tree), context: in.Context, limit: cmp.Or(in.Limit, 50), begun: time.Now()}
	if s.units > maxProgram {
		return nil, invalid("The pattern is too complex: its repetitions make about %d instructions, and at most %d are taken.", s.units, maxProgram)
	}
	if s.re, err = regexp.Compile(flags + expression); err != nil {
		return nil, invalid("The pattern is not a regular expression of RE2.")
	}
	if _, literal := s.re.LiteralPrefix(); literal || in.Text != "" && !in.IgnoreCase {
		s.units = 1
	}
	s.glob, err = newGlob(in.Glob)
	s.found.Matches, s.buf = []match{}, make([]byte, searchRead)
	return s, err
}

// programSize returns about how many instructions an expression compiles to.
func programSize(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCharClass:
		n = 1 + len(re.Rune)/64
	}
	for _, sub := range re.Sub {
		n += programSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<30)
}

// tellsEnds reports whether an expression asks for the end of a line, which may have a carriage return, or for the ends
// of a text.
func tellsEnds(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
		return true
	}
	for _, sub := range re.Sub {
		if tellsEnds(sub) {
			return true
		}
	}
	return false
}

// searchFile searches a file from a position on. It sets found.Next if it does not come to the end.
func (f *Files) searchFile(s *finder, place string, at position) {
	s.work += fileWork
	from, info, err := f.openRegular(place, at.path)
	if err != nil {
		s.found.Skipped++
		return
	}
	defer from.Close()
	var r io.ReaderAt = from
	var head [512]byte
	n, _ := from.ReadAt(head[:], 0)
	switch encoding := marked(head[:n]); {
	case encoding != "" && info.Size() <= f.maxFile:
		data, err := readPart(from, 0, info.Size())
		if err == nil && encodingOf(data) == encoding {
			r = strings.NewReader(decodeAs(data, encoding))
			break
		}
		fallthrough
	case encoding != "", bytes.IndexByte(head[:n], 0) >= 0:
		s.found.Skipped++
		return
	}
	at.line = max(at.line, 1)
	if err := s.read(r, at); err != nil {
		s.found.Skipped++
		f.log.Warn("a file cannot be searched", "file", at.path, "error", err)
	}
}

// read searches a file block by block.
func (s *finder) read(r io.ReaderAt, at position) error {
	for {
		n, err := r.ReadAt(s.buf, at.offset)
		if n == 0 {
			return noEOF(err)
		}
		block := s.buf[:n]
		if n == len(s.buf) { // the block ends with a line, or inside of a long one
			if end := bytes.LastIndexByte(block, '\n') + 1; end > 0 {
				block = block[:end]
			} else {
				block = wholeText(block)
			}
		}
		s.work += s.units * len(block)
		if s.block(r, block, at); s.found.Next != "" {
			return nil
		}
		at.offset += int64(len(block))
		at.line += bytes.Count(block, newline)
		if s.work > minWork && time.Since(s.begun) > maxTime {
			s.found.Next = at.String()
			return nil
		}
	}
}

// block finds the lines of a block that match.
func (s *finder) block(r io.ReaderAt, block []byte, at position) {
	text, raw := block, func(i int) int { return i }
	if !utf8.Valid(block) {
		text = []byte(decodeAs(block, asLatin1))
		raw = func(i int) int { return utf8.RuneCount(text[:i]) }
	}
	line, counted := at.line, 0
	for start := 0; start < len(text); {
		begin, end, place := s.next(text, start)
		if begin < 0 {
			return
		}
		line += bytes.Count(text[counted:begin], newline)
		counted = begin
		here := position{at.path, at.offset + int64(raw(begin)), line}
		if len(s.found.Matches) >= s.limit || s.bytes > maxFound {
			s.found.Next = here.String()
			return
		}
		m := match{Path: at.path, Line: line, Text: shorten(text[begin:end], place)}
		if s.context > 0 {
			m.Before = s.around(r, here.offset, true)
			m.After = s.around(r, at.offset+int64(raw(end)), false)
		}
		for _, t := range append(append(m.Before, m.After...), m.Text, m.Path) {
			s.bytes += len(t)
		}
		s.found.Matches = append(s.found.Matches, m)
		start = end
	}
}

// next returns the first line from start on that matches, with its end, and where in it the match begins. begin is -1
// if there is none.
func (s *finder) next(text []byte, start int) (begin, end, place int) {
	for start < len(text) {
		begin = start
		if !s.lineWise {
			found := s.re.FindIndex(text[start:])
			if found == nil {
				return -1, 0, 0
			}
			begin = start + bytes.LastIndexByte(text[start:start+found[0]], '\n') + 1
			s.lineWise = bytes.IndexByte(text[start+found[0]:start+found[1]], '\n') >= 0
			if start+found[0] == len(text) && begin == len(text) {
				return -1, 0, 0
			}
		}
		end = len(text)
		if i := bytes.IndexByte(text[begin:], '\n'); i >= 0 {
			end = begin + i + 1
		}
		if found := s.re.FindIndex(bytes.TrimRight(text[begin:end], "\r\n")); found != nil {
			return begin, end, found[0]
		}
		start = end
	}
	return -1, 0, 0
}

// around returns the lines before an offset, or from it on.
func (s *finder) around(r io.ReaderAt, offset int64, before bool) (list []string) {
	from, most := offset, int64(maxAround)
	if before {
		from = max(0, offset-maxAround)
		most = offset - from
	}
	data, _ := readPart(r, from, most)
	for range s.context {
		if len(data) == 0 {
			break
		}
		var line []byte
		if before {
			i := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
			line, data = data[i:], data[:i]
		} else if i := bytes.IndexByte(data, '\n') + 1; i > 0 {
			line, data = data[:i], data[i:]
		} else {
			line, data = data, nil
		}
		if !utf8.Valid(line) {
			line = []byte(decodeAs(line, asLatin1))
		}
		list = append(list, shorten(line, 0))
	}
	if before {
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	}
	return list
}

// shorten returns a line without its end, cut around a place in it.
func shorten(line []byte, place int) string {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) <= maxLine {
		return string(line)
	}
	from := max(0, min(place-maxLine/4, len(line)-maxLine))
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	to := min(from+maxLine, len(line))
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to--
	}
	text := string(line[from:to])
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
