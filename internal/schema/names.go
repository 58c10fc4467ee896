package schema

import "fmt"

// CheckNames returns an error if the parameters of a typed function cannot be told apart by their names (CaSH RFC 5.1 and
// 5.3; R20, R26, R28). It is called when the function is made. A name has ASCII letters, digits and underscores, not only underscores. No two names may have the same
// canonical form, which is lower case without underscores. Outputs and foreign schemas are exempt.
func (s *Schema) CheckNames() error {
	n := s.root.target()
	if n.object == nil {
		return nil
	}
	seen := map[string]string{}
	for _, rule := range n.object.names[:n.object.properties] { // the first ones are the properties
		form, ok := canonicalLabel(rule.name)
		if !ok {
			return fmt.Errorf("%sparameter %q: a name is made of letters A-Z and a-z, digits and _, and not of _ alone", s.prefix(), clean(rule.name, maxKey))
		}
		if other, found := seen[form]; found {
			return fmt.Errorf("%sparameters %q and %q are the same but for case and _; rename one", s.prefix(), other, rule.name)
		}
		seen[form] = rule.name
	}
	return nil
}

// prefix returns the Go type, for errors.
func (s *Schema) prefix() string {
	if s.goType == "" {
		return ""
	}
	return s.goType + ": "
}

// canonicalLabel returns the canonical form of a label, or false if name is not one. It works on bytes: strings.ToLower
// would turn the Kelvin sign into k.
func canonicalLabel(name string) (string, bool) {
	form := make([]byte, 0, len(name))
	for i := range len(name) {
		switch c := name[i]; {
		case 'A' <= c && c <= 'Z':
			form = append(form, c+'a'-'A')
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			form = append(form, c)
		case c != '_':
			return "", false
		}
	}
	return string(form), len(form) > 0
}
