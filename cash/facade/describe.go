package facade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of a tool's description, in bytes where nothing else is said.
const (
	maxDescription = 2000 // of all of it; clients cut longer ones
	// Descriptions that are more than names have so many bytes in all. With the rest of their definitions, eight domains
	// then take some 2,000 tokens ("Token Budget Comparison").
	maxDescriptions = 4200
	maxAbout        = 400 // characters of a domain's own description
	maxHead         = 160 // of its first sentence, to stand before the words about help
	maxSentence     = 120 // of a command
	minSentence     = 25  // to which sentences are cut, so that each command has one
	maxSignature    = 300 // of the parameters of a command
	maxParamName    = 60  // characters
	maxMembers      = 12  // of an object that is shown with them
)

const (
	commandsAre     = "\nCommands:"
	destructiveMark = " [destructive]"
	notNow          = "Unavailable at the moment."
	partNotNow      = "A part of it is unavailable at the moment."
)

// describe returns the description of a domain for the model: its subject, its command help and its other commands.
// domains is how many share the room for texts.
func (d *domain) describe(commands []command, whole bool, domains int) string {
	intro := clean.Cut(clean.Flow(d.description), maxAbout)
	if len(commands) > 0 {
		intro = early(intro, "Cmd "+helpName(commands)+" finds commands and tells params.")
	}
	if !whole {
		state := notNow
		if len(commands) > 0 {
			state = partNotNow
		}
		intro = strings.TrimSpace(intro + " " + state)
	}
	if len(commands) == 0 {
		return intro
	}
	intro += commandsAre
	texts := min(maxDescription, maxDescriptions/max(domains, 1))
	return intro + strings.Join(commandLines(commands, maxDescription-len(intro), texts-len(intro)), "")
}

// early returns a text with a hint after its first sentence, or before it if that is long. A model that sees only the
// beginning of a description learns both.
func early(text, hint string) string {
	head := firstSentence(text)
	if len(head) > maxHead {
		head = ""
	}
	rest := strings.TrimSpace(text[len(head):])
	return strings.Join(slices.DeleteFunc([]string{head, hint, rest}, func(s string) bool { return s == "" }), " ")
}

// commandLines returns a line for each command. Room goes to the names first, then to the first sentences of the
// descriptions, then to the parameters. If not all names fit, the last line has the number of the others. texts is the
// room for all of it unless the names need more.
func commandLines(commands []command, room, texts int) []string {
	lines := make([]string, len(commands))
	size := 0
	for i, c := range commands {
		lines[i] = "\n" + c.name + c.mark()
		size += len(lines[i])
	}
	if size > room {
		n := 0
		for room -= len(andMore(len(commands))); len(lines[n]) <= room; n++ {
			room -= len(lines[n])
		}
		return append(lines[:n], andMore(len(commands)-n))
	}
	if room = texts - size; room <= 0 {
		return lines
	}
	sentences := shorten(sentencesOf(commands), room)
	for _, s := range sentences {
		room -= len(s)
	}
	for i, c := range commands {
		params := signature(c.Function, true)
		if len(params) > room {
			params = signature(c.Function, false)
		}
		if len(params) > room {
			params = ""
		}
		room -= len(params)
		lines[i] = "\n" + c.name + params + c.mark() + sentences[i]
	}
	return lines
}

func andMore(n int) string { return fmt.Sprintf("\nand %d more", n) }

func (c command) mark() string {
	if c.Destructive() {
		return destructiveMark
	}
	return ""
}

// sentencesOf returns the first sentence of the description of each command, after a colon; empty if it has none.
func sentencesOf(commands []command) []string {
	list := make([]string, len(commands))
	for i, c := range commands {
		text := clean.WithoutHeading(clean.Line(c.Description(), maxAbout))
		if text != "" {
			list[i] = cutBytes(": "+firstSentence(text), maxSentence)
		}
	}
	return list
}

// shorten fits texts into room. It cuts all to the same length, if that is not too short. Otherwise it leaves out, in
// turn, each one that does not fit any more.
func shorten(texts []string, room int) []string {
	most := fairShare(texts, room)
	for i, t := range texts {
		switch {
		case most >= minSentence:
			texts[i] = cutBytes(t, most)
		case len(t) > room:
			texts[i] = ""
		}
		room -= len(texts[i])
	}
	return texts
}

// fairShare returns how long each text may be at most, so that all have room.
func fairShare(texts []string, room int) int {
	sizes := make([]int, len(texts))
	for i, t := range texts {
		sizes[i] = len(t)
	}
	slices.Sort(sizes)
	for i, size := range sizes {
		if left := len(sizes) - i; size*left > room {
			return room / left
		}
		room -= size
	}
	return maxSentence
}

// cutBytes shortens a text to at most so many bytes, at the end of a word where there is one in the second half.
func cutBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = clean.Beginning(text, most-len("…"))
	if i := strings.LastIndexByte(text, ' '); i > len(text)/2 {
		text = text[:i]
	}
	return text + "…"
}

// firstSentence returns the text up to the first mark at the end of a sentence of two words or more.
func firstSentence(text string) string {
	for i, r := range text {
		end := i + len(string(r))
		switch r {
		case '。', '！', '？':
			return text[:end]
		case '.', '!', '?':
			if end < len(text) && text[end] == ' ' && strings.Contains(text[:i], " ") && !abbreviated(text[:i]) {
				return text[:end]
			}
		}
	}
	return text
}

// abbreviated reports whether a text ends with an abbreviation such as e.g or etc.
func abbreviated(text string) bool {
	last := text[strings.LastIndexAny(text, " (")+1:]
	return len(last) < 2 || strings.Contains(last, ".") || last == "etc" || last == "vs" || last == "incl"
}

// signature returns the parameters of a function in parentheses, without advanced ones. members adds the names of the
// members of objects: items: [{product_id, quantity}].
func signature(f *registry.Function, members bool) string {
	var b strings.Builder
	b.WriteByte('(')
	for _, p := range f.Params() {
		if p.Advanced {
			continue
		}
		name := paramName(p)
		if members {
			if shape := name + shapeOf(p); b.Len()+len(shape)+len(", ...)") <= maxSignature {
				name = shape
			}
		}
		if b.Len()+len(name)+len(", ...)") > maxSignature {
			b.WriteString(", ...")
			break
		}
		if b.Len() > 1 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	if b.Len() == 1 && f.Open() {
		b.WriteString("...")
	}
	b.WriteByte(')')
	return b.String()
}

func paramName(p registry.Param) string {
	name := clean.Line(p.Name, maxParamName)
	if !p.Required {
		name += "?"
	}
	return name
}

// shapeOf returns the members of an object, or of the objects in an array, after a colon; empty for other types. It may
// be long.
func shapeOf(p registry.Param) string {
	array := strings.HasPrefix(p.Type, "array of {")
	if len(p.Fields) == 0 || len(p.Fields) > maxMembers || !array && !strings.HasPrefix(p.Type, "{") {
		return ""
	}
	names := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		names[i] = paramName(f) + shapeOf(f)
	}
	shape := "{" + strings.Join(names, ", ") + "}"
	if array {
		shape = "[" + shape + "]"
	}
	return ": " + shape
}
