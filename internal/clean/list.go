package clean

import "strings"

// List joins names with commas, for a line in a hint or in a server's instructions. The names must be clean already. If
// not all fit into maxBytes, the line ends with ", and more".
func List(names []string, maxBytes int) string {
	const more = ", and more"
	var b strings.Builder
	for i, name := range names {
		room := maxBytes
		if i < len(names)-1 {
			room -= len(more)
		}
		if b.Len()+len(name)+2 > room {
			b.WriteString(more)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return strings.TrimPrefix(b.String(), ", ")
}
