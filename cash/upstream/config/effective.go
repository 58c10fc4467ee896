package config

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

// Effective returns the configuration as YAML that means the same: with the defaults of what it leaves out. Blocks that
// are absent stay absent: they are off. Variables stay references. These are hidden, in defaults of variables too:
//
//   - values of headers and of environments, and queries of URLs,
//   - arguments of commands after the name of a secret, such as --password, and
//   - secrets that are recognised.
func (f *File) Effective() []byte {
	if f.source == nil {
		return nil
	}
	r := f.source()
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	_ = e.Encode(r.shown(r.places[""])) // nodes of this kind always encode
	return b.Bytes()
}

// hidden stands for a value that is not shown.
const hidden = "(hidden)"

// shown returns a node for people, with defaults.
func (r *reader) shown(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style &^ yaml.FlowStyle}
	m := r.visited[n]
	switch {
	case n.Kind == yaml.ScalarNode:
		return scalarAs(n, withoutSecrets("", n.Value))
	case m == nil || len(m.keys) == 0: // a list, or any keys
		for i, child := range n.Content {
			switch {
			case n.Kind == yaml.MappingNode && i%2 == 0:
				c.Content = append(c.Content, text(child.Value))
			case n.Kind == yaml.MappingNode && child.Kind == yaml.ScalarNode:
				c.Content = append(c.Content, scalarAs(child, hide(child.Value)))
			default:
				c.Content = append(c.Content, r.shown(child))
			}
		}
		if n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.ScalarNode {
			c.Style |= yaml.FlowStyle
		}
	default:
		for _, key := range m.keys {
			value, _ := m.lookup(key)
			switch {
			case value == nil:
				value = defaultOf(m, key)
			case key == "endpoint" || key == "url":
				value = scalarAs(value, shownURL(value.Value))
			case key == "command":
				value = shownCommand(value)
			default:
				value = r.shown(value)
			}
			if value != nil {
				c.Content = append(c.Content, text(key), value)
			}
		}
	}
	return c
}

// scalarAs returns a scalar with this value, in the form of n if it is the same.
func scalarAs(n *yaml.Node, value string) *yaml.Node {
	if n.Kind != yaml.ScalarNode || n.Value != value {
		return text(value)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: n.Tag, Value: value, Style: n.Style}
}

func text(value string) *yaml.Node {
	n := new(yaml.Node)
	n.SetString(value)
	return n
}

// shownCommand returns a command line without secrets: one follows the name of a flag, or is in it.
func shownCommand(line *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	flag := ""
	for _, n := range line.Content {
		word := n.Value
		name, value, ok := strings.Cut(word, "=")
		switch {
		case !ok || SecretName(flag):
			word = withoutSecrets(flag, word)
		case strings.Contains(name, "$"): // perhaps within a reference
			word = withoutSecrets(name, word)
		default:
			word = withoutSecrets("", name) + "=" + withoutSecrets(name, value)
		}
		flag = ""
		if strings.HasPrefix(n.Value, "-") && !ok {
			flag = n.Value
		}
		c.Content = append(c.Content, scalarAs(n, word))
	}
	return c
}

// shownURL returns a URL without its query. The query may begin in the default of a variable.
func shownURL(value string) string {
	var b strings.Builder
	ended := false
	cut := func(part string) string {
		base, query, _ := strings.Cut(part, "?")
		if query == "" {
			return part
		}
		ended = true
		return base + "?" + hidden
	}
	_ = scan(value, func(literal string) {
		if !ended {
			b.WriteString(cut(literal))
		}
	}, func(reference string) error {
		if ended {
			return nil
		}
		name, alternative, ok := strings.Cut(reference, ":-")
		b.WriteString("${" + name)
		if ok {
			b.WriteString(":-" + cut(alternative))
		}
		b.WriteByte('}')
		return nil
	})
	if userinfo.MatchString(b.String()) { // in a default, or where the entry is disabled
		return hide(value)
	}
	return withoutSecrets("", b.String())
}

// SecretName reports whether a variable, a header or a flag holds a secret, as far as its name tells.
func SecretName(name string) bool { return secretName.MatchString(name) }

// withoutSecrets returns a value without secrets that are recognised, by themselves or by their name. If one is in a
// value with variables, only the references are shown.
func withoutSecrets(name, value string) string {
	variables, plain := false, value
	found := SecretName(name)
	look := func(part string) {
		_, n := secrets().Text(part)
		_, named := secrets().Text(name + "=" + part)
		found = found || n > 0 || name != "" && named > 0
	}
	var b strings.Builder
	err := scan(value, func(literal string) {
		look(literal)
		b.WriteString(literal)
	}, func(reference string) error {
		variables = true
		_, alternative, _ := strings.Cut(reference, ":-")
		look(alternative)
		b.WriteString(alternative)
		return nil
	})
	look(b.String())
	switch {
	case err != nil: // the entry is disabled
		return hidden
	case !found:
		return value
	case !variables && name == "":
		plain, _ = secrets().Text(value)
		return plain
	}
	return hide(value)
}

// hide returns the references of a value, without their defaults. The rest is hidden, but for the scheme of a header.
func hide(value string) string {
	scheme := authScheme.FindString(value)
	var b strings.Builder
	b.WriteString(scheme)
	_ = scan(value[len(scheme):], func(literal string) {
		if literal != "" {
			b.WriteString(hidden)
		}
	}, func(reference string) error {
		name, alternative, ok := strings.Cut(reference, ":-")
		b.WriteString("${" + name)
		switch {
		case ok && alternative != "":
			b.WriteString(":-" + hidden)
		case ok:
			b.WriteString(":-")
		}
		b.WriteByte('}')
		return nil
	})
	if b.Len() == 0 {
		return hidden // the value is empty
	}
	return b.String()
}

var (
	secrets    = sync.OnceValue(func() *redact.Filter { return redact.New(redact.DefaultRules()...) })
	secretName = regexp.MustCompile(`(?i)(token([^s]|$)|secret|passw|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|credential|authorization|cookie|(^|[-_])(auth|pat|key|pwd)$)`)
	userinfo   = regexp.MustCompile(`//[^/?#]*@`)
	// authScheme matches the public part of the header Authorization.
	authScheme = regexp.MustCompile(`^(?i)(bearer|basic|token) +`)
)

var index = regexp.MustCompile(`\[\d+\]`)

// defaultOf returns the default of a key that is absent; nil if that is nothing.
func defaultOf(m *mapping, key string) *yaml.Node {
	field := strings.TrimPrefix(index.ReplaceAllString(m.field, "")+"."+key, ".")
	field = strings.TrimPrefix(field, "upstreams.")
	field = strings.TrimPrefix(field, "manifests.")
	value, ok := defaults[field]
	if !ok || key == "sizelimit" && m.has("face") && !m.is("face", "cash") || key == "transport" && !m.has("endpoint") {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: value}
}

func (m *mapping) is(key, value string) bool {
	n, _ := m.lookup(key)
	return n != nil && !strictyaml.IsNull(n) && n.Value == value
}

// defaults are those of the fields, without indexes. Those of upstreams and manifests are by key alone.
var defaults = map[string]string{
	"face": Faces[0], "start": "degraded", "start_timeout": "10s", "sizelimit": "10000", "pins.mode": "off",
	"kind": "auto", "transport": "http", "timeout": "1m", "connect_timeout": "30s", "lazy": "false", "concurrency": "16",
	"max_message": "8MiB", "refresh": "1h", "required": "false",
	"schema_limits.max_bytes": "64KiB", "schema_limits.max_depth": "32", "schema_limits.max_properties": "512",
	"policy.default":         "allow",
	"approval.operator_only": "false", "approval.max_age": "10m", "approval.max_waiting": "1000", "approval.max_per_caller": "16",
	"rate_limits.session_idle": "1h", "rate_limits.max_sessions": "100000",
	"cache.ttl": "5m", "cache.max_result": "1MiB", "cache.max_bytes": "64MiB", "cache.max_entries": "10000",
	"retry.max_attempts": "1", "retry.base_delay": "100ms", "retry.max_delay": "5s", "retry.jitter": "true",
	"redact.defaults":     "true",
	"artifacts.max_bytes": "256MiB", "artifacts.max_bytes_per_caller": "64MiB", "artifacts.max_artifacts": "10000",
	"artifacts.max_per_caller": "1000", "artifacts.max_age": "30m", "artifacts.inline": "4000",
}
