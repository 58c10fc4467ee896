package check

import (
	"iter"
	"slices"
	"strings"
)

// flood sends notifications and responses, none of which is answered.
func flood(b *maker) iter.Seq[*message] {
	docs := []string{
		envelope("", "notifications/no/such", `"a":"b"`, ""),
		envelope("", "notifications/cancelled", `"requestId":"r"`, ""),
		envelope("", "notifications/progress", `"progressToken":"p","progress":1`, ""),
		responses[0],
	}
	n := b.many
	if b.web {
		n /= 10
	}
	return func(yield func(*message) bool) {
		for i := range n {
			if !yield(newQuiet(docs[i%len(docs)], "notifications")) {
				return
			}
		}
	}
}

// deep sends deeply nested messages.
func deep(b *maker) iter.Seq[*message] {
	const levels = 100_000
	arrays := strings.Repeat("[", levels) + strings.Repeat("]", levels)
	objects := strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
	id := b.id()
	return slices.Values([]*message{
		newBroken(b.call(id, arrays), "arrays in arguments", id),
		newBroken(b.call(id, objects), "objects in arguments", id),
		newBroken(b.ping(arrays), "arrays as id"),
		newBroken(arrays, "arrays alone"),
		newBroken(objects, "objects alone"),
		newBroken(arrays[:levels], "arrays without an end"),
		newBroken(objects[:levels*5], "objects without an end"),
	})
}

// large sends messages that are larger than a server should read.
func large(b *maker) iter.Seq[*message] {
	return func(yield func(*message) bool) {
		text := `"` + strings.Repeat("x", b.heavy) + `"`
		for _, chunked := range []bool{false, true} {
			if chunked && !b.web {
				continue
			}
			id := b.id()
			for _, m := range []*message{
				newBroken(b.call(id, text), "a long argument", id),
				newBroken(b.ping(text), "a long id", text),
				newBroken(strings.Repeat("x", b.heavy), "a long text that is no JSON"),
				newBroken(strings.Repeat(" ", b.heavy)+b.ping(id), "a ping after many blanks", id),
				newQuiet(envelope("", "notifications/no/such", `"x":`+text, ""), "a long notification").doubtful(),
			} {
				m.chunked, m.mayBreak = chunked, b.web
				if !yield(m) {
					return
				}
			}
		}
	}
}

// wide sends messages with many values, below the limits of servers.
func wide(b *maker) iter.Seq[*message] {
	return func(yield func(*message) bool) {
		id := b.id()
		size := b.heavy * 3 / 4
		objects := "[" + strings.Repeat("{},", size/3) + "{}]"
		members := "{" + manyMembers(size/16) + "}"
		elements := size / 150
		all := newBroken("["+strings.Repeat("{},", elements-1)+"{}]", "a batch of objects")
		all.whole, all.most = true, elements
		for _, m := range []*message{
			newBroken(b.call(id, objects), "objects in arguments", id),
			newBroken(b.call(id, members), "members in arguments", id),
			all,
		} {
			m.mayBreak = b.web
			if !yield(m) {
				return
			}
		}
	}
}
