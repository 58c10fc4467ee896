package clean

import "strings"

// List joins names with commas, as many as fit into most bytes. It says if there are more.
func List(names []string, most int) string {
	const more = ", and more"
	var b strings.Builder
	for i, name := range names {
		room := most
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
