package schema

import (
	"slices"
	"strings"
	"unicode"
)

// A property is a Unicode property: \p{...} or \P{...}.
type property struct {
	text  string // as RE2 has it
	table *unicode.RangeTable
	not   bool
}

// property parses a property and adds it to a class, without duplicates, because each costs RE2 hundreds of ranges.
func (t *translator) property(c *class, not bool) string {
	name, ok := t.propertyName()
	if !ok {
		return notRE2
	}
	switch name {
	case "Any":
		c.addUpTo(unicode.MaxRune, not)
		return ""
	case "ASCII":
		c.addUpTo(unicode.MaxASCII, not)
		return ""
	case "Assigned":
		name, not = "Cn", !not
	}
	name, table := findProperty(name)
	if table == nil {
		return notRE2
	}
	text := `\p{` + name + `}`
	if not {
		text = `\P{` + name + `}`
	}
	if slices.ContainsFunc(c.properties, func(p property) bool { return p.text == text }) {
		return ""
	}
	c.properties = append(c.properties, property{text, table, not})
	return t.spend(countRanges(table) / 32)
}

// propertyName parses {Letter}, or L.
func (t *translator) propertyName() (name string, ok bool) {
	if strings.HasPrefix(t.rest, "{") {
		name, t.rest, ok = strings.Cut(t.rest[1:], "}")
		return name, ok
	}
	if t.rest == "" {
		return "", false
	}
	name, t.rest = t.rest[:1], t.rest[1:]
	return name, true
}

// addUpTo adds the characters up to last, or those after it.
func (c *class) addUpTo(last rune, not bool) {
	if not {
		c.add(last+1, unicode.MaxRune)
	} else {
		c.add(0, last)
	}
}

// findProperty returns a general category or script, and its name in RE2. ECMA requires Script= before a script; RE2
// does not.
func findProperty(name string) (string, *unicode.RangeTable) {
	kind, value, ok := strings.Cut(name, "=")
	if !ok {
		kind, value = "", name
	}
	switch kind {
	case "", "gc", "General_Category":
		if short, ok := unicode.CategoryAliases[value]; ok {
			value = short
		}
		if table := unicode.Categories[value]; table != nil || kind != "" {
			return value, table
		}
		return value, unicode.Scripts[value]
	case "sc", "Script":
		return value, unicode.Scripts[value]
	}
	return "", nil
}

// countRanges returns the number of contiguous ranges in a table.
func countRanges(table *unicode.RangeTable) (n int) {
	for _, r := range table.R16 {
		n += rangesOf(uint32(r.Lo), uint32(r.Hi), uint32(r.Stride))
	}
	for _, r := range table.R32 {
		n += rangesOf(r.Lo, r.Hi, r.Stride)
	}
	return n
}

func rangesOf(low, high, stride uint32) int {
	if stride == 1 {
		return 1
	}
	return int((high-low)/stride) + 1
}
