package pin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Limits of a difference, in lines and characters: of a value, its path, and the context of a change.
const (
	maxDifferenceLines = 100
	maxShownValue      = 60
	maxShownPath       = 60
	maxShownBeside     = 20
)

// Difference describes, in lines for an operator, the changes from d to other. It is empty if they have the same
// hash:
//
//	description: added "all " after "Deletes "
//	input.properties.amount.maximum: 100 -> 1000000
//	input.properties.to: added
//	input.properties.to.type: absent -> "string"
//	annotations.readOnlyHint: true -> absent
//
// Texts are compared word by word. Invisible characters are written by number, as [U+200B], and named after the
// change. So are look-alike letters of other scripts, and combining marks, next to Latin letters. Long values are
// cut and say how much is missing. After 100 lines, the number of further ones is given.
func (d *Definition) Difference(other *Definition) string {
	var r differences
	if d.kind() != other.kind() {
		r.add("kind", d.kind().String()+" -> "+other.kind().String())
	}
	r.text("name", d.Name, other.Name)
	r.text("title", d.Title, other.Title)
	r.text("description", d.Description, other.Description)
	r.json("input", d.InputSchema, other.InputSchema)
	r.json("output", d.OutputSchema, other.OutputSchema)
	r.json("annotations", d.Annotations, other.Annotations)
	r.json("icons", d.Icons, other.Icons)
	r.json("meta", d.Meta, other.Meta)
	r.json("skill", d.Skill, other.Skill)
	return r.String()
}

// differences collects the lines of a difference.
type differences struct {
	lines []string
	more  int
}

func (r *differences) add(path, what string) {
	if len(r.lines) == maxDifferenceLines {
		r.more++
		return
	}
	r.lines = append(r.lines, path+": "+what)
}

func (r *differences) String() string {
	text := strings.Join(r.lines, "\n")
	if r.more > 0 {
		text += fmt.Sprintf("\nand %d more lines", r.more)
	}
	return text
}

func (r *differences) json(path string, a, b json.RawMessage) {
	x, okX := comparableJSON(a)
	y, okY := comparableJSON(b)
	switch {
	case okX && okY:
		r.value(path, x, y)
	case !bytes.Equal(a, b):
		r.add(path, "changed, and is not JSON that could be compared")
	}
}

// value compares JSON in canonical form; nil is absent. The caller has bounded the depth.
func (r *differences) value(path string, a, b []byte) {
	before, after := strictjson.KindOf(a), strictjson.KindOf(b)
	switch {
	case bytes.Equal(a, b):
	case a == nil && hasChildren(after):
		r.add(path, "added")
		r.children(path, nil, b)
	case b == nil && hasChildren(before):
		r.add(path, "removed")
	case before == after && a != nil && b != nil && before == strictjson.String:
		r.text(path, strictjson.Text(a), strictjson.Text(b))
	case before == after && hasChildren(before):
		r.children(path, a, b)
	default:
		r.add(path, shown(a)+" -> "+shown(b))
		r.children(path, nil, b)
	}
}

// hasChildren reports whether a kind of value has children.
func hasChildren(k strictjson.Kind) bool { return k == strictjson.Object || k == strictjson.Array }

// children compares the children of a and b. a is nil or of the same kind as b.
func (r *differences) children(path string, a, b []byte) {
	switch strictjson.KindOf(b) {
	case strictjson.Object:
		r.members(path, a, b)
	case strictjson.Array:
		r.elements(path, a, b)
	}
}

// members compares two objects with sorted keys.
func (r *differences) members(path string, a, b []byte) {
	type member struct {
		key   string
		value []byte
	}
	list := func(data []byte) (list []member) {
		for key, value := range strictjson.Members(data) {
			list = append(list, member{key, value})
		}
		return list
	}
	x, y := list(a), list(b)
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].key < y[0].key:
			r.value(memberPath(path, x[0].key), x[0].value, nil)
			x = x[1:]
		case len(x) == 0 || y[0].key < x[0].key:
			r.value(memberPath(path, y[0].key), nil, y[0].value)
			y = y[1:]
		default:
			r.value(memberPath(path, x[0].key), x[0].value, y[0].value)
			x, y = x[1:], y[1:]
		}
	}
}

// elements compares two arrays. An element that replaces another is compared with it. Removed elements have their
// old index, all others the new one.
func (r *differences) elements(path string, a, b []byte) {
	list := func(data []byte) (list []string) {
		for _, e := range strictjson.Elements(data) {
			list = append(list, string(e))
		}
		return list
	}
	x, y := list(a), list(b)
	for _, h := range hunks(x, y) {
		for h.x < h.endX && h.y < h.endY {
			r.value(elementPath(path, h.y), []byte(x[h.x]), []byte(y[h.y]))
			h.x, h.y = h.x+1, h.y+1
		}
		for ; h.x < h.endX; h.x++ {
			r.value(elementPath(path, h.x), []byte(x[h.x]), nil)
		}
		for ; h.y < h.endY; h.y++ {
			r.value(elementPath(path, h.y), nil, []byte(y[h.y]))
		}
	}
}

func memberPath(path, key string) string {
	if key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$-") == "" {
		return cutPath(path + "." + key)
	}
	return cutPath(path + "[" + quoted(key) + "]")
}

func elementPath(path string, i int) string { return cutPath(fmt.Sprintf("%s[%d]", path, i)) }

// cutPath shortens a path in the middle: it keeps the first word and the end.
func cutPath(path string) string {
	extra := utf8.RuneCountInString(path) - maxShownPath
	if extra <= 0 {
		return path
	}
	root := path[:strings.IndexAny(path, ".[…")]
	runes := []rune(path)
	return root + "…" + string(runes[len(root)+1+extra:])
}

// text compares texts word by word.
func (r *differences) text(path, a, b string) {
	x, y := words(a), words(b)
	for _, h := range hunks(x, y) {
		before, after := strings.Join(x[h.x:h.endX], ""), strings.Join(y[h.y:h.endY], "")
		var what string
		switch {
		case before == "":
			what = "added " + quoted(after)
		case after == "":
			what = "removed " + quoted(before)
		default:
			before, after := fromChange(before, after)
			what = quoted(before) + " -> " + quoted(after)
		}
		r.add(path, what+where(y, h)+notable(before, after))
	}
}

// words cuts text into words and the white space between them.
func words(text string) []string {
	var list []string
	start, was := 0, false
	for i, r := range text {
		is := unicode.IsSpace(r)
		if i > start && is != was {
			list = append(list, text[start:i])
			start = i
		}
		was = is
	}
	if start < len(text) {
		list = append(list, text[start:])
	}
	return list
}

// fromChange cuts the common beginning of two long texts, so that the difference is visible.
func fromChange(a, b string) (string, string) {
	const lead = 10 // bytes of the common beginning that stay
	if max(utf8.RuneCountInString(a), utf8.RuneCountInString(b)) <= maxShownValue {
		return a, b
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n = max(n-lead, 0); n > 0 && n < len(a) && !utf8.RuneStart(a[n]); n-- {
	}
	if n == 0 {
		return a, b
	}
	return "…" + a[n:], "…" + b[n:]
}

// where returns the position of a change among the words of a text.
func where(words []string, h hunk) string {
	switch {
	case h.y > 0:
		text := []rune(words[h.y-1])
		for i := h.y - 2; i >= 0 && len(text) < maxShownBeside; i-- {
			text = append([]rune(words[i]), text...)
		}
		if n := len(text) - maxShownBeside; n > 0 {
			text = append([]rune("…"), text[n:]...)
		}
		return " after " + quoted(string(text))
	case h.endY < len(words):
		text := words[h.endY]
		for i := h.endY + 1; i < len(words) && len(text) < maxShownBeside; i++ {
			text += words[i]
		}
		if runes := []rune(text); len(runes) > maxShownBeside {
			text = string(runes[:maxShownBeside]) + "…"
		}
		return " before " + quoted(text)
	}
	return ""
}

// notable names the added and removed characters that a reader would miss: "" or " (U+200B added, U+202E removed)".
func notable(a, b string) string {
	latin := strings.ContainsFunc(a+b, func(r rune) bool { return unicode.Is(unicode.Latin, r) })
	counts := make(map[rune]int)
	for _, r := range a {
		if isUnseen(r, latin) {
			counts[r]--
		}
	}
	for _, r := range b {
		if isUnseen(r, latin) {
			counts[r]++
		}
	}
	maps.DeleteFunc(counts, func(_ rune, n int) bool { return n == 0 })
	var list []string
	for _, r := range slices.Sorted(maps.Keys(counts)) {
		if len(list) == 3 {
			list = append(list, fmt.Sprintf("and %d others", len(counts)-3))
			break
		}
		list = append(list, came(r, counts[r]))
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

func came(r rune, n int) string {
	verb := "added"
	if n < 0 {
		verb, n = "removed", -n
	}
	if n == 1 {
		return fmt.Sprintf("%U %s", r, verb)
	}
	return fmt.Sprintf("%U %s %d times", r, verb, n)
}

// isUnseen reports whether a reader would miss the character: it is invisible or, among Latin letters, looks like one
// of them or is a combining mark.
func isUnseen(r rune, latin bool) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return !isVisible(r) || latin && (unicode.Is(unicode.M, r) || unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r))
}

// isVisible reports whether a character is visible and unmistakable.
func isVisible(r rune) bool { return r == ' ' || clean.Visible(r) && !unicode.IsSpace(r) }

// shown returns a JSON value in a form fit for one line.
func shown(value []byte) string {
	switch strictjson.KindOf(value) {
	case strictjson.Object:
		return "an object"
	case strictjson.Array:
		return "an array"
	case strictjson.String:
		return quoted(strictjson.Text(value))
	}
	switch {
	case value == nil:
		return "absent"
	case len(value) > maxShownValue:
		return fmt.Sprintf("%s… (%d more digits)", value[:maxShownValue], len(value)-maxShownValue)
	}
	return string(value)
}

// quoted returns text in quotes, on one line, with invisible characters spelled out. A long text is cut.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, n := 0, 0; i < len(text); {
		if n >= maxShownValue {
			fmt.Fprintf(&b, `…" (%d more characters)`, utf8.RuneCountInString(text[i:]))
			return b.String()
		}
		size, s := spelled(text[i:])
		b.WriteString(s)
		n += utf8.RuneCountInString(s)
		i += size
	}
	b.WriteByte('"')
	return b.String()
}

// spelled returns the length of the first character of text, and its form inside quotes.
func spelled(text string) (int, string) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == '"' || r == '\\': // so that the text cannot close the quotes
		return size, `\` + string(r)
	case r == utf8.RuneError && size == 1:
		return size, fmt.Sprintf("[byte %02X]", text[0])
	case !isVisible(r):
		return size, fmt.Sprintf("[%U]", r)
	}
	return size, string(r)
}
