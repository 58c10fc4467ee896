package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A tagWord is one word of a cash tag: a name, and perhaps a value after an equals sign.
type tagWord struct {
	name, value string
	hasValue    bool
}

// parseTag splits a cash tag at commas. A value in single quotes may hold commas; two quotes inside mean one.
func parseTag(tag string) ([]tagWord, error) {
	var words []tagWord
	for rest, more := tag, tag != ""; more; {
		var w tagWord
		var err error
		if w, rest, more, err = nextWord(rest); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(words, func(o tagWord) bool { return o.name == w.name }) {
			return nil, fmt.Errorf("%s stands twice", w.name)
		}
		words = append(words, w)
	}
	return words, nil
}

// nextWord parses one word, and reports whether a comma follows.
func nextWord(text string) (w tagWord, rest string, more bool, err error) {
	end := strings.IndexAny(text, ",=")
	if end < 0 || text[end] == ',' {
		name, rest, more := strings.Cut(text, ",")
		return tagWord{name: strings.TrimSpace(name)}, rest, more, nil
	}
	w = tagWord{name: strings.TrimSpace(text[:end]), hasValue: true}
	text = text[end+1:]
	if !strings.HasPrefix(text, "'") {
		w.value, rest, more = strings.Cut(text, ",")
		return w, rest, more, nil
	}
	w.value, rest, err = unquoteValue(text[1:])
	if err != nil {
		return w, "", false, fmt.Errorf("%s: %w", w.name, err)
	}
	if rest, more = strings.CutPrefix(rest, ","); !more && rest != "" {
		return w, "", false, fmt.Errorf("%s: a comma must follow the closing quote", w.name)
	}
	return w, rest, more, nil
}

// unquoteValue parses up to the closing quote.
func unquoteValue(text string) (value, rest string, err error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "'")
		if !found {
			return "", "", errors.New("the closing single quote is missing")
		}
		b.WriteString(before)
		if !strings.HasPrefix(after, "'") {
			return b.String(), after, nil
		}
		b.WriteByte('\'')
		text = after[1:]
	}
}

// applyTag adds the words of a field's cash tag to its shape.
func applyTag(s *shape, f field) error {
	words, err := parseTag(f.tag.Get("cash"))
	if err != nil {
		return err
	}
	for _, w := range words {
		if err := applyWord(s, f, w); err != nil {
			return err
		}
	}
	return checkOrder(scalarOf(s))
}

// applyWord adds one word.
func applyWord(s *shape, f field, w tagWord) (err error) {
	word, known := tagWords[w.name]
	switch {
	case isShown(w):
		return new(shown).apply(f.typ, w) // not about arguments
	case w.name == "advanced" && !w.hasValue:
		s.known().advanced = true
		return nil
	case w.name == "advanced":
		return errors.New("advanced takes no value")
	case w.name == "default" && !f.optional:
		return errors.New("default on a required field is never used; add omitempty to its json tag")
	case !known:
		return unknownWord(w)
	case !w.hasValue:
		return fmt.Errorf("%s needs a value after =", w.name)
	}
	target := scalarOf(s)
	if w.name == "minItems" {
		target = s
	}
	if err = target.free(word.keyword); err == nil {
		err = word.apply(s, word.keyword, w.value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	return nil
}

func unknownWord(w tagWord) error {
	return fmt.Errorf("unknown word %q; known: enum, min, max, minLength, maxLength, pattern, format, minItems, default, example, advanced, detail, excerpt", w.name)
}

// tagWords are the words with a value that constrain arguments. Each has its keyword, if a type's own schema must not
// have that too.
var tagWords = map[string]struct {
	keyword string
	apply   func(s *shape, keyword, value string) error
}{
	"enum":      {"enum", tagEnum},
	"min":       {"minimum", tagBound},
	"max":       {"maximum", tagBound},
	"minLength": {"minLength", tagLength},
	"maxLength": {"maxLength", tagLength},
	"pattern":   {"pattern", tagPattern},
	"format":    {"format", tagFormat},
	"minItems":  {"minItems", tagMinItems},
	"default":   {"", func(s *shape, _, value string) (err error) { s.def, err = tagValue(s, value); return err }},
	"example":   {"", func(s *shape, _, value string) (err error) { s.example, err = tagValue(s, value); return err }},
}

// scalarOf returns the shape that the words for scalars constrain: the elements of a slice, else the value itself.
func scalarOf(s *shape) *shape {
	if s.is("array") && s.items != nil {
		return s.items
	}
	return s
}

func misfit(s *shape, want string) error {
	have := strings.Join(s.types, " or ")
	if have == "" {
		have = "any value"
	}
	return fmt.Errorf("does not fit %s; it bounds %s", have, want)
}

func tagEnum(s *shape, _, value string) error {
	s = scalarOf(s)
	if !s.is("string") && !s.is("integer") && !s.is("number") {
		return misfit(s, "strings and numbers")
	}
	s.enum = nil
	for v := range strings.SplitSeq(value, "|") {
		raw, err := tagValue(s, v)
		if err != nil {
			return err
		}
		if v == "" {
			return errors.New("has an empty value")
		}
		if slices.ContainsFunc(s.enum, func(o json.RawMessage) bool { return string(o) == string(raw) }) {
			return fmt.Errorf("has %q twice", v)
		}
		s.enum = append(s.enum, raw)
	}
	if s.is("null") {
		s.enum = append(s.enum, json.RawMessage("null"))
	}
	return nil
}

func tagBound(s *shape, keyword, value string) error {
	s = scalarOf(s)
	if !s.is("integer") && !s.is("number") {
		return misfit(s, "numbers")
	}
	if !isNumber(value) || len(value) > maxBound {
		return fmt.Errorf("%q is no JSON number", value)
	}
	s.bound(keyword, value)
	return nil
}

func tagLength(s *shape, keyword, value string) error {
	s = scalarOf(s)
	if !s.is("string") || s.encoding != "" {
		return misfit(s, "the length of texts")
	}
	return tagCount(s, keyword, value)
}

func tagMinItems(s *shape, keyword, value string) error {
	if !s.is("array") || len(s.bounds) > 0 { // an array of Go has its length already
		return misfit(s, "slices")
	}
	return tagCount(s, keyword, value)
}

func tagCount(s *shape, keyword, value string) error {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return fmt.Errorf("%q is no count", value)
	}
	s.bound(keyword, strconv.FormatUint(n, 10))
	return nil
}

func tagPattern(s *shape, _, value string) error {
	s = scalarOf(s)
	if !s.is("string") || s.pattern != "" || s.encoding != "" {
		return misfit(s, "texts")
	}
	if _, _, problem := newPattern(value); problem != "" {
		return fmt.Errorf("%q %s", value, problem)
	}
	s.pattern = value
	return nil
}

func tagFormat(s *shape, _, value string) error {
	s = scalarOf(s)
	if !s.is("string") || s.format != "" || s.encoding != "" || s.facts != nil && s.facts.text != nil {
		return misfit(s, "texts")
	}
	if value == "" {
		return errors.New("is empty")
	}
	s.format = value
	if check := formats[value]; check != nil {
		s.known().text = check
	}
	return nil
}

// tagValue parses a value for a shape: text for a string, else JSON.
func tagValue(s *shape, value string) (json.RawMessage, error) {
	if s.is("string") {
		return quoteJSON(value), nil
	}
	raw := []byte(value)
	if err := strictjson.Check(raw); err != nil {
		return nil, fmt.Errorf("%q is no JSON: %w", value, err)
	}
	return strictjson.Trim(raw), nil
}

// checkOrder rejects bounds that no value can satisfy.
func checkOrder(s *shape) error {
	for _, pair := range [][2]string{{"minimum", "maximum"}, {"minLength", "maxLength"}} {
		var low, high *decimal
		for _, b := range s.bounds {
			d := parseDecimal([]byte(b.value))
			switch b.keyword {
			case pair[0]:
				low = &d
			case pair[1]:
				high = &d
			}
		}
		if low != nil && high != nil && low.compare(*high) > 0 {
			return fmt.Errorf("%s is above %s", pair[0], pair[1])
		}
	}
	return nil
}

// isNumber reports whether text is a JSON number and nothing else.
func isNumber(text string) bool {
	raw := []byte(text)
	return strictjson.Check(raw) == nil && strictjson.KindOf(raw) == strictjson.Number && len(strictjson.Trim(raw)) == len(raw)
}
