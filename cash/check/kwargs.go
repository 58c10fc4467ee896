package check

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// kwargChecks are about the keys of kwargs (RFC 5.3).
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
	for range p.times { // a map would pick one at random
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
