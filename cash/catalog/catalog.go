package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// Options configure a [Catalog]. Nil is fine.
type Options struct {
	// Limits bound schemas; larger ones are reported.
	Limits Limits
	// Strict refuses a document with any finding. False refuses at most the definition, and loads the others.
	Strict bool
	// MaxBytes bounds a document. Zero is 64 MiB.
	MaxBytes int
}

// Limits bound one input or output schema (section 4.4). A schema over them is flagged in the [Report] but used.
type Limits = registry.SchemaLimits

const defaultMaxBytes = 64 << 20

// A Catalog keeps three registries in sync with a document. Make one with [New]. It is safe for concurrent use.
type Catalog struct {
	opts  Options
	trees [len(kinds)]*registry.Registry

	mu   sync.Mutex // one load at a time
	have [len(kinds)]*content
}

// The kinds of definitions. Arrays over a catalog's content are indexed by them.
var kinds = [...]kind{
	{toolid.Tool, "tools", readTool},
	{toolid.Resource, "resources", readResource},
	{toolid.Prompt, "prompts", readPrompt},
}

type kind struct {
	kind   toolid.Kind
	member string // the document's member
	read   func(*definition, *Limits) error
}

// New returns an empty catalog.
func New(opts *Options) *Catalog {
	c := new(Catalog)
	if opts != nil {
		c.opts = *opts
	}
	c.opts.MaxBytes = cmp.Or(c.opts.MaxBytes, defaultMaxBytes)
	for i := range kinds {
		c.trees[i], c.have[i] = registry.New(nil), new(content)
	}
	return c
}

// Tools returns the registry of the tools, to be served. It is always the same registry. A load replaces its whole
// content in one step, including anything added by others.
func (c *Catalog) Tools() *registry.Registry { return c.trees[0] }

// Resources is like Tools: a call of a function there reads a resource.
func (c *Catalog) Resources() *registry.Registry { return c.trees[1] }

// Prompts is like Tools: a call of a function there gets a prompt.
func (c *Catalog) Prompts() *registry.Registry { return c.trees[2] }

// LoadFile is [Catalog.Load] for a file. It is an error if it is not a regular file, or larger than MaxBytes.
func (c *Catalog) LoadFile(path string) (*Report, error) {
	data, err := readFile(path, int64(c.opts.MaxBytes))
	if err != nil {
		return nil, fmt.Errorf("loading a catalog: %w", err)
	}
	report, err := c.Load(data)
	if err != nil {
		return report, fmt.Errorf("loading %s: %w", path, err)
	}
	return report, nil
}

func readFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // before opening: opening a FIFO would wait for its other end
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return data, err
}

// Load replaces the content of the catalog by a document, and reports the findings. After an error nothing has
// changed. The error is a syntax error with line and column, or a refusal by [Options.Strict], which comes with the
// report. Data may be changed afterwards.
func (c *Catalog) Load(data []byte) (*Report, error) {
	if len(data) > c.opts.MaxBytes {
		return nil, fmt.Errorf("the catalog has %d bytes; at most %d are read", len(data), c.opts.MaxBytes)
	}
	doc, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	report := new(Report)
	var next [len(kinds)]*content
	for i, k := range kinds {
		b := batch{kind: k, opts: &c.opts, had: c.have[i], report: report}
		next[i] = b.load(doc[i])
	}
	if c.opts.Strict {
		if err := report.err(); err != nil {
			return report, err
		}
	}
	return report, c.adopt(next, report)
}

// adopt publishes the loaded content.
func (c *Catalog) adopt(next [len(kinds)]*content, report *Report) error {
	var trees [len(kinds)]*registry.Registry
	var errs []error
	for i := range kinds {
		var err error
		trees[i], err = next[i].tree()
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i := range kinds {
		if err := c.trees[i].Replace("", trees[i]); err != nil {
			return err
		}
		report.compare(c.have[i], next[i])
		c.have[i] = next[i]
	}
	report.Tools, report.Resources, report.Prompts = len(next[0].served), len(next[1].served), len(next[2].served)
	return nil
}
