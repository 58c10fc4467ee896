package check

import (
	"encoding/json"
	"regexp"
	"strconv"
)

// limitChecks check sizelimit (RFC 7.2, 7.3).
var limitChecks = []criterion{
	{"R95", "an explicit size limit lets the full response through", needSized, explicitLimit},
	{"R96", "a lower size limit is allowed", needRead, lowerLimit},
	{"R97", "a size limit is for one request", needLarge, limitPerRequest},
	{"R98", "odd size limits", needRead, oddLimits},
	{"R103", "a gated effect is not repeated", needEffect, gatedEffect},
	{"R105", "a size limit may stand in kwargs", needRead, limitInKwargs},
}

func explicitLimit(p *probe) {
	for _, n := range []int{p.SizeLimit * 3, p.huge} {
		got := p.tool("call", p.Sized(n).args().and("sizelimit", n*6/5))
		p.must(chars(got) == n && !got.IsError, "%d characters do not pass with a size limit of %d: %s", n, n*6/5, excerpt(got.Text))
	}
}

func lowerLimit(p *probe) {
	full := p.full(p.Read)
	if chars(full) < 2 {
		p.stop("the result of %s is too short: Target.Read must answer with two characters or more", p.Read.path())
	}
	got := p.tool("call", p.Read.args().and("sizelimit", 1))
	p.must(looksGated(got) && !same(full, got), "a size limit of 1 does not gate %d characters: %s", chars(full), excerpt(got.Text))
}

func limitPerRequest(p *probe) {
	p.full(p.Large)
	p.should(looksGated(p.tool("call", p.Large.args())), "a size limit also holds for the next request")
}

func oddLimits(p *probe) {
	full := p.full(p.Read)
	with := func(limit string) object { return p.Read.args().and("sizelimit", json.RawMessage(limit)) }
	p.should(looksGated(p.tool("call", with("0"))), "a size limit of 0 does not gate")
	for _, limit := range []string{"100000000.0", "99999999999999999999", "1e30"} {
		got, err := p.try("call", with(limit))
		p.should(err == nil && same(full, got), "the size limit %s does not let the response through", limit)
	}
	want := p.tool("call", p.Read.args())
	got, err := p.try("call", with("null"))
	p.should(err == nil && same(want, got), "the size limit null is not the default")
	for _, limit := range invalidLimits {
		p.refused(should, "call", with(limit))
	}
	if p.Effect == nil {
		p.note("not checked: that nothing runs if the size limit is invalid (Target.Effect is nil)")
		return
	}
	before := p.Effect.Runs()
	for _, limit := range invalidLimits {
		p.refused(should, "call", p.Effect.args().and("sizelimit", json.RawMessage(limit)))
	}
	p.should(p.Effect.Runs() == before, "the function ran %d times although the size limit was invalid", p.Effect.Runs()-before)
}

var invalidLimits = []string{"-1", "1.5", `"abc"`, "true", "[]", "{}"}

var replayValue = regexp.MustCompile("replay[`\"']?\\s*[=:]\\s*[`\"']([^`\"']+)")

// gatedEffect repeats a gated call as the gate suggests.
func gatedEffect(p *probe) {
	before := p.Effect.Runs()
	gated := p.tool("call", p.Effect.args().and("sizelimit", 1))
	if !p.should(looksGated(gated), "a size limit of 1 does not gate %s: %s", p.Effect.path(), excerpt(gated.Text)) {
		return
	}
	p.should(p.Effect.Runs() == before+1, "the function ran %d times for one call", p.Effect.Runs()-before)
	p.should(says(gated.Text, "already ran", "has run", "was run", "executed", "took effect"), "the gate does not say that the function already ran: %s", excerpt(gated.Text))
	n, ok := suggested(gated.Text)
	if !p.should(ok, "the gate suggests no size limit: %s", excerpt(gated.Text)) {
		return
	}
	args := p.Effect.args().and("sizelimit", n)
	if m := replayValue.FindStringSubmatch(gated.Text); m != nil {
		args = args.and("kwargs", withMember(p.Effect.Kwargs, "replay", strconv.Quote(m[1])))
	}
	got := p.tool("call", args)
	p.should(!got.IsError && !looksGated(got), "repeating a gated call as the gate says fails: %s", excerpt(got.Text))
	p.should(p.Effect.Runs() == before+1, "the function ran %d times: the repeat ran it again", p.Effect.Runs()-before)
}

// withMember returns kwargs with one more member; its other bytes are unchanged.
func withMember(kwargs any, name, value string) json.RawMessage {
	member := strconv.Quote(name) + ":" + value + "}"
	if kwargs == nil {
		return json.RawMessage("{" + member)
	}
	data := toJSON(kwargs)
	if data == "{}" || data == "null" {
		return json.RawMessage("{" + member)
	}
	return json.RawMessage(data[:len(data)-1] + "," + member)
}

func limitInKwargs(p *probe) {
	got := p.tool("call", p.Read.args().and("kwargs", withMember(p.Read.Kwargs, "sizelimit", "0")))
	p.should(looksGated(got), "sizelimit in kwargs does not gate: %s", excerpt(got.Text))
	if p.Large == nil {
		return
	}
	got = p.tool("call", p.Large.args().and("kwargs", withMember(p.Large.Kwargs, "sizelimit", strconv.Itoa(ample))))
	p.should(same(p.full(p.Large), got), "sizelimit in kwargs does not let the full response through: %s", excerpt(got.Text))
}
