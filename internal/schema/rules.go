package schema

import (
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// ruleText returns the rules of a node on one line.
func ruleText(n *node) string {
	var parts []string
	add := func(name, value string) {
		parts = append(parts, name+": "+value+".")
	}
	to := n.target()
	valueRules(to, "", add)
	if to.array != nil {
		arrayRuleText(to.array, add)
	}
	if n.about.def != nil {
		add("Default", plain(n.about.def))
	}
	return clean(strings.Join(parts, " "), maxRules)
}

// valueRules adds the rules of a node for one value.
func valueRules(n *node, prefix string, add func(name, value string)) {
	name := func(s string) string {
		if prefix == "" {
			return s
		}
		return prefix + strings.ToLower(s[:1]) + s[1:]
	}
	if n.enum != nil {
		add(name("One of"), n.enum.String())
	}
	if n.constant != nil {
		add(name("Always"), n.constant.String())
	}
	if n.number != nil {
		numberRuleText(n, func(s, value string) { add(name(s), value) })
	}
	if n.about.format != "" {
		add(name("Format"), clean(n.about.format, maxValue))
	}
	if r := n.text; r != nil {
		if r.min > 0 {
			add(name("Minimum length"), strconv.Itoa(r.min))
		}
		if r.max >= 0 {
			add(name("Maximum length"), strconv.Itoa(r.max))
		}
		if r.pattern != nil && n.insteadOfPattern() == nil {
			add(name("Pattern"), clean(r.pattern.text, maxShown))
		}
	}
}

// numberRuleText adds the bounds.
func numberRuleText(n *node, add func(name, value string)) {
	r := n.number
	for _, rule := range []struct {
		name  string
		bound *bound
	}{
		{"Minimum", r.min}, {"More than", r.above}, {"Maximum", r.max}, {"Less than", r.below}, {"Multiple of", r.multiple},
	} {
		if rule.bound != nil {
			add(rule.name, n.spell(rule.bound))
		}
	}
}

// arrayRuleText adds the rules of an array and of its items.
func arrayRuleText(r *arrayRules, add func(name, value string)) {
	if r.min > 0 {
		add("Minimum items", strconv.Itoa(r.min))
	}
	if r.max >= 0 {
		add("Maximum items", strconv.Itoa(r.max))
	}
	if r.items != nil {
		valueRules(r.items.target(), "Each item: ", add)
	}
}

// plain returns a JSON value for a reader. A string has no quotes unless it is empty.
func plain(raw []byte) string {
	if strictjson.KindOf(raw) == strictjson.String {
		if text := strictjson.Text(raw); text != "" {
			return clean(text, maxShown)
		}
	}
	return clean(string(raw), maxShown)
}

// summary describes a value of a node in one line.
func summary(n *node) string {
	n = n.target()
	switch kindWord(n) {
	case "object":
		return "Object" + withNames(n.object) + "."
	case "array":
		if n.array == nil || n.array.items == nil {
			return "Array."
		}
		return arraySummary(n.array.items.target())
	case "string":
		return "Text."
	case "integer", "number":
		return "Number."
	case "boolean":
		return "True or false."
	case "null":
		return "Nothing."
	}
	if text := typeText(n); text != "any" {
		return "Value: " + text + "."
	}
	return "Any JSON value."
}

func arraySummary(item *node) string {
	switch word := kindWord(item); word {
	case "object":
		return "Array of objects" + withNames(item.object) + "."
	case "string":
		return "Array of texts."
	case "integer", "number":
		return "Array of numbers."
	case "boolean":
		return "Array of booleans."
	case "array":
		return "Array of arrays."
	}
	return "Array."
}

// withNames returns the names of an object's properties.
func withNames(r *objectRules) string {
	if r == nil || r.properties == 0 {
		return ""
	}
	names := make([]string, r.properties)
	for i := range names {
		names[i] = "`" + clean(r.names[i].name, maxKey) + "`"
	}
	return " with " + listAnd(names)
}
