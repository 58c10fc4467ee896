package registry

// Trimmed writes v as a level shows it, at each level by the code of those below full.
func Trimmed(v any, level Detail) (string, error) { return trimmed(v, level) }

// Excerpt cuts a text.
func Excerpt(text string, most int) string { return excerpt(text, most) }
