package disclosure

import (
	"net/url"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Limits of a query.
const (
	maxQuery = 64 << 10 // bytes
	maxNames = 1000
	maxShown = 80 // characters of an invalid name
)

// parseTools returns the tool names in the query of a URI, without duplicates, in order (section 4.3). All parameters
// called tools count, others do not. Each value is split at commas, decoded, and split again; surrounding blanks are
// dropped. A badly encoded name stays as it is and matches no tool.
func parseTools(query string) []string {
	query, _, _ = strings.Cut(query, "#")
	var names nameList
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if decoded(key) != "tools" {
			continue
		}
		for part := range strings.SplitSeq(value, ",") {
			names.add(decoded(part))
		}
	}
	return names.list
}

func decoded(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// isToolName reports whether a text has the form of a tool name ([registry.Function.FlatName]).
func isToolName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !(c == '-' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// shown returns a name as an answer may repeat it. A possible tool name is unchanged; no other text is made to look
// like one.
func shown(name string) string {
	if isToolName(name) {
		return name
	}
	line := clean.Line(name, maxShown)
	if line == "" || isToolName(line) {
		return "(unreadable)"
	}
	return line
}
