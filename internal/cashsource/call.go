package cashsource

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Call is one call of a function, as it is sent to the server's tool call.
type Call struct {
	Arguments json.RawMessage // of the tool call
	Meta      mcp.Meta        // identifies the caller; may be nil

	offer, definition string // key and hash of the function when it was built
	function          *registry.Function
	view              view
}

// Offers reports whether the server's definition of the called function is unchanged.
func (s *Source) Offers(call *Call) bool {
	return call.definition != "" && s.offered[call.offer] == call.definition
}

// Lacks reports whether the server no longer has the called function.
func (s *Source) Lacks(call *Call) bool { return s.offered[call.offer] == "" }

// offer returns the key of a function among those that a server offers.
func offer(path, name string) string { return wire.CanonicalPath(path) + "." + key(name) }

// definition is the hash of everything the server reports about a function.
func definition(e cashtext.Entry, d *cashtext.Function) string {
	data, err := json.Marshal([]any{e, d})
	if err != nil { // texts and booleans always encode
		return ""
	}
	sum := sha256.Sum256(data)
	return string(sum[:])
}

// meta returns metadata that tells callers apart without naming them.
func (v view) meta(c *registry.Call) mcp.Meta {
	if c.Client == nil || c.Client.Owner == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(v.Self + "\x00" + c.Client.Owner))
	return mcp.Meta{registry.MetaFor: hex.EncodeToString(sum[:16])}
}

// arguments returns the arguments of the tool call. Those of the gate are passed on: only the server gates (R138).
func (v view) arguments(path, name string, c *registry.Call) json.RawMessage {
	args := &callArguments{namespace: path, function: name, kwargs: c.Arguments}
	if g := c.Gate; g != nil {
		if g.Asked || g.Limit != v.limit {
			args.limit, args.asked = &g.Limit, g.Asked
		}
		args.replay = g.Replay
	}
	if v.dryRuns {
		args.planToken = c.PlanToken
	}
	return v.dialect.spellCall(args)
}

// maxNotice bounds the length of a gate's notice, in characters.
const maxNotice = 2000

// Result returns the result of the call. r is the answer as any caller would get it; moved reports progress. Paths
// in errors and notices are rewritten; data are not. A result that the server has gated or streamed is not gated
// again (RFC 7.4). An error that the server itself has raised is an *[registry.Error], so that each face words it. A
// failure of the function is a result.
func (call *Call) Result(a *wire.Answer, r *registry.Result, moved bool) (*registry.Result, error) {
	streamed := string(a.Extra[registry.MetaStreaming]) == "true"
	r.Ungated = isNotice(r) || (moved || streamed) && !a.IsError
	if !a.IsError {
		return r, nil
	}
	if e := call.raised(a, r); e != nil {
		return nil, e
	}
	if code, ok := a.Extra[registry.MetaCode]; ok {
		r.Meta[registry.MetaCode] = json.RawMessage(clean.ContentJSON(code))
	}
	r.Content = slices.Clone(r.Content)
	for i, block := range r.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			r.Content[i] = &mcp.TextContent{Text: call.view.text.Text(clean.Text(t.Text)), Meta: t.Meta, Annotations: t.Annotations}
		}
	}
	return r, nil
}

// maxRaised bounds the text of an error that a server has raised, in characters.
const maxRaised = 4000

// raised returns the error that the server has raised; nil if it passes on a result that is marked as an error. The
// server says so by a code, or by advice on its own tools.
func (call *Call) raised(a *wire.Answer, r *registry.Result) *registry.Error {
	if r.Ungated || len(r.Content) != 1 || r.Structured != nil {
		return nil
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	if !ok || utf8.RuneCountInString(t.Text) > maxRaised {
		return nil
	}
	kind := kindOfAnswer(a)
	message, advice := cashtext.Advice(strings.TrimPrefix(call.view.text.Text(clean.Text(t.Text)), errorMark))
	if advice == "" && a.Extra[registry.MetaCode] == nil {
		return nil
	}
	e := &registry.Error{Kind: kind, Namespace: call.function.Namespace(), Name: call.function.Name(), Message: message}
	advise(e, advice)
	if kind == registry.Denied || kind == registry.Unauthorized {
		e.Details = map[string]any{registry.DetailReason: registry.ReasonUpstream}
	}
	return e
}

// errorMark begins the text of an error (RFC 4.4).
const errorMark = "**Error:** "

// kindOfAnswer returns the kind of an error in the server's answer. Without a valid one it is Failed.
func kindOfAnswer(a *wire.Answer) registry.Kind {
	if kind := registry.Kind(strictjson.Text(a.Extra[registry.MetaCode])); kind.Known() {
		return kind
	}
	return registry.Failed
}

// advise sets the hint of an error to advice on the tools call, help and skill.
func advise(e *registry.Error, advice string) {
	if e.Hint = advice; advice == "" {
		return
	}
	switch e.Kind {
	case registry.UnknownSkill:
		e.Next = registry.LookUpSkills
	case registry.InvalidArguments:
		e.Next = registry.ReadDefinition
	default:
		e.Next = registry.LookUp
	}
}

// isNotice reports whether a result consists only of a gate's notice.
func isNotice(r *registry.Result) bool {
	if len(r.Content) != 1 || r.Structured != nil || len(r.Meta) > 0 {
		return false
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	return ok && t.Meta == nil && utf8.RuneCountInString(t.Text) <= maxNotice && cashtext.IsGated(t.Text)
}
