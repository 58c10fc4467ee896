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

// Notice is the message in place of a result that is too large (RFC section 7.2). Only Length is
// required. A Notice is plain data.
type Notice struct {
	// Length is the size of the result in characters, from [Length].
	Length int
	// Limit is the limit that Length exceeds. It is not written. The rounded length stays above it.
	Limit int
	// Summary describes the contents of the result, usually Summary.String(). It is cut to one line
	// of 64 characters; "" leaves it out.
	Summary string
	// Suggested is the sizelimit to propose. Zero, or less than Length, is Suggest(Length).
	Suggested int
	// Fixed reports that there is no sizelimit: the caller can only narrow the query. It is for
	// functions that only read. Suggested and the fields after Filters are then ignored.
	Fixed bool
	// Filters are the function's optional parameters, the most useful first. The notice names the
	// first five that have at most 32 characters, all of them letters, digits, '_', '-' and '.'.
	// Nil gives general advice to narrow the query.
	Filters []string
	// AlreadyRan reports that the function may have had effects and that its result is kept: a
	// repeated call returns it without running the function again. False is for functions that only
	// read.
	AlreadyRan bool
	// NotKept reports that the function may have had effects and that its result is lost. It
	// overrides AlreadyRan.
	NotKept bool
	// Replay is the value of the kwarg "replay", for a kept result that cannot be found by caller
	// or connection. Empty: it can be found. It has at most 128 letters, digits, '-', '_' and '.'.
	// Any other value cannot be written, so the notice reads as if NotKept were set.
	Replay string
}

// Text returns the notice as Markdown of at most 600 characters, for any values of the fields. It
// says that the response was held back, its size and contents, and the next step: to narrow the
// query or raise the limit for a function that only reads; for one that already ran, how to get its
// result without running it again, or that only another run gives it.
func (n Notice) Text() string {
	head := "**Gated:** Response exceeds size limit (" + n.size() + ").\n\n"
	switch limit := n.suggested(); {
	case n.Fixed:
		return head + Narrow(n.Filters) + "."
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
			Narrow(n.Filters), limit)
	}
}

// size returns the part in parentheses: "4821 orders, ~48,000 characters".
func (n Notice) size() string {
	size := "~" + thousands(n.rounded()) + " characters"
	if summary := cleanLine(n.Summary, summaryWidth); summary != "" {
		return summary + ", " + size
	}
	return size
}

// rounded returns the length to the nearest thousand, or hundred if it is short. It returns the
// exact length if rounding would contradict the limit.
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

// Narrow returns the advice of a [Notice] to narrow the query, without its full stop. It names filters as
// [Notice.Filters] says.
func Narrow(filters []string) string {
	var names []string
	for _, filter := range filters {
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

// speakable reports whether a model can read and repeat a replay value. The library makes these
// values, so any other value is a mistake of the caller.
func speakable(replay string) bool {
	return len(replay) <= replayLength && !strings.ContainsFunc(replay, func(r rune) bool {
		return r > unicode.MaxASCII || !plain(r)
	})
}
