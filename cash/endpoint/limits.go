package endpoint

import (
	"fmt"
	"math"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// The limits of both directions, in bytes. A [Client] sends what an [Endpoint] takes, and reads what it writes.
const (
	// DefaultMaxRequest is the default of MaxRequest in [Options] and [ClientOptions].
	DefaultMaxRequest = 8 << 20
	// DefaultMaxAnswer is the default of MaxAnswer in [Options] and [ClientOptions].
	DefaultMaxAnswer = 8 << 20
	// maxOutput bounds the output of a command.
	maxOutput = 4 << 20
)

// Limits of both directions that are not in bytes. Arguments have at most [strictjson.MaxDepth] levels.
const (
	maxDepth = 1000   // levels of an answer
	maxTools = 10_000 // tools of an endpoint
)

// limit returns an option in bytes: zero is the default, negative is no limit.
func limit(option, standard int) int {
	switch {
	case option == 0:
		return standard
	case option < 0:
		return math.MaxInt
	}
	return option
}

// excess says in what an answer exceeds the limits. It is empty if clients can read the answer, followed by a line end.
func (e *Endpoint) excess(answer []byte) string {
	switch n := len(answer) + 1; {
	case n > e.opts.MaxAnswer:
		return fmt.Sprintf("has %d bytes; at most %d are sent", n, e.opts.MaxAnswer)
	case strictjson.CheckDepth(answer, maxDepth) != nil:
		return fmt.Sprintf("has more than %d levels", maxDepth)
	}
	return ""
}
