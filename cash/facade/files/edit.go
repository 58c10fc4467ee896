package files

import (
	"errors"
	"fmt"
	"strings"
)

// A change is what is to be done to a file.
type change struct {
	Path     string  `json:"path" jsonschema:"File, relative to the root. Folders on the way are made." cash:"example=src/main.go"`
	Content  *string `json:"content,omitempty" jsonschema:"The whole new content."`
	Encoding string  `json:"encoding,omitempty" jsonschema:"Encoding of the file. Without it, a text keeps the one that it has; new files are utf-8." cash:"enum=utf-8|latin-1|utf-16le|utf-16be|base64"`
	Edits    []edit  `json:"edits,omitempty" jsonschema:"In place of content: replacements in the text of the file, one after the other."`
	Diff     string  `json:"diff,omitempty" jsonschema:"In place of content: a unified diff of the file. Its context must match exactly; line numbers may be off."`
}

type edit struct {
	Old string `json:"old" jsonschema:"Text to replace. It must occur exactly once." cash:"minLength=1"`
	New string `json:"new" jsonschema:"Text to put in its place."`
	All bool   `json:"all,omitempty" jsonschema:"Replace every occurrence."`
}

// check rejects a change that has not one of content, edits and diff.
func (c *change) check() error {
	ways := 0
	for _, has := range []bool{c.Content != nil, len(c.Edits) > 0, c.Diff != ""} {
		if has {
			ways++
		}
	}
	if ways != 1 {
		return invalid("The change of %s needs either content, edits or diff.", quote(c.Path))
	}
	if c.Content == nil && c.Encoding == asBase64 {
		return invalid("The change of %s is of text, which is not base64.", quote(c.Path))
	}
	return nil
}

// size returns about how many bytes of memory a change takes.
func (c *change) size() (n int64) {
	n = int64(len(c.Path)+len(c.Diff)) + 100
	if c.Content != nil {
		n += int64(len(*c.Content))
	}
	for _, e := range c.Edits {
		n += int64(len(e.Old)+len(e.New)) + 50
	}
	return n
}

// resolve sets the new content of a write, given the file that it changes.
func (f *Files) resolve(w *write) error {
	if w.action == skip {
		return nil
	}
	c := &w.change
	text, encoding := "", asText
	switch {
	case w.old != nil && w.old.sum != "":
		text, encoding = encode(w.old.data)
	case w.old != nil && c.Content == nil:
		return f.tooLarge(w.path, w.old.info.Size())
	case w.old == nil && len(c.Edits) > 0:
		return failed("There is no file %s to edit.", quote(w.path))
	}
	if c.Content == nil && encoding == asBase64 {
		return failed("%s is not text. It can only be replaced as a whole.", quote(w.path))
	}
	if encoding == asBase64 || c.Encoding != "" {
		encoding = c.Encoding // of the new content
	}
	var err error
	switch {
	case c.Content != nil:
		text = *c.Content
	case c.Diff != "":
		text, err = applyDiff(text, c.Diff, int(f.maxFile))
	default:
		text, err = applyEdits(text, c.Edits, int(f.maxFile))
	}
	if err != nil {
		e := failed("The change of %s cannot be applied: %s.", quote(w.path), err)
		e.Hint = "Get the file, or the lines around, and try again with exactly what is there."
		return e
	}
	if w.data, err = encodeAs(text, encoding); err != nil {
		return badContent(w.path, err)
	}
	w.sum = sumOf(w.data)
	return f.checkSize(w.path, len(w.data))
}

func badContent(p string, err error) error {
	e := invalid("The content for %s cannot be written: %s.", quote(p), err)
	if errors.Is(err, errLatin1) {
		e.Hint = "Pass the encoding utf-8 to change that of the file."
	}
	return e
}

func (f *Files) checkSize(p string, n int) error {
	if int64(n) > f.maxFile {
		return invalid("The content for %s is too large: it has %d bytes, and at most %d are taken.", quote(p), n, f.maxFile)
	}
	return nil
}

var errTooLong = errors.New("the new text would be too large")

// applyEdits returns a text after edits. At most most bytes come out of each.
func applyEdits(text string, edits []edit, most int) (string, error) {
	for i, e := range edits {
		n := strings.Count(text, e.Old)
		switch {
		case n == 0 && strings.Contains(text, "\r\n") && strings.Contains(e.Old, "\n"):
			return "", fmt.Errorf("old of edit %d is not there; the lines of the file end in \\r\\n", i+1)
		case n == 0:
			return "", fmt.Errorf("old of edit %d is not there", i+1)
		case n > 1 && !e.All:
			return "", fmt.Errorf("old of edit %d is there %d times; make it longer, or set all", i+1, n)
		case len(text)+n*(len(e.New)-len(e.Old)) > most:
			return "", errTooLong
		}
		text = strings.ReplaceAll(text, e.Old, e.New)
	}
	return text, nil
}
