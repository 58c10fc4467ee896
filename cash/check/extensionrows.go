package check

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/internal/skillext"
	"github.com/cash-mcp/go-sdk/internal/skillmd"
	"github.com/cash-mcp/go-sdk/registry"
)

// The rows of [Skills], in their order.

func extensionDeclared(p *probe) {
	p.must(p.ext.resources, "the extension is declared without the capability resources")
}

func skillsListed(p *probe) {
	if !p.must(p.ext.listFailed == nil, "skills/list: %v", p.ext.listFailed) {
		return
	}
	for _, page := range p.ext.pages {
		p.complete(page.ResultType, page.raw)
		if !p.must(page.Skills != nil, "skills is no list: %s", excerpt(page.raw)) {
			continue
		}
		for _, raw := range *page.Skills {
			var e skillEntry
			err := json.Unmarshal(raw, &e)
			ok := err == nil && e.URI != "" && isObject(e.FrontMatter) && (string(e.Resources) == `"dynamic"` || json.Unmarshal(e.Resources, &e.files) == nil && e.files != nil)
			p.must(ok, "an entry is not uri, frontmatter and resources: %s", excerpt(raw))
		}
	}
}

// complete checks the type of a result.
func (p *probe) complete(resultType string, raw json.RawMessage) {
	p.must(resultType == "complete", "resultType is not complete: %s", excerpt(raw))
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func skillPagesEnd(p *probe) {
	p.must(!p.ext.endless, "skills/list does not end after %d pages", maxSkillPages)
	seen := make(map[string]bool)
	for _, e := range p.ext.entries {
		p.must(!seen[e.URI], "%s is listed twice", e.URI)
		seen[e.URI] = true
	}
	_, err := p.conn.Custom(skillext.MethodList, &client.Params{Cursor: "no cursor of this server"})
	p.should(hasCode(err, jsonrpc.CodeInvalidParams), "a cursor that is none is not refused with -32602: %v", err)
}

func skillsCached(p *probe) {
	for _, page := range p.ext.pages {
		p.caches(skillext.MethodList, page.caching)
	}
	for _, e := range p.ext.entries[:min(1, len(p.ext.entries))] {
		var c caching
		if raw, err := p.conn.Custom(skillext.MethodGet, &client.Params{URI: e.URI}); err == nil {
			_ = json.Unmarshal(raw, &c)
			p.caches(skillext.MethodGet, c)
		}
	}
}

func (p *probe) caches(method string, c caching) {
	ok := c.TTLMs != nil && *c.TTLMs >= 0 && (c.CacheScope == "public" || c.CacheScope == "private")
	p.must(ok, "%s lacks ttlMs and cacheScope", method)
}

var agentSkillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func skillsNamed(p *probe) {
	for _, e := range p.ext.entries {
		p.must(e.root() != e.URI && strings.Contains(e.root(), "://"), "%s is not the URI of a SKILL.md", e.URI)
		_, name := e.place()
		p.must(name == e.name, "the skill at %s is called %q", e.URI, e.name)
		p.must(len(e.name) <= 64 && agentSkillName.MatchString(e.name), "%q is no name of an Agent Skill", e.name)
		p.must(strings.TrimSpace(e.description) != "", "%s has no description", e.URI)
	}
}

func skillsGot(p *probe) {
	for _, e := range sampled(p.ext.entries, breadth) {
		raw, err := p.conn.Custom(skillext.MethodGet, &client.Params{URI: e.URI})
		if !p.must(err == nil, "skills/get of %s: %v", e.URI, err) {
			continue
		}
		var got struct {
			ResultType string
			Skill      skillEntry
		}
		err = json.Unmarshal(raw, &got)
		p.complete(got.ResultType, raw)
		same := err == nil && got.Skill.URI == e.URI && skillext.SameFields(got.Skill.FrontMatter, e.FrontMatter) &&
			skillext.SameFields(got.Skill.Resources, e.Resources)
		p.must(same, "skills/get of %s differs from the list: %s", e.URI, excerpt(raw))
	}
}

func skillFilesListed(p *probe) {
	p.ext.each(func(e *skillEntry) {
		seen := make(map[string]bool)
		for _, f := range e.files {
			p.must(strings.HasPrefix(f.URI, e.root()+"/") && !strings.Contains(f.URI, "/../"), "%s has the file %s", e.URI, f.URI)
			p.must(!seen[f.URI], "%s has the file %s twice", e.URI, f.URI)
			seen[f.URI] = true
		}
		p.must(seen[e.URI], "%s is not among its files", e.URI)
	})
}

func skillLimits(p *probe) {
	p.ext.each(func(e *skillEntry) {
		size := 0
		for _, f := range e.files {
			if f.Size != nil {
				size += *f.Size
			}
		}
		p.must(len(e.files) <= registry.MaxSkillFiles && size <= registry.MaxSkillSize, "%s has %d files of %d bytes", e.URI, len(e.files), size)
	})
}

var digestRule = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func skillDigests(p *probe) {
	p.ext.each(func(e *skillEntry) {
		for _, f := range e.files {
			if !p.must(f.Size != nil && digestRule.MatchString(f.Digest), "%s is listed with the digest %q and no size", f.URI, f.Digest) {
				continue
			}
			t := p.read(f.URI)
			if t == nil || !p.must(t.err == nil, "reading %s: %v", f.URI, t.err) {
				continue
			}
			sum := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(t.text)))
			p.must(len(t.text) == *f.Size, "%s has %d bytes, and %d by its entry", f.URI, len(t.text), *f.Size)
			p.must(sum == f.Digest, "%s has the digest %s, and %s by its entry", f.URI, sum, f.Digest)
			p.must(t.uri == f.URI, "the content of %s has the uri %q", f.URI, t.uri)
		}
	})
}

func skillFrontMatter(p *probe) { p.ext.each(p.frontMatter) }

func dynamicSkills(p *probe) {
	for _, e := range p.ext.entries {
		if e.dynamic {
			p.frontMatter(e)
		}
	}
}

// frontMatter checks the SKILL.md of an entry.
func (p *probe) frontMatter(e *skillEntry) {
	t := p.read(e.URI)
	if t == nil || !p.must(t.err == nil, "reading %s: %v", e.URI, t.err) {
		return
	}
	p.should(t.kind == skillext.Markdown, "%s is read as %q", e.URI, t.kind)
	_, fields, err := skillmd.FrontMatter([]byte(t.text))
	p.must(err == nil && fields != nil && skillext.SameFields(fields, e.FrontMatter),
		"%s has another front matter than its entry: %v: %s", e.URI, err, excerpt(t.text))
}

func skillDirectories(p *probe) {
	p.ext.each(func(e *skillEntry) {
		want := make(map[string]bool)
		for _, f := range e.files {
			want[f.URI] = true
		}
		left := len(e.files) + registry.MaxSkillFiles // directories have no entries of their own
		found := make(map[string]bool)
		p.walkDirectory(e.root(), &left, func(uri string) {
			p.must(want[uri] && !found[uri], "%s is in a directory of %s, and not once in its entry", uri, e.URI)
			found[uri] = true
		})
		for uri := range want {
			p.must(found[uri], "%s is in no directory of %s", uri, e.URI)
		}
	})
}

// walkDirectory visits the files below a directory. left bounds the reads.
func (p *probe) walkDirectory(uri string, left *int, visit func(string)) {
	for cursor := ""; ; {
		if *left--; !p.must(*left >= 0, "the directories below %s do not end", uri) {
			panic(stopped{})
		}
		raw, err := p.conn.Custom(skillext.MethodReadDir, &client.Params{URI: uri, Cursor: cursor})
		var page struct {
			Resources  *[]struct{ URI, Name, MIMEType string }
			NextCursor string
		}
		if !p.must(err == nil && json.Unmarshal(raw, &page) == nil && page.Resources != nil, "%s of %s: %v: %s", skillext.MethodReadDir, uri, err, excerpt(raw)) {
			return
		}
		for _, r := range *page.Resources {
			switch p.must(path.Dir(r.URI) == path.Clean(uri), "%s is in the directory %s", r.URI, uri); {
			case path.Dir(r.URI) != path.Clean(uri):
			case r.MIMEType == skillext.DirectoryType:
				p.walkDirectory(r.URI, left, visit)
			default:
				visit(r.URI)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			return
		}
	}
}

func unknownSkillURIs(p *probe) {
	refused := func(method, uri string, ask func() error) {
		err := ask()
		p.must(hasCode(err, jsonrpc.CodeInvalidParams), "%s of %s is not refused with -32602: %v", method, uri, err)
	}
	custom := func(method, uri string) {
		refused(method, uri, func() error { _, err := p.conn.Custom(method, &client.Params{URI: uri}); return err })
	}
	read := func(uri string) {
		refused("resources/read", uri, func() error { return p.readAgain(uri) })
	}
	nobody := skillext.Scheme + absent + "/" + absent
	for _, uri := range []string{nobody + "/SKILL.md", nobody, "SKILL.md", skillext.Scheme} {
		custom(skillext.MethodGet, uri)
	}
	read(nobody + "/SKILL.md")
	if p.ext.directories {
		custom(skillext.MethodReadDir, nobody)
	}
	if len(p.ext.entries) == 0 {
		return
	}
	e := p.ext.entries[0]
	for _, tail := range []string{"", "/", "/SKILL.md/", "/SKILL.md?x=1", "/../SKILL.md", "/" + absent + ".md"} {
		custom(skillext.MethodGet, e.root()+tail)
	}
	for _, tail := range []string{"/" + absent + ".md", "/../" + absent + "/SKILL.md", "/%2e%2e/SKILL.md", "/..%2fSKILL.md"} {
		read(e.root() + tail)
	}
	if p.ext.directories {
		custom(skillext.MethodReadDir, e.root()+"/"+absent)
		if !e.dynamic {
			custom(skillext.MethodReadDir, e.URI)
		}
	}
}

// readAgain reads a file and returns the error alone.
func (p *probe) readAgain(uri string) error {
	p.conn.Sent.Add(1)
	_, err := client.Do(p.conn, func(ctx context.Context) (*mcp.ReadResourceResult, error) {
		return p.conn.Session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	})
	return err
}

// hasCode reports whether an error is one of the protocol with this code.
func hasCode(err error, code int64) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == code
}

// scripts are extensions of files that are run.
var scripts = strings.Fields(".sh .bash .zsh .fish .ps1 .bat .cmd .exe .py .js .mjs .cjs .ts .rb .pl .php .lua .jar .go .so .dll")

func skillFilesHarmless(p *probe) {
	l := should
	if p.ext.cash {
		l = must
	}
	for _, e := range p.ext.entries {
		uris := []string{e.URI}
		for _, f := range e.files {
			uris = append(uris, f.URI)
			l(p, !slices.Contains(scripts, strings.ToLower(path.Ext(f.URI))), "%s has the script %s", e.URI, f.URI)
		}
		for _, uri := range uris {
			t := p.read(uri)
			if t == nil || t.err != nil {
				continue
			}
			text := t.text
			if doc, err := skillmd.Parse([]byte(text)); err == nil && uri == e.URI {
				text = doc.Body
			}
			l(p, !strings.HasPrefix(text, "#!"), "%s is a script", uri)
			p.harmless(l, uri, text)
		}
	}
}

func skillToolAgrees(p *probe) {
	list, err := readSkills(p.conn)
	if !p.must(err == nil, "the lists of the tool skill: %v", err) {
		return
	}
	inTool := make(map[string]SkillSample)
	for _, s := range list {
		inTool[withoutHyphens(join(s.Namespace, s.Name))] = s
	}
	inExtension := make(map[string]bool)
	for _, e := range p.ext.entries {
		namespace, name := e.place()
		key := withoutHyphens(join(namespace, name))
		_, listed := inTool[key]
		p.must(listed || len(list) == maxSkills, "%s is not listed by skill()", e.URI)
		inExtension[key] = true
		reply, err := p.conn.Tool("skill", named("namespace", namespace, "skillname", name))
		if !p.must(err == nil && !reply.IsError, "skill(namespace=%q, skillname=%q) fails, but the extension has %s", namespace, name, e.URI) {
			continue
		}
		if t := p.read(e.URI); t != nil && t.err == nil && !e.dynamic {
			p.should(strings.HasSuffix(strings.TrimSpace(t.text), strings.TrimSpace(reply.Text)), "skill() and the extension give different texts for %s", e.URI)
		}
	}
	if len(p.ext.entries) < maxSkillEntries {
		for key, s := range inTool {
			p.must(inExtension[key], "skill() lists %s, and the extension does not", join(s.Namespace, s.Name))
		}
	}
}

// withoutHyphens returns a path in the form in which the tool skill and the extension agree.
func withoutHyphens(path string) string { return strings.ReplaceAll(canonical(path), "-", "") }
