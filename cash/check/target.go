package check

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Target is a CaSH server to check, with the samples that a black box cannot
// guess. Only Transport is required; a row whose sample is missing is not
// checked. Functions of samples must not change anything, Effect apart,
// and must answer the same call in the same way.
type Target struct {
	// Transport returns a transport to the server. It is called for every
	// connection, and each time returns a fresh one.
	Transport func() mcp.Transport
	// Strict makes failures of what is recommended or inferred.
	Strict bool
	// Version is the protocol version to ask for. Empty is the newest.
	Version string
	// Timeout is the deadline of each request. Zero is 30 seconds.
	Timeout time.Duration
	// SizeLimit is the gate threshold that the server is configured with.
	// Zero is 10,000 characters.
	SizeLimit int

	// Read is a call that succeeds. With kwargs, it also shows how their keys
	// are matched.
	Read *Sample
	// Echo is a function that returns one of its arguments.
	Echo *Echo
	// Large is a call whose result is over the gate threshold.
	Large *Sample
	// Sized returns a call whose result is one text of exactly so many
	// characters, best of such that take several bytes.
	Sized func(chars int) Sample
	// Stream is a call of a streaming function whose result is over the gate
	// threshold.
	Stream *Sample
	// Media is a call whose result is over the gate threshold because of an
	// image or another block that is not text.
	Media *Sample
	// LargeError is a call that fails with a text over the gate threshold.
	LargeError *Sample
	// Fails are calls whose functions fail, panic, return nothing, or hang
	// until a deadline of their own.
	Fails []Sample
	// Effect is a call that changes something.
	Effect *Effect
	// Skill is a skill with inputs.
	Skill *SkillSample
	// Hidden is what this caller may not see.
	Hidden *Hidden
}

// A Sample is a call of a function.
type Sample struct {
	Namespace string // empty is the root
	Function  string
	Kwargs    any // marshals to a JSON object; nil is omitted
	// Want is the exact content of the result. Nil is not compared.
	Want []mcp.Content
}

// args returns the arguments of the tool call.
func (s Sample) args() object {
	o := named("namespace", s.Namespace, "function", s.Function)
	if s.Kwargs != nil {
		o["kwargs"] = s.Kwargs
	}
	return o
}

// path is the dotted name of the function.
func (s Sample) path() string { return join(s.Namespace, s.Function) }

// An Echo is a function that returns the value of Param, whatever JSON that
// is, as compact JSON text (with or without something around it).
type Echo struct {
	Namespace, Function string
	Param               string
}

func (e *Echo) call(kwargs any) object {
	return Sample{Namespace: e.Namespace, Function: e.Function, Kwargs: kwargs}.args()
}

// An Effect is a call that changes something and answers with at least two
// characters. It may be made several times.
type Effect struct {
	Sample
	// Runs returns how often the function has run so far.
	Runs func() int
}

// A SkillSample is a skill whose text shows its inputs.
type SkillSample struct {
	Namespace, Name string
	// Inputs are kwargs whose values appear in the text. Nil is a skill without.
	Inputs map[string]string
	// Keeps are parts of the source that must reach the model unchanged, such
	// as `call(namespace="orders", function="create")`.
	Keeps []string
}

func (s *SkillSample) args() object {
	return named("namespace", s.Namespace, "skillname", s.Name)
}

// Hidden is a function that exists, but not for the caller of
// [Target.Transport].
type Hidden struct {
	Sample // a call that succeeds for the caller of Transport
	// Transport connects as a caller who may see and call it.
	Transport func() mcp.Transport
}
