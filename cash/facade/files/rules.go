package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A pattern is a line of a .gitignore file. It is compiled to RE2, which takes linear time for any pattern and path.
// Git compares bytes, a pattern characters.
type pattern struct {
	negated  bool           // it includes again
	folders  bool           // it matches folders only
	anywhere bool           // it is matched against the last name only
	literal  string         // the text to match if re is nil
	re       *regexp.Regexp // of the whole name or path
}

const maxPattern = 1024 // bytes

var errPattern = errors.New("the pattern can never match")

// parsePattern compiles a pattern. The error is [errPattern] for one that is malformed, which matches nothing in git.
func parsePattern(text string) (*pattern, error) {
	p := new(pattern)
	text, p.negated = strings.CutPrefix(text, "!")
	text, p.folders = strings.CutSuffix(text, "/")
	p.anywhere = !strings.Contains(text, "/")
	text = strings.TrimPrefix(text, "/")
	if text == "" || len(text) > maxPattern || !utf8.ValidString(text) {
		return nil, errPattern
	}
	if !strings.ContainsAny(text, `*?[\`) {
		p.literal = text
		return p, nil
	}
	expression, err := translate(text, !p.anywhere)
	if err == nil {
		p.re, err = regexp.Compile(`\A(?s:` + expression + `)\z`)
	}
	return p, err
}

// translate returns the regular expression of a pattern. In a path, two asterisks match across slashes.
func translate(text string, isPath bool) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '*':
			start := i
			for i < len(text) && text[i] == '*' {
				i++
			}
			begins, rest := start == 0 || text[start-1] == '/', text[i:]
			switch across := isPath && i-start > 1 && begins; {
			case across && strings.HasPrefix(rest, "/"):
				b.WriteString(`(?:.*/)?`)
				i++
			case across && (rest == "" || strings.HasPrefix(rest, `\/`)):
				b.WriteString(`.*`)
			default:
				b.WriteString(`[^/]*`)
			}
		case '?':
			b.WriteString(`[^/]`)
			i++
		case '[':
			set, n := translateSet(text[i:])
			if n == 0 {
				return "", errPattern
			}
			b.WriteString(set)
			i += n
		default:
			if c == '\\' {
				i++
			}
			r, n := utf8.DecodeRuneInString(text[i:])
			if n == 0 {
				return "", errPattern
			}
			b.WriteString(regexp.QuoteMeta(string(r)))
			i += n
		}
	}
	return b.String(), nil
}

// translateSet returns the regular expression of the set in brackets at the beginning of text, and its length; 0 if it
// has no end. A slash is never in the set.
func translateSet(text string) (expression string, n int) {
	var ranges strings.Builder
	i := 1
	negated := i < len(text) && (text[i] == '!' || text[i] == '^')
	if negated {
		i++
	}
	next := func() (r rune, ok bool) { // a character, maybe behind a backslash
		if i < len(text) && text[i] == '\\' {
			i++
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		return r, size > 0
	}
	last, ranged := rune(0), false // whether last may begin a range
	for first := true; first || i < len(text) && text[i] != ']'; first = false {
		name, _, isClass := strings.Cut(strings.TrimPrefix(text[min(i, len(text)):], "[:"), "]")
		isClass = isClass && strings.HasPrefix(text[i:], "[:") && strings.HasSuffix(name, ":")
		switch {
		case isClass:
			i += len("[:") + len(name) + len("]")
			class, known := classes[strings.TrimSuffix(name, ":")]
			if !known {
				return "", 0
			}
			ranges.WriteString(class)
			ranged = false
		case ranged && i+1 < len(text) && text[i] == '-' && text[i+1] != ']':
			i++
			end, ok := next()
			if !ok {
				return "", 0
			}
			addRange(&ranges, last, end)
			ranged = false
		default:
			r, ok := next()
			if !ok {
				return "", 0
			}
			addRange(&ranges, r, r)
			last, ranged = r, true
		}
	}
	switch i++; {
	case i > len(text):
		return "", 0
	case negated:
		return "[^/" + ranges.String() + "]", i
	case ranges.Len() == 0: // such as [z-a]
		return `[^\x00-\x{10FFFF}]`, i
	}
	return "[" + ranges.String() + "]", i
}

// classes are the named sets, without the slash.
var classes = map[string]string{
	"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": `\t `, "cntrl": `\x00-\x1f\x7f`, "digit": "0-9", "graph": "!-.0-~",
	"lower": "a-z", "print": " -.0-~", "punct": "!-.:-@\\[-`{-~", "space": `\t-\r `, "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}

// addRange adds the characters from lo to hi, without the slash.
func addRange(b *strings.Builder, lo, hi rune) {
	if lo <= '/' && '/' <= hi {
		addRange(b, lo, '/'-1)
		lo = '/' + 1
	}
	if lo <= hi {
		fmt.Fprintf(b, `\x{%x}-\x{%x}`, lo, hi)
	}
}

// matches reports whether a pattern matches a path, relative to the folder that the pattern is for.
func (p *pattern) matches(rel string, folder bool) bool {
	switch {
	case p.folders && !folder:
		return false
	case p.anywhere:
		rel = rel[strings.LastIndexByte(rel, '/')+1:]
	}
	if p.re == nil {
		return rel == p.literal
	}
	return p.re.MatchString(rel)
}

// Rules are the patterns of a .gitignore file, in order.
type rules []*pattern

// newRules compiles the patterns of an embedder, for paths in the form of [fold].
func newRules(texts []string) (rules, error) {
	r := make(rules, len(texts))
	for i, text := range texts {
		var err error
		if r[i], err = parsePattern(fold(text)); err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
	}
	return r, nil
}

// judge returns what the last pattern that matches says of a path; said is false if none matches.
func (r rules) judge(rel string, folder bool) (excluded, said bool) {
	for _, p := range slices.Backward(r) {
		if p.matches(rel, folder) {
			return !p.negated, true
		}
	}
	return false, false
}

// covers reports whether an embedder's rules exclude a path or a folder above it.
func (r rules) covers(p string, folder bool) bool {
	if len(r) == 0 {
		return false
	}
	p = fold(p)
	for i, c := range p {
		if c == '/' && r.excludes(p[:i], true) {
			return true
		}
	}
	return r.excludes(p, folder)
}

func (r rules) excludes(p string, folder bool) bool {
	excluded, _ := r.judge(p, folder)
	return excluded
}

// hidden reports whether callers may not see a path without links.
func (f *Files) hidden(p string, folder bool) bool {
	first, _, _ := strings.Cut(p, "/")
	return isJournal(first) || f.hide.covers(p, folder)
}

// fixed reports whether callers may not change a path without links.
func (f *Files) fixed(p string, folder bool) bool {
	return f.hidden(p, folder) || f.protect.covers(p, folder)
}

// An ignore is the .gitignore file of a folder, with those of the folders above it.
type ignore struct {
	above  *ignore
	folder string // place
	rules  rules
}

// Bounds of a .gitignore file.
const (
	maxIgnoreBytes = 64 << 10
	maxIgnoreRules = 1000
)

// ignores returns the .gitignore files that hold in a folder: its own, and above. A file that is hidden, too large or
// not regular has no effect.
func (f *Files) ignores(above *ignore, place string) *ignore {
	name := path.Join(place, ".gitignore")
	if f.hidden(name, false) {
		return above
	}
	data, err := f.disk.Read(name, maxIgnoreBytes)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			f.log.Warn("a .gitignore file has no effect", "folder", place, "error", err)
		}
		return above
	}
	return &ignore{above, place, parseIgnore(string(data))}
}

// parseIgnore returns the patterns of a .gitignore file. Malformed ones match nothing, and are left out.
func parseIgnore(text string) (list rules) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if p, err := parsePattern(trimBlanks(line)); err == nil {
			list = append(list, p)
		}
		if len(list) >= maxIgnoreRules {
			break
		}
	}
	return list
}

// trimBlanks removes blanks at the end, except for one behind a backslash.
func trimBlanks(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	slashes := len(line[:end]) - len(strings.TrimRight(line[:end], `\`))
	if end < len(line) && slashes%2 == 1 {
		end++
	}
	return line[:end]
}

// excludes reports whether a path in the folder of ig, or below it, is ignored. The folders between are not.
func (ig *ignore) excludes(place string, folder bool) bool {
	for ; ig != nil; ig = ig.above {
		rel := place
		if ig.folder != "." {
			rel = place[len(ig.folder)+1:]
		}
		if excluded, said := ig.rules.judge(rel, folder); said {
			return excluded
		}
	}
	return false
}

// ignoresAt returns the .gitignore files that hold in a folder. in is false if the folder itself is ignored.
func (f *Files) ignoresAt(place string) (ig *ignore, in bool) {
	ig = f.ignores(nil, ".")
	if place == "." {
		return ig, true
	}
	for i, c := range place + "/" {
		if c != '/' {
			continue
		}
		if ig.excludes(place[:i], true) {
			return nil, false
		}
		ig = f.ignores(ig, place[:i])
	}
	return ig, true
}

// newGlob compiles the parameter glob: a pattern of which the folders above do not matter.
func newGlob(text string) (*pattern, error) {
	if text == "" {
		return nil, nil
	}
	p, err := parsePattern(text)
	if err != nil || p.negated {
		e := invalid("The glob %s is not a pattern.", "`"+clean.Line(text, 160)+"`")
		e.Hint = "Patterns are those of a .gitignore file: `*.go` matches names anywhere, `src/*.go` paths below the listed folder, `src/**` all that is below src."
		return nil, e
	}
	return p, nil
}
