package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

// A grove is a random tree of namespaces with words for names, from which
// registries are built: with everything in it, or with what one caller sees only.
type grove struct {
	places []place
}

type place struct {
	path, description string
	roles             []string
	functions, skills []thing
}

type thing struct {
	name, description string
	aliases, roles    []string
}

// groveWords are close to each other, so that suggestions have much to choose from.
var groveWords = strings.Fields(`order orders oder border create creates delete remove list lists last lost refund
	refunds invoice customer search track rain train report`)

func groveWord(r *rand.Rand) string { return groveWords[r.IntN(len(groveWords))] }

func groveText(r *rand.Rand) string {
	var list []string
	for range r.IntN(7) {
		list = append(list, groveWord(r))
	}
	if r.IntN(5) == 0 {
		list = append(list, "天气预报")
	}
	return strings.Join(list, " ")
}

func newGrove(r *rand.Rand) *grove {
	g := &grove{}
	taken := make(map[string]bool)
	free := func(path string) bool {
		key, _ := registry.CanonicalPath(path)
		defer func() { taken[key] = true }()
		return !taken[key]
	}
	paths := []string{""}
	for range r.IntN(10) {
		path := strings.TrimPrefix(paths[r.IntN(len(paths))]+"."+groveWord(r), ".")
		if free("namespace." + path) {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		p := place{path: path, roles: randomRoles(r)}
		if path == "" {
			p.roles = nil
		} else {
			p.description = groveText(r)
		}
		for range r.IntN(5) {
			name := strings.Join([]string{groveWord(r), groveWord(r)}[r.IntN(2):], "_")
			if free("function." + path + "." + name) {
				f := thing{name: name, description: groveText(r), roles: randomRoles(r)}
				if r.IntN(3) == 0 {
					f.aliases = strings.Fields(groveText(r))
				}
				p.functions = append(p.functions, f)
			}
			if r.IntN(3) == 0 && free("skill."+path+"."+name) {
				p.skills = append(p.skills, thing{name: name, description: groveText(r), roles: randomRoles(r)})
			}
		}
		g.places = append(g.places, p)
	}
	return g
}

// all is the registry of the whole grove with its rules.
func (g *grove) all() *registry.Registry {
	reg := registry.New(nil)
	for _, p := range g.places {
		ns := reg.Namespace(p.path, p.description, visibleTo(p.roles))
		for _, f := range p.functions {
			made := f.function(visibleTo(f.roles))
			ns.Add(made)
		}
		for _, s := range p.skills {
			ns.AddSkill(registry.NewSkill(s.name, s.description, "x", visibleTo(s.roles)))
		}
	}
	return reg
}

// only is the registry of what a caller sees, without rules. Namespaces of
// which the caller sees nothing are not registered.
func (g *grove) only(c *registry.Caller) *registry.Registry {
	reg := registry.New(nil)
	hidden := func(path string) bool {
		return slices.ContainsFunc(g.places, func(p place) bool {
			return !sees(c, p.roles) && (p.path == path || strings.HasPrefix(path, p.path+"."))
		})
	}
	for _, p := range g.places {
		if hidden(p.path) {
			continue
		}
		ns := reg.Namespace(p.path, p.description)
		for _, f := range p.functions {
			if sees(c, f.roles) {
				ns.Add(f.function())
			}
		}
		for _, s := range p.skills {
			if sees(c, s.roles) {
				ns.AddSkill(registry.NewSkill(s.name, s.description, "x"))
			}
		}
	}
	return reg
}

func (f thing) function(facts ...registry.FuncOption) *registry.Function {
	return tool(f.name, f.description, append(facts, registry.Aliases(f.aliases...))...)
}

// asked are names to ask for: some that are there for somebody, in any spelling,
// some that are nearly there, some that are not.
func (g *grove) asked(r *rand.Rand) (path, name string) {
	p := g.places[r.IntN(len(g.places))]
	path, name = p.path, groveWord(r)
	if n := len(p.functions); n > 0 && r.IntN(3) > 0 {
		name = p.functions[r.IntN(n)].name
	}
	if n := len(p.skills); n > 0 && r.IntN(4) == 0 {
		name = p.skills[r.IntN(n)].name
	}
	switch r.IntN(6) {
	case 0:
		path = strings.TrimPrefix(path+"."+groveWord(r), ".")
	case 1:
		path = groveWord(r)
	case 2:
		path = garble(r, path)
	}
	if r.IntN(2) == 0 {
		name = garble(r, name)
	}
	return path, name
}

// garble makes a typo, or changes the case, or swaps words.
func garble(r *rand.Rand, name string) string {
	if len(name) < 4 {
		return name
	}
	switch r.IntN(4) {
	case 0:
		return misspell(r, name)
	case 1:
		return strings.ToUpper(name)
	case 2:
		a, b, _ := strings.Cut(name, "_")
		return strings.TrimPrefix(b+"_"+a, "_")
	}
	return name
}

var groveCallers = []*registry.Caller{nil, {ID: "a", Roles: []string{"a"}}, {ID: "bc", Roles: []string{"b", "c"}}, {ID: "abc", Roles: allRoles}}

// eachGrove compares, for random trees and callers, what the caller is told with
// what they would be told if the hidden things had never been registered.
func eachGrove(t *testing.T, seeds int, compare func(t *testing.T, ctx context.Context, r *rand.Rand, g *grove, all, only *registry.Registry)) {
	t.Helper()
	for seed := range uint64(seeds) {
		g := newGrove(rand.New(rand.NewPCG(seed, 11)))
		all := g.all()
		for i, c := range groveCallers {
			ctx := registry.WithCaller(context.Background(), c)
			compare(t, ctx, rand.New(rand.NewPCG(seed, uint64(i))), g, all, g.only(c))
			if t.Failed() {
				t.Fatalf("seed %d, caller %+v", seed, c)
			}
		}
	}
}

// TestSearchHiddenIsAbsent holds R54 for searches: order and scores.
func TestSearchHiddenIsAbsent(t *testing.T) {
	eachGrove(t, 150, func(t *testing.T, ctx context.Context, r *rand.Rand, g *grove, all, only *registry.Registry) {
		for range 25 {
			path, name := g.asked(r)
			query := []string{path + "." + name, path + " " + name, name, groveText(r), garble(r, groveWord(r)) + " " + groveText(r), "天气"}[r.IntN(6)]
			limit := 1 + r.IntN(20)
			want := only.Search(ctx, query, limit)
			if got := all.Search(ctx, query, limit); !reflect.DeepEqual(got, want) {
				t.Errorf("%q:\n got %v\nwant %v", query, got, want)
			}
			if got := registry.Search(ctx, plain{all}, "", query, limit); !reflect.DeepEqual(got, want) {
				t.Errorf("%q, without an index:\n got %v\nwant %v", query, got, want)
			}
			for _, m := range want {
				if _, err := all.Function(ctx, m.Namespace, m.Name); err != nil {
					t.Errorf("%q finds %s, which is not there: %v", query, dotted(m), err)
				}
			}
		}
	})
}

// TestSuggestHiddenIsAbsent holds R54 for suggestions, and that what is suggested
// is there.
func TestSuggestHiddenIsAbsent(t *testing.T) {
	eachGrove(t, 150, func(t *testing.T, ctx context.Context, r *rand.Rand, g *grove, all, only *registry.Registry) {
		for range 25 {
			path, name := g.asked(r)
			for what, err := range map[string]error{
				"namespace": registry.NoNamespace(path), "function": registry.NoFunction(path, name),
				"skill": registry.NoSkill(path, name), "skills": registry.NoSkill(path, ""),
			} {
				got := registry.Suggest(ctx, all, err)
				if want := registry.Suggest(ctx, only, err); !slices.Equal(got, want) {
					t.Errorf("%s %q %q:\n got %v\nwant %v", what, path, name, got, want)
				}
				if want := registry.Suggest(ctx, plain{all}, err); !slices.Equal(got, want) {
					t.Errorf("%s %q %q, without an index:\n got %v\nwant %v", what, path, name, want, got)
				}
				checkSuggested(t, ctx, all, what, got)
			}
		}
	})
}

// checkSuggested holds that a caller can go where a suggestion leads.
func checkSuggested(t *testing.T, ctx context.Context, src registry.Source, what string, list []registry.Suggestion) {
	t.Helper()
	if len(list) > 3 {
		t.Errorf("%s: %d suggestions", what, len(list))
	}
	for i, s := range list {
		var err error
		switch {
		case s.Name == "":
			_, err = src.List(ctx, s.Namespace)
		case what == "skill":
			_, err = src.Skill(ctx, s.Namespace, s.Name)
		default:
			_, err = src.Function(ctx, s.Namespace, s.Name)
		}
		if err != nil || slices.Contains(list[:i], s) {
			t.Errorf("%s: %v is suggested, of %v: %v", what, s, list, err)
		}
	}
}

// TestTextsHiddenIsAbsent holds R54 for all that the CaSH face says: the whole
// text of every answer and every error.
func TestTextsHiddenIsAbsent(t *testing.T) {
	eachGrove(t, 60, func(t *testing.T, ctx context.Context, r *rand.Rand, g *grove, all, only *registry.Registry) {
		told, want := cash.NewServer(all, nil), cash.NewServer(only, nil)
		for range 20 {
			path, name := g.asked(r)
			query, _ := json.Marshal(map[string]string{"search": garble(r, groveWord(r)) + " " + groveText(r)})
			for what, ask := range map[string]func(*cash.Server) string{
				"call": func(s *cash.Server) string {
					res, err := s.Call(ctx, &cash.CallRequest{Namespace: path, Function: name})
					return fmt.Sprintf("%s %v", resultText(res), full(err))
				},
				"help": func(s *cash.Server) string {
					text, err := s.Help(ctx, &cash.HelpRequest{Namespace: path, Function: name})
					return fmt.Sprint(text, full(err))
				},
				"list": func(s *cash.Server) string {
					text, err := s.Help(ctx, &cash.HelpRequest{Namespace: path})
					return fmt.Sprint(text, full(err))
				},
				"search": func(s *cash.Server) string {
					text, err := s.Help(ctx, &cash.HelpRequest{Namespace: path, Kwargs: query})
					return fmt.Sprint(text, full(err))
				},
				"skill": func(s *cash.Server) string {
					text, err := s.Skill(ctx, &cash.SkillRequest{Namespace: path, Name: name})
					return fmt.Sprint(text, full(err))
				},
				"skills": func(s *cash.Server) string {
					text, err := s.Skill(ctx, &cash.SkillRequest{Namespace: path})
					return fmt.Sprint(text, full(err))
				},
			} {
				if got, want := ask(told), ask(want); got != want {
					t.Errorf("%s %q %q:\n got %s\nwant %s", what, path, name, got, want)
				}
			}
		}
	})
}

func resultText(r *registry.Result) string {
	if r == nil {
		return ""
	}
	text, _ := json.Marshal(r)
	return string(text)
}

// full shows every part of an error that a face may render.
func full(err error) string {
	var e *registry.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return fmt.Sprintf("%s %q %q %q %q", e.Kind, e.Namespace, e.Name, e.Message, e.Hint)
}
