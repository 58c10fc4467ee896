package skillext

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// ErrUnknown means that a URI is not that of a skill, of a file or of a directory, as far as the caller sees.
var ErrUnknown = errors.New("skillext: unknown URI")

// A Skill is an entry of the extension.
type Skill struct {
	URI         string          `json:"uri"`
	FrontMatter json.RawMessage `json:"frontmatter"`
	Resources   any             `json:"resources"` // []Resource or Dynamic
	Meta        map[string]any  `json:"_meta,omitempty"`
}

// URIOf returns the URI of an entry.
func URIOf(entry json.RawMessage) string { return strictjson.Text(strictjson.Member(entry, "uri")) }

// A Resource is a file of a skill.
type Resource struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

// Bounds of a page of a list.
const (
	pageSkills = 100
	pageBytes  = 256 << 10
)

// List returns the entries of the skills after a URI, in the order of their URIs, and the URI to go on with; empty at the
// end.
func List(ctx context.Context, src registry.Source, after string) (entries []json.RawMessage, next string, err error) {
	found, err := all(ctx, src)
	if err != nil {
		return nil, "", err
	}
	first, exact := slices.BinarySearchFunc(found, after, func(s *served, uri string) int { return strings.Compare(s.uri(), uri) })
	if exact {
		first++
	}
	size := 0
	for i, s := range found[first:] {
		if i == pageSkills || size > pageBytes {
			return entries, found[first+i-1].uri(), nil
		}
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		entry, err := s.entry(ctx, src)
		if err != nil {
			return nil, "", err
		}
		if entry != nil {
			entries, size = append(entries, entry), size+len(entry)
		}
	}
	return entries, "", nil
}

// Get returns the entry of the skill whose SKILL.md has the URI.
func Get(ctx context.Context, src registry.Source, uri string) (json.RawMessage, error) {
	root, ok := strings.CutSuffix(uri, "/"+registry.SkillMD)
	if !ok {
		return nil, ErrUnknown
	}
	s, err := find(ctx, src, root)
	if err != nil {
		return nil, err
	}
	if s.root != root {
		return nil, ErrUnknown
	}
	entry, err := s.entry(ctx, src)
	if err == nil && entry == nil {
		err = ErrUnknown
	}
	return entry, err
}

// A File is a file as it is read.
type File struct {
	URI, MediaType, Text string
	// Dynamic reports whether the next read may give another text.
	Dynamic bool
}

// Read returns the file with the URI.
func Read(ctx context.Context, src registry.Source, uri string) (*File, error) {
	s, err := find(ctx, src, uri)
	if err != nil {
		return nil, err
	}
	for _, f := range s.agent.Files {
		switch {
		case s.fileURI(f) != uri:
		case f.Path != registry.SkillMD:
			return &File{uri, f.MediaType(), f.Text, false}, nil
		default:
			text, err := s.skill.ReadSkillMD(ctx)
			return &File{uri, Markdown, text, s.agent.Dynamic}, err
		}
	}
	return nil, ErrUnknown
}

// A Child is a file or a directory in a directory.
type Child struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	MediaType   string `json:"mimeType"`
	Size        *int   `json:"size,omitempty"`
}

// Directory returns the children of the directory with the URI, sorted.
func Directory(ctx context.Context, src registry.Source, uri string) ([]Child, error) {
	s, err := find(ctx, src, uri)
	if err != nil {
		return nil, err
	}
	skills, err := s.withNested(ctx, src)
	if err != nil {
		return nil, err
	}
	children := make(map[string]Child)
	for _, s := range skills {
		for _, f := range s.agent.Files {
			rest, in := strings.CutPrefix(s.fileURI(f), uri+"/")
			name, _, deeper := strings.Cut(rest, "/")
			switch at := uri + "/" + name; {
			case !in:
			case deeper:
				children[at] = Child{URI: at, Name: lastLabel(f.Path, rest, name), MediaType: DirectoryType}
			default:
				children[at] = s.child(f)
			}
		}
	}
	if len(children) == 0 {
		return nil, ErrUnknown
	}
	list := make([]Child, 0, len(children))
	for _, c := range children {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Child) int { return strings.Compare(a.URI, b.URI) })
	return list, nil
}

// lastLabel returns the name of the directory whose spelling in a URI is escaped, and which begins the rest of the path
// of a file.
func lastLabel(file, rest, escaped string) string {
	parts := strings.Split(file, "/")
	if i := len(parts) - 1 - strings.Count(rest, "/"); i >= 0 {
		return parts[i]
	}
	return escaped // of a nested skill, whose name needs no escapes
}

// served is a skill in the form of the extension.
type served struct {
	skill *registry.Skill
	agent *registry.AgentSkill
	root  string // the URI of its directory
}

// servedOf returns nil for a skill that the extension does not serve.
func servedOf(s *registry.Skill) *served {
	a := s.Agent()
	if a == nil {
		return nil
	}
	return &served{s, a, rootOf(s, a)}
}

func (s *served) uri() string { return s.root + "/" + registry.SkillMD }

func (s *served) fileURI(f registry.SkillFile) string { return s.root + "/" + escaped(f.Path) }

// child describes a file. SKILL.md has the name and the description of its front matter.
func (s *served) child(f registry.SkillFile) Child {
	c := Child{URI: s.fileURI(f), Name: path.Base(f.Path), MediaType: f.MediaType()}
	if f.Path == registry.SkillMD {
		c.Name, c.Description = s.agent.Name, s.agent.Description
		if s.agent.Dynamic {
			return c
		}
	}
	size := len(f.Text)
	c.Size = &size
	return c
}

// entry returns the entry of a skill. It is nil if the skill has too many files.
func (s *served) entry(ctx context.Context, src registry.Source) (json.RawMessage, error) {
	e := Skill{URI: s.uri(), FrontMatter: s.agent.FrontMatter, Resources: Dynamic}
	if changed := s.skill.Changed(ctx, src); len(changed) > 0 {
		paths := make([]string, len(changed))
		for i, f := range changed {
			paths[i] = f.Path()
		}
		e.Meta = map[string]any{registry.MetaChanged: paths}
	}
	skills, err := s.withNested(ctx, src)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(skills, func(n *served) bool { return n.agent.Dynamic }) {
		list, size := []Resource{}, 0
		for _, n := range skills {
			for _, f := range n.agent.Files {
				list = append(list, Resource{n.fileURI(f), DigestPrefix + f.Digest, len(f.Text)})
				size += len(f.Text)
			}
		}
		if len(list) > registry.MaxSkillFiles || size > registry.MaxSkillSize {
			return nil, nil
		}
		e.Resources = list
	}
	return strictjson.Marshal(e)
}

// withNested returns s and the skills whose directories are below that of s. Files of s that would have the URIs of
// theirs are left out.
func (s *served) withNested(ctx context.Context, src registry.Source) ([]*served, error) {
	list := []*served{s}
	if s.skill.Namespace() != "" {
		return list, nil
	}
	l, err := src.List(ctx, s.agent.Name)
	switch {
	case errors.Is(err, registry.UnknownNamespace) || errors.Is(err, registry.InvalidName):
		return list, nil
	case err != nil:
		return nil, err
	}
	for _, n := range servedIn(l) {
		if strings.HasPrefix(n.root, s.root+"/") {
			list = append(list, n)
		}
	}
	if len(list) > 1 {
		own := *s.agent
		own.Files = slices.DeleteFunc(slices.Clone(own.Files), func(f registry.SkillFile) bool {
			return slices.ContainsFunc(list[1:], func(n *served) bool {
				return s.fileURI(f) == n.root || strings.HasPrefix(s.fileURI(f), n.root+"/")
			})
		})
		list[0] = &served{s.skill, &own, s.root}
	}
	return list, nil
}

// servedIn returns the skills of a namespace that the extension serves.
func servedIn(l *registry.Listing) (list []*served) {
	for _, sk := range l.Skills {
		if s := servedOf(sk); s != nil {
			list = append(list, s)
		}
	}
	return list
}

// all returns the skills that the caller sees, by URI.
func all(ctx context.Context, src registry.Source) ([]*served, error) {
	var list []*served
	err := registry.Walk(ctx, src, "", func(l *registry.Listing) error {
		if !l.HasSkills {
			return registry.ErrSkipNamespace
		}
		list = append(list, servedIn(l)...)
		return nil
	})
	slices.SortFunc(list, func(a, b *served) int { return strings.Compare(a.uri(), b.uri()) })
	return list, err
}

// find returns the skill that serves a URI: the innermost one whose directory is the URI or has it below.
func find(ctx context.Context, src registry.Source, uri string) (*served, error) {
	rest, ok := strings.CutPrefix(uri, Scheme)
	if !ok || len(uri) > maxURI {
		return nil, ErrUnknown
	}
	first, rest, _ := strings.Cut(rest, "/")
	second, _, _ := strings.Cut(rest, "/")
	for _, place := range [][2]string{{first, second}, {"", first}} {
		if place[1] == "" {
			continue
		}
		sk, err := src.Skill(ctx, place[0], place[1])
		if err != nil {
			if unknown(err) {
				continue
			}
			return nil, err
		}
		if s := servedOf(sk); s != nil && (s.root == uri || strings.HasPrefix(uri, s.root+"/")) {
			return s, nil
		}
	}
	return nil, ErrUnknown
}

// maxURI bounds a URI in bytes.
const maxURI = 8 << 10

// unknown reports whether a source says that there is no such skill.
func unknown(err error) bool {
	for _, kind := range []registry.Kind{registry.UnknownSkill, registry.UnknownNamespace, registry.InvalidName} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
