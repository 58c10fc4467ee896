package redact

// A probe is a literal that begins a secret or its key, and a function that reads the text there. Regular expressions
// would be a hundred times slower on text with many such words and no secrets.
type probe struct {
	hint string // two bytes or more; in lower case if fold
	fold bool   // matches upper case too
	// find returns the secret at the hint that begins at text[at], empty if there is none. The next search begins at
	// next. Neither end of a secret splits an escape.
	find func(text string, at int) (s span, next int)
}

// A scanner searches for many probes in one pass.
type scanner struct {
	// lists maps the first two bytes of a hint to an index in probes, plus one. Zero means that no hint begins like
	// that.
	lists  [1 << 16]uint8
	probes [][]ruled
}

// ruled is a probe with the index of its rule.
type ruled struct {
	probe
	rule int
}

func (s *scanner) add(rule int, probes []probe) {
	for _, p := range probes {
		a, b := p.hint[0], p.hint[1]
		s.addLead(a, b, ruled{p, rule})
		if !p.fold {
			continue
		}
		for _, lead := range [][2]byte{{upper(a), b}, {a, upper(b)}, {upper(a), upper(b)}} {
			if lead[0] != a || lead[1] != b {
				s.addLead(lead[0], lead[1], ruled{p, rule})
			}
		}
	}
}

func (s *scanner) addLead(a, b byte, p ruled) {
	list := &s.lists[int(a)<<8|int(b)]
	if *list == 0 {
		s.probes = append(s.probes, nil)
		*list = uint8(len(s.probes))
	}
	i := *list - 1
	for _, q := range s.probes[i] {
		if q.rule == p.rule && q.hint == p.hint {
			return
		}
	}
	s.probes[i] = append(s.probes[i], p)
}

// find returns the secrets of text in the order of their hints. They may overlap.
func (s *scanner) find(text string, rules int) []span {
	if s.probes == nil {
		return nil
	}
	var spans []span
	next := make([]int, rules) // by rule, where its search continues
	for i := 0; i+1 < len(text); i++ {
		list := s.lists[int(text[i])<<8|int(text[i+1])]
		if list == 0 {
			continue
		}
		for _, p := range s.probes[list-1] {
			if i < next[p.rule] || !p.at(text[i:]) {
				continue
			}
			found, to := p.find(text, i)
			next[p.rule] = to
			if found.start < found.end {
				found.rule = p.rule
				spans = append(spans, found)
			}
		}
	}
	return spans
}

// at reports whether text begins with the hint of p.
func (p *probe) at(text string) bool {
	if len(text) < len(p.hint) {
		return false
	}
	if !p.fold {
		return text[:len(p.hint)] == p.hint
	}
	return hasPrefixFold(text, p.hint)
}

// hasPrefixFold reports whether text begins with prefix in any case. Prefix is in lower case.
func hasPrefixFold(text, prefix string) bool {
	if len(text) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(text[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// containsFold reports whether hint is in text, in any case of ASCII letters.
func containsFold(text, hint string) bool {
	folded := []byte(hint)
	for i, c := range folded {
		folded[i] = lower(c)
	}
	hint = string(folded)
	for i := 0; i+len(hint) <= len(text); i++ {
		if hasPrefixFold(text[i:], hint) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}
