package check

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// argumentChecks check the tools' own arguments (RFC 4.1).
var argumentChecks = []criterion{
	{"R7", "help options may stand beside kwargs", needJSON, optionsBesideKwargs},
	{"R8", "names of tool arguments are normalised", needFunction, argumentNames},
	{"R9", "skill takes name for skillname", needSkill, skillByName},
	{"R10", "omitted kwargs are an empty object", needRead, omittedKwargs},
	{"R11", "an empty namespace is the root", needFunction, emptyNamespace},
	{"R13", "results arrive as the function made them", needEcho, untouchedResults},
	{"R14", "kwargs that are no object are refused", needRead, wrongKwargs},
	{"R15", "a missing function is an error with a hint", needFunction, missingFunction},
}

func optionsBesideKwargs(p *probe) {
	inside := p.tool("help", object{"kwargs": object{"format": "json"}})
	beside := p.tool("help", object{"format": "json"})
	p.should(same(inside, beside), "help(format=json) differs from help(kwargs={format: json})")
	both := p.tool("help", object{"format": "markdown", "kwargs": object{"format": "json"}})
	p.should(same(inside, both), "help(format=markdown, kwargs={format: json}): kwargs do not win")
}

func argumentNames(p *probe) {
	l := p.tree.leaves[0]
	got := p.tool("help", named("Name_Space", l.namespace, "FUNCTION", l.name))
	p.should(same(p.tool("help", l.args()), got), "help with the arguments Name_Space and FUNCTION differs from help with namespace and function")
	if s := p.anySkill(); s != nil {
		want := p.tool("skill", s.args())
		for _, spelling := range []string{"skill_name", "skillName"} {
			got := p.tool("skill", named("namespace", s.Namespace, spelling, s.Name))
			p.should(same(want, got), "skill with the argument %s differs from skill with skillname", spelling)
		}
	}
	if p.Read == nil {
		p.note("not checked: the names of call's arguments (Target.Read is nil)")
		return
	}
	gated := p.tool("call", p.Read.args().and("sizelimit", 0))
	for _, spelling := range []string{"size_limit", "sizeLimit"} {
		got := p.tool("call", p.Read.args().and(spelling, 0))
		p.should(got.IsError == gated.IsError && looksGated(got) == looksGated(gated), "call does not take %s for sizelimit", spelling)
	}
}

func skillByName(p *probe) {
	s := p.anySkill()
	want := p.tool("skill", s.args())
	got := p.tool("skill", named("namespace", s.Namespace, "name", s.Name))
	p.should(same(want, got), "skill(name=...) differs from skill(skillname=...)")
}

func omittedKwargs(p *probe) {
	bare := named("namespace", p.Read.Namespace, "function", p.Read.Function)
	want := p.tool("call", bare.and("kwargs", object{}))
	p.must(same(want, p.tool("call", bare)), "call without kwargs differs from call with kwargs={}")
	p.should(same(want, p.tool("call", bare.and("kwargs", nil))), "call with kwargs=null differs from call with kwargs={}")
}

func emptyNamespace(p *probe) {
	name := p.tree.leaves[0].name
	for _, tool := range []string{"help", "skill", "call"} {
		args := object{}
		if tool == "call" {
			// Nothing runs: the root has no such function.
			args["function"] = name + absent
		}
		want := p.tool(tool, args)
		p.must(same(want, p.tool(tool, args.and("namespace", ""))), "%s with an empty namespace differs from %s without", tool, tool)
		p.should(same(want, p.tool(tool, args.and("namespace", nil))), "%s with a null namespace differs from %s without", tool, tool)
	}
	if p.Read == nil || p.Read.Namespace != "" {
		return
	}
	want := p.tool("call", p.Read.args())
	p.must(same(want, p.tool("call", p.Read.args().and("namespace", ""))), "call with an empty namespace does not reach the root's function")
}

// absent is an ending that no real name has.
const absent = "zzqabsent"

// exotic is JSON that changes when it is decoded and encoded again.
const exotic = `{"items":[{"Product_ID":1,"productid":2}],"b":12.50,"a":9007199254740993,"e":1e2}`

func untouchedResults(p *probe) {
	e := p.Echo
	reply := p.tool("call", e.call(rawObject(e.Param, exotic)))
	p.must(!reply.IsError, "the echo fails: %s", excerpt(reply.Text))
	// A function of a language whose numbers are floating point cannot do better.
	p.should(strings.Contains(reply.Text, `"b":12.50`) && strings.Contains(reply.Text, "9007199254740993"),
		"numbers are not as the function spelt them: %s", excerpt(reply.Text))
	b, a := strings.Index(reply.Text, `"b"`), strings.Index(reply.Text, `"a"`)
	p.must(0 <= b && b < a, "keys are not in the order in which the function wrote them: %s", excerpt(reply.Text))
	for _, s := range []*Sample{p.Read, p.Large, p.Media} {
		if s == nil || s.Want == nil {
			continue
		}
		reply := p.tool("call", s.args().and("sizelimit", ample))
		p.must(toJSON(reply.Raw.Content) == toJSON(s.Want), "the content of %s differs from Want: %s", s.path(), excerpt(toJSON(reply.Raw.Content)))
	}
}

// rawObject returns a JSON object with one member.
func rawObject(name, value string) json.RawMessage {
	return json.RawMessage("{" + strconv.Quote(name) + ":" + value + "}")
}

func wrongKwargs(p *probe) {
	bare := named("namespace", p.Read.Namespace, "function", p.Read.Function)
	for _, kwargs := range []any{[]int{1}, 7, true} {
		p.refused(should, "call", bare.and("kwargs", kwargs))
	}
}

func missingFunction(p *probe) {
	l := p.namespaced()
	args := named("namespace", l.namespace)
	for _, args := range []object{args, args.and("function", "")} {
		text := p.refused(should, "call", args)
		p.should(strings.Contains(text, hint(l.namespace)), "the error of call%s does not name %s): %s", args, hint(l.namespace), excerpt(text))
	}
}

// kwargChecks check the keys of kwargs (RFC 5.3).
var kwargChecks = []criterion{
	{"R22", "keys of kwargs are normalised", needKwargs, normalisedKeys},
	{"R23", "values and nested keys are left alone", needEcho, untouchedValues},
	{"R24", "the same key twice is an error", needEcho, doubledKeys},
	{"R25", "keys with illegal characters match nothing", needEcho, illegalKeys},
}

func normalisedKeys(p *probe) {
	kwargs := p.readKwargs()
	want := p.tool("call", p.Read.args())
	for _, spell := range []func(string) string{strings.ToUpper, canonical, respell} {
		respelt := make(map[string]json.RawMessage, len(kwargs))
		for key, value := range kwargs {
			respelt[spell(key)] = value
		}
		got := p.tool("call", p.Read.args().and("kwargs", respelt))
		p.should(same(want, got), "call of %s differs with the keys of kwargs written %q: %s", p.Read.path(), slices.Sorted(maps.Keys(respelt)), excerpt(got.Text))
	}
}

func untouchedValues(p *probe) {
	const nested = `[{"Product_ID":1,"productid":2},{"A_b":{"C_d":null}}]`
	reply := p.tool("call", p.Echo.call(rawObject(p.Echo.Param, nested)))
	p.should(!reply.IsError && strings.Contains(reply.Text, nested),
		"the echo of %s is %s", nested, excerpt(reply.Text))
}

func doubledKeys(p *probe) {
	key := p.Echo.Param
	other := respell(key)
	kwargs := json.RawMessage(`{"` + key + `":1,"` + other + `":2}`)
	for range p.times { // repeated: a server that decodes into a map picks one at random
		text := p.refused(should, "call", p.Echo.call(kwargs))
		if !p.should(strings.Contains(text, key) && strings.Contains(text, other),
			"the error about the keys %q and %q does not name both: %s", key, other, excerpt(text)) {
			return
		}
	}
}

func illegalKeys(p *probe) {
	const marker = "zzqmarker"
	for _, key := range []string{p.Echo.Param[:1] + "-" + p.Echo.Param[1:], " " + p.Echo.Param, p.Echo.Param + "."} {
		kwargs := json.RawMessage(toJSON(map[string]string{key: marker}))
		reply, err := p.try("call", p.Echo.call(kwargs))
		p.should(err != nil || reply.IsError || !strings.Contains(reply.Text, marker), "the key %q is taken for %q", key, p.Echo.Param)
	}
}
