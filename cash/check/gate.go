package check

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// gateChecks check which results are gated, and the text of the gate (RFC 7.2).
var gateChecks = []criterion{
	{"R90", "results over the threshold are gated", needSized, threshold},
	{"R91", "results of exactly the limit pass", needSized, boundary},
	{"R92", "a gated result leaks nothing", needLarge, noLeak},
	{"R93", "the gate says what, how much, and what next", needLarge, gateText},
	{"R94", "the suggested size limit suffices", needLarge, suggestion},
	{"R99", "the gate's own text is short", needLarge, shortGate},
	{"R100", "a gated result is an error", needLarge, gatedIsError},
}

// ample is a size limit above every sample.
const ample = 100_000_000

var gateWords = regexp.MustCompile(`(?i)gated|size.?limit|suppress|withheld|exceed|too (large|long|big)`)

// looksGated reports whether a reply is a gate's notice.
func looksGated(r *client.Reply) bool {
	return onlyText(r) && chars(r) < 4000 && gateWords.MatchString(r.Text)
}

// full returns the result of a sample, ungated.
func (p *probe) full(s *Sample) *client.Reply {
	return p.tool("call", s.args().and("sizelimit", ample))
}

// gated returns the gate's notice for Target.Large.
func (p *probe) gated() *client.Reply {
	reply := p.tool("call", p.Large.args())
	if !looksGated(reply) {
		p.stop("the result of %s is not gated: %s", p.Large.path(), excerpt(reply.Text))
	}
	return reply
}

// sized returns the result of Target.Sized, which must have exactly n characters.
func (p *probe) sized(n int) *client.Reply {
	s := p.Sized(n)
	reply := p.full(&s)
	if got := chars(reply); got != n || !plain(reply) {
		p.stop("Target.Sized(%d) is a result of %d characters (one text: %t): %s", n, got, plain(reply), excerpt(reply.Text))
	}
	return reply
}

func threshold(p *probe) {
	// The RFC tolerates a few percent; R91 checks the exact value.
	for _, n := range []int{p.SizeLimit * 94 / 100, p.SizeLimit * 106 / 100} {
		want := p.sized(n)
		got := p.tool("call", p.Sized(n).args())
		if n < p.SizeLimit {
			p.must(same(want, got), "%d characters do not pass, though the threshold is %d: %s", n, p.SizeLimit, excerpt(got.Text))
		} else {
			p.must(looksGated(got), "%d characters are not gated, though the threshold is %d", n, p.SizeLimit)
		}
	}
	if p.Large != nil {
		p.must(looksGated(p.tool("call", p.Large.args())), "the result of %s is not gated", p.Large.path())
	}
}

func boundary(p *probe) {
	at := func(chars, limit int) *client.Reply {
		args := p.Sized(chars).args()
		if limit != p.SizeLimit {
			args = args.and("sizelimit", limit)
		}
		return p.tool("call", args)
	}
	for _, limit := range []int{p.SizeLimit, 5000, 20_000} {
		p.should(same(p.sized(limit), at(limit, limit)), "%d characters do not pass at a limit of %d", limit, limit)
		p.should(looksGated(at(limit+1, limit)), "%d characters are not gated at a limit of %d", limit+1, limit)
	}
}

// noLeak looks for parts of the result in the gate's notice, long enough not to occur by chance.
func noLeak(p *probe) {
	gated := p.tool("call", p.Large.args())
	full := p.full(p.Large)
	p.must(gated.Raw.StructuredContent == nil, "a gated result has structured content")
	p.must(onlyText(gated), "a gated result has content that is no text")
	p.must(len(toJSON(gated.Raw.Meta)) < 1000, "the metadata of a gated result is large enough to hold it")
	p.must(chars(gated) < chars(full)/2, "a gated result has %d characters, the full one %d", chars(gated), chars(full))
	const width = 64
	runes := []rune(full.Text)
	for i := 0; i+width <= len(runes); i += width / 2 {
		if part := string(runes[i : i+width]); strings.Contains(gated.Text, part) {
			p.should(false, "a gated result holds a part of the full one: %q", part)
			return
		}
	}
}

func gateText(p *probe) {
	text := p.tool("call", p.Large.args()).Text
	p.must(gateWords.MatchString(text), "the gate does not say that the response was withheld: %s", excerpt(text))
	n, ok := suggested(text)
	p.must(ok, "the gate suggests no size limit: %s", excerpt(text))
	rest := strings.ReplaceAll(text, strconv.Itoa(n), "")
	p.must(len(numbers(rest)) > 0, "the gate tells no count or size: %s", excerpt(text))
	p.must(says(text, "narrow", "filter", "reduce", "fewer", "repeat", "pass", "request"), "the gate names no next step: %s", excerpt(text))
	p.should(says(text, "narrow", "filter", "reduce", "fewer", "specific"), "the gate does not say to narrow the query: %s", excerpt(text))
}

var suggestedLimit = regexp.MustCompile(`(?i)size.?limit["'` + "`" + `]?\s*[=:]?\s*(?:to\s+|of\s+)?["'` + "`" + `]?(\d[\d,_]*)`)

// suggested returns the size limit that the gate suggests.
func suggested(text string) (int, bool) {
	m := suggestedLimit.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(m[1]))
	return n, err == nil
}

func suggestion(p *probe) {
	n, ok := suggested(p.gated().Text)
	if !p.should(ok, "the gate suggests no size limit") {
		return
	}
	full := p.full(p.Large)
	got := p.tool("call", p.Large.args().and("sizelimit", n))
	p.should(same(full, got), "the suggested size limit %d does not let the response through: %s", n, excerpt(got.Text))
	if plain(full) {
		p.should(n >= chars(full)*104/100, "the suggested size limit %d has no margin over %d characters", n, chars(full))
	}
}

func shortGate(p *probe) {
	for _, args := range []object{p.Large.args(), p.Large.args().and("sizelimit", 0)} {
		reply := p.tool("call", args)
		n := utf8.RuneCountInString(reply.Text)
		p.should(0 < n && n <= 800, "the gate's text has %d characters, want at most some 600", n)
	}
}

func gatedIsError(p *probe) {
	p.must(p.gated().IsError, "a gated result does not have isError")
}

// exemptChecks check what is gated and what is exempt (RFC 7.1, 7.4).
var exemptChecks = []criterion{
	{"R101", "help and skill are never gated", none, ungatedText},
	{"R102", "streaming responses are not gated", needStream, ungatedStream},
	{"R104", "long errors are gated, and stay errors", needLargeError, gatedErrors},
	{"R106", "content that is no text counts", needMedia, gatedMedia},
}

func ungatedText(p *probe) {
	for _, args := range p.helpPages() {
		want := p.tool("help", args)
		p.must(same(want, p.tool("help", args.and("sizelimit", 1))), "help%s is gated", args)
	}
	for _, s := range p.sampledSkills() {
		want := p.tool("skill", s.args())
		got, err := p.try("skill", s.args().and("sizelimit", 1))
		p.must(err != nil || same(want, got), "the skill %s is gated", s.Name)
	}
}

func ungatedStream(p *probe) {
	got := p.tool("call", p.Stream.args())
	p.must(!looksGated(got) && !got.IsError, "the result of a streaming function is gated: %s", excerpt(got.Text))
	p.must(chars(got) > p.SizeLimit, "Target.Stream has a result of %d characters, want more than %d", chars(got), p.SizeLimit)
}

func gatedErrors(p *probe) {
	gated := p.tool("call", p.LargeError.args())
	p.should(looksGated(gated), "an error of %d characters is not gated", chars(gated))
	p.should(gated.IsError, "a gated error is no error")
	full := p.full(p.LargeError)
	p.should(full.IsError && chars(full) > p.SizeLimit, "a larger size limit does not show the error: %s", excerpt(full.Text))
}

func gatedMedia(p *probe) {
	gated := p.tool("call", p.Media.args())
	p.should(looksGated(gated), "a block that is no text is not gated")
	full := p.full(p.Media)
	p.should(!full.IsError && !onlyText(full), "a larger size limit does not let the block through: %s", excerpt(full.Text))
}
