package disclosure

import (
	"strings"
	"sync"
	"unicode/utf8"
	"weak"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
)

// briefs keeps the minimal descriptions of functions that were listed, because each page of a list needs those of all
// pages. The zero value is ready for use.
type briefs struct {
	mu    sync.Mutex
	known map[weak.Pointer[registry.Function]]brief
}

// maxBriefs bounds the descriptions that are kept.
const maxBriefs = 20_000

func (b *briefs) of(f *registry.Function) brief {
	key := weak.Make(f)
	b.mu.Lock()
	one, ok := b.known[key]
	b.mu.Unlock()
	if ok {
		return one
	}
	one = briefOf(f)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil || len(b.known) >= maxBriefs {
		b.known = make(map[weak.Pointer[registry.Function]]brief)
	}
	b.known[key] = one
	return one
}

// texts returns the minimal descriptions of the functions that a caller sees. Functions with equal ones are told apart:
// by their namespaces, else by the next sentence of their descriptions, else by the words of their names. A
// [registry.Summary] stays as it is.
func (b *briefs) texts(functions []*registry.Function) map[*registry.Function]string {
	all := make([]brief, len(functions))
	texts := make(map[*registry.Function]string, len(functions))
	first := make(map[string]int, len(functions))
	alike := make(map[string][]int)
	for i, f := range functions {
		all[i] = b.of(f)
		texts[f] = all[i].text
		key := strings.ToLower(strings.TrimRight(texts[f], wideStops+".!?… "))
		j, dup := first[key]
		switch {
		case !dup:
			first[key] = i
		case alike[key] == nil:
			alike[key] = []int{j, i}
		default:
			alike[key] = append(alike[key], i)
		}
	}
	for _, group := range alike {
		addendum := difference(functions, all, group)
		for _, i := range group {
			if !all[i].fixed {
				texts[functions[i]] = all[i].with(addendum(i))
			}
		}
	}
	return texts
}

// difference returns what tells functions of a group apart.
func difference(functions []*registry.Function, all []brief, group []int) func(i int) string {
	aside := func(text string) string { return "(" + cutWhole(text, maxAside) + ")" }
	byNamespace := func(i int) string {
		if text := label.Words(functions[i].Namespace()); text != "" {
			return aside(text)
		}
		return ""
	}
	next := func(i int) string { return cutWhole(all[i].more, maxAside) }
	byName := func(i int) string { return aside(label.Words(functions[i].FlatName())) }
	for _, one := range []func(int) string{byNamespace, next, byName} {
		if distinct(group, one) {
			return one
		}
	}
	return func(i int) string { return aside(functions[i].FlatName()) }
}

// maxAside is the most characters of what is added; a flat name has at most 64.
const maxAside = 80

// distinct reports whether the texts of a group are all different. One of them may be empty.
func distinct(group []int, text func(int) string) bool {
	seen := make(map[string]bool, len(group))
	for _, i := range group {
		if seen[text(i)] {
			return false
		}
		seen[text(i)] = true
	}
	return true
}

// with returns the text with an addendum: words in parentheses before the full stop, or a sentence.
func (b brief) with(addendum string) string {
	text := shorten(b.text, maxMinimal-utf8.RuneCountInString(addendum)-2)
	switch {
	case addendum == "":
		return b.text
	case addendum[0] != '(':
		return joined(text, addendum)
	}
	end := len(strings.TrimRight(text, wideStops+".!?"))
	return text[:end] + " " + addendum + text[end:]
}
