package check

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Target is a CaSH server to check, with samples that a black box cannot guess. Only Transport is required. A row
// without its sample is not checked. Functions of samples must be deterministic and, except for Effect, must not
// change anything.
type Target struct {
	// Transport returns a new transport to the server for each connection.
	Transport func() mcp.Transport
	// Strict turns notes about recommended and inferred rules into failures.
	Strict bool
	// Version is the protocol version to ask for. Empty is the newest.
	Version string
	// Timeout is the deadline of each request. Zero is 30 seconds.
	Timeout time.Duration
	// SizeLimit is the server's gate threshold. Zero is 10,000 characters.
	SizeLimit int

	// Read is a call that succeeds. Its kwargs, if any, also show how keys are matched.
	Read *Sample
	// Echo is a function that returns one of its arguments.
	Echo *Echo
	// Large is a call whose result is over the gate threshold.
	Large *Sample
	// Sized returns a call whose result is one text of exactly chars characters, preferably multi-byte ones.
	Sized func(chars int) Sample
	// Stream is a call of a streaming function with a result over the gate threshold.
	Stream *Sample
	// Media is a call whose result is over the gate threshold because of an image or another block that is not
	// text.
	Media *Sample
	// LargeError is a call that fails with a text over the gate threshold.
	LargeError *Sample
	// Fails are calls that fail, panic, return nothing, or hang until their own deadline.
	Fails []Sample
	// Effect is a call that changes something.
	Effect *Effect
	// Skill is a skill with inputs.
	Skill *SkillSample
	// Hidden is a function that this caller may not see.
	Hidden *Hidden
}

// A Sample is a call of a function.
type Sample struct {
	Namespace string // empty is the root
	Function  string
	Kwargs    any // encodes to a JSON object; nil is omitted
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

// path returns the dotted name of the function.
func (s Sample) path() string { return join(s.Namespace, s.Function) }

// An Echo is a function that returns its argument Param, any JSON, as compact JSON text. Other text may surround
// it.
type Echo struct {
	Namespace, Function string
	Param               string
}

func (e *Echo) call(kwargs any) object {
	return Sample{Namespace: e.Namespace, Function: e.Function, Kwargs: kwargs}.args()
}

// An Effect is a call that changes something and answers with at least two characters. It may be called several
// times.
type Effect struct {
	Sample
	// Runs returns how often the function has run so far.
	Runs func() int
}

// A SkillSample is a skill whose text contains its inputs.
type SkillSample struct {
	Namespace, Name string
	// Inputs are kwargs whose values appear in the text. Nil is a skill without inputs.
	Inputs map[string]string
	// Keeps are parts of the source that the model must get unchanged, such as `call(namespace="orders",
	// function="create")`.
	Keeps []string
}

func (s *SkillSample) args() object {
	return named("namespace", s.Namespace, "skillname", s.Name)
}

// Hidden is a function that exists but that the caller of [Target.Transport] may not see.
type Hidden struct {
	Sample // a call that succeeds for the caller of Transport
	// Transport connects as a caller who may see and call the function.
	Transport func() mcp.Transport
}
