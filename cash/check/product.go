package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A product combines every slot of every form with every payload, as an endless sequence. Any part of it has slots
// and payloads equally often.
type product struct {
	places   []spot
	payloads []payload
	at       int
}

type spot struct {
	form *form
	slot slot
}

// emphasis is how much more often slots come whose texts servers look up, such as names.
const emphasis = 4

func newProduct(forms []form, payloads []payload, seed uint64) *product {
	p := new(product)
	for i := range forms {
		f := &forms[i]
		for _, s := range f.slots {
			times := 1
			if s.text && !s.key && s.path != "jsonrpc" && !strings.Contains(s.path, "_meta") {
				times = emphasis
			}
			for range times {
				p.places = append(p.places, spot{f, s})
			}
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(p.places), func(i, j int) { p.places[i], p.places[j] = p.places[j], p.places[i] })
	p.payloads = slices.Clone(payloads)
	// The lengths have no common divisor: every pair comes before any repeats.
	for divisor(len(p.places), len(p.payloads)) != 1 {
		p.payloads = append(p.payloads, payloads[r.IntN(len(payloads))])
	}
	r.Shuffle(len(p.payloads), func(i, j int) { p.payloads[i], p.payloads[j] = p.payloads[j], p.payloads[i] })
	return p
}

func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// next returns the next message.
func (p *product) next() *message {
	at := p.at
	p.at++
	spot, payload := p.places[at%len(p.places)], p.payloads[at%len(p.payloads)]
	return spot.form.fill(spot.slot, payload, strconv.Quote("c"+strconv.Itoa(at)))
}

// fill returns a form's message with a payload in a slot.
func (f *form) fill(s slot, p payload, id string) *message {
	raw := p.raw
	if s.key && !p.isText() {
		raw = quoted(raw)
	}
	doc := f.doc[:s.start] + raw + f.doc[s.end:]
	ownID := s.path == "id" && !s.key
	if f.id != nil && f.kind == request && !ownID {
		shift := 0
		if s.start < f.id.start {
			shift = len(raw) - (s.end - s.start)
		}
		doc = doc[:f.id.start+shift] + id + doc[f.id.end+shift:]
	}
	m := &message{data: []byte(doc), about: f.about(s, p), kind: f.kind, opens: strings.Contains(f.doc, `"subscriptions/listen"`)}
	if f.kind == request {
		m.least, m.most = 1, 1
		m.setID(id)
		if ownID {
			m.setID(raw)
		}
	}
	f.expect(m, s, p)
	return m.weigh()
}

// expect sets the allowed answers if the envelope itself is odd.
func (f *form) expect(m *message, s slot, p payload) {
	switch {
	case f.kind == quiet && (!p.isText() || f.id != nil || s.path == "jsonrpc" || s.path == "method" && s.key):
		m.doubtful()
	case f.kind == quiet:
	case s.path == "id" && s.key: // without an id it is a notification
		m.kind, m.ids, m.least = quiet, nil, 0
		m.doubtful()
	case s.path == "method" && s.key: // may look like a response
		m.kind, m.least = unreadable, 0
		m.doubtful()
	case s.path == "jsonrpc", s.path == "method" && !p.isText():
		m.kind = unreadable
		m.doubtful()
	}
}

func (f *form) about(s slot, p payload) string {
	what := "a response"
	if _, rest, ok := strings.Cut(f.doc, `"method":"`); ok {
		what, _, _ = strings.Cut(rest, `"`)
	}
	if s.key {
		return fmt.Sprintf("%s with %s instead of the name %s", what, p.name, s.path)
	}
	return fmt.Sprintf("%s with %s as %s", what, p.name, s.path)
}
