package disclosure

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// A sentence is one of a description, or an item of a list.
type sentence struct {
	text string
	item bool
	list listKind
	skip *bool
}

// leave skips the rest of the paragraph.
func (s *sentence) leave() { *s.skip = true }

// listKind is what the line before a list says of it.
type listKind int

const (
	other  listKind = iota
	useful          // when to use the function
	avoid           // when not to use it
)

var (
	heading = regexp.MustCompile(`^#{1,6}(?:\s+|$)`)
	bullet  = regexp.MustCompile(`^(?:[-*•+・]|\d{1,2}[.)])\s+`)
	// section matches the start of a part that is for the second stage.
	section = regexp.MustCompile(`(?i)^\W{0,4}(?:(?:(?:input |optional |required |key |main )?(?:parameters?|params?|arguments?|args?|inputs?|options|usage(?: examples?)?|` +
		`examples?|returns?|outputs?|raises|throws|errors?|responses?|fields|schema|features)(?: explained| include)?|[@:\\]param\b[^:]*|[@:\\]returns?\b|` + foreignSections + `)\s*[:：])`)
	usefulList = regexp.MustCompile(`(?i)^\W{0,4}(?:when to use|use cases?|use (?:this|it|when|for)|useful (?:for|when)|best (?:for|used)|ideal (?:for|when))[^:]{0,40}[:：]\W{0,2}$`)
	avoidList  = regexp.MustCompile(`(?i)^\W{0,4}(?:when not to use|(?:do not|don't|never) use)[^:]{0,40}[:：]\W{0,2}$`)
)

// foreignSections are words like those for English ones, before a colon.
const foreignSections = `parameter|argumente|beispiele?|eingaben?|rückgabe(?:wert)?|verwendung|aufruf|` +
	`paramètres?|exemples?|entrées?|utilisation|retour|parámetros?|argumentos?|ejemplos?|uso|entradas?|devuelve|` +
	`parâmetros?|exemplos?|parametri|esempi[o]?|argomenti|voorbeeld(?:en)?|параметры?|примеры?|аргументы|использование|parametry|przykłady?|parametreler|örnek|` +
	`\pL{0,4}(?:参数|參數|示例|范例|範例|例子|举例|用法|使用方法|返回值?|输入|入参|引数|パラメーター?|例|使い方|戻り値|入力|매개변수|파라미터|인수|인자|예시?|예제|사용법|사용 ?예)|` +
	`المعلمات|المعاملات|الوسائط|مثال|أمثلة|الاستخدام`

// sentences yields the sentences of a description, without headings, tables, and the parts about
// parameters, results and examples.
func sentences(text string, params []registry.Param) iter.Seq[sentence] {
	return func(yield func(sentence) bool) {
		p := paragraph{yield: yield, goesOn: true}
		skipping, blank, list := false, false, other
		for raw := range strings.SplitSeq(text, "\n") {
			line := strings.TrimSpace(raw)
			if line == "" {
				p.flush()
				blank = true
				continue
			}
			item := isItem(line)
			if blank && !item {
				list = other
				skipping = skipping && (raw[0] == ' ' || raw[0] == '\t')
			}
			blank = false
			if line[0] == '#' && heading.MatchString(line) {
				p.flush()
				line = heading.ReplaceAllString(line, "")
				list, skipping = kindOf(line+":"), startsSection(line+":")
				if warningIn(line).found && line != "" {
					p.lines = []string{strings.TrimRight(line, ":") + ":"}
				}
				continue
			}
			switch {
			case startsSection(line):
				p.flush()
				skipping = true
			case kindOf(line) != other:
				p.flush()
				list, skipping = kindOf(line), false
				continue
			}
			if skipping || line[0] == '|' || documents(line, params) {
				continue
			}
			if item {
				p.flush()
				line = bullet.ReplaceAllString(line, "")
			}
			p.item, p.list = item || p.item && len(p.lines) > 0, list
			if p.lines = append(p.lines, line); !p.goesOn {
				return
			}
		}
		p.flush()
	}
}

// isItem reports whether a line is an item of a list.
func isItem(line string) bool {
	r, _ := utf8.DecodeRuneInString(line)
	return (strings.ContainsRune("-*•+・", r) || unicode.IsDigit(r)) && bullet.MatchString(line)
}

// startsSection reports whether a line starts a part for the second stage.
func startsSection(line string) bool {
	return strings.ContainsAny(clean.Beginning(line, maxLabel), ":：@\\") && section.MatchString(line)
}

const (
	maxLabel = 100 // bytes of a line that may be a label
	maxMarks = 8   // bytes after its colon, with the colon
)

// kindOf returns what a line says of the list that follows it.
func kindOf(line string) listKind {
	switch {
	case len(line) > maxLabel || !strings.ContainsAny(line[max(len(line)-maxMarks, 0):], ":："):
		return other
	case avoidList.MatchString(line):
		return avoid
	case usefulList.MatchString(line):
		return useful
	}
	return other
}

var documented = regexp.MustCompile("^(?:[-*•+・]\\s+)?[`'\"*]{0,3}([\\pL_][\\pL\\d_.-]*)[`'\"*]{0,3}\\s*(?:[:：=]|\\(|[-–—] )")

// documents reports whether a line describes a parameter: "- limit: how many".
func documents(line string, params []registry.Param) bool {
	if !strings.ContainsAny(clean.Beginning(line, maxLabel), ":：=(-–—") {
		return false
	}
	m := documented.FindStringSubmatch(line)
	return m != nil && slices.ContainsFunc(params, func(p registry.Param) bool { return p.Name == m[1] })
}

// paragraph collects lines that belong together.
type paragraph struct {
	yield  func(sentence) bool
	lines  []string
	item   bool
	list   listKind
	goesOn bool // yield wants more
	count  int
}

// maxSentences bounds the sentences that are examined.
const maxSentences = 60

// flush yields the sentences of the lines.
func (p *paragraph) flush() {
	text := strings.Join(p.lines, " ")
	p.lines = nil
	skip := false
	for text != "" && p.goesOn && !skip {
		n := sentenceEnd(text)
		p.count++
		p.goesOn = p.yield(sentence{strings.TrimSpace(text[:n]), p.item, p.list, &skip}) && p.count < maxSentences
		text = strings.TrimSpace(text[n:])
	}
	p.item = false
}

const (
	wideStops = "。！？｡।॥۔؟።։။។"
	closers   = "\"'”’»)）」』】*_"
)

// sentenceEnd returns where the first sentence of a text ends. A full stop, question or exclamation mark ends one before
// a blank, unless an abbreviation or a number is before it, or a small letter follows. Those of other scripts need no
// blank.
func sentenceEnd(text string) int {
	for i, r := range text {
		wide := strings.ContainsRune(wideStops, r)
		if !wide && r != '.' && r != '!' && r != '?' && r != '．' {
			continue
		}
		end := i + utf8.RuneLen(r)
		for end < len(text) {
			c, n := utf8.DecodeRuneInString(text[end:])
			if !strings.ContainsRune(closers, c) && !strings.ContainsRune(wideStops, c) {
				break
			}
			end += n
		}
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[end:], " "))
		switch {
		case end == len(text), wide:
			return end
		case r == '．' && !unicode.IsDigit(next):
			return end
		case r == '．' || text[end] != ' ' || unicode.IsLower(next):
			continue
		case r == '.' && abbreviated(text[:i]):
			continue
		}
		return end
	}
	return len(text)
}

var abbreviations = []string{
	"i.e", "e.g", "eg", "etc", "vs", "cf", "approx", "incl", "no", "nr", "resp", "dr", "mr", "mrs", "st", "u.s",
	"z.b", "bzw", "usw", "ca", "ggf", "inkl", "evtl", "vgl", "d.h", "bspw", "p.ex", "ej", "ex", "sr", "sra", "ud", "es",
	"т.е", "т.д", "т.п", "напр", "np", "bijv", "blz",
}

// maxAbbreviation is more bytes than any abbreviation has.
const maxAbbreviation = 20

// abbreviated reports whether a text ends with an abbreviation, a single letter, or an ordinal number.
func abbreviated(before string) bool {
	before = before[max(len(before)-maxAbbreviation, 0):]
	last := strings.ToLower(before[strings.LastIndexAny(before, " (")+1:])
	switch n := utf8.RuneCountInString(last); {
	case n == 1:
		r, _ := utf8.DecodeRuneInString(last)
		return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !spaceless(r)
	case n == 2 && strings.Trim(last, "0123456789") == "":
		return true
	}
	return slices.Contains(abbreviations, last)
}
