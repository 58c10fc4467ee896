package cashsource

import (
	"iter"
	"regexp"
	"slices"
	"strings"
)

// Descriptions of parameters tell values and defaults in prose. This file finds those that are surely rules.

// A listed value is one word, with or without quotes. Others cannot be told from the prose around them.
const listedWord = "[`'\"]?[A-Za-z0-9_]+(?:[.:/+-]+[A-Za-z0-9_]+)*[`'\"]?"

var (
	valueList = regexp.MustCompile(`^(?: are)?:?\s+(` + listedWord + `(?:\s*,\s*` + listedWord + `)*(?:,?\s+(?:or|and)\s+` + listedWord + `)?|` +
		listedWord + `(?:\s*\|\s*` + listedWord + `)+)\s*(?:[.;](?:\s|$)|\)|\(|$)`)
	between  = regexp.MustCompile(`\s*[,|]\s*(?:(?:or|and)\s+)?|\s+(?:or|and)\s+`)
	oneValue = regexp.MustCompile(`^(?: is|s to|:| =|=)?\s+(` + listedWord + `)\s*(?:[.;,](?:\s|$)|\)|$)`)
)

// introductions are the words before a list of values.
var introductions = []string{"one of", "allowed values", "valid values", "possible values"}

// noLists are words before which a list is no rule.
var noLists = []string{"e.g.", "i.e.", "not", "example", "usually", "often", "mostly", "typically"}

// Bounds of the search for a list or a default in a description.
const (
	maxTried  = 8   // places
	maxListed = 600 // bytes of a list
)

// choices returns the values of a list such as "One of: low, high."; nil if there is none, or if it may be prose.
// whole means that the text has nothing else.
func choices(text string, whole bool) []string {
	for _, words := range introductions {
		for before, rest := range places(text, words) {
			at := valueList.FindStringSubmatchIndex(rest)
			if at == nil || !introduces(before) || whole && (before != "" || at[1] < len(rest)) {
				continue
			}
			values := between.Split(rest[at[2]:at[3]], -1)
			for i, word := range values {
				values[i] = unquoted(word)
			}
			if len(values) > 1 {
				return values
			}
		}
	}
	return nil
}

// defaultIn returns the value in a text such as "Default: low."; "" if there is none.
func defaultIn(text string) string {
	for before, rest := range places(text, "default") {
		m := oneValue.FindStringSubmatch(rest)
		if m != nil && (before == "" || strings.ContainsAny(before[len(before)-1:], " (;,.")) {
			return unquoted(m[1])
		}
	}
	return ""
}

// places yields the lower-case text before and the text after the first places of words, which are lower case.
func places(text, words string) iter.Seq2[string, string] {
	return func(yield func(before, rest string) bool) {
		lower, from := asciiLower(text), 0
		for range maxTried {
			i := strings.Index(lower[from:], words)
			if i < 0 {
				return
			}
			at := from + i
			from = at + len(words)
			rest := text[from:]
			if len(rest) > maxListed {
				rest = rest[:maxListed] + "…" // so that a list which is cut does not end there
			}
			if !yield(lower[:at], rest) {
				return
			}
		}
	}
}

// introduces reports whether a list may follow a text: it begins a sentence or a part of one.
func introduces(before string) bool {
	before = strings.TrimSuffix(strings.TrimSuffix(before, "must be "), "is ")
	before = strings.TrimRight(before, " ")
	if before == "" {
		return true
	}
	part := strings.TrimRight(before, ".;:,(-\u2013\u2014")
	if part == before {
		return false
	}
	return !slices.ContainsFunc(noLists, func(word string) bool {
		return strings.HasSuffix(part, strings.TrimSuffix(word, "."))
	})
}

// asciiLower lowers ASCII letters, so that offsets stay.
func asciiLower(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

func unquoted(word string) string { return strings.Trim(word, "`'\"") }
