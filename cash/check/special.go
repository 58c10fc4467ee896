package check

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A special is a set of messages that are odd as a whole, such as batches. It has one row for all statements.
type special struct {
	statement
	web      bool // over HTTP only
	together bool // sent at once, before waiting for answers
	messages func(*maker) iter.Seq[*message]
}

// specials are in the order of sending. Those that need much memory come after the memory check.
var specials = []special{
	{statement: statement{"broken", "broken JSON is refused"}, messages: brokenJSON},
	{statement: statement{"envelope", "an envelope that is none is refused"}, messages: envelopes},
	{statement: statement{"twice", "members that come twice have one answer"}, messages: twice},
	{statement: statement{"edge-ids", "ids at the edge of the protocol are repeated or refused"}, messages: edgeIDs},
	{statement: statement{"reused-id", "two requests at a time with one id have two answers"}, together: true, messages: reusedID},
	{statement: statement{"batch", "a batch is answered whole or refused whole"}, messages: batches},
	{statement: statement{"header", "odd verbs and headers are refused or without effect"}, web: true, messages: headers},
	{statement: statement{"flood", "a flood of notifications has no answer and is not the end"}, together: true, messages: flood},
	{statement: statement{"deep", "nesting of 100,000 levels is not the end"}, messages: deep},
	{statement: statement{"large", "messages beyond all limits are refused and not the end"}, messages: large},
	{statement: statement{"wide", "a million small values are not the end"}, messages: wide},
}

// A maker makes the messages of a special for a link.
type maker struct {
	version string
	web     bool
	heavy   int // size in bytes of the largest messages
	many    int // number of messages of a flood
	last    int
}

// id returns an unused id.
func (b *maker) id() string {
	b.last++
	return strconv.Quote("s" + strconv.Itoa(b.last))
}

// ping returns a valid request.
func (b *maker) ping(id string) string {
	return plainRequest(b.version, id, pingMethod(b.version), "")
}

// call returns a request whose params have the member x.
func (b *maker) call(id, x string) string {
	return plainRequest(b.version, id, "tools/call", `"name":"no-such-tool","arguments":{"x":`+x+`}`)
}

// sendSpecials sends the messages of all specials.
func (a *attack) sendSpecials(ctx context.Context, l *link) error {
	b := &maker{version: l.version, web: l.web, heavy: a.heavy, many: min(10_000, 5*a.target.Requests)}
	for _, s := range specials {
		if s.web && !l.web {
			continue
		}
		l.judge.setRow = l.judge.ledger.row(s.statement)
		if err := l.sendAll(ctx, s, b); err != nil {
			return err
		}
	}
	l.judge.setRow = nil
	return nil
}

func (l *link) sendAll(ctx context.Context, s special, b *maker) error {
	if s.together {
		return l.together(ctx, slices.Collect(s.messages(b)))
	}
	for m := range s.messages(b) {
		if err := l.send(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// together sends messages without waiting for answers in between.
func (l *link) together(ctx context.Context, list []*message) error {
	if !l.web {
		return l.send(ctx, joined(list))
	}
	outcomes := make([]*outcome, len(list))
	var wg sync.WaitGroup
	const workers = 8
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(list) && ctx.Err() == nil; i += workers {
				outcomes[i] = l.wire.exchange(ctx, list[i], nil, l.answerTimeout())
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, o := range outcomes {
		l.sent++
		l.judge.look(list[i], o)
	}
	return l.send(ctx, l.ping())
}

// joined returns several messages as one, one per line.
func joined(list []*message) *message {
	m := &message{about: strconv.Itoa(len(list)) + " at a time: " + list[0].about, kind: list[0].kind}
	var lines [][]byte
	for _, part := range list {
		lines = append(lines, part.data)
		m.ids = append(m.ids, part.ids...)
		m.mayRefuse = m.mayRefuse || part.mayRefuse
		m.least += part.least
		m.most += part.most
	}
	m.data = bytes.Join(lines, []byte("\n"))
	return m
}

// batches are arrays of messages, as in earlier protocol versions.
func batches(b *maker) iter.Seq[*message] {
	batch := func(about string, n int, ids []string, elements ...string) *message {
		m := newBroken("["+strings.Join(elements, ",")+"]", about, ids...)
		m.whole, m.least, m.most = true, n, n
		return m
	}
	pings := func(n int) (ids, docs []string) {
		for range n {
			ids = append(ids, b.id())
			docs = append(docs, b.ping(ids[len(ids)-1]))
		}
		return ids, docs
	}
	note := envelope("", "notifications/no/such", `"a":"b"`, "")
	one, oneDoc := pings(1)
	three, threeDocs := pings(3)
	many, manyDocs := pings(1000)
	id, mixed := b.id(), b.id()
	between := newBroken("[1,"+b.ping(mixed)+","+note+"]", "a request between others", mixed)
	between.most = 2 // a refusal of the first, and the answer to the second
	quietOnes := newQuiet("["+note+","+responses[0]+"]", "notifications only").doubtful()
	return slices.Values([]*message{
		batch("empty", 1, nil),
		batch("a number", 1, nil, "1"),
		batch("an empty batch in it", 1, nil, "[]"),
		batch("one request", 1, one, oneDoc...),
		batch("three requests", 3, three, threeDocs...),
		between,
		batch("two of one id", 2, []string{id, id}, b.ping(id), b.ping(id)),
		batch("1,000 requests", 1000, many, manyDocs...),
		quietOnes,
	})
}

// edgeIDs are ids on both sides of what is allowed.
func edgeIDs(b *maker) iter.Seq[*message] {
	ids := []payload{
		{"2^53-1", "9007199254740991"}, {"-(2^53-1)", "-9007199254740991"},
		{"2^53+1", "9007199254740993"}, {"-(2^53+1)", "-9007199254740993"}, {"2^53", "9007199254740992"},
		{"2^63-1", "9223372036854775807"}, {"2^63", "9223372036854775808"}, {"2^64", "18446744073709551616"},
		{"-1", "-1"}, {"0", "0"}, {"-0", "-0"}, {"1.0", "1.0"}, {"1.5", "1.5"}, {"0.1", "0.1"}, {"1e3", "1e3"},
		{"1e400", "1e400"}, {"1e999999999", "1e999999999"}, {"1e-400", "1e-400"},
		{"null", "null"}, {"true", "true"}, {"{}", "{}"}, {"[]", "[]"}, {"[1]", "[1]"}, {`{"id":1}`, `{"id":1}`},
		{"an empty text", `""`}, {"a blank", `" "`}, {"null as text", `"null"`}, {"1 as text", `"1"`},
		{"a text with an escape", `"\u0061"`}, {"a text with a slash", `"\/"`}, {"ESC", `"\u001b"`}, {"an escaped quote", `"\""`},
		{"a lone surrogate", `"\ud800"`}, {"HTML", `"<a href=x>&amp;"`}, {"U+2028", `"\u2028"`},
		{"4,000 bytes", quoted(strings.Repeat("i", 4000))}, {"100,000 bytes", quoted(strings.Repeat("i", 100_000))},
		{"10,000 digits", strings.Repeat("7", 10_000)},
	}
	var list []*message
	for _, p := range ids {
		m := newRequest(p.raw, b.ping(p.raw), p.name+" as id")
		m.setID(p.raw)
		list = append(list, m.weigh())
	}
	return slices.Values(list)
}

// reusedID are requests with the same id.
func reusedID(b *maker) iter.Seq[*message] {
	id := b.id()
	data := plainRequest(b.version, id, "tools/list", "")
	m := newRequest(id, data, "one id").doubtful()
	return slices.Values([]*message{m, m})
}

// headers are HTTP requests with odd headers and valid bodies.
func headers(b *maker) iter.Seq[*message] {
	var list []*message
	add := func(about string, status func(int) bool, header http.Header) *message {
		id := b.id()
		m := newBroken(b.ping(id), about, id)
		m.header, m.status = header, status
		list = append(list, m)
		return m
	}
	odd := []payload{{"none", ""}, {"text/plain", "text/plain"}, {"a form", "application/x-www-form-urlencoded"},
		{"UTF-16", "application/json; charset=utf-16"}, {"a byte 80", "application/json\x80"}, {"a long one", strings.Repeat("a/", 2000)},
		{"no type", ";;;,"}, {"anything", "*/*"}, {"a quality", "application/json;q=0, text/event-stream;q=0"}}
	for _, name := range []string{"Content-Type", "Accept", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Content-Encoding", "Last-Event-Id", "Origin"} {
		for _, p := range odd {
			h := http.Header{name: {p.raw}}
			if p.raw == "" {
				h[name] = nil
			}
			add(p.name+" as "+name, okOrRefused, h)
		}
	}
	add("another version", okOrRefused, http.Header{"Mcp-Protocol-Version": {"2024-11-05"}})
	add("a version to come", okOrRefused, http.Header{"Mcp-Protocol-Version": {"9999-12-31"}})
	add("two versions", okOrRefused, http.Header{"Mcp-Protocol-Version": {"2025-11-25", "2026-07-28"}})
	add("another origin", okOrRefused, http.Header{"Origin": {"http://evil.example"}, "Sec-Fetch-Site": {"cross-site"}})
	add("another host", okOrRefused, http.Header{"Host": {"evil.example"}})
	if b.version < sessionless {
		add("a session that is none", is4xx, http.Header{"Mcp-Session-Id": {"no-such-session"}})
		add("a session like a path", is4xx, http.Header{"Mcp-Session-Id": {"../../x"}})
	}
	for _, verb := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
		m := add(verb, okOrRefused, http.Header{"Mcp-Session-Id": nil, "Accept": {"application/json"}})
		m.verb = verb
	}
	return slices.Values(list)
}

func is4xx(status int) bool { return status >= 400 && status < 500 }

func okOrRefused(status int) bool { return status >= 200 && status < 300 || is4xx(status) }
