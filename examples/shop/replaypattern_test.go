package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Patterns, for text:
//
//	…          any text within a line; alone on a line any number of lines
//	<integer>  digits, also with commas
//	<hash8>    eight hexadecimal digits
//	<handle>   the handle of an artifact
//	<line>     up to 600 characters without control characters
//	<word>     anything without a space, a quote or a backquote
//	${name}    a word. Its first occurrence binds it; later ones, in requests too, are the same word
//
// A pattern that begins with { or [ is JSON, and the answer must be equal JSON: members in any order, no further ones.
//
//	"…"        as a value, any value; as a member ("…": "…"), any further members; in an array, any number of elements
//	"<string>" a string; <integer>, <number>, <boolean>, <object>, <array> likewise
//	"a <hash8>" any other string is a pattern for text
//
// Lines end without spaces, and the last line break does not count.
type bindings map[string]string

var (
	placeholder = regexp.MustCompile(`…|<integer>|<hash8>|<handle>|<line>|<word>|\$\{\w+\}`)
	variable    = regexp.MustCompile(`\$\{(\w+)\}`)
)

// fill returns text with the values of its variables.
func (b bindings) fill(text string) (string, error) {
	var err error
	return variable.ReplaceAllStringFunc(text, func(v string) string {
		value, ok := b[v[2:len(v)-1]]
		if !ok {
			err = errors.Join(err, fmt.Errorf("nothing has given %s", v))
		}
		return value
	}), err
}

// match returns an error that says where got differs from the pattern.
func (b bindings) match(pattern, got string) error {
	pattern = strings.TrimSpace(pattern)
	if pattern == "" || pattern[0] != '{' && pattern[0] != '[' || strings.HasPrefix(pattern, "[1/") {
		return b.lines(pattern, got)
	}
	want, err := decodeJSON(pattern)
	if err != nil {
		return fmt.Errorf("the pattern is not JSON: %w", err)
	}
	value, err := decodeJSON(got)
	if err != nil {
		return fmt.Errorf("the answer is not JSON: %w: %s", err, shorten(got))
	}
	if err := b.value("$", want, value); err != nil {
		return fmt.Errorf("%w\ngot:  %s\nwant: %s", err, shorten(got), pattern)
	}
	return nil
}

func decodeJSON(text string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("there is more than one value")
	}
	return v, nil
}

// lines matches a text.
func (b bindings) lines(pattern, got string) error {
	var expr strings.Builder
	var names []string
	for line := range strings.Lines(pattern + "\n") {
		line = strings.TrimRight(line, " \n")
		if line == "…" {
			expr.WriteString(`(?:[^\n]*\n)*`)
			continue
		}
		part, more := b.expression(line, names)
		names = more
		expr.WriteString(part + `\n`)
	}
	if !b.bind(expr.String(), names, strings.TrimRight(got, "\n")+"\n") {
		return fmt.Errorf("got:\n%s\n\nwant:\n%s", shorten(got), pattern)
	}
	return nil
}

// text matches a string in JSON, line breaks included.
func (b bindings) text(pattern, got string) bool {
	expr, names := b.expression(pattern, nil)
	return b.bind(strings.ReplaceAll(expr, `[^\n]*`, `(?s:.*)`), names, got)
}

// expression returns the regular expression of a pattern without line breaks. It adds the names that the pattern binds.
func (b bindings) expression(pattern string, names []string) (string, []string) {
	var expr strings.Builder
	for {
		at := placeholder.FindStringIndex(pattern)
		if at == nil {
			return expr.String() + regexp.QuoteMeta(pattern), names
		}
		expr.WriteString(regexp.QuoteMeta(pattern[:at[0]]))
		switch p := pattern[at[0]:at[1]]; p {
		case "…":
			expr.WriteString(`[^\n]*`)
		case "<integer>":
			expr.WriteString(`[0-9]+(?:,[0-9]{3})*`)
		case "<hash8>":
			expr.WriteString(`[0-9a-f]{8}`)
		case "<handle>":
			expr.WriteString(`art-[\w-]+`)
		case "<line>":
			expr.WriteString(`[^\x00-\x1f\x7f]{1,600}`)
		case "<word>":
			expr.WriteString("[^\\s\"`]+")
		default:
			name := p[2 : len(p)-1]
			if value, ok := b[name]; ok {
				expr.WriteString(regexp.QuoteMeta(value))
				break
			}
			names = append(names, name)
			expr.WriteString("([^\\s\"`]+)")
		}
		pattern = pattern[at[1]:]
	}
}

func (b bindings) bind(expr string, names []string, got string) bool {
	m := regexp.MustCompile(`^` + expr + `$`).FindStringSubmatch(got)
	if m == nil {
		return false
	}
	for i, name := range names {
		if old, ok := b[name]; ok && old != m[i+1] {
			return false
		}
		b[name] = m[i+1]
	}
	return true
}

// value matches a JSON value. path says where it is.
func (b bindings) value(path string, want, got any) error {
	differs := fmt.Errorf("%s: got %s, want %s", path, shorten(encodeJSON(got)), encodeJSON(want))
	switch want := want.(type) {
	case string:
		if !b.is(want, got) {
			return differs
		}
	case json.Number:
		a, ok := got.(json.Number)
		x, err := want.Float64()
		y, e := a.Float64()
		if !ok || err != nil || e != nil || x != y {
			return differs
		}
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return differs
		}
		return b.members(path, want, object)
	case []any:
		list, ok := got.([]any)
		if !ok {
			return differs
		}
		return b.elements(path, want, list)
	default: // true, false, null
		if got != want {
			return differs
		}
	}
	return nil
}

// is matches a value with a string of the pattern.
func (b bindings) is(want string, got any) bool {
	number, isNumber := got.(json.Number)
	text, isText := got.(string)
	switch want {
	case "…":
		return true
	case "<string>":
		return isText
	case "<number>":
		return isNumber
	case "<integer>":
		_, err := number.Int64()
		return isNumber && err == nil
	case "<boolean>":
		_, ok := got.(bool)
		return ok
	case "<object>":
		_, ok := got.(map[string]any)
		return ok
	case "<array>":
		_, ok := got.([]any)
		return ok
	}
	return isText && b.text(want, text)
}

func (b bindings) members(path string, want, got map[string]any) error {
	_, open := want["…"]
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if name == "…" {
			continue
		}
		value, ok := got[name]
		if !ok {
			return fmt.Errorf("%s has no member %q", path, name)
		}
		if err := b.value(path+"."+name, want[name], value); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok && !open {
			return fmt.Errorf("%s has a further member %q", path, name)
		}
	}
	return nil
}

// elements matches an array. After an element that stands for any number, the next one is the first that fits.
func (b bindings) elements(path string, want, got []any) error {
	at, skip := 0, false
	for i, w := range want {
		if w == "…" {
			skip = true
			continue
		}
		err := fmt.Errorf("%s has %d elements", path, len(got))
		for ; at < len(got); at++ {
			try := maps.Clone(b)
			if err = try.value(fmt.Sprintf("%s[%d]", path, at), w, got[at]); err == nil {
				maps.Copy(b, try)
				break
			}
			if !skip {
				return err
			}
		}
		if at == len(got) {
			return fmt.Errorf("%s: nothing is like element %d of the pattern, %s: %w", path, i, encodeJSON(w), err)
		}
		at, skip = at+1, false
	}
	if at < len(got) && !skip {
		return fmt.Errorf("%s has %d elements, want %d", path, len(got), at)
	}
	return nil
}

func encodeJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern, got string
		match        bool
	}{
		{"one\ntwo", "one\ntwo\n", true},
		{"one\ntwo", "one\n\ntwo", false},
		{"one\n…", "one\ntwo\nthree", true},
		{"one\n…\nthree", "one\nthree", true},
		{"one …", "one\ntwo", false},
		{"<integer> of ~<integer>", "3 of ~48,000", true},
		{"<integer>", "4x", false},
		{"orders:get#<hash8>", "orders:get#5976b29e", true},
		{"${a} and ${a}", "x and x", true},
		{"${a} and ${a}", "x and y", false},
		{"${bound}", "value", true},
		{"${bound}", "other", false},
		{"[1/2] a", "[1/2] a", true},
		{`{"a": 12.50}`, `{"a":12.5}`, true},
		{`{"a": 1}`, `{"a":1,"b":2}`, false},
		{`{"a": 1, "…": "…"}`, `{"a":1,"b":2}`, true},
		{`{"a": "<integer>"}`, `{"a":1.5}`, false},
		{`{"a": "<number>"}`, `{"a":1.5}`, true},
		{`{"a": "<string>"}`, `{"a":1}`, false},
		{`{"a": "x…"}`, `{"a":"x\ny"}`, true},
		{`[1, "…"]`, `[1,2,3]`, true},
		{`["…", 3]`, `[1,2,3]`, true},
		{`["…", 3]`, `[1,2]`, false},
		{`[1]`, `[1,2]`, false},
		{`[1, 2]`, `[1]`, false},
		{`{"a": "…", "b": true}`, `{"a":null,"b":true}`, true},
		{`{"a": null}`, `{"a":false}`, false},
	} {
		err := bindings{"bound": "value"}.match(tt.pattern, tt.got)
		if (err == nil) != tt.match {
			t.Errorf("%q and %q: %v, want a match: %t", tt.pattern, tt.got, err, tt.match)
		}
	}
}
