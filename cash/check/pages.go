package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pageChecks check the form of help's pages (RFC 4.2).
var pageChecks = []criterion{
	{"R44", "help is markdown, and the same in JSON", none, pageFormats},
	{"R47", "help does not speak of skills", none, noSkillsInHelp},
	{"R49", "errors of help name the next step", needFunction, helpHints},
	{"R52", "a threshold over 10,000 is advertised", needThreshold, advertisedThreshold},
	{"R56", "help is the same every time", none, stableHelp},
}

func pageFormats(p *probe) {
	text := p.tool("help", nil).Text
	_, isJSON := parseJSON(text)
	p.should(!isJSON, "help() is JSON, want markdown by default")
	if !p.json {
		p.note("not checked: help as JSON (help() names no format json)")
		return
	}
	for _, pl := range p.tree.places {
		// The page of an empty namespace is still an object.
		if !p.should(pl.json != nil, "help(%s) with format=json is not an object with namespaces or functions", pl.path) {
			continue
		}
		md, js := namesOf(pl.page.entries), namesOf(pl.json)
		slices.Sort(md)
		slices.Sort(js)
		p.should(slices.Equal(md, js), "help(%s) lists %q in markdown and %q in JSON", pl.path, md, js)
	}
}

func noSkillsInHelp(p *probe) {
	own := make(map[string]bool)
	for _, pl := range p.tree.places {
		for _, e := range pl.members() {
			own[canonical(e.name)] = true
		}
	}
	skills := make(map[string]bool)
	for _, s := range p.skills {
		skills[canonical(s.Name)] = true
	}
	for _, pl := range p.tree.places {
		where := "help(" + pl.path + ")"
		p.should(!mentions(pl.page.text, "skill("), "%s mentions the tool skill", where)
		for _, text := range slices.Concat(pl.page.headings, pl.page.rest) {
			p.should(!says(text, "skill") || own["skill"] || own["skills"], "%s speaks of skills: %s", where, text)
		}
		for _, e := range pl.page.entries {
			name := canonical(e.name)
			p.should(own[name] || !skills[name], "%s lists the skill %q", where, e.name)
		}
	}
}

func helpHints(p *probe) {
	l := p.anyFunction()
	text := p.refused(should, "help", object{"namespace": absent})
	p.should(strings.Contains(text, "help("), "the error about an unknown namespace names no next step: %s", excerpt(text))
	text = p.refused(should, "help", leaf{l.namespace, l.name + absent}.args())
	p.should(strings.Contains(text, hint(l.namespace)), "the error about an unknown function does not name %s): %s", hint(l.namespace), excerpt(text))
}

// hint returns the help call that an error within a namespace should suggest, without its closing parenthesis.
func hint(namespace string) string {
	if namespace == "" {
		return "help("
	}
	return `help(namespace="` + namespace + `"`
}

var number = regexp.MustCompile(`\d[\d,_.' ]*\d|\d`)

// numbers returns the whole numbers in a text, with or without grouping.
func numbers(text string) []int {
	var list []int
	for _, m := range number.FindAllString(text, -1) {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "", ".", "", "'", "", " ", "").Replace(m))
		if err == nil {
			list = append(list, n)
		}
	}
	return list
}

func advertisedThreshold(p *probe) {
	l := should
	if p.SizeLimit > defaultSizeLimit {
		l = must
	}
	pages := map[string]string{"help()": p.tool("help", nil).Text}
	if p.json {
		pages["help() as JSON"] = p.tool("help", object{"kwargs": object{"format": "json"}}).Text
	}
	for where, text := range pages {
		if p.SizeLimit != defaultSizeLimit {
			l(p, slices.Contains(numbers(text), p.SizeLimit), "%s does not name the size limit %d", where, p.SizeLimit)
			continue
		}
		tells := slices.ContainsFunc(numbers(text), func(n int) bool { return n > defaultSizeLimit })
		over := p.tool("call", p.Sized(defaultSizeLimit*107/100).args())
		p.must(tells || looksGated(over), "results of more than 10,000 characters pass, which %s does not tell", where)
	}
}

func stableHelp(p *probe) {
	c := p.connect(p.Transport())
	for _, args := range p.helpPages() {
		want := p.tool("help", args)
		for i := range p.times {
			if !p.should(same(want, p.tool("help", args)), "help%s differs in call %d", args, i+2) {
				break
			}
		}
		p.should(same(want, p.over(c, "help", args)), "help%s differs on another connection", args)
	}
}
