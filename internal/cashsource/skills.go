package cashsource

import (
	"context"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/skillext"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// The tool skill of a server says which skills there are. Where the server speaks the skills extension (SEP-2640) too,
// an entry of the same namespace and name gives front matter, digests and files. A skill whose files have digests is
// read with the catalog and verified. All others are read on demand, through the tool.

// SkillsPart is the part of the time to connect that the extension's list, and the files of skills, may take each.
const SkillsPart = 3

// listed is a skill as it was read.
type listed struct {
	cashtext.SkillEntry
	entry      *skillext.Entry // of the extension; nil if there is none
	definition *pin.Definition
	files      *skillext.Imported // verified; nil for a skill that is read on demand
}

// matched returns a name of a skill, with its namespace, in the form in which the tool skill and the extension agree.
func matched(namespace, name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(wire.Join(namespace, name)))
}

// skillEntries gives the skills their entries of the extension, or those of before if it cannot be listed. Skills whose
// entries are not by the rules are left out: they cannot be verified. It reports false if there are pins and no
// entries are known: the skills could not be compared.
func (s *Source) skillEntries(ctx context.Context) bool {
	byName := make(map[string]*listed)
	s.root.each(func(p *place) {
		for _, sk := range p.skills {
			byName[matched(p.path, sk.Name)] = sk
		}
	})
	if s.Import == nil || len(byName) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, s.ReadTimeout/SkillsPart)
	defer cancel()
	entries, ok := s.Import.List(ctx)
	if !ok {
		s.Incomplete = true
	}
	for _, e := range entries {
		switch sk := byName[matched(strings.Join(e.Prefix, "."), e.Name)]; {
		case sk == nil:
			s.Note("skill %s is left out: the tool skill does not list it", e.Name)
		case sk.entry != nil:
			s.Note("skill %s is served twice under one name: the first one counts", e.Name)
		default:
			sk.entry = e
		}
	}
	refused := make(map[*listed]bool)
	for _, e := range s.Import.Refused {
		if sk := byName[matched(strings.Join(e.Prefix, "."), e.Name)]; sk != nil && sk.entry == nil {
			refused[sk] = true
		}
	}
	s.keepSkills(func(sk *listed) bool { return !refused[sk] })
	return ok || len(entries) > 0 || s.Pins.Off()
}

// define returns the definition of a skill.
func (sk *listed) define(namespace string) *pin.Definition {
	d := &pin.Definition{Description: sk.Description}
	if sk.entry != nil {
		d.Name, d.Skill = sk.entry.URI, sk.entry.Listing()
		return d
	}
	path := strings.TrimPrefix(strings.ToLower(namespace)+"/", "/") + sk.Name
	d.Name = skillext.Scheme + path + "/" + registry.SkillMD
	d.Skill = skillext.DynamicListing(asJSON(map[string]any{"name": sk.Name, "description": sk.Description}))
	return d
}

// skillDefinitions returns the definitions of all skills.
func (s *Source) skillDefinitions() (list []*pin.Definition) {
	s.root.each(func(p *place) {
		for _, sk := range p.skills {
			sk.definition = sk.define(p.path)
			list = append(list, sk.definition)
		}
	})
	return list
}

// keepSkills leaves out the skills that ok refuses.
func (s *Source) keepSkills(ok func(*listed) bool) {
	s.root.each(func(p *place) {
		kept := p.skills[:0]
		for _, sk := range p.skills {
			if ok(sk) {
				kept = append(kept, sk)
			}
		}
		p.skills = kept
	})
}

// readFiles reads the skills whose files have digests. Those that cannot be verified are left out.
func (s *Source) readFiles(ctx context.Context) {
	if s.Import == nil {
		return
	}
	var entries []*skillext.Entry
	s.root.each(func(p *place) {
		for _, sk := range p.skills {
			if sk.entry != nil {
				entries = append(entries, sk.entry)
			}
		}
	})
	ctx, cancel := context.WithTimeout(ctx, s.ReadTimeout/SkillsPart)
	defer cancel()
	s.Imported = s.Import.Read(ctx, entries)
	if s.Import.Late {
		s.Incomplete = true
	}
	read := make(map[string]*skillext.Imported, len(s.Imported))
	for _, im := range s.Imported {
		read[im.Entry.URI] = im
	}
	s.keepSkills(func(sk *listed) bool {
		if sk.entry != nil && !sk.entry.Dynamic {
			sk.files = read[sk.entry.URI]
			return sk.files != nil
		}
		return true
	})
}

// addSkills adds the skills of a place to a namespace.
func (v view) addSkills(ns *registry.Namespace, p *place) {
	for _, e := range p.skills {
		sk, err := v.makeSkill(p.path, e)
		if err == nil {
			err = ns.TryAddSkill(sk)
		}
		if err != nil {
			v.Note("skill %s is left out: %v", wire.Join(p.path, e.Name), err)
			continue
		}
		v.Skills++
	}
}

func (v view) makeSkill(path string, sk *listed) (*registry.Skill, error) {
	about := clean.FirstLine(v.text.Text(sk.Description), maxAbout)
	if sk.files != nil {
		var changed []string
		for _, path := range sk.entry.Changed {
			changed = append(changed, v.placeOf(path))
		}
		return sk.files.Skill.Moved(sk.Name, about, v.text.Text).Reporting(changed), nil
	}
	var facts []registry.SkillOption
	if sk.entry != nil {
		facts = append(facts, sk.entry.Fields())
	}
	return registry.RemoteSkill(sk.Name, about, v.skill(path, sk.Name), facts...)
}
