package schema

import (
	"fmt"
	"strings"
)

// CheckNames returns the [Mistakes] in the names of the parameters of a function (CaSH RFC 5.1 and 5.3; R20, R26, R28).
// A name has ASCII letters, digits, underscores and hyphens, and a letter or digit among them. No two names may have the
// same canonical form, which is lower case without underscores and hyphens. Outputs and foreign schemas are exempt.
func (s *Schema) CheckNames() error {
	n := s.root.target()
	if n.object == nil {
		return nil
	}
	var faults Mistakes
	seen := map[string]string{}
	for _, rule := range n.object.names[:n.object.properties] { // the first ones are the properties
		form, ok := canonicalLabel(rule.name)
		if !ok {
			faults.Add(fmt.Errorf("%sparameter %q: a name is made of letters A-Z and a-z, digits, _ and -, and has a letter or a digit; write %s",
				s.prefix(), clean(rule.name, maxKey), betterName(rule.name)))
			continue
		}
		if other, found := seen[form]; found {
			faults.Add(fmt.Errorf("%sparameters %q and %q are the same but for case, _ and -; rename one", s.prefix(), other, rule.name))
		}
		seen[form] = rule.name
	}
	return faults.Err()
}

// betterName suggests a legal name.
func betterName(name string) string {
	legal := func(r rune) rune {
		if r < 0x80 && isWord(string(r)) || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}
	if better := strings.Trim(strings.Map(legal, clean(name, maxKey)), "_"); better != "" {
		return fmt.Sprintf("json:%q", better)
	}
	return `json:"..." with such a name`
}

// prefix returns the Go type, for errors.
func (s *Schema) prefix() string {
	if s.goType == "" {
		return ""
	}
	return s.goType + ": "
}

// canonicalLabel returns the canonical form of a name: lower case without underscores and hyphens. It is false for other
// names. It works on bytes: strings.ToLower would turn the Kelvin sign into k.
func canonicalLabel(name string) (string, bool) {
	form := make([]byte, 0, len(name))
	for i := range len(name) {
		switch c := name[i]; {
		case 'A' <= c && c <= 'Z':
			form = append(form, c+'a'-'A')
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			form = append(form, c)
		case c != '_' && c != '-':
			return "", false
		}
	}
	return string(form), len(form) > 0
}
