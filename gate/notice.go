package gate

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	maxFilters   = 5
	summaryWidth = 64
	replayLength = 128
)

// Notice is what a caller is told in place of a result that is too large (RFC
// section 7.2). Only Length is required. A Notice is plain data.
type Notice struct {
	// Length is the size of the result in characters, from [Length].
	Length int
	// Limit is the size that it exceeded. It is not written; it keeps the
	// rounded length from looking as if it had passed.
	Limit int
	// Summary says what the result consists of, usually Summary.String(). It
	// is cut to one line of 64 characters; "" leaves it out.
	Summary string
	// Suggested is the sizelimit to propose. Zero, or less than Length, means
	// Suggest(Length).
	Suggested int
	// Fixed says that there is no sizelimit to pass: the only way is to narrow the
	// query. It is for functions that only read; the fields after Filters are not
	// looked at then, and neither is Suggested.
	Fixed bool
	// Filters are the function's optional parameters, in the order in which
	// they are worth trying. The first five are named, without those that are
	// longer than 32 characters or consist of more than letters, digits, '_',
	// '-' and '.'. Nil gives general advice to narrow the query.
	Filters []string
	// AlreadyRan says that the function may have had effects and that its
	// result is kept, so that repeating the call returns it without running
	// the function again. False is for functions that only read.
	AlreadyRan bool
	// NotKept says that the function may have had effects and that its result
	// is gone. It wins over AlreadyRan.
	NotKept bool
	// Replay is the value to pass along as the kwarg "replay" when the kept
	// result cannot be found by caller or connection. Empty means it can. It
	// consists of at most 128 letters, digits, '-', '_' and '.'; with any
	// other, the notice reads as if NotKept were set, since a value that cannot
	// be written cannot be passed along.
	Replay string
}

// Text returns the notice as markdown of at most 600 characters, whatever the
// fields hold. It says that the response was held back, what and how much it
// is, and the next step: for a function that only reads, to narrow the query or
// to raise the limit; for one that already ran, how to get its result without,
// or only by, running it again.
func (n Notice) Text() string {
	head := "**Gated:** Response exceeds size limit (" + n.size() + ").\n\n"
	switch limit := n.suggested(); {
	case n.Fixed:
		return head + n.narrow() + "."
	case n.NotKept || n.AlreadyRan && !speakable(n.Replay):
		return head + fmt.Sprintf("The function already ran, but its result was not kept: repeating the call runs it again."+
			" If that is safe, pass `sizelimit=%d` to allow the full response through.", limit)
	case n.AlreadyRan && n.Replay != "":
		return head + fmt.Sprintf("The function already ran and its result is kept for a short time. To retrieve it, repeat the same call"+
			" with `sizelimit=%d` and `replay=\"%s\"` in kwargs; this does not run it again.", limit, n.Replay)
	case n.AlreadyRan:
		return head + fmt.Sprintf("The function already ran and its result is kept for a short time. To retrieve it, repeat the same call"+
			" with `sizelimit=%d`; this does not run it again.", limit)
	default:
		return head + fmt.Sprintf("To retrieve, either:\n- %s\n- Pass `sizelimit=%d` to allow the full response through",
			n.narrow(), limit)
	}
}

// size is the part in parentheses: "4821 orders, ~48,000 characters".
func (n Notice) size() string {
	size := "~" + thousands(n.rounded()) + " characters"
	if summary := cleanLine(n.Summary, summaryWidth); summary != "" {
		return summary + ", " + size
	}
	return size
}

// rounded is the length to the nearest thousand, or hundred where it is short,
// or the length itself where rounding would contradict the limit.
func (n Notice) rounded() int {
	step := 1
	switch {
	case n.Length >= 10_000:
		step = 1000
	case n.Length >= 1000:
		step = 100
	}
	r := n.Length / step * step
	if n.Length-r >= step-step/2 && step > 1 {
		r = add(r, step)
	}
	if r <= n.Limit {
		return max(n.Length, 0)
	}
	return max(r, 0)
}

func (n Notice) suggested() int {
	if n.Suggested > 0 && n.Suggested >= n.Length {
		return n.Suggested
	}
	return Suggest(n.Length)
}

func (n Notice) narrow() string {
	var names []string
	for _, filter := range n.Filters {
		if filter != "" && cleanName(filter) == filter {
			names = append(names, filter)
		}
		if len(names) == maxFilters {
			break
		}
	}
	if len(names) == 0 {
		return "Narrow the query (e.g., ask for fewer or more specific results)"
	}
	return "Add filters (e.g., " + strings.Join(names, ", ") + ") to narrow results"
}

// speakable reports whether a replay value survives being read and repeated by
// a model. Its words are ours, so anything else is a mistake of the caller.
func speakable(replay string) bool {
	return len(replay) <= replayLength && !strings.ContainsFunc(replay, func(r rune) bool {
		return r > unicode.MaxASCII || !plain(r)
	})
}
