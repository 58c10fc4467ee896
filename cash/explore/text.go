package explore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// Bounds of shown texts, in characters.
const (
	maxLine  = 160
	maxAbout = 2000
	maxText  = 64 << 10
)

// functions are those of the templates. Texts of all origins go through line or text.
var functions = template.FuncMap{
	"line":     line,
	"text":     text,
	"about":    func(text string) string { return visible(text, maxAbout) },
	"tokens":   number,
	"bytes":    size,
	"duration": duration,
	"clock":    func(t time.Time) string { return t.Format("15:04:05.000") },
	"since":    func(t time.Time) string { return duration(time.Since(t)) },
	"stamp":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
}

// line returns a text for one line.
func line(text string) string {
	return visible(strings.Join(strings.Fields(clean.Beginning(text, 4*maxLine)), " "), maxLine)
}

// text returns a text of several lines.
func text(text string) string {
	return visible(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), maxText)
}

// visible returns the beginning of a text with the numbers of invisible characters in their place.
func visible(text string, most int) string {
	var b strings.Builder
	n, last := 0, ' '
	for i, r := range text {
		if n++; n > most {
			fmt.Fprintf(&b, "… %s more characters", number(utf8.RuneCountInString(text[i:])))
			break
		}
		if r == ' ' || r == '\n' || r == '\t' || clean.Visible(r) || joins(last, r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
		last = r
	}
	return b.String()
}

// joins reports whether r shapes the visible character before it, as in emoji and some scripts.
func joins(last, r rune) bool {
	return (r == '\u200c' || r == '\u200d' || r == '\ufe0f') && last >= '\u0300' && clean.Visible(last)
}

// number returns a number in groups of three digits.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size returns a number of bytes as people write it. Zero is empty.
func size(n int) string {
	switch {
	case n == 0:
		return ""
	case n < 10_000:
		return number(n) + " B"
	case n < 10_000_000:
		return number(n/1000) + " kB"
	}
	return number(n/1_000_000) + " MB"
}

// duration returns a duration in three digits or so.
func duration(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// indented returns JSON in lines. Text that is no JSON stays as it is.
func indented(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

// count returns the tokens of a text, of its beginning if it is very long.
func count(text string) int {
	return card.CL100K().Count(clean.Beginning(text, maxText), math.MaxInt)
}

// mark matches what skillmd.Strip leaves of a removed part.
var mark = regexp.MustCompile(`\[[a-z ]+ removed(?:: [^\]\n]{1,80})?\]|#removed`)

// A span is a part of a text.
type span struct {
	Text   string
	Marked bool
}

// marked divides a text at the marks of removed parts.
func marked(text string) (list []span, marks int) {
	at := 0
	for _, m := range mark.FindAllStringIndex(text, 1000) {
		list = append(list, span{text[at:m[0]], false}, span{text[m[0]:m[1]], true})
		at = m[1]
		marks++
	}
	return append(list, span{text[at:], false}), marks
}
