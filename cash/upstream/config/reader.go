package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

// A reader reads a configuration once and collects all problems.
type reader struct {
	expander
	file, dir string
	problems  []*Error
	labels    []fileLabel
	visited   map[*yaml.Node]*mapping
	places    map[string]*yaml.Node // of fields
	entries   map[string]string     // fields of upstreams by label, and of manifests by URL
	roles     map[string][]string   // of visible_to, by field of the entry
	named     []scalar              // names of functions, which should exist
}

func newReader(opts *Options) (*reader, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Getenv == nil {
		o.Getenv = os.LookupEnv
	}
	// Absolute, because a process would look up a relative program in its own working directory.
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the folder of the configuration: %w", err)
	}
	return &reader{
		expander: expander{getenv: o.Getenv, left: maxExpanded},
		file:     cmp.Or(o.File, "configuration"),
		dir:      dir,
		visited:  make(map[*yaml.Node]*mapping), places: make(map[string]*yaml.Node), entries: make(map[string]string),
		roles: make(map[string][]string),
	}, nil
}

// document returns the top node of the file; nil if there is none.
func (r *reader) document(data []byte) *yaml.Node {
	refuse := func(format string, args ...any) *yaml.Node {
		r.fail(new(yaml.Node), "", format, args...)
		return nil
	}
	switch {
	case len(data) > MaxBytes:
		return refuse("more than %d bytes: shorten it", MaxBytes)
	case !utf8.Valid(data):
		return refuse("not valid UTF-8")
	}
	top, err := strictyaml.Read(bytes.TrimPrefix(data, []byte("\ufeff")), strictyaml.Limits{Depth: maxDepth})
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

// maxDepth is twice the depth of a valid configuration.
const maxDepth = 8

// fail notes a problem at a node.
func (r *reader) fail(n *yaml.Node, field, format string, args ...any) {
	if !r.full() {
		r.problems = append(r.problems, &Error{r.file, n.Line, n.Column, field, fmt.Sprintf(format, args...)})
	}
}

// full reports whether enough problems were noted.
func (r *reader) full() bool { return len(r.problems) >= maxNoted }

// quoteSource quotes a text as the file has it. Its caller passes no secrets, and no expanded variables.
func quoteSource(text string) string {
	const most = 48
	return strconv.Quote(clean.Line(text, most))
}
