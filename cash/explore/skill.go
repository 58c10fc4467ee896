package explore

import (
	"context"
	"strings"
	"time"
)

// maxWait bounds a page for which other servers are asked.
const maxWait = 15 * time.Second

// maxFiles is how many files of a skill are shown with their text.
const maxFiles = 8

// skill shows a skill as a model reads it.
func (h *Handler) skill(r *request) error {
	namespace, name := split(r.URL.Query().Get("path"))
	s, err := h.source.Skill(r.ctx, namespace, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.ctx, maxWait)
	defer cancel()
	body, err := s.Render(ctx, nil)
	if err != nil {
		return err
	}
	type file struct {
		Path, Text string
		Size       int
	}
	p := struct {
		frame
		Crumbs      []link
		ID, About   string
		Spans       []span
		Removed     int
		Tokens      int
		FrontMatter string
		Files       []file
		Changed     []entry
	}{frame: r.frame(s.Name()), ID: s.ID().String(), About: s.About(), Tokens: count(body)}
	p.Path = strings.Trim(s.Namespace()+"."+s.Name(), ".")
	p.Crumbs = p.crumbs(s.Namespace())
	p.Nav = r.nav(&p.frame, s.Namespace())
	p.Spans, p.Removed = marked(text(body))
	if a := s.Agent(); a != nil {
		p.FrontMatter = indented(a.FrontMatter)
		for i, f := range a.Files[min(1, len(a.Files)):] {
			one := file{Path: f.Path, Size: len(f.Text)}
			if i < maxFiles {
				one.Text = f.Text
			}
			p.Files = append(p.Files, one)
		}
	}
	for _, f := range s.Changed(r.ctx, h.source) {
		p.Changed = append(p.Changed, functionEntry(&p.frame, f, f.Path()))
	}
	return r.render(200, "skill", &p)
}
