package check

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxExcerpt is the most bytes of an excerpt.
const maxExcerpt = 200

// excerpt shows data in printable ASCII: <U+001B> stands for a character, <ff>
// for a byte that belongs to none. Of long data it shows both ends.
func excerpt[T ~string | ~[]byte](text T) string {
	const head, tail = 120, 40
	data := []byte(text)
	shown := printable(data, maxExcerpt)
	if len(shown) <= maxExcerpt {
		return shown
	}
	end := data[max(0, len(data)-tail):]
	for len(end) > 1 && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	last := printable(end, tail)
	return fmt.Sprintf("%s ...%d bytes... %s", shown[:min(len(shown), head)], len(data), last[max(0, len(last)-tail):])
}

// printable escapes data until the text is longer than limit.
func printable(data []byte, limit int) string {
	var b strings.Builder
	for len(data) > 0 && b.Len() <= limit {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size <= 1:
			fmt.Fprintf(&b, "<%02x>", data[0])
		case r < 0x20 || r > 0x7e:
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteByte(byte(r))
		}
		data = data[size:]
	}
	return b.String()
}
