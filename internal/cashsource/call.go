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

// A Call is a call of a function, as the server is asked for it by its tool call.
type Call struct {
	Arguments json.RawMessage // of the tool
	Meta      mcp.Meta        // for whom it is; may be nil

	offer, definition string // what the function was made of
	view              view
}

// Offers reports whether the server still says the same of the function that is
// called.
func (s *Source) Offers(call *Call) bool {
	return call.definition != "" && s.offered[call.offer] == call.definition
}

// offer is the key of a function among those that a server offers.
func offer(path, name string) string { return canonicalPath(path) + "." + key(name) }

// definition is the hash of everything the server reports about a function.
func definition(e cashtext.Entry, d *cashtext.Function) string {
	data, err := json.Marshal([]any{e, d})
	if err != nil { // texts and flags always have a JSON form
		return ""
	}
	sum := sha256.Sum256(data)
	return string(sum[:])
}

// meta tells the server one caller from the others, without saying who it is.
func (v view) meta(c *registry.Call) mcp.Meta {
	if c.Client == nil || c.Client.Owner == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(v.Self + "\x00" + c.Client.Owner))
	return mcp.Meta{registry.MetaFor: hex.EncodeToString(sum[:16])}
}

// arguments are those of the tool call. The gate's are passed on: there is one
// gate, and it is the server's (R138).
func (v view) arguments(path, name string, c *registry.Call) json.RawMessage {
	args := &callArguments{namespace: path, function: name, kwargs: c.Arguments}
	if g := c.Gate; g != nil {
		if g.Asked || g.Limit != v.limit {
			args.limit, args.asked = &g.Limit, g.Asked
		}
		args.replay = g.Replay
	}
	return v.dialect.callArguments(args)
}

// maxNotice bounds what passes as the notice of a gate, in characters.
const maxNotice = 2000

// Result is an answer of the call: r is what every caller would get of it, moved
// says that there was progress. Errors and notices name what they name by its
// path here; data are left alone. What the server has gated is not gated again,
// and neither is what it streams (RFC 7.4).
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

// isNotice reports whether a result is the notice of a gate, and nothing else.
func isNotice(r *registry.Result) bool {
	if len(r.Content) != 1 || r.Structured != nil || len(r.Meta) > 0 {
		return false
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	return ok && t.Meta == nil && utf8.RuneCountInString(t.Text) <= maxNotice && cashtext.IsGated(t.Text)
}
