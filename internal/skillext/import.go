package skillext

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/skillmd"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Server is another server that speaks the extension.
type Server interface {
	// ListSkills returns the result of skills/list.
	ListSkills(ctx context.Context, cursor string) (json.RawMessage, error)
	// ReadFile returns the bytes of a resource.
	ReadFile(ctx context.Context, uri string) (string, error)
}

// An Imported is a skill of another server. It does not change.
type Imported struct {
	Entry *Entry
	Skill *registry.Skill
}

// Bounds of an import.
const (
	maxPages    = 100
	maxListed   = 16 << 20 // bytes of all pages
	maxSkills   = 1000
	maxImported = 64 << 20 // bytes of the files of all skills
	readers     = 8        // files and skills read in parallel
)

// An Import reads the skills of a server.
type Import struct {
	Server
	// Before are the skills of the last import. Those with the same entry are not read again.
	Before []*Imported
	// Text reads the text of a dynamic skill for a user. Errors are *[registry.Error].
	Text func(ctx context.Context, e *Entry) (string, error)
	// Note gets what is left out, and why.
	Note func(format string, args ...any)

	// Refused are entries that are not by the rules. Only their names are known.
	Refused []*Entry
	// Late reports whether the time was over before all was read, and Fresh how many skills were read anew.
	Late  bool
	Fresh int
}

// Run returns the skills by URI: those of List, as Read reads them.
func (im *Import) Run(ctx context.Context) []*Imported {
	entries, _ := im.List(ctx)
	return im.Read(ctx, entries)
}

// List returns the entries that the server lists. If they cannot be listed, they are those of before, and ok is false.
func (im *Import) List(ctx context.Context) (entries []*Entry, ok bool) {
	raw, err := im.list(ctx)
	if err != nil {
		im.Late = ctx.Err() != nil
		im.Note("its skills cannot be listed: %v", err)
		for _, b := range im.Before {
			entries = append(entries, b.Entry)
		}
		return entries, false
	}
	seen := make(map[string]bool)
	for i, one := range raw {
		e, err := ParseEntry(one)
		switch {
		case err != nil:
			im.Note("skill %d is left out: %v", i+1, err)
			if e != nil {
				im.Refused = append(im.Refused, e)
			}
		case seen[e.URI]:
			im.Note("skill %s is listed more than once: the first one counts", e.Name)
		default:
			seen[e.URI] = true
			entries = append(entries, e)
		}
	}
	return entries, true
}

// Read returns the skills of entries, by URI. A skill that cannot be verified is left out.
func (im *Import) Read(ctx context.Context, entries []*Entry) []*Imported {
	before := make(map[[sha256.Size]byte]*Imported, len(im.Before))
	for _, b := range im.Before {
		before[b.Entry.Hash] = b
	}
	var tasks []*task
	total := 0
	for _, e := range entries {
		if total += e.reads(); total > maxImported {
			im.Note("skill %s and all after it are left out: the skills have more than %d bytes in all", e.Name, maxImported)
			break
		}
		tasks = append(tasks, &task{entry: e, skill: before[e.Hash]})
	}
	im.read(ctx, tasks)
	var list []*Imported
	for _, t := range tasks {
		if t.err != nil {
			im.Note("skill %s is left out: %v", t.entry.Name, t.err)
			continue
		}
		list = append(list, t.skill)
	}
	im.Late = im.Late || ctx.Err() != nil
	slices.SortFunc(list, func(a, b *Imported) int { return strings.Compare(a.Entry.URI, b.Entry.URI) })
	return list
}

// A task is an entry whose skill is read unless it is known.
type task struct {
	entry *Entry
	skill *Imported
	err   error
}

// read reads the skills that are not known, in parallel.
func (im *Import) read(ctx context.Context, tasks []*task) {
	files, skills := make(chan struct{}, readers), make(chan struct{}, readers)
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return t.skill != nil })
	var running sync.WaitGroup
	for _, t := range tasks {
		skills <- struct{}{}
		running.Go(func() { // ends with ctx
			defer func() { <-skills }()
			t.skill, t.err = im.one(ctx, t.entry, files)
		})
	}
	running.Wait()
	for _, t := range tasks {
		if t.err == nil {
			im.Fresh++
		}
	}
}

// list returns all entries as they were listed.
func (im *Import) list(ctx context.Context) (entries []json.RawMessage, err error) {
	cursor, seen, size := "", make(map[string]bool), 0
	for range maxPages {
		page, err := im.ListSkills(ctx, cursor)
		if err != nil {
			return nil, err
		}
		skills := strictjson.Member(page, "skills")
		if strictjson.KindOf(skills) != strictjson.Array {
			return nil, errors.New("the answer has no list of skills")
		}
		if size += len(page); size > maxListed {
			return nil, fmt.Errorf("the pages have more than %d bytes in all", maxListed)
		}
		for _, one := range strictjson.Elements(skills) {
			if len(entries) == maxSkills {
				im.Note("more than %d skills: the rest is left out", maxSkills)
				return entries, nil
			}
			entries = append(entries, one)
		}
		cursor = strictjson.Text(strictjson.Member(page, "nextCursor"))
		if cursor == "" {
			return entries, nil
		}
		if seen[cursor] {
			return nil, errors.New("a page leads back to an earlier one")
		}
		seen[cursor] = true
	}
	return nil, fmt.Errorf("there are more than %d pages", maxPages)
}

// wanted reports whether a file is read: others are never served.
func (f *EntryFile) wanted() bool {
	return f.Path == registry.SkillMD || registry.SkillFile{Path: f.Path}.Served()
}

// reads returns how many bytes an import reads of the skill.
func (e *Entry) reads() (n int) {
	for i := range e.Files {
		if e.Files[i].wanted() {
			n += e.Files[i].Size
		}
	}
	return n
}

// one reads and verifies a skill.
func (im *Import) one(ctx context.Context, e *Entry, slots chan struct{}) (*Imported, error) {
	if e.Dynamic {
		about := clean.Line(strictjson.Text(strictjson.Member(e.FrontMatter, "description")), maxAbout)
		s, err := registry.RemoteSkill(e.Name, about, func(ctx context.Context, _ json.RawMessage) (string, error) {
			return im.Text(ctx, e)
		}, e.Fields())
		return &Imported{e, s}, err
	}
	texts, err := im.files(ctx, e, slots)
	if err != nil {
		return nil, err
	}
	var data []byte
	var others []registry.SkillFile
	for i, f := range e.Files {
		switch {
		case f.Path == registry.SkillMD:
			data = []byte(texts[i])
		case f.wanted():
			others = append(others, registry.SkillFile{Path: f.Path, Text: texts[i]})
		}
	}
	if err := e.compare(data); err != nil {
		return nil, err
	}
	s, err := registry.ForeignSkill(data, others)
	return &Imported{e, s}, err
}

// maxAbout bounds the description of a dynamic skill, in characters.
const maxAbout = 1024

// compare returns an error if the front matter of a SKILL.md is not that of the entry.
func (e *Entry) compare(data []byte) error {
	_, fields, err := skillmd.FrontMatter(data)
	switch {
	case err != nil:
		return err
	case fields == nil || !SameFields(fields, e.FrontMatter):
		return errors.New("its SKILL.md has another front matter than its entry says")
	}
	return nil
}

// Body returns the text of a SKILL.md that was read of a dynamic skill.
func (e *Entry) Body(data string) (string, error) {
	if len(data) > maxMain {
		return "", errTooLong
	}
	if err := e.compare([]byte(data)); err != nil {
		return "", err
	}
	doc, err := skillmd.Parse([]byte(clean.Text(data)))
	if err != nil {
		return "", err
	}
	return doc.Body, nil
}

// files reads the wanted files, by index, and verifies them. The first failure ends it. Each file takes a slot.
func (im *Import) files(ctx context.Context, e *Entry, slots chan struct{}) ([]string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	texts := make([]string, len(e.Files))
	var running sync.WaitGroup
	for i := range e.Files {
		f := &e.Files[i]
		if !f.wanted() {
			continue
		}
		slots <- struct{}{}
		running.Go(func() { // ends with ctx
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			text, err := im.ReadFile(ctx, f.URI)
			if err == nil {
				err = f.Verify(text)
			}
			if err != nil {
				cancel(err)
			}
			texts[i] = text
		})
	}
	running.Wait()
	return texts, context.Cause(ctx)
}
