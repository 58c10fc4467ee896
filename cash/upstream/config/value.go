package config

import (
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

// line returns a text of one line with at most so many characters.
func (m *mapping) line(key string, most int) string {
	s, ok := m.get(key)
	if !ok {
		return ""
	}
	return clean.Line(s.text, most)
}

// text returns a text unchanged.
func (m *mapping) text(key string) string {
	s, ok := m.get(key)
	if !ok {
		return ""
	}
	return s.text
}

// path returns an absolute path; "" if there is none.
func (m *mapping) path(key string) string {
	return m.absolute(m.text(key))
}

func (r *reader) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.dir, path)
}

func (m *mapping) boolean(key string) bool {
	s, ok := m.get(key)
	if ok && s.text != "true" && s.text != "false" {
		m.refuse(s, "%s is neither true nor false", quoteSource(s.node.Value))
	}
	return ok && s.text == "true"
}

// choice returns the index of the value among words; 0 if it is absent or unknown.
func (m *mapping) choice(key string, words ...string) int {
	s, ok := m.get(key)
	if !ok {
		return 0
	}
	i := slices.Index(words, s.text)
	if i < 0 {
		m.refuse(s, "%s is not one of %s", quoteSource(s.node.Value), strings.Join(words, ", "))
	}
	return max(i, 0)
}

// integer returns a whole number from 1 to most; 0 if it is absent or invalid.
func (m *mapping) integer(key string, most int) int {
	s, ok := m.get(key)
	if !ok {
		return 0
	}
	n, ok := digits(s.text)
	if !ok || n < 1 || n > most {
		m.refuse(s, "%s is not a whole number from 1 to %d", quoteSource(s.node.Value), most)
		return 0
	}
	return n
}

// digits reads decimal digits. It refuses a leading 0, which some readers take for octal.
func digits(text string) (int, bool) {
	if strings.Trim(text, "0123456789") != "" || len(text) > 1 && text[0] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// duration returns a positive duration; 0 if it is absent or invalid.
func (m *mapping) duration(key string) time.Duration {
	s, ok := m.get(key)
	if !ok {
		return 0
	}
	return m.parseDuration(s)
}

// interval is duration, but negative for the word never.
func (m *mapping) interval(key string) time.Duration {
	s, ok := m.get(key)
	switch {
	case !ok:
		return 0
	case s.text == "never":
		return -1
	}
	return m.parseDuration(s)
}

func (r *reader) parseDuration(s scalar) time.Duration {
	d, err := time.ParseDuration(s.text)
	switch {
	case err != nil:
		r.refuse(s, "%s is not a duration such as 30s or 5m", quoteSource(s.node.Value))
	case d <= 0:
		r.refuse(s, "%s is not more than nothing: leave it out for the default", quoteSource(s.node.Value))
	default:
		return d
	}
	return 0
}

// maxSize is the largest size: 1 GiB.
const maxSize = 1 << 30

var sizeUnits = []struct {
	name  string
	bytes int
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"KB", 1e3}, {"MB", 1e6}, {"B", 1}, {"", 1}}

// size returns a positive number of bytes; 0 if it is absent or invalid.
func (m *mapping) size(key string) int {
	s, ok := m.get(key)
	if !ok {
		return 0
	}
	for _, unit := range sizeUnits {
		number, found := strings.CutSuffix(s.text, unit.name)
		if !found {
			continue
		}
		n, ok := digits(strings.TrimSuffix(number, " "))
		switch {
		case !ok:
			m.refuse(s, "%s is not a size such as 8MiB, 500KB or 65536", quoteSource(s.node.Value))
		case n < 1 || n > maxSize/unit.bytes:
			m.refuse(s, "%s is not a size from 1B to %dMiB", quoteSource(s.node.Value), maxSize>>20)
		default:
			return n * unit.bytes
		}
		break
	}
	return 0
}

// names returns the texts of a list. Neither the list nor a text may be empty or null: what the list restricts would be
// open to all.
func (m *mapping) names(key, what string) []scalar {
	nodes, field := m.list(key)
	if n := m.written(key); n != nil && len(nodes) == 0 && (n.Kind == yaml.SequenceNode || strictyaml.IsNull(n)) {
		m.fail(n, field, "the list is empty: name %s, or leave it out", what)
	}
	var names []scalar
	for i, n := range nodes {
		s, ok := m.asScalar(n, element(field, i))
		switch {
		case !ok:
		case s.text == "":
			m.refuse(s, "empty: name %s, or remove it", what)
		default:
			names = append(names, s)
		}
	}
	return names
}

func textsOf(list []scalar) []string {
	var texts []string
	for _, s := range list {
		texts = append(texts, s.text)
	}
	return texts
}

// prefixes returns a list of IP networks.
func (m *mapping) prefixes(key string) []netip.Prefix {
	var list []netip.Prefix
	for _, s := range m.names(key, "a network") {
		p, err := netip.ParsePrefix(s.text)
		if err != nil || p.Addr().Is4In6() { // the dialler never sees IPv4-mapped addresses
			m.refuse(s, "%s is not a network such as 10.0.0.0/8 or fd00::/8", quoteSource(s.node.Value))
			continue
		}
		list = append(list, p.Masked())
	}
	return list
}

// pairs calls f for each key and value of a mapping with arbitrary keys.
func (m *mapping) pairs(key string, f func(name *yaml.Node, value scalar)) {
	n, field := m.lookup(key)
	if n == nil {
		return
	}
	pairs := m.asMapping(n, field).node.Content
	for i := 0; i+1 < len(pairs) && !m.full(); i += 2 {
		name := pairs[i]
		if value, ok := m.asScalar(pairs[i+1], field+"."+clean.Line(name.Value, 48)); ok {
			f(name, value)
		}
	}
}
