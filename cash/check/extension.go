package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/internal/skillext"
	"github.com/cash-mcp/go-sdk/registry"
)

// Skills checks a server against the skills extension of MCP (io.modelcontextprotocol/skills, SEP-2640) as a black box.
// The rows have names such as skills/digests. No row is checked if the server does not declare the extension. If it has
// the tool skill, it is a CaSH server: then nothing executable may be served (RFC 4.3), and the tool and the extension
// agree on names. Of the target, only Transport, Strict, Version and Timeout count. The error is as for [Compliance].
func Skills(ctx context.Context, target Target) (*Report, error) {
	s := &suite{Target: target}
	s.ctx = ctx
	if s.Transport == nil {
		return nil, errors.New("no Transport is set")
	}
	var err error
	if s.conn, err = s.dial(s.Transport()); err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	s.readExtension()
	return s.end(s.run(extensionChecks))
}

var extensionChecks = []criterion{
	{"skills/declared", "resources are declared with the extension", needExtension, extensionDeclared},
	{"skills/listed", "skills/list has entries of the right form", needExtension, skillsListed},
	{"skills/pages", "the pages of skills/list end, and have each skill once", needExtension, skillPagesEnd},
	{"skills/cached", "results say how long they hold, and for whom", needCaching, skillsCached},
	{"skills/names", "the last part of a skill's path is its name", needEntries, skillsNamed},
	{"skills/get", "skills/get gives the entry of the list", needEntries, skillsGot},
	{"skills/files", "an entry lists SKILL.md and each file below it once", needStatic, skillFilesListed},
	{"skills/limits", "a skill has at most 512 files and 16 MiB", needStatic, skillLimits},
	{"skills/digests", "digest and size are those of the bytes that are read", needStatic, skillDigests},
	{"skills/frontmatter", "SKILL.md has the front matter of its entry", needStatic, skillFrontMatter},
	{"skills/dynamic", "a dynamic skill can be read, with the front matter of its entry", needDynamic, dynamicSkills},
	{"skills/directories", "directories have the files of the entry, and no others", needDirectories, skillDirectories},
	{"skills/unknown", "what is unknown is error -32602", needExtension, unknownSkillURIs},
	{"skills/harmless", "skills have no executable content", needEntries, skillFilesHarmless},
	{"skills/agree", "the tool skill and the extension agree", needSkillTool, skillToolAgrees},
}

// The needs of Skills.
var (
	needExtension   = need{"the server does not declare the extension " + skillext.ID, func(s *suite) bool { return s.ext != nil }}
	needEntries     = need{"skills/list has no skill", func(s *suite) bool { return s.ext != nil && len(s.ext.entries) > 0 }}
	needStatic      = need{"no skill lists its files", func(s *suite) bool { return s.ext.has(func(e *skillEntry) bool { return !e.dynamic }) }}
	needDynamic     = need{"no skill is dynamic", func(s *suite) bool { return s.ext.has(func(e *skillEntry) bool { return e.dynamic }) }}
	needCaching     = need{"results have caching fields from 2026-07-28 on", func(s *suite) bool { return s.ext != nil && s.ext.version >= sessionless }}
	needDirectories = need{"the server does not declare directoryRead, or no skill lists its files", func(s *suite) bool {
		return s.ext != nil && s.ext.directories && needStatic.met(s)
	}}
	needSkillTool = need{"the server has no extension, or no tool skill", func(s *suite) bool { return s.ext != nil && s.ext.cash }}
)

// Bounds of what is read of a server.
const (
	maxSkillPages   = 100
	maxSkillEntries = 200
	maxSkillReads   = 1500
	maxSkillBytes   = 64 << 20
)

// An extension is what was read of a server with the skills extension.
type extension struct {
	version     string
	resources   bool // declared
	directories bool // declared
	cash        bool // the server has the tool skill
	pages       []skillPage
	listFailed  error
	endless     bool // the pages do not end within maxSkillPages
	entries     []*skillEntry
	texts       map[string]*skillText
	bytes       int
}

// A skillPage is a result of skills/list.
type skillPage struct {
	raw json.RawMessage
	caching
	ResultType string
	Skills     *[]json.RawMessage
	NextCursor string
}

// caching are the fields of results that clients may keep.
type caching struct {
	TTLMs      *float64
	CacheScope string
}

// A skillEntry is an entry of a list.
type skillEntry struct {
	URI         string
	FrontMatter json.RawMessage
	Resources   json.RawMessage

	name, description string
	dynamic           bool
	files             []skillFile // those that can be read as such
}

type skillFile struct {
	URI, Digest string
	Size        *int
}

func (e *skillEntry) root() string { return strings.TrimSuffix(e.URI, "/"+registry.SkillMD) }

// place returns the namespace and the name in the tool skill.
func (e *skillEntry) place() (namespace, name string) {
	parts := strings.Split(strings.TrimPrefix(e.root(), skillext.Scheme), "/")
	last := len(parts) - 1
	return strings.Join(parts[:last], "."), parts[last]
}

func (x *extension) has(is func(*skillEntry) bool) bool {
	return x != nil && slices.ContainsFunc(x.entries, is)
}

// each visits the entries that list their files.
func (x *extension) each(visit func(*skillEntry)) {
	for _, e := range x.entries {
		if !e.dynamic {
			visit(e)
		}
	}
}

// readExtension reads the lists of a server that declares the extension.
func (s *suite) readExtension() {
	r := s.conn.Session.InitializeResult()
	if r == nil || r.Capabilities == nil {
		return
	}
	settings, ok := r.Capabilities.Extensions[skillext.ID]
	if !ok {
		return
	}
	x := &extension{version: r.ProtocolVersion, resources: r.Capabilities.Resources != nil, texts: make(map[string]*skillText)}
	if m, ok := settings.(map[string]any); ok {
		x.directories = m[skillext.DirectoryRead] == true
	}
	if r.Capabilities.Tools != nil {
		tools, _, err := s.conn.Tools()
		x.cash = err == nil && slices.ContainsFunc(tools, func(t *mcp.Tool) bool { return t.Name == "skill" })
	}
	s.ext = x
	for cursor := ""; ; {
		raw, err := s.conn.Custom(skillext.MethodList, &client.Params{Cursor: cursor})
		if err != nil {
			x.listFailed = err
			return
		}
		page := skillPage{raw: raw}
		_ = json.Unmarshal(raw, &page) // skillsListed judges the form
		x.pages = append(x.pages, page)
		if page.Skills != nil {
			for _, one := range *page.Skills {
				x.take(one)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			return
		}
		if x.endless = len(x.pages) == maxSkillPages; x.endless {
			return
		}
	}
}

// take adds an entry, as far as it can be read.
func (x *extension) take(raw json.RawMessage) {
	e := new(skillEntry)
	if len(x.entries) == maxSkillEntries || json.Unmarshal(raw, e) != nil || e.URI == "" {
		return
	}
	var fields struct{ Name, Description string }
	_ = json.Unmarshal(e.FrontMatter, &fields)
	e.name, e.description = fields.Name, fields.Description
	e.dynamic = string(e.Resources) == `"`+skillext.Dynamic+`"`
	_ = json.Unmarshal(e.Resources, &e.files)
	x.entries = append(x.entries, e)
}

// A skillText is a file as it was read.
type skillText struct {
	text, kind, uri string
	err             error
}

// read reads a file once. It returns nil if too much has been read.
func (p *probe) read(uri string) *skillText {
	x := p.ext
	if t := x.texts[uri]; t != nil {
		return t
	}
	if len(x.texts) >= maxSkillReads || x.bytes >= maxSkillBytes {
		p.note("not all files are read: there are too many")
		return nil
	}
	p.conn.Sent.Add(1)
	t := new(skillText)
	x.texts[uri] = t
	var res *mcp.ReadResourceResult
	res, t.err = client.Do(p.conn, func(ctx context.Context) (*mcp.ReadResourceResult, error) {
		return p.conn.Session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	})
	switch {
	case t.err != nil:
	case len(res.Contents) != 1 || res.Contents[0] == nil:
		t.err = fmt.Errorf("it has %d contents, want one", len(res.Contents))
	default:
		c := res.Contents[0]
		t.uri, t.kind, t.text = c.URI, c.MIMEType, c.Text
		if c.Blob != nil {
			t.text = string(c.Blob)
		}
		x.bytes += len(t.text)
	}
	return t
}
