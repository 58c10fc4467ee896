package check

import (
	"iter"
	"slices"
	"strings"
)

// batches are arrays of messages, which the protocol had once.
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
