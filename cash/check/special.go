package check

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strconv"
	"sync"
)

// A special is what has a row of its own: messages that are odd as a whole.
type special struct {
	name, title string
	web         bool // only over HTTP
	together    bool // sent at a time, before any answer is awaited
	messages    func(*maker) iter.Seq[*message]
}

// specials are in the order in which they are sent: what needs much memory is
// last, after memory was looked at.
var specials = []special{
	{name: "broken", title: "broken JSON is refused", messages: brokenJSON},
	{name: "envelope", title: "an envelope that is none is refused", messages: envelopes},
	{name: "twice", title: "members that come twice have one answer", messages: twice},
	{name: "edge-ids", title: "ids at the edge of the protocol are repeated or refused", messages: edgeIDs},
	{name: "reused-id", title: "two requests at a time with one id have two answers", together: true, messages: reusedID},
	{name: "batch", title: "a batch is answered whole or refused whole", messages: batches},
	{name: "header", title: "odd verbs and headers are refused or without effect", web: true, messages: headers},
	{name: "flood", title: "a flood of notifications has no answer and is not the end", together: true, messages: flood},
	{name: "deep", title: "nesting of 100,000 levels is not the end", messages: deep},
	{name: "large", title: "messages beyond all limits are refused and not the end", messages: large},
	{name: "wide", title: "a million small values are not the end", messages: wide},
}

// A maker makes the messages of a special for a link.
type maker struct {
	version string
	web     bool
	heavy   int // bytes of the largest messages
	many    int // notifications of a flood
	last    int
}

// id returns an id that was not used before.
func (b *maker) id() string {
	b.last++
	return strconv.Quote("s" + strconv.Itoa(b.last))
}

// ping returns a sound request.
func (b *maker) ping(id string) string {
	return plainRequest(b.version, id, pingMethod(b.version), "")
}

// call returns a request whose params have a member x.
func (b *maker) call(id, x string) string {
	return plainRequest(b.version, id, "tools/call", `"name":"no-such-tool","arguments":{"x":`+x+`}`)
}

// specials sends what has a row of its own.
func (a *attack) specials(ctx context.Context, l *link) error {
	b := &maker{version: l.version, web: l.web, heavy: a.heavy, many: min(10_000, 5*a.target.Requests)}
	for _, s := range specials {
		if s.web && !l.web {
			continue
		}
		l.judge.special = l.judge.ledger.row(s.name, s.title)
		if err := l.sendAll(ctx, s, b); err != nil {
			return err
		}
	}
	l.judge.special = nil
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

// together sends messages without awaiting answers between them.
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
				outcomes[i] = l.wire.exchange(ctx, list[i], nil, l.patience())
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

// joined returns messages as one, each on a line.
func joined(list []*message) *message {
	m := &message{about: strconv.Itoa(len(list)) + " at a time: " + list[0].about, kind: list[0].kind}
	var lines [][]byte
	for _, part := range list {
		lines = append(lines, part.data)
		m.ids = append(m.ids, part.ids...)
		m.null = m.null || part.null
		m.least += part.least
		m.most += part.most
	}
	m.data = bytes.Join(lines, []byte("\n"))
	return m
}
