package check

import "encoding/json"

const required = "TOOL_DESCRIPTION_REQUIRED"

// descriptionRequired is P13.
func descriptionRequired(p *probe) {
	s := p.session()
	c := p.d.Call
	before := p.runs()
	r := s.call(c)
	p.must(p.runs() == before, "%s has run without a fetch", c.Tool)
	if !p.must(r.IsError, "%s can be called without a fetch", c.Tool) {
		return
	}
	e := errorIn(r.Text)
	p.must(e.Code == required, "the call is answered by %s, want the error %s", excerpt(r.Text), required)
	p.must(e.Message == "Tool '"+c.Tool+"' requires fetching its description before use.", "the message is %q", e.Message)
	if !p.must(e.ResourceURI == p.uri+only(c.Tool), "the resource_uri is %q, want %q", e.ResourceURI, p.uri+only(c.Tool)) {
		return
	}
	var body map[string]map[string]json.RawMessage
	p.should(json.Unmarshal([]byte(r.Text), &body) == nil && len(body) == 1 && len(body["error"]) == 3, "there is more in the error: %s", excerpt(r.Text))
}

// runs returns how often the sample's tool has run.
func (p *probe) runs() int {
	if p.d.Runs == nil {
		return 0
	}
	return p.d.Runs()
}

// authorisationEnforced is P12 and P14.
func authorisationEnforced(p *probe) {
	s := p.session()
	s.fetch(must, only(p.d.Call.Tool))
	for range 3 {
		r := s.call(p.d.Call)
		if !p.must(!r.IsError, "%s cannot be called after a fetch: %s", p.d.Call.Tool, excerpt(r.Text)) {
			return
		}
	}
	p.must(s.call(p.d.Other).IsError, "%s can be called after a fetch of %s", p.d.Other.Tool, p.d.Call.Tool)
	s.fetch(must, only(p.d.Other.Tool))
	for _, c := range []*ToolCall{p.d.Call, p.d.Other} {
		r := s.call(c)
		p.must(!r.IsError, "%s cannot be called after a fetch of both: %s", c.Tool, excerpt(r.Text))
	}
}

// authorisationIsolated is P15 and P16.
func authorisationIsolated(p *probe) {
	c := p.d.Call
	refused := func(s *disclosureSession, when string) {
		p.must(s.call(c).IsError, "%s can be called in a session that has not fetched it, %s", c.Tool, when)
	}
	a, b := p.session(), p.session()
	a.fetch(must, only(c.Tool))
	refused(b, "while another one has")
	r := a.call(c)
	p.must(!r.IsError, "%s cannot be called after a fetch: %s", c.Tool, excerpt(r.Text))
	refused(b, "while another one calls it")
	p.hangUp(a.conn)
	refused(b, "after one ended that had")
	refused(p.session(), "after one ended that had")
}

// authorisationAdds is P18.
func authorisationAdds(p *probe) {
	s := p.session()
	if name := p.d.Hidden; name != "" {
		p.must(p.toolNamed(name) == nil, "tools/list has %s", name)
		p.must(len(s.fetch(must, only(name))[name].InputSchema) == 0, "the description of %s can be fetched", name)
		r := s.call(&ToolCall{Tool: name})
		p.must(r.IsError, "%s can be called", name)
		p.must(errorIn(r.Text).Code != required, "a call of %s tells that it exists: %s", name, excerpt(r.Text))
	}
	if c := p.d.Denied; c != nil {
		s.fetch(must, only(c.Tool))
		r := s.call(c)
		p.must(r.IsError, "%s can be called because it was fetched", c.Tool)
		p.must(errorIn(r.Text).Code != required, "%s is not authorised by a fetch: %s", c.Tool, excerpt(r.Text))
	}
}

// argumentsChecked is P25.
func argumentsChecked(p *probe) {
	s := p.session()
	bad := &ToolCall{Tool: p.d.Call.Tool, Arguments: p.d.Invalid}
	p.should(errorIn(s.call(bad).Text).Code == required, "before a fetch, arguments are looked at")
	s.fetch(must, only(bad.Tool))
	before := p.runs()
	r := s.call(bad)
	p.must(r.IsError && p.runs() == before, "arguments that do not fit are taken")
	p.must(errorIn(r.Text).Code != required, "after a fetch the error is still %s", required)
}
