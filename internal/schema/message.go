package schema

import (
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/spelling"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// typeMessage returns the accepted types and the given one.
func typeMessage(want typeSet, got strictjson.Kind) string {
	if want&typeOf(strictjson.Number) != 0 {
		want &^= integerType
	}
	words := want.words()
	for i, w := range words {
		if i == 0 {
			words[i] = article(w)
		}
	}
	return "must be " + joined(words, " or ") + ", not " + article(got.String())
}

// article puts a or an before the name of a type.
func article(word string) string {
	switch word {
	case "null":
		return word
	case "integer", "array", "object":
		return "an " + word
	}
	return "a " + word
}

// unknownMessage reports an unknown name, with the known ones.
func unknownMessage(r *objectRules, key string, top bool) string {
	what := "unknown member"
	if top {
		what = "unknown parameter"
	}
	known := make([]string, r.properties)
	for i := range known {
		known[i] = clean(r.names[i].name, maxKey)
	}
	if len(known) == 0 {
		return what + "; none is known here, leave it out"
	}
	if near := nearest(r, key); near != "" {
		what += ", did you mean `" + clean(near, maxKey) + "`?"
	} else {
		what += ";"
	}
	return what + " known: " + list(known, ", ")
}

// excludedMessage says what the keyword not excludes.
func excludedMessage(n *node) string {
	if text := typeText(n); text != "any" {
		return "must not be " + text
	}
	return "has a form that is excluded here"
}

// alternatives lists the alternatives of anyOf or oneOf by type.
func alternatives(subs []*node) string {
	var texts []string
	seen := map[string]bool{}
	for _, n := range subs {
		if text := typeText(n); !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
		if len(texts) > maxListed {
			break
		}
	}
	if len(texts) == 1 && texts[0] == "any" {
		return "the " + plural(len(subs), "form", "forms") + " that the schema describes"
	}
	return joined(texts, " or ")
}

// nearest returns the property that a misspelled key probably means: one that differs only in case, _ and -, else the
// one with the fewest edits, at most two, and fewer for short names.
func nearest(r *objectRules, key string) string {
	if len(key) > maxKey {
		return ""
	}
	wanted := canonicalName(key)
	best, distance := "", 3
	for _, rule := range r.names[:min(r.properties, maxCompared)] {
		if len(rule.name) > maxKey {
			continue
		}
		name := canonicalName(rule.name)
		if name == wanted && name != "" {
			return rule.name
		}
		if d := spelling.Distance(wanted, name, 2); d < distance && 2*d < max(utf8.RuneCountInString(wanted), utf8.RuneCountInString(name)) {
			best, distance = rule.name, d
		}
	}
	return best
}

// maxCompared bounds the properties that are compared with a misspelled key.
const maxCompared = 500

// canonicalName returns the form in which names mean the same to a model.
func canonicalName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}
