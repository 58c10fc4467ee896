package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/spelling"
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
			return nil, fmt.Errorf("%s stands twice; write it once", w.name)
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
		return w, "", false, fmt.Errorf("%s: a comma must follow the closing quote; quote the whole value, with two quotes for one inside of it", w.name)
	}
	return w, rest, more, nil
}

// unquoteValue parses up to the closing quote.
func unquoteValue(text string) (value, rest string, err error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "'")
		if !found {
			return "", "", errors.New("the closing single quote is missing; add it (inside of a value, two quotes mean one)")
		}
		b.WriteString(before)
		if !strings.HasPrefix(after, "'") {
			return b.String(), after, nil
		}
		b.WriteByte('\'')
		text = after[1:]
	}
}

// applyTag adds the words of a field's cash tag to its shape. It goes on after a fault.
func applyTag(s *shape, f field, tag string) (faults []error) {
	words, err := parseTag(tag)
	if err != nil {
		return []error{err}
	}
	for i, w := range words {
		if err := applyWord(s, f, words[:i], w); err != nil {
			faults = append(faults, err)
		}
	}
	if err := checkOrder(scalarOf(s)); err != nil {
		faults = append(faults, err)
	}
	return faults
}

// applyWord adds one word, which follows those before.
func applyWord(s *shape, f field, before []tagWord, w tagWord) (err error) {
	word, known := tagWords[w.name]
	switch {
	case isShown(w):
		return new(shown).apply(f.typ, w) // not about arguments
	case w.name == "advanced" && !w.hasValue:
		s.known().advanced = true
		return nil
	case w.name == "advanced":
		return errors.New("advanced takes no value; write it alone")
	case w.name == "default" && !f.optional:
		return errors.New("a field without omitempty is required, so its default is never used; add omitempty to its json tag, or remove the default")
	case !known:
		return unknownWord(f, before, w)
	case !w.hasValue:
		return fmt.Errorf("%s has no value; write one after %s=", w.name, w.name)
	}
	target := scalarOf(s)
	if w.name == "minItems" {
		target = s
	}
	if err = target.free(word.keyword); err == nil {
		err = word.apply(s, word.keyword, w.value)
	}
	if err == nil && (w.name == "min" || w.name == "max") {
		err = checkHolds(f.typ, w.value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	return nil
}

// unknownWord suggests what the author may have meant.
func unknownWord(f field, before []tagWord, w tagWord) error {
	const known = "the words are enum, min, max, minLength, maxLength, pattern, format, minItems, default, example, advanced, detail, excerpt"
	if w.name == "" {
		return errors.New("empty word; remove the comma too many")
	}
	if instead := foreignWords[w.name]; instead != "" {
		return fmt.Errorf("unknown word %q; %s", w.name, advise(instead, f.optional))
	}
	if name, value, ok := strings.Cut(w.name, ":"); ok && tagWords[strings.TrimSpace(name)].apply != nil {
		return fmt.Errorf("%q is not a word; write %s=%s", w.name, strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if last := len(before) - 1; last >= 0 && before[last].name == "enum" && !w.hasValue {
		return fmt.Errorf("%q is not a word; values are separated by |: write enum=%s|%s", w.name, before[last].value, w.name)
	}
	best, near := "", 3
	for _, word := range append(slices.Sorted(maps.Keys(tagWords)), "advanced", "detail", "excerpt") {
		if d := spelling.Distance(strings.ToLower(w.name), strings.ToLower(word), 2); d < near && 2*d < len(word) {
			best, near = word, d
		}
	}
	if best != "" {
		return fmt.Errorf("unknown word %q; write %s", w.name, best)
	}
	if !isWord(w.name) && len(before) > 0 {
		return fmt.Errorf("%q follows a comma and is not a word; put a value with a comma in single quotes, such as pattern='^a{1,3}$'", w.name)
	}
	return fmt.Errorf("unknown word %q; %s", w.name, known)
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

// misfit is the error for a word that bounds other values than those of a shape. Instead is what bounds them, if there is
// such a word.
func misfit(s *shape, want, instead string) error {
	have := strings.Join(s.types, " or ")
	switch {
	case s.ref != "":
		have = "a recursive type"
	case have == "":
		have = "any value"
	case s.encoding != "":
		have = "bytes"
	case want == "strings" && s.is("string"):
		have = "a string whose form is fixed"
	}
	if instead != "" {
		return fmt.Errorf("it is for %s, and not for %s; write %s, or remove it", want, have, instead)
	}
	return fmt.Errorf("it is for %s, and not for %s; remove it, or change the type", want, have)
}

func tagEnum(s *shape, _, value string) error {
	s = scalarOf(s)
	if !s.is("string") && !s.is("integer") && !s.is("number") {
		return misfit(s, "strings and numbers", "")
	}
	registered := s.enum // of a type with registered values; others have no enum yet
	s.enum = nil
	for v := range strings.SplitSeq(value, "|") {
		raw, err := tagValue(s, v)
		if err != nil {
			return err
		}
		if registered != nil && !slices.ContainsFunc(registered, func(o json.RawMessage) bool { return string(o) == string(raw) }) {
			return fmt.Errorf("%q is not a value of the type; write some of %s", v, jsonList(registered))
		}
		if v == "" || v == "''" {
			return errors.New("it has an empty value; write one | between two values, and make a field optional that may have none")
		}
		if slices.ContainsFunc(s.enum, func(o json.RawMessage) bool { return string(o) == string(raw) }) {
			return fmt.Errorf("it has %q twice; write each value once", v)
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
		instead := ""
		if s.is("string") {
			instead = map[string]string{"minimum": "minLength=...", "maximum": "maxLength=..."}[keyword]
		}
		return misfit(s, "numbers", instead)
	}
	if d, err := time.ParseDuration(value); err == nil && s.facts != nil && s.facts.spell != nil {
		value = strconv.FormatInt(int64(d), 10)
	}
	if !isNumber(value) || len(value) > maxBound {
		return notNumber(value)
	}
	s.bound(keyword, value)
	return nil
}

// checkHolds refuses a bound that no value of an integer type reaches.
func checkHolds(t reflect.Type, number string) error {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	v := reflect.Zero(t)
	var err error
	switch {
	case v.CanInt():
		var n int64
		if n, err = strconv.ParseInt(number, 10, 64); err == nil && v.Type().OverflowInt(n) {
			err = strconv.ErrRange
		}
	case v.CanUint():
		var n uint64
		if n, err = strconv.ParseUint(strings.TrimPrefix(number, "-"), 10, 64); err == nil && (v.Type().OverflowUint(n) || number[0] == '-') {
			err = strconv.ErrRange
		}
	}
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s is not a value of %s; correct it, or take a larger type", number, t)
	}
	return nil
}

// notNumber is the error for a value that should be a number. Words are often separated by other characters than commas.
func notNumber(value string) error {
	if i := strings.IndexAny(value, "; "); i > 0 && strings.ContainsAny(value[i:], "=:") {
		return fmt.Errorf("%q is not a number; write a comma between words", value)
	}
	return fmt.Errorf("%q is not a number; write a number, such as 12", value)
}

func tagLength(s *shape, keyword, value string) error {
	if s.is("array") && s.items != nil && !s.items.is("string") && keyword == "minLength" {
		return fmt.Errorf("it is for strings, and the items are none; for their number write minItems=%s", value)
	}
	s = scalarOf(s)
	if !s.is("string") || s.encoding != "" {
		instead := ""
		if s.is("integer") || s.is("number") {
			instead = map[string]string{"minLength": "min=...", "maxLength": "max=..."}[keyword]
		}
		return misfit(s, "strings", instead)
	}
	return tagCount(s, keyword, value)
}

func tagMinItems(s *shape, keyword, value string) error {
	if !s.is("array") || len(s.bounds) > 0 { // an array of Go has its length already
		return misfit(s, "slices", "")
	}
	return tagCount(s, keyword, value)
}

func tagCount(s *shape, keyword, value string) error {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return fmt.Errorf("%q is not a count; write a whole number from 0 on", value)
	}
	s.bound(keyword, strconv.FormatUint(n, 10))
	return nil
}

func tagPattern(s *shape, _, value string) error {
	s = scalarOf(s)
	if !s.is("string") || s.pattern != "" || s.encoding != "" {
		return misfit(s, "strings", "")
	}
	if _, _, problem := newPattern(value); problem != "" {
		return whyNot(value, problem)
	}
	s.pattern = value
	return nil
}

// whyNot words the problem of a pattern, with the reason of package regexp if it has one.
func whyNot(pattern, problem string) error {
	var e *syntax.Error
	switch _, err := syntax.Parse(pattern, syntax.Perl); {
	case !errors.As(err, &e):
		return fmt.Errorf("%q %s; correct it", pattern, problem)
	case e.Code == syntax.ErrInvalidPerlOp:
		return fmt.Errorf("package regexp does not have %q; write the pattern without it, or check the value in the function", e.Expr)
	default:
		return fmt.Errorf("%q is not a pattern of package regexp: %s; correct it", pattern, e.Code)
	}
}

func tagFormat(s *shape, _, value string) error {
	s = scalarOf(s)
	if s.format == "date-time" && s.own == nil { // a time.Time
		if value != "date" {
			return errors.New("a time.Time has a date and a time already; write format=date for a day alone, take a string for a time of day, or remove it")
		}
		s.format, s.facts.text, s.facts.convert = value, formats[value], dateValue
		return nil
	}
	if !s.is("string") || s.format != "" || s.encoding != "" || s.facts != nil && s.facts.text != nil {
		return misfit(s, "strings", "")
	}
	check := formats[value]
	if check == nil && (s.own == nil || value == "") {
		return fmt.Errorf("%q is not known; write one of %s, or pattern=... instead", value, strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
	}
	if s.format = value; check != nil {
		s.known().text = check
	}
	return nil
}

// tagValue parses a value for a shape: text for a string, else JSON.
func tagValue(s *shape, value string) (json.RawMessage, error) {
	raw := []byte(value)
	if s.is("string") && !(s.is("integer") && isNumber(value)) {
		return quoteJSON(value), nil
	}
	if err := strictjson.Check(raw); err != nil && (s.is("integer") || s.is("number")) {
		return nil, notNumber(value)
	} else if err != nil {
		return nil, fmt.Errorf("%q is not JSON: %w; write it as JSON", value, err)
	}
	return strictjson.Trim(raw), nil
}

// checkOrder rejects bounds that no value can satisfy.
func checkOrder(s *shape) error {
	for _, pair := range [][4]string{{"minimum", "maximum", "min", "max"}, {"minLength", "maxLength", "minLength", "maxLength"}} {
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
			return fmt.Errorf("%s is above %s, so no value fits; correct %[1]s or %[2]s", pair[2], pair[3])
		}
	}
	return nil
}

// isNumber reports whether text is a JSON number and nothing else.
func isNumber(text string) bool {
	raw := []byte(text)
	return strictjson.Check(raw) == nil && strictjson.KindOf(raw) == strictjson.Number && len(strictjson.Trim(raw)) == len(raw)
}
