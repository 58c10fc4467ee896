package registry

import "github.com/cash-mcp/go-sdk/internal/brief"

// Trimmed writes v as a level shows it, at each level by the code of those below full.
func Trimmed(v any, level Detail) (string, error) {
	text, _, err := trimmed(v, level)
	return text, err
}

// Excerpt cuts a text.
func Excerpt(text string, most int) string { return brief.Excerpt(text, most) }
