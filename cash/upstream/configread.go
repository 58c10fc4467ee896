package upstream

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/spelling"
	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

// A configReader goes through a configuration once and notes what is wrong.
type configReader struct {
	expander
	file, dir string
	problems  []*ConfigError
	labels    []configLabel
}

func newConfigReader(opts *ConfigOptions) (*configReader, error) {
	var o ConfigOptions
	if opts != nil {
		o = *opts
	}
	if o.Getenv == nil {
		o.Getenv = os.LookupEnv
	}
	// Absolute, because a relative program would be looked for in the working
	// directory of its own process.
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the folder of the configuration: %w", err)
	}
	return &configReader{
		expander: expander{getenv: o.Getenv, left: maxExpanded},
		file:     cmp.Or(o.File, "configuration"),
		dir:      dir,
	}, nil
}

// document returns the top of the file, nil if there is nothing to read.
func (r *configReader) document(data []byte) *yaml.Node {
	refuse := func(format string, args ...any) *yaml.Node {
		r.fail(new(yaml.Node), "", format, args...)
		return nil
	}
	switch {
	case len(data) > MaxConfig:
		return refuse("more than %d bytes: shorten it", MaxConfig)
	case !utf8.Valid(data):
		return refuse("not valid UTF-8")
	}
	top, err := strictyaml.Read(bytes.TrimPrefix(data, []byte("\ufeff")), strictyaml.Limits{Depth: maxConfigDepth})
	var e *strictyaml.Error
	switch {
	case errors.As(err, &e):
		r.fail(&yaml.Node{Line: e.Line, Column: e.Column}, "", "%s", e.Reason)
		return nil
	case err != nil:
		return refuse("not valid YAML")
	case top == nil:
		return refuse("the file is empty: begin with upstreams: or manifests:")
	}
	return top
}

// maxConfigDepth is twice the levels that a configuration has.
const maxConfigDepth = 8

// fail notes a problem at a place of the file.
func (r *configReader) fail(n *yaml.Node, field, format string, args ...any) {
	if !r.full() {
		r.problems = append(r.problems, &ConfigError{r.file, n.Line, n.Column, field, fmt.Sprintf(format, args...)})
	}
}

// full reports whether no further problem is noted.
func (r *configReader) full() bool { return len(r.problems) >= maxNoted }

// quoteSource shows a text as it stands in the file: before variables, and in
// values that are no secrets.
func quoteSource(text string) string {
	const most = 48
	return strconv.Quote(clean.Line(text, most))
}

// A configObject is a mapping with the field that it is the value of.
type configObject struct {
	*configReader
	field string
	node  *yaml.Node
	keys  []string // that were asked for
}

// object returns n as a mapping, an empty one if it is none.
func (r *configReader) object(n *yaml.Node, field string) *configObject {
	if n.Kind != yaml.MappingNode {
		r.fail(n, field, "%s where keys with values are wanted", kindOf(n))
		n = &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column}
	}
	return &configObject{configReader: r, field: field, node: n}
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	}
	return "one text"
}

// lookup returns the value of a key and the field that it is; nil if the key is
// absent or null.
func (o *configObject) lookup(key string) (*yaml.Node, string) {
	if !slices.Contains(o.keys, key) {
		o.keys = append(o.keys, key)
	}
	field := strings.TrimPrefix(o.field+"."+key, ".")
	for i := 0; i+1 < len(o.node.Content); i += 2 {
		if n := o.node.Content[i+1]; o.node.Content[i].Value == key && !strictyaml.IsNull(n) {
			return n, field
		}
	}
	return nil, field
}

func (o *configObject) has(key string) bool {
	n, _ := o.lookup(key)
	return n != nil
}

// missing notes that a required key is not there.
func (o *configObject) missing(key string) {
	_, field := o.lookup(key)
	o.fail(o.node, field, "missing; it is required")
}

// finish notes the keys that were not asked for.
func (o *configObject) finish() {
	for i := 0; i < len(o.node.Content) && !o.full(); i += 2 {
		if key := o.node.Content[i]; !slices.Contains(o.keys, key.Value) {
			o.fail(key, o.field, "unknown key %s: %s", quoteSource(key.Value), o.meant(key.Value))
		}
	}
}

// meant says which key may have been meant.
func (o *configObject) meant(key string) string {
	key = strings.ToLower(strings.ReplaceAll(key, "-", "_"))
	best, distance := "", 3
	for _, k := range o.keys {
		if d := spelling.Distance(key, k, 2); d < distance && 2*d < len(k) {
			best, distance = k, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "the keys here are " + strings.Join(o.keys, ", ")
}

// objects returns the entries of a list of mappings, without those that are none.
func (o *configObject) objects(key string, most int) []*configObject {
	nodes, field := o.list(key)
	if len(nodes) > most {
		o.fail(nodes[most], field, "%d entries; at most %d are allowed", len(nodes), most)
		return nil
	}
	var list []*configObject
	for i, n := range nodes {
		if e := o.object(n, element(field, i)); e.node == n {
			list = append(list, e)
		}
	}
	return list
}

// list returns the elements of a sequence.
func (o *configObject) list(key string) ([]*yaml.Node, string) {
	n, field := o.lookup(key)
	switch {
	case n == nil:
		return nil, field
	case n.Kind != yaml.SequenceNode:
		o.fail(n, field, "%s where a list is wanted", kindOf(n))
		return nil, field
	}
	return n.Content, field
}

func element(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// A configScalar is a text of the file: text is what node becomes when the
// variables are put in, and may be a secret.
type configScalar struct {
	node  *yaml.Node
	field string
	text  string
}

// scalar returns a scalar with its variables put in, false if that is not
// possible.
func (r *configReader) scalar(n *yaml.Node, field string) (configScalar, bool) {
	s := configScalar{n, field, n.Value}
	if !r.plain(s) {
		return s, false
	}
	var err error
	if s.text, err = r.expand(n.Value); err != nil {
		r.fail(n, field, "%v", err)
		return s, false
	}
	if strings.ContainsRune(s.text, 0) {
		r.fail(n, field, "the value has a character of code zero: remove it")
		return s, false
	}
	return s, true
}

// plain reports whether a node is a text that is not null.
func (r *configReader) plain(s configScalar) bool {
	switch n := s.node; {
	case n.Kind != yaml.ScalarNode:
		r.fail(n, s.field, "%s where one text is wanted", kindOf(n))
	case strictyaml.IsNull(n):
		r.fail(n, s.field, `no value: write one, or "" for an empty text`)
	case n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!str":
		r.fail(n, s.field, "the tag %s means nothing here: remove it", quoteSource(n.Tag))
	default:
		return true
	}
	return false
}

// get returns the scalar of a key, false if there is none or it is wrong.
func (o *configObject) get(key string) (configScalar, bool) {
	n, field := o.lookup(key)
	if n == nil {
		return configScalar{}, false
	}
	return o.scalar(n, field)
}

// refuse notes that a scalar is wrong. It does not show it.
func (r *configReader) refuse(s configScalar, format string, args ...any) {
	r.fail(s.node, s.field, format, args...)
}
