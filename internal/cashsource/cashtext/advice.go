package cashtext

import (
	"regexp"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

// spoken matches advice on the tools call, help and skill without an invocation.
var spoken = regexp.MustCompile("(?i)`namespace\\s*[=:]|\\btools? `(?:call|help|skill)`|`(?:call|help|skill)` tool|\\bits help again\\b")

// Advice splits the text of an error before the first sentence that advises to use call, help or skill. Joined by a
// blank, the parts give the text. Advice is empty if there is no such sentence.
func Advice(text string) (message, advice string) {
	at := -1
	for inv := range skillmd.Invocations(text) {
		at = inv.Inside
		break
	}
	if m := spoken.FindStringIndex(text); m != nil && (at < 0 || m[0] < at) {
		at = m[0]
	}
	if at < 0 {
		return text, ""
	}
	begin := 0
	for _, end := range []string{". ", "? ", "! ", "\n"} {
		if i := strings.LastIndex(text[:at], end); i >= 0 {
			begin = max(begin, i+len(end))
		}
	}
	return strings.TrimSpace(text[:begin]), text[begin:]
}
