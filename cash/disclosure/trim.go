package disclosure

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
)

// maxSentence bounds the part of a sentence that is examined, in bytes.
const maxSentence = 1200

// trim returns a sentence without the content of the second stage. goesOn is false if what follows in its paragraph
// belongs to that stage.
func (t *trimmer) trim(text string) (trimmed string, goesOn bool) {
	text, goesOn = t.withoutUsage(t.withoutAsides(clean.Beginning(text, maxSentence)))
	text = t.inWords(t.withoutCalls(withoutClauses(text)))
	if strings.Contains(strings.ToLower(text), "example") {
		text = sample.ReplaceAllStringFunc(text, func(word string) string { return samples.Replace(word) })
	}
	return tidy(t.unmasked(text)), goesOn
}

var (
	group = regexp.MustCompile(`\s*(?:\([^()（）]*\)|（[^()（）]*）|【[^【】]*】)`)
	typed = regexp.MustCompile(`(?i): *(?:string|integer|number|boolean|array|object)\b`)
	// pair matches a name before a colon or an equals sign.
	pair = regexp.MustCompile(`([\pL_][\pL\d_.-]*)\s*[:：=]`)

	// inline matches the start of an example in English.
	inline = regexp.MustCompile(`(?i)[\s,;:(–—-]*(?:\be\.?g\.|\bex[.:]\s|\bfor example\b|\bfor instance\b)[,:]?`)
	// foreign matches the start of an example in a language whose verbs do not come last.
	foreign = regexp.MustCompile(`(?i)(?:^|[\s,;(–—-])(?:z\. ?B\.|zum Beispiel|beispielsweise|bspw\.|par exemple|p\. ?ex\.|por ejemplo|p\. ?ej\.|por exemplo|ad esempio|ad es\.|например|bijvoorbeeld|bijv\.|na przykład|np\.|örneğin)`)
	// spoken matches examples in other languages. What follows may have the verb of the sentence.
	spoken = regexp.MustCompile(`例如|比如|例えば|たとえば|예를 들어|예\s*[:：]|مثلا|على سبيل المثال`)
	// usagePart matches the start of a part about parameters or examples in a sentence.
	usagePart = regexp.MustCompile(`(?i)[\s,;:，；、(（–—-]*(?:\b(?:examples?|usage(?: examples?)?|parameters?|params|arguments|args|inputs?)\s*[:：]|[@:\\]param\b|(?:^|[\s,;，；、。])(?:` + foreignSections + `)\s*[:：])`)
	// goingOn matches the part after an example that completes the sentence: "for example PDFs, to text".
	goingOn = regexp.MustCompile(`^ (?:to|into|from|with|in|by|for|on|as|using|that|which|so|then|at|via)\b`)
)

// hints are literals that every match of the patterns in English contains. They are much faster to search.
var hints = []string{"e.g.", "eg.", "ex.", "ex:", "instance", "example", "usage", "param", "arg", "input"}

// foreignHints are likewise for other languages.
var foreignHints = []string{
	"z. b.", "z.b.", "beispiel", "bspw.", "exemple", "p. ex", "p.ex", "ejemplo", "p. ej", "p.ej", "exemplo", "esempio", "ad es.",
	"например", "bijvoorbeeld", "bijv.", "na przyk", "np.", "örneğin",
}

// hinted reports whether a text in small letters has one of the hints.
func hinted(lower string, hints []string) bool {
	return slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(lower, hint) })
}

// withoutAsides removes parentheses about examples, parameters and what is left out.
func (t *trimmer) withoutAsides(text string) string {
	if !strings.ContainsAny(text, "(（【") {
		return text
	}
	return group.ReplaceAllStringFunc(text, func(aside string) string {
		if strings.Contains(aside, droppedText) || typed.MatchString(aside) || inline.MatchString(aside) || usagePart.MatchString(aside) ||
			foreign.MatchString(aside) || spoken.MatchString(aside) || t.pairs(aside) ||
			strings.Contains(strings.ToLower(aside), "example") {
			if at := inline.FindStringIndex(aside); at != nil && warningIn(aside[:at[0]]).found {
				return aside[:at[0]] + ")"
			}
			return ""
		}
		return aside
	})
}

// pairs reports whether a text gives a parameter a value or a meaning: limit: how many.
func (t *trimmer) pairs(text string) bool {
	for _, m := range pair.FindAllStringSubmatch(text, maxFields) {
		if slices.ContainsFunc(t.params, func(p registry.Param) bool { return p.Name == m[1] }) {
			return true
		}
	}
	return false
}

// withoutUsage removes examples, and everything from the first part about parameters on. What comes after an example and
// completes the sentence stays.
func (t *trimmer) withoutUsage(text string) (rest string, goesOn bool) {
	lower := strings.ToLower(text)
	english := hinted(lower, hints)
	goesOn = true
	if (english || !isASCII(text)) && strings.ContainsAny(text, ":：@\\") {
		if at := usagePart.FindStringIndex(text); at != nil {
			text, goesOn = text[:at[0]], false
		}
	}
	if !english {
		// nothing to look for
	} else if at := inline.FindStringIndex(text); at != nil {
		before, after := text[:at[0]], text[at[1]:]
		switch end := completion(after); {
		case end >= 0:
			text = before + after[end+1:]
		case len(strings.Fields(before)) < 2 && says(after): // the example is most of the sentence
			text = strings.TrimSpace(before + " such as" + after)
			if before == "" {
				text = strings.TrimSpace(after)
			}
		default:
			if text = before; warningIn(after).found {
				text += "; " + strings.TrimSpace(after[clauseStart(after, warningIn(after).at):])
			}
		}
	}
	if !hinted(lower, foreignHints) {
		return text, goesOn
	}
	if at := foreign.FindStringIndex(text); at != nil {
		before := strings.TrimRight(text[:at[0]+1], " ")
		if strings.HasSuffix(before, ",") || strings.HasSuffix(before, ";") {
			if !strings.ContainsAny(text[at[1]:], ",;") {
				text = before
			}
		}
	}
	return text, goesOn
}

// completion returns where, after an example, the sentence goes on. -1 is nowhere.
func completion(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] == ',' && goingOn.MatchString(text[i+1:min(len(text), i+10)]) {
			return i
		}
	}
	return -1
}

// clauseMarks end a clause.
const clauseMarks = ",;:()（），；：、،؛—–"

// connectives begin a part of a sentence that can be left out, or one that goes on after it.
var connectives = []string{
	"like", "as", "with", "using", "via", "by", "from", "in", "of", "to", "into", "for", "at", "on", "matching", "where", "when",
	"if", "and", "or", "that", "which", "then", "than",
}

const maxDropped = 8 // parts that are left out of one sentence, at most

// withoutClauses leaves out the clauses of what is left out. Nothing is left of a sentence that begins with it, because
// that has its verb. Clauses that warn stay.
func withoutClauses(text string) string {
	if !strings.Contains(text, droppedText) {
		return text
	}
	rest := cutClauses(text)
	if warningIn(text).found && !warningIn(rest).found {
		return strings.ReplaceAll(text, droppedText, "this")
	}
	return rest
}

func cutClauses(text string) string {
	for range maxDropped {
		at := strings.Index(text, droppedText)
		if at < 0 {
			return text
		}
		before, after := beforeClause(text[:at]), afterClause(text[at+len(droppedText):])
		if !says(before) {
			if strings.IndexAny(after, clauseMarks) != 0 {
				return ""
			}
			if after = strings.TrimLeft(after, clauseMarks+" "); fewWords(after) {
				return ""
			}
		}
		text = before + after
	}
	if strings.Contains(text, droppedText) {
		return ""
	}
	return text
}

// beforeClause returns the text up to the clause at its end. A clause begins at a connective among the last words, or
// after a mark.
func beforeClause(text string) string {
	start := lastMark(text)
	words := text[start:]
	end := len(strings.TrimRight(words, " "))
	for range 3 {
		i := strings.LastIndexByte(words[:end], ' ')
		if word := strings.ToLower(words[i+1 : end]); slices.Contains(connectives, word) {
			rest := strings.TrimRight(words[:max(i, 0)], " ")
			if word == "as" {
				rest = strings.TrimSuffix(rest, " such")
			}
			return text[:start] + rest
		}
		if i < 0 {
			break
		}
		end = len(strings.TrimRight(words[:i], " "))
	}
	return strings.TrimRight(text[:start], clauseMarks+" ")
}

// lastMark returns the index after the last mark of a text; 0 is none.
func lastMark(text string) int {
	i := strings.LastIndexAny(text, clauseMarks)
	if i < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(text[i:])
	return i + n
}

// clauseStart returns where the clause at an index begins.
func clauseStart(text string, at int) int { return lastMark(text[:at]) }

// afterClause returns the text from the end of the clause at its beginning: from a mark, a connective, or the end of the
// sentence on.
func afterClause(text string) string {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if strings.ContainsRune(clauseMarks, r) || r == dropped {
			return text[i:]
		}
		if r == ' ' {
			word, _, _ := strings.Cut(text[i+1:], " ")
			if slices.Contains(connectives, strings.ToLower(word)) {
				return text[i:]
			}
		}
		i += n
	}
	last, n := utf8.DecodeLastRuneInString(text)
	if n > 0 && (strings.ContainsRune(wideStops, last) || strings.ContainsRune(".!?", last)) {
		return text[len(text)-n:]
	}
	return ""
}

// invocation matches the parentheses after a name in code: (a, b), but not the (s) of a plural.
var invocation = regexp.MustCompile(`([\pL\d_])\(([^()]*)\)`)

// withoutCalls removes the arguments of calls that are not marked as code.
func (t *trimmer) withoutCalls(text string) string {
	if strings.IndexByte(text, '(') < 0 {
		return text
	}
	return invocation.ReplaceAllStringFunc(text, func(code string) string {
		if i := strings.IndexByte(code, '('); code[i:] != "(s)" && code[i:] != "(es)" {
			return code[:i]
		}
		return code
	})
}

var sample = regexp.MustCompile(`(?i)\b(?:for |an )?examples?\b(?:\.(?:com|org|net|edu)\b)?`)

// samples replaces the word example where it is the subject of a function.
var samples = strings.NewReplacer(
	"for example", "such as", "For example", "Such as",
	"an example", "a sample", "An example", "A sample", "examples", "samples", "Examples", "Samples",
	"example", "sample", "Example", "Sample", "EXAMPLE", "SAMPLE")

func isWord(r rune) bool {
	return r == '_' || r == '-' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// inWords spells parameter names as words, unless they are ordinary words.
func (t *trimmer) inWords(text string) string {
	var b strings.Builder
	for text != "" {
		start := strings.IndexFunc(text, isWord)
		if start < 0 {
			break
		}
		b.WriteString(text[:start])
		text = text[start:]
		end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(text)
		}
		b.WriteString(t.spelledRuns(text[:end]))
		text = text[end:]
	}
	text = b.String() + text
	for _, name := range t.mixedNames() {
		text = strings.ReplaceAll(text, name, label.Words(name))
	}
	return text
}

// maxMixed bounds the names that are searched inside of words.
const maxMixed = 100

// mixedNames returns the parameters that are identifiers with letters beyond ASCII. In scripts without blanks they are
// not words of their own.
func (t *trimmer) mixedNames() []string {
	if t.mixed == nil {
		t.mixed = []string{}
		for _, p := range t.params {
			if len(t.mixed) < maxMixed && isIdentifier(p.Name) && strings.IndexFunc(p.Name, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
				t.mixed = append(t.mixed, p.Name)
			}
		}
	}
	return t.mixed
}

// spelledRuns is [trimmer.spelled] of a token that may be several words, in a script without blanks between words.
func (t *trimmer) spelledRuns(token string) string {
	whole := t.spelled(token)
	if whole != token || strings.IndexFunc(token, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return whole
	}
	var b strings.Builder
	for token != "" {
		ascii := token[0] < utf8.RuneSelf
		end := strings.IndexFunc(token, func(r rune) bool { return (r < utf8.RuneSelf) != ascii })
		if end < 0 {
			end = len(token)
		}
		if run := token[:end]; ascii {
			b.WriteString(t.spelled(run))
		} else {
			b.WriteString(run)
		}
		token = token[end:]
	}
	return b.String()
}

// spelled returns the words of an identifier, or of several joined as in customer_id.name or customer_id-based.
func (t *trimmer) spelled(token string) string {
	if !isIdentifier(token) {
		return token
	}
	for _, name := range []string{token, strings.Trim(token, "_-."), strings.TrimSuffix(strings.Trim(token, "_-."), "s")} {
		if isIdentifier(name) && declared(t.params, name, maxFields) {
			return label.Words(token) + token[len(strings.TrimRight(token, "-.")):]
		}
	}
	if i := strings.LastIndexAny(token, "-."); i >= 0 {
		return t.spelled(token[:i]) + token[i:i+1] + t.spelled(token[i+1:])
	}
	return token
}

// isIdentifier reports whether a name cannot be a word: it has an underscore, a hyphen, a dot, a digit, or a capital
// inside.
func isIdentifier(name string) bool {
	return strings.ContainsAny(name, "_-.0123456789") || strings.IndexFunc(name, unicode.IsUpper) > 0 ||
		strings.LastIndexFunc(name, unicode.IsUpper) > 0
}

// maxFields bounds the depth to which parameters are searched.
const maxFields = 6

func declared(params []registry.Param, name string, levels int) bool {
	return levels > 0 && slices.ContainsFunc(params, func(p registry.Param) bool {
		return p.Name == name || strings.Contains(name, "_") && strings.EqualFold(p.Name, name) || declared(p.Fields, name, levels-1)
	})
}

var beforeStop = regexp.MustCompile(`\s+([.,;:!?)，；：。！？）])|\(\s*\)|（\s*）`)

// gapBeforeStop reports whether a blank may be before punctuation.
func gapBeforeStop(text string) bool {
	for i := 1; i < len(text); i++ {
		if c := text[i]; text[i-1] == ' ' && (c >= utf8.RuneSelf || strings.IndexByte(".,;:!?)", c) >= 0) {
			return true
		}
	}
	return false
}

// tidy repairs spaces and punctuation after text was removed.
func tidy(text string) string {
	if strings.ContainsAny(text, "(（") || gapBeforeStop(text) {
		text = beforeStop.ReplaceAllString(text, "$1")
	}
	text = strings.TrimRight(text, " ,;:(–—-，；：、（،؛")
	return strings.TrimLeft(clean.Line(text, maxSource), ".,;:!?)-–—•* ，。；：！？、）・،؛")
}
