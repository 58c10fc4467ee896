package cashsource

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Call is one call of a function, as it is sent to the server's tool call.
type Call struct {
	Arguments json.RawMessage // of the tool call
	Meta      mcp.Meta        // identifies the caller; may be nil

	offer, definition string // key and hash of the function when it was built
	view              view
}

// Offers reports whether the server's definition of the called function is unchanged.
func (s *Source) Offers(call *Call) bool {
	return call.definition != "" && s.offered[call.offer] == call.definition
}

// offer returns the key of a function among those that a server offers.
func offer(path, name string) string { return canonicalPath(path) + "." + key(name) }

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
// again (RFC 7.4).
func (call *Call) Result(a *wire.Answer, r *registry.Result, moved bool) *registry.Result {
	streamed := string(a.Extra[registry.MetaStreaming]) == "true"
	r.Ungated = isNotice(r) || (moved || streamed) && !a.IsError
	if !a.IsError {
		return r
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
	return r
}

// isNotice reports whether a result consists only of a gate's notice.
func isNotice(r *registry.Result) bool {
	if len(r.Content) != 1 || r.Structured != nil || len(r.Meta) > 0 {
		return false
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	return ok && t.Meta == nil && utf8.RuneCountInString(t.Text) <= maxNotice && cashtext.IsGated(t.Text)
}
