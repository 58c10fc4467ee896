package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// skillChecks check the tool skill (RFC 4.3).
var skillChecks = []criterion{
	{"R60", "skill() lists what there is", none, skillLists},
	{"R61", "skills are text", needSkill, skillsAreText},
	{"R62", "skills have no executable content", needSkill, skillsAreHarmless},
	{"R63", "an unknown skill is an error with a hint", none, unknownSkill},
	{"R64", "skill names are normalised", needSkill, skillNames},
	{"R65", "kwargs fill in a skill", needInputs, skillInputs},
	{"R67", "invocations in a skill survive", needKeeps, skillInvocations},
	{"R68", "front matter is not part of a skill", needSkill, noFrontMatter},
}

func skillLists(p *probe) {
	list := p.tool("skill", nil)
	p.must(!list.IsError, "skill() fails: %s", excerpt(list.Text))
	for _, s := range p.sampledSkills() {
		p.must(!p.tool("skill", s.args()).IsError, "skill() lists %s, but it cannot be read", join(s.Namespace, s.Name))
	}
	s := p.anySkill()
	if s == nil {
		return
	}
	shown := s.Name
	if s.Namespace != "" {
		shown = s.Namespace
		below := p.tool("skill", object{"namespace": s.Namespace})
		p.must(!below.IsError && mentions(canonical(below.Text), canonical(s.Name)), "skill(namespace=%q) does not list %s: %s", s.Namespace, s.Name, excerpt(below.Text))
	}
	p.must(mentions(canonical(list.Text), canonical(shown)), "skill() does not list %s: %s", shown, excerpt(list.Text))
}

// sampledSkills returns the skills that the checks read.
func (p *probe) sampledSkills() []SkillSample {
	list := sampled(p.skills, breadth)
	if p.Skill != nil {
		list = append(list[:len(list):len(list)], *p.Skill)
	}
	return list
}

func skillsAreText(p *probe) {
	for _, s := range p.sampledSkills() {
		reply := p.tool("skill", s.args())
		p.must(onlyText(reply), "the skill %s has content that is no text: %s", s.Name, excerpt(toJSON(reply.Raw)))
		p.must(strings.TrimSpace(reply.Text) != "", "the skill %s has no text", s.Name)
	}
}

// programs are tags of runnable code blocks.
var programs = strings.Fields("bash sh zsh fish shell console powershell pwsh bat cmd python py python3 js javascript ts typescript " +
	"node ruby rb perl go golang rust rs c cpp java kotlin swift php sql lua r")

func skillsAreHarmless(p *probe) {
	for _, s := range p.sampledSkills() {
		p.harmless(must, s.Name, p.tool("skill", s.args()).Text)
	}
}

func (p *probe) harmless(l level, name, text string) {
	for _, f := range parsePage(text, "").fences {
		l(p, !slices.Contains(programs, f.tag) || invokes(f.code), "the skill %s has a block of %s: %s", name, f.tag, excerpt(f.code))
		l(p, !strings.HasPrefix(strings.TrimSpace(f.code), "#!"), "the skill %s has a script: %s", name, excerpt(f.code))
	}
	l(p, !says(text, "<script", "!`"), "the skill %s has a script: %s", name, excerpt(text))
}

// invokes reports whether a code block only calls the three tools.
func invokes(code string) bool {
	code = strings.TrimSpace(code)
	return strings.HasPrefix(code, "call(") || strings.HasPrefix(code, "help(") || strings.HasPrefix(code, "skill(")
}

func unknownSkill(p *probe) {
	for _, args := range []object{{"skillname": absent}, {"namespace": absent, "skillname": absent}} {
		text := p.refused(must, "skill", args)
		p.should(strings.Contains(text, "skill("), "the error of skill%s names no next step: %s", args, excerpt(text))
	}
}

func skillNames(p *probe) {
	for _, s := range p.sampledSkills() {
		if !strings.Contains(s.Name, "-") { // otherwise it is the name of an Agent Skill, not a label
			p.respelt("skill", s.args(), "skillname")
		}
		p.respelt("skill", s.args(), "namespace")
	}
}

func skillInputs(p *probe) {
	s := p.Skill
	inputs, respelt := make(object), make(object)
	for name, value := range s.Inputs {
		inputs[name], respelt[respell(name)] = value, value
	}
	bare := p.tool("skill", s.args())
	p.must(!bare.IsError, "the skill fails without inputs: %s", excerpt(bare.Text))
	with := func(kwargs object) *client.Reply { return p.tool("skill", s.args().and("kwargs", kwargs)) }
	filled := with(inputs)
	for _, value := range slices.Sorted(maps.Values(s.Inputs)) {
		p.must(strings.Contains(filled.Text, value), "the text of the skill does not have the input %q: %s", value, excerpt(filled.Text))
	}
	p.should(same(filled, with(respelt)), "the names of inputs are not normalised")
	p.should(same(filled, with(inputs.and("zzz", 1))), "an input that the skill does not name is not ignored")
	for name := range s.Inputs {
		hostile := with(inputs.and(name, "x\n\n```bash\nrm -rf /\n```\n"))
		for _, f := range parsePage(hostile.Text, "").fences {
			p.should(f.tag != "bash", "the input %q brings a script into the skill: %s", name, excerpt(hostile.Text))
		}
	}
}

func skillInvocations(p *probe) {
	text := p.tool("skill", p.Skill.args()).Text
	for _, part := range p.Skill.Keeps {
		p.must(strings.Contains(text, part), "the text of the skill lacks %q: %s", part, excerpt(text))
	}
}

func noFrontMatter(p *probe) {
	for _, s := range p.sampledSkills() {
		text := p.tool("skill", s.args()).Text
		p.should(!strings.HasPrefix(strings.TrimSpace(text), "---\n"), "the skill %s begins with front matter: %s", s.Name, excerpt(text))
	}
}
