package gate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Summary describes the contents of a result by one number: 4821 orders, 1,200 lines, 1 image, an
// object with 12 keys. The zero Summary is an empty result and reads "".
type Summary struct {
	// Kind is the kind of things that Count counts.
	Kind Kind
	// Count is the number of things, 0 or more.
	Count int
	// Noun names the items of a list. "" reads "items". It is set from the key of the list. Without
	// a key, the caller may set it. It is cleaned when it is written.
	Noun string
}

// Kind is the kind of things that a [Summary] counts.
type Kind int

// The kinds of content.
const (
	Nothing   Kind = iota // no content, or only empty blocks
	Items                 // elements of a JSON array, named by Noun
	Keys                  // members of a JSON object without a list in it
	Lines                 // lines of text
	Images                // image blocks
	Clips                 // audio blocks
	Resources             // embedded resources
	Links                 // resource links
	Blocks                // blocks of any other kind
)

// String returns the summary for a notice, such as "4821 orders". It has at most 64 characters.
func (s Summary) String() string {
	switch s.Kind {
	case Items:
		return s.items()
	case Keys:
		return "object with " + plural(s.Count, "key")
	case Lines:
		return plural(s.Count, "line")
	case Images:
		return plural(s.Count, "image")
	case Clips:
		return plural(s.Count, "audio clip")
	case Resources:
		return plural(s.Count, "resource")
	case Links:
		return plural(s.Count, "resource link")
	case Blocks:
		return plural(s.Count, "block")
	default:
		return ""
	}
}

// items returns the count without separators, as in the specification's example. The singular of a
// foreign noun is unknown, so one item reads "1 item in orders".
func (s Summary) items() string {
	noun := cleanName(s.Noun)
	switch {
	case noun == "" && s.Count == 1:
		return "1 item"
	case noun == "":
		noun = "items"
	case s.Count == 1:
		return "1 item in " + noun
	}
	return strconv.Itoa(s.Count) + " " + noun
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// Count summarises the largest part of a result. It never fails, and its work is linear in the size
// of the result.
//
//   - The structured content counts if it is longer than the content, unless it has a single key.
//     Otherwise the kind of block with the most characters counts.
//   - JSON counts as its largest list, or as its keys if no list takes up a tenth of it.
//   - Other text counts in lines.
func Count(content []mcp.Content, structured json.RawMessage) Summary {
	if length := contentLength(content); clean.Runes(structured) > length {
		// An object with one key often repeats the text.
		if s := countJSON(structured); length == 0 || s.Kind != Keys || s.Count != 1 {
			return s
		}
	}
	var size, blocks [Blocks + 1]int
	for _, block := range content {
		if n := blockLength(block); n > 0 {
			kind := kindOf(block)
			size[kind] = add(size[kind], n)
			blocks[kind]++
		}
	}
	best := Nothing
	for kind, n := range size {
		if n > size[best] {
			best = Kind(kind)
		}
	}
	if best == Lines {
		return countTexts(content)
	}
	return Summary{Kind: best, Count: blocks[best]}
}

func kindOf(block mcp.Content) Kind {
	switch block.(type) {
	case *mcp.TextContent:
		return Lines
	case *mcp.ImageContent:
		return Images
	case *mcp.AudioContent:
		return Clips
	case *mcp.EmbeddedResource:
		return Resources
	case *mcp.ResourceLink:
		return Links
	default:
		return Blocks
	}
}

// countTexts counts the longest text as JSON if it is more than half of all texts, so that a remark
// beside the data does not hide it. Otherwise it counts all lines.
func countTexts(content []mcp.Content) Summary {
	longest, total, lines := "", 0, 0
	for _, block := range content {
		text, ok := block.(*mcp.TextContent)
		if !ok || text == nil {
			continue
		}
		total = add(total, len(text.Text))
		lines = add(lines, countLines(text.Text))
		if len(text.Text) > len(longest) {
			longest = text.Text
		}
	}
	if len(longest) > total/2 && looksLikeJSON(longest) {
		if s := countJSON([]byte(longest)); s.Kind != Lines {
			return s
		}
	}
	return Summary{Kind: Lines, Count: lines}
}

// countLines counts lines. The last one need not end with a line break.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// looksLikeJSON reports whether text may be JSON. Other text is not copied for parsing.
func looksLikeJSON(text string) bool {
	text = strings.TrimLeft(text, blank)
	return text != "" && (text[0] == '{' || text[0] == '[')
}
