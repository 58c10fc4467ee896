package files

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/registry"
)

type getInput struct {
	Path      string `json:"path" jsonschema:"File, relative to the root." cash:"example=src/main.go"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"First line to return, from 1. For text." cash:"min=1"`
	Lines     int    `json:"lines,omitempty" jsonschema:"Most lines to return; without it, all. For text." cash:"min=1"`
	Offset    int64  `json:"offset,omitempty" jsonschema:"First byte to return, from 0, in place of lines." cash:"min=0"`
	Bytes     int64  `json:"bytes,omitempty" jsonschema:"Most bytes to return, in place of lines; without it, all." cash:"min=1"`
}

// A file is the result of get.
type file struct {
	Path     string    `json:"path" cash:"detail=minimal"`
	Size     int64     `json:"size" cash:"detail=standard"`             // bytes of the whole file
	SHA256   string    `json:"sha256,omitempty" cash:"detail=standard"` // of the whole file, if it is read as a whole
	Modified time.Time `json:"modified" cash:"detail=full"`
	Encoding string    `json:"encoding" cash:"detail=standard"`
	// StartLine is set if lines were requested, TotalLines too if they are known.
	StartLine  int    `json:"start_line,omitempty" cash:"detail=standard"`
	TotalLines *int   `json:"total_lines,omitempty" cash:"detail=standard"`
	Offset     *int64 `json:"offset,omitempty" cash:"detail=standard"` // of the first byte, if bytes were requested
	Content    string `json:"content" cash:"detail=standard"`
	// NextLine or NextOffset is set if the file goes on: where the next part begins.
	NextLine   int   `json:"next_line,omitempty" cash:"detail=standard"`
	NextOffset int64 `json:"next_offset,omitempty" cash:"detail=standard"`

	asked bool  // how much was requested
	at    int64 // offset of the content
}

// maxExcerpt is about how many bytes of contents level standard shows.
const maxExcerpt = 8000

// Detail implements registry.Detailer. At level standard a long content is an excerpt, unless its length was requested.
func (f file) Detail(registry.Detail) any {
	if !f.asked && len(f.Content) > maxExcerpt {
		f.keep(cutExcerpt(f.Content, f.Encoding, maxExcerpt))
	}
	return f
}

// keep replaces the content by its beginning.
func (f *file) keep(e excerpt) {
	f.Content, f.NextLine, f.NextOffset = e.content, 0, 0
	if e.lines > 0 && f.Offset == nil {
		f.NextLine = max(f.StartLine, 1) + e.lines
		return
	}
	if f.NextOffset = f.at + e.bytes; f.at == 0 && (f.Encoding == asLittle || f.Encoding == asBig) {
		f.NextOffset += 2 // the byte order mark
	}
}

// An excerpt is the beginning of a content.
type excerpt struct {
	content string
	lines   int   // whole lines in it; 0 if it ends inside of a line
	bytes   int64 // in the file
}

// cutExcerpt returns the beginning of a content, of at most most bytes.
func cutExcerpt(content, encoding string, most int) excerpt {
	cut := content[:min(most, len(content))]
	if encoding == asBase64 {
		cut = cut[:len(cut)/4*4]
		return excerpt{cut, 0, int64(len(cut) / 4 * 3)}
	}
	lines := 0
	if end := strings.LastIndexByte(cut, '\n') + 1; end > 0 && len(cut) < len(content) {
		cut = cut[:end]
		lines = strings.Count(cut, "\n")
	}
	for len(cut) < len(content) && !utf8.RuneStart(content[len(cut)]) {
		cut = cut[:len(cut)-1]
	}
	return excerpt{cut, lines, rawLength(cut, encoding)}
}

// rawLength returns how many bytes of a file a text takes.
func rawLength(text, encoding string) (n int64) {
	switch encoding {
	case asText:
		return int64(len(text))
	case asLatin1:
		return int64(utf8.RuneCountInString(text))
	}
	for _, r := range text {
		if n += 2; r > 0xffff {
			n += 2
		}
	}
	return n
}

func (f *Files) get(ctx context.Context, in getInput) (*file, error) {
	p, err := cleanPath(in.Path)
	if err != nil {
		return nil, err
	}
	byLine, byByte := in.StartLine > 0 || in.Lines > 0, in.Offset > 0 || in.Bytes > 0
	if byLine && byByte {
		return nil, invalid("Lines and bytes cannot both be requested.")
	}
	end, err := f.reading(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	place, info, err := f.find(p, toRead)
	switch {
	case err != nil:
		return nil, err
	case info == nil:
		return nil, notFound(p)
	}
	if err := checkRegular(p, info); err != nil {
		return nil, err
	}
	if info.Size() > f.maxFile {
		return f.part(p, place, &in, !byByte)
	}
	s, err := f.read(place, p)
	if err != nil {
		return nil, err
	}
	out := &file{Path: p, Size: s.info.Size(), SHA256: s.sum, Modified: s.info.ModTime().UTC(), asked: in.Lines > 0 || in.Bytes > 0}
	out.Encoding = encodingOf(s.data)
	if byByte {
		return out, out.setBytes(bytes.NewReader(s.data), int64(len(s.data)), &in, int64(len(s.data)))
	}
	text := decodeAs(s.data, out.Encoding)
	if out.Content = text; !byLine {
		return out, nil
	}
	if out.Encoding == asBase64 {
		return nil, notText(p)
	}
	out.StartLine = max(in.StartLine, 1)
	start, cut, total := cutLines(text, out.StartLine, in.Lines)
	out.Content, out.TotalLines = cut, &total
	if out.at = rawLength(text[:start], out.Encoding); start > 0 && marked(s.data) == out.Encoding {
		out.at += 2
	}
	if next := out.StartLine + in.Lines; in.Lines > 0 && next > 0 && next <= total {
		out.NextLine = next
	}
	return out, nil
}

func notText(p string) error {
	e := invalid("%s is not text, and has no lines.", quote(p))
	e.Hint = "Leave out start_line and lines, or pass offset and bytes."
	return e
}

// part returns a part of a file that is too large to be read as a whole.
func (f *Files) part(p, place string, in *getInput, byLine bool) (*file, error) {
	from, info, err := f.openRegular(place, p)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	out := &file{Path: p, Size: info.Size(), Modified: info.ModTime().UTC(), asked: in.Lines > 0 || in.Bytes > 0}
	head := make([]byte, 2)
	if _, err := from.ReadAt(head, 0); err != nil {
		return nil, ioError("Reading", p, noEOF(err))
	}
	if !byLine || marked(head) != "" && in.StartLine == 0 && in.Lines == 0 {
		out.Encoding = marked(head)
		if err := out.setBytes(from, out.Size, in, f.maxFile); err != nil {
			return nil, ioError("Reading", p, err)
		}
		return out, nil
	}
	if marked(head) != "" {
		return nil, failed("The lines of %s cannot be found, because it is large and UTF-16. Pass offset and bytes instead.", quote(p))
	}
	out.StartLine = max(in.StartLine, 1)
	at, found, err := f.lines.of(place, info).find(from, out.StartLine)
	switch {
	case err != nil:
		return nil, ioError("Reading", p, err)
	case !found:
		e := failed("Line %d of %s was not reached in time: line %d is at offset %d.", out.StartLine, quote(p), at.line, at.offset)
		e.Hint = "Call again: reading goes on from there. Or pass an offset."
		return nil, e
	case at.line < out.StartLine || at.offset >= out.Size:
		total := at.line - 1
		if at.inside { // the last line has no end
			total++
		}
		out.Encoding, out.TotalLines = asText, &total
		return out, nil
	}
	return out, out.setLines(from, at.offset, in.Lines, f.maxFile, p)
}

// setLines sets the content to most lines from an offset on. Zero most is all.
func (f *file) setLines(r io.ReaderAt, offset int64, most int, limit int64, p string) error {
	data, err := readPart(r, offset, min(limit, f.Size-offset))
	if err != nil {
		return ioError("Reading", p, err)
	}
	if most == 0 {
		most = math.MaxInt
	}
	end, lines := 0, 0
	for lines < most && end < len(data) {
		i := bytes.IndexByte(data[end:], '\n') + 1
		if i == 0 {
			break
		}
		end, lines = end+i, lines+1
	}
	f.at = offset
	switch cut := offset+int64(len(data)) < f.Size; {
	case lines == most || end > 0 && cut:
		data = data[:end]
		if offset+int64(end) < f.Size {
			f.NextLine = f.StartLine + lines
		}
	case cut: // inside of a line
		data = wholeText(data)
		f.NextOffset = offset + int64(len(data))
	}
	if f.Encoding = unmarked(data); f.Encoding == asBase64 {
		return notText(p)
	}
	f.Content = decodeAs(data, f.Encoding)
	return nil
}

// setBytes sets the content to the requested bytes, at most limit.
func (f *file) setBytes(r io.ReaderAt, size int64, in *getInput, limit int64) error {
	from := min(in.Offset, size)
	most := min(limit, size-from)
	if in.Bytes > 0 {
		most = min(most, in.Bytes)
	}
	if f.Encoding == asLittle || f.Encoding == asBig { // whole units, not before the first one
		from += from % 2
		if most = min(most, size-from); from+most < size {
			most -= most % 2
		}
		most = max(most, 0)
	}
	data, err := readPart(r, from, most)
	if err != nil {
		return err
	}
	switch ends := from+int64(len(data)) == size; f.Encoding {
	case "", asText: // a large file, of which the part decides
		start := 0
		for start < len(data) && start < utf8.UTFMax-1 && from > 0 && !utf8.RuneStart(data[start]) {
			start++
		}
		text := data[start:]
		if !ends {
			text = wholeText(text)
		}
		if utf8.Valid(text) && (len(text) > 0 || len(data) == 0) {
			data, from, f.Encoding = text, from+int64(start), asText
		} else if f.Encoding = unmarked(data); len(data) < utf8.UTFMax {
			f.Encoding = asBase64 // too little to tell
		}
	}
	f.at, f.Offset = from, &from
	f.Content = decodeAs(data, f.Encoding)
	if next := from + int64(len(data)); next < size {
		f.NextOffset = next
	}
	return nil
}

// wholeText returns data without a character that it has only the beginning of.
func wholeText(data []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if last := data[len(data)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return data[:len(data)-i]
			}
			break
		}
	}
	return data
}

func readPart(r io.ReaderAt, offset, most int64) ([]byte, error) {
	data := make([]byte, max(most, 0))
	n, err := r.ReadAt(data, offset)
	return data[:n], noEOF(err)
}

// openRegular opens the regular file at place. Errors name it p.
func (f *Files) openRegular(place, p string) (*os.File, fs.FileInfo, error) {
	from, err := f.disk.Open(place)
	if err != nil {
		return nil, nil, ioError("Opening", p, err)
	}
	info, err := from.Stat()
	if err != nil {
		err = ioError("Reading", p, os.ErrInvalid)
	} else {
		err = checkRegular(p, info)
	}
	if err != nil {
		from.Close()
		return nil, nil, err
	}
	return from, info, nil
}

// cutLines returns most lines of a text from line first on, where they begin, and the number of lines of the text. Zero
// most is all.
func cutLines(text string, first, most int) (at int, cut string, total int) {
	start, end := len(text), len(text)
	i := 0
	for line := range strings.Lines(text) {
		total++
		if total == first {
			start = i
		}
		i += len(line)
		if most > 0 && total-first == most-1 {
			end = i
		}
	}
	return start, text[start:max(start, end)], total
}
