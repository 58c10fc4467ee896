package serve

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// Transports, as a hook sees them.
const (
	overHTTP   = "http"
	overStdio  = "stdio"
	overMemory = "memory"
	overOther  = "other"
)

// transportName returns the name of a transport for a hook.
func transportName(t mcp.Transport) string {
	switch t.(type) {
	case *mcp.StdioTransport, *mcp.IOTransport:
		return overStdio
	case *mcp.InMemoryTransport:
		return overMemory
	}
	return overOther
}

// Direct runs f as a Go call of a tool, without a transport, and tells the hook of it. f gets the record for its
// [Request]; nil if nobody observes. It is for the methods of a face that do what its tools do.
func Direct[T any](ctx context.Context, s *Server, tool string, arguments json.RawMessage, f func(context.Context, *observe.Record) (T, error)) (T, error) {
	var rec *observe.Record
	if s.observer != nil {
		ctx, rec = s.observer.Begin(ctx, observe.Request{
			Method: callTool, Tool: tool, Owner: registry.CallerFrom(ctx).Owner(), RequestBytes: len(arguments),
		})
	}
	panicked := true
	defer func() {
		if panicked {
			rec.Note(func(r *observe.Request) { r.Outcome = observe.Outcome(registry.Internal) })
		}
		rec.End()
	}()
	v, err := f(ctx, rec)
	panicked = false
	res, _ := any(v).(*registry.Result)
	o := registry.OutcomeOf(res, err)
	s.counts.add(o)
	if rec != nil {
		text, _ := any(v).(string)
		rec.Note(func(r *observe.Request) {
			r.ResultBytes = res.Size() + len(text)
			if r.Outcome == "" || err != nil { // the face may know better
				r.Outcome = o
			}
		})
	}
	return v, err
}

// recordKey is the key of a context for the record of its request.
type recordKey struct{}

// recorded is the record of a request in its context.
type recorded struct {
	session mcp.Session // of the request: a function may serve others within its context
	record  *observe.Record
}

// record returns the record of the request in whose context a tool runs; nil if nobody observes.
func (h *Host) record(ctx context.Context) *observe.Record {
	if h.server.observer == nil {
		return nil
	}
	one, _ := ctx.Value(recordKey{}).(recorded)
	return one.record
}

// begin tells the hook of a request. A further face on the same MCP server does not tell it again.
func (h *Host) begin(ctx context.Context, method string, req mcp.Request) (context.Context, *observe.Record) {
	o := h.server.observer
	if o == nil {
		return ctx, nil
	}
	session := req.GetSession()
	if outer, ok := ctx.Value(recordKey{}).(recorded); ok && outer.session == session {
		return ctx, nil
	}
	r := observe.Request{Method: method, Transport: h.transport, Version: versionOf(req)}
	if r.Transport == "" {
		r.Transport = overOther
	}
	if p := req.GetParams(); p != nil && !reflect.ValueOf(p).IsNil() {
		r.Meta = p.GetMeta()
	}
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		r.Transport, r.Header = overHTTP, extra.Header
		if s := Session(req); s != nil {
			r.Session = s.ID()
		}
	}
	if a, ok := ctx.Value(arrivalKey{}).(*arrival); ok {
		a.seen.Store(true)
		r.Start = a.start
	}
	ctx, record := o.Begin(ctx, r)
	return context.WithValue(ctx, recordKey{}, recorded{session, record}), record
}

// versions are those of the protocol that a client and this server may have agreed on.
var versions = mcp.SupportedProtocolVersions()

// versionOf returns the version of the protocol of a request; empty if it is none of ours.
func versionOf(req mcp.Request) string {
	r, ok := req.(interface{ ProtocolVersion() string })
	if !ok {
		return ""
	}
	if v := r.ProtocolVersion(); slices.Contains(versions, v) {
		return v
	}
	return ""
}

// end tells the hook of the end of a request, and counts it unless ran has.
func (h *Host) end(rec *observe.Record, method string, req mcp.Request, res mcp.Result, err error) {
	if (err != nil || method != callTool) && !methods[method].notification {
		o := observe.OK
		if err != nil {
			o = observe.Refused
		}
		h.server.counts.add(o)
	}
	rec.Note(func(r *observe.Request) {
		var wire *jsonrpc.Error
		if err != nil {
			r.Outcome = observe.Refused
			if errors.As(err, &wire) {
				r.Code = wire.Code
			}
			return
		}
		switch res := res.(type) {
		case *mcp.InitializeResult:
			r.Version = res.ProtocolVersion
		case *mcp.CallToolResult:
			if call, ok := req.(*mcp.CallToolRequest); ok && r.Tool == "" { // one of the embedder's own
				own := &registry.Result{Content: res.Content, IsError: res.IsError, InputRequests: res.InputRequests}
				r.Tool, r.RequestBytes, r.ResultBytes = call.Params.Name, len(call.Params.Arguments), own.Size()
				r.Outcome = registry.OutcomeOf(own, nil)
			}
		}
	})
	rec.End()
}

// ran counts a call of one of the face's tools, and notes how it ended.
func (h *Host) ran(ctx context.Context, req *mcp.CallToolRequest, res *registry.Result, err error) {
	o := registry.OutcomeOf(res, err)
	h.server.counts.add(o)
	h.record(ctx).Note(func(r *observe.Request) {
		r.Tool, r.RequestBytes = req.Params.Name, len(req.Params.Arguments)
		if r.Outcome == "" || err != nil { // the face may know better
			r.Outcome = o
		}
		if err == nil {
			r.ResultBytes = res.Size()
		}
	})
}

// An arrival is a message that came, and may be refused before it becomes a request.
type arrival struct {
	start  time.Time
	method string // if it is known
	code   int64  // JSON-RPC code of the refusal; zero is none
	bytes  int
	seen   atomic.Bool // it has become a request, of which the hook was told
}

// arrivalKey is the key of a context for the arrival of its request.
type arrivalKey struct{}

// refused counts a refusal of the strict reader, and notes it.
func (s *Server) refused(a *arrival, f *refusal, bytes int) {
	s.counts.add(observe.Refused)
	if a != nil {
		a.method, a.code, a.bytes = f.method, f.code, bytes
	}
}

// A watcher tells the hook of messages on a connection that are refused before they become requests: by the strict
// reader, by the limits of the connection, or by the SDK.
type watcher struct {
	*Server
	ctx       context.Context // Run's
	transport string

	mu       sync.Mutex
	arrivals map[jsonrpc.ID]*arrival // of calls without an answer
}

func (s *Server) newWatcher(ctx context.Context, transport string) *watcher {
	return &watcher{Server: s, ctx: ctx, transport: transport, arrivals: make(map[jsonrpc.ID]*arrival)}
}

// refused counts and tells a refusal.
func (w *watcher) refused(f *refusal, bytes int) {
	a := &arrival{start: time.Now()}
	w.Server.refused(a, f, bytes)
	w.tell(w.ctx, a, observe.Request{Transport: w.transport})
}

// came lets a call carry its arrival, until it is answered.
func (w *watcher) came(req *jsonrpc.Request) {
	if w.observer == nil {
		return
	}
	a := &arrival{start: time.Now(), method: known(req.Method), bytes: len(req.Params)}
	c := &carried{Context: context.WithValue(context.Background(), arrivalKey{}, a)}
	req.Extra = &mcp.RequestExtra{TokenInfo: &auth.TokenInfo{Extra: map[string]any{carriedExtra: c}}}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrivals[req.ID] = a
}

// answered tells of a call that the SDK has refused.
func (w *watcher) answered(answer *jsonrpc.Response) {
	if w.observer == nil {
		return
	}
	w.mu.Lock()
	a := w.arrivals[answer.ID]
	delete(w.arrivals, answer.ID)
	w.mu.Unlock()
	if a == nil || a.seen.Load() || answer.Error == nil {
		return
	}
	var wire *jsonrpc.Error
	if errors.As(answer.Error, &wire) {
		a.code = wire.Code
	}
	w.tell(w.ctx, a, observe.Request{Transport: w.transport})
}

// known returns the name of a method, empty if the reader does not know it.
func known(method string) string {
	if _, ok := methods[method]; !ok {
		return ""
	}
	return method
}

// tell tells the hook of a message that was refused before it became a request.
func (s *Server) tell(ctx context.Context, a *arrival, r observe.Request) {
	if s.observer == nil {
		return
	}
	r.Start, r.Method, r.Code, r.RequestBytes, r.Outcome = a.start, a.method, a.code, a.bytes, observe.Refused
	_, rec := s.observer.Begin(ctx, r)
	rec.End()
}
