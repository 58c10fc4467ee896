package skillmd

import (
	"fmt"
	"strings"
)

// fence is the opening line of a fenced block.
type fence struct {
	char   byte   // '`' or '~'
	size   int    // number of chars
	indent int    // columns before it, within its containers
	loose  bool   // CommonMark would not see it
	info   string // the rest of the line, trimmed
}

// openFence parses text, whose first character is not blank, as an opening fence.
func openFence(text string) (fence, bool) {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return fence{}, false
	}
	f := fence{char: text[0], size: runLength(text, 0)}
	f.info = strings.Trim(text[f.size:], " \t")
	if f.size < 3 || f.char == '`' && strings.IndexByte(f.info, '`') >= 0 {
		return fence{}, false
	}
	return f, true
}

// closes reports whether text, without leading blanks, closes the block.
func (f fence) closes(text string) bool {
	if text == "" || text[0] != f.char {
		return false
	}
	n := runLength(text, 0)
	return n >= f.size && strings.Trim(text[n:], " \t") == ""
}

// tagged reports whether the block has a language tag, even an unreadable one.
func (f fence) tagged() bool {
	return f.info != ""
}

// command reports whether some clients run the block while they load a skill (R75).
func (f fence) command() bool {
	return strings.HasPrefix(strings.TrimLeft(f.info, "{. \t"), "!")
}

// language returns the tag in lower case: "bash" for "bash", "Bash title=x" and "{.bash}". It is empty if no tag can be
// shown.
func (f fence) language() string {
	tag := strings.TrimLeft(f.info, "{. \t")
	end := 0
	for end < len(tag) && (isWord(tag[end]) || strings.IndexByte("+#.-", tag[end]) >= 0) {
		end++
	}
	if end > 24 {
		return ""
	}
	return strings.ToLower(tag[:end])
}

// runLength returns how often the byte s[i] is repeated from i on.
func runLength(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}

// notice returns the line that replaces a removed block (R72).
func notice(language string, lines int) string {
	unit := "lines"
	if lines == 1 {
		unit = "line"
	}
	if language != "" {
		language += ", "
	}
	return fmt.Sprintf("[code block removed: %s%d %s]", language, lines, unit)
}

// looseFence finds a fence after any mixture of blanks, quote and list marks. It returns the number of bytes before it.
func looseFence(text string) (fence, int, bool) {
	rest := strings.TrimLeft(text, " \t>-+*.)0123456789")
	f, ok := openFence(rest)
	return f, len(text) - len(rest), ok
}

// maxFenceNesting bounds fences within data blocks; deeper blocks are removed unread.
const maxFenceNesting = 4

// stripNested applies the rules for fences inside a kept data block: ````markdown may hold ```bash. Everything else in
// it is data, including indented text.
func stripNested(lines []line, depth int, removed *[]Removal) []line {
	var out []line
	for i := 0; i < len(lines); i++ {
		f, at, ok := looseFence(lines[i].text)
		if !ok {
			out = append(out, lines[i])
			continue
		}
		end := i + 1
		for end < len(lines) && !f.closes(strings.TrimLeft(lines[end].text, " \t>")) {
			end++
		}
		inner := lines[i+1 : end]
		if depth < maxFenceNesting && keepBlock(f, texts(inner)) {
			out = append(out, lines[i])
			out = append(out, stripNested(inner, depth+1, removed)...)
			out = append(out, lines[end:min(end+1, len(lines))]...)
		} else {
			out = append(out, line{lines[i].text[:at] + notice(f.language(), len(inner)), lines[i].no})
			*removed = append(*removed, f.removal(lines[i].no, len(inner)))
		}
		i = end
	}
	return out
}

func (f fence) removal(no, lines int) Removal {
	kind := KindCode
	if f.command() {
		kind = KindCommand
	}
	return Removal{Line: no, Kind: kind, Language: f.language(), Lines: lines}
}

func texts(lines []line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.text
	}
	return out
}
