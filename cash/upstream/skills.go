package upstream

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/skillext"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// The skills of a server that speaks the skills extension (SEP-2640) become skills of its namespace. They are read with
// its tools, because what is removed from a file changes its digest. Those of a CaSH server are also behind its tool
// skill, whose texts have paths to rewrite: package cashsource combines the two.

// importing returns what reads the server's skills; nil if it does not speak the extension.
func (in *inventory) importing(s *session, c *catalog) *skillext.Import {
	r := s.client.InitializeResult()
	if r == nil || r.Capabilities == nil {
		return nil
	}
	if _, ok := r.Capabilities.Extensions[skillext.ID]; !ok {
		return nil
	}
	im := &skillext.Import{Server: skillServer{s}, Text: in.skillText, Note: c.note}
	if old := in.latest.Load(); old != nil && !in.shelf.Entire() {
		im.Before = old.skills
	}
	return im
}

// listSkills reads the entries of a plain server's skills. im may be nil.
func (in *inventory) listSkills(ctx context.Context, im *skillext.Import) (entries []*skillext.Entry, defs []*pin.Definition) {
	if im == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, in.cfg.ConnectTimeout/cashsource.SkillsPart)
	defer cancel()
	entries, _ = im.List(ctx)
	for _, e := range entries {
		defs = append(defs, &pin.Definition{Name: e.URI, Skill: e.Listing()})
	}
	return entries, defs
}

// readSkills reads those of the entries that are served into the catalog, and returns the tools among what is served.
func (in *inventory) readSkills(ctx context.Context, s *session, im *skillext.Import, c *catalog, entries []*skillext.Entry, served []*pin.Definition) (tools []*pin.Definition) {
	skills := make(map[string]bool)
	for _, d := range served {
		if len(d.Skill) > 0 {
			skills[d.Name] = true
		} else {
			tools = append(tools, d)
		}
	}
	if im == nil {
		return tools
	}
	ctx, cancel := context.WithTimeout(ctx, in.cfg.ConnectTimeout/cashsource.SkillsPart)
	defer cancel()
	c.skills = im.Read(ctx, slices.DeleteFunc(entries, func(e *skillext.Entry) bool { return !skills[e.URI] }))
	readOn(s, im)
	return tools
}

// readOn has the rest of the skills read if the time was too short. What was read is not read again.
func readOn(s *session, im *skillext.Import) {
	if im != nil && im.Late && im.Fresh > 0 {
		s.changed.tell()
	}
}

// plantSkills adds the catalog's skills to the tree of a mount. A skill that cannot be added is noted once.
func (in *inventory) plantSkills(c *catalog, t *registry.Registry, m mount, note func(string, ...any)) {
	for _, s := range c.skills {
		ns, err := t.TryNamespace(skillPlace(m.Label, s.Entry.Prefix), "")
		if err == nil {
			var changed []string
			for _, path := range s.Entry.Changed {
				changed = append(changed, wire.Join(m.Label, path))
			}
			err = ns.TryAddSkill(s.Skill.Reporting(changed))
		}
		if err != nil {
			note("skill %s is left out: %v", s.Entry.Name, err)
		}
	}
}

// skillPlace returns the namespace below a mount for the segments before a skill's name. They nest as the names of tools
// do. A first one that equals the last label of the mount is left out.
func skillPlace(mount string, prefix []string) string {
	var parts []string
	for _, p := range prefix {
		for _, name := range strings.Split(p, ".") {
			if l := label.From(name, ""); l != "" {
				parts = append(parts, l)
			}
		}
	}
	if _, last := wire.Split(mount); len(parts) > 0 && wire.CanonicalPath(parts[0]) == wire.CanonicalPath(last) {
		parts = parts[1:]
	}
	dir, _ := wire.Nest(strings.Join(append(parts, "skill"), "."))
	return dir
}

// skillText reads the text of a dynamic skill for a user.
func (in *inventory) skillText(ctx context.Context, entry *skillext.Entry) (string, error) {
	text, e := askVia(ctx, in.calls, false, func(ctx context.Context, s *session) (string, *CallError) {
		text, err := skillServer{s}.ReadFile(ctx, entry.URI)
		if err == nil {
			text, err = entry.Body(text)
		}
		if err != nil {
			e := asCallError(err)
			return "", e
		}
		return text, nil
	})
	if e != nil {
		kind, message, hint := in.words(e, in.mounts[0].Label)
		return "", &registry.Error{Kind: kind, Message: message, Hint: hint, Next: e.next(), Err: e, NotRun: true}
	}
	return text, nil
}

// sameSkills reports whether two catalogs have the same skills.
func (c *catalog) sameSkills(old *catalog) bool { return slices.Equal(c.skills, old.skills) }

// skillServer is a session as the extension's server.
type skillServer struct{ *session }

// Parameters and results of skills/list. The result is read from the wire.
type (
	listSkills struct {
		mcp.ParamsBase
		Cursor string `json:"cursor,omitempty"`
	}
	skillList struct{ mcp.ResultBase }
)

// addSkillMethods lets a client send the methods of the extension.
func addSkillMethods(c *mcp.Client) {
	if err := mcp.AddSendingCustomMethod[*listSkills, *skillList](c, skillext.MethodList); err != nil {
		panic("upstream: " + err.Error()) // cannot happen with this version of the SDK
	}
}

// ListSkills implements [skillext.Server].
func (s skillServer) ListSkills(ctx context.Context, cursor string) (json.RawMessage, error) {
	ctx, x := mcpclient.WithExchange(ctx)
	params := &listSkills{Cursor: cursor}
	params.SetMeta(s.via(ctx))
	_, err := mcp.CallCustomMethod[*listSkills, *skillList](ctx, s.client, skillext.MethodList, params)
	switch {
	case x.Result() == nil:
		return nil, classify(ctx, err, x)
	case !json.Valid(x.Result()): // each entry is checked strictly by itself
		return nil, &CallError{Class: Malformed, Sent: true, Reason: "its skills/list answer is no JSON"}
	}
	return x.Result(), nil
}

// ReadFile implements [skillext.Server].
func (s skillServer) ReadFile(ctx context.Context, uri string) (string, error) {
	ctx, x := mcpclient.WithExchange(ctx)
	res, err := s.client.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri, Meta: s.via(ctx)})
	s.forgetResource(ctx, uri)
	switch {
	case err != nil:
		return "", classify(ctx, err, x)
	case len(res.Contents) != 1 || res.Contents[0] == nil:
		return "", &CallError{Class: Malformed, Sent: true, Reason: "a file is not read as one content"}
	case res.Contents[0].Blob != nil:
		return string(res.Contents[0].Blob), nil
	}
	return res.Contents[0].Text, nil
}
