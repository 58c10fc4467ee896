package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// direct answers the requests of clients without a session that are most frequent, without a connection of the SDK,
// which decodes each message some ten times. Everything else is the SDK's: other methods, other versions, requests for
// progress or for log messages, answers to questions, bodies above maxDirect, and headers that are not as the protocol
// wants them. So is server/discover, once per client: it notes the client in the session, which all share here. Both
// ways run the same handler: the face's, within the SDK's middleware.
type direct struct {
	srv    *mcp.Server
	handle mcp.MethodHandler // the outermost one
	tools  mcp.MethodHandler // of the SDK alone, which knows the face's own tools
	ctx    context.Context   // ends when srv is no longer used
	info   []byte            // metadata of an answer

	once    sync.Once
	session *mcp.ServerSession // of all requests, because handlers need one; nil if there is none

	clients, capabilities seen
}

// maxDirect is the most bytes of a message that is answered directly.
const maxDirect = 64 << 10

// newDirect returns nil if the SDK must see each request: the embedder says so, or has more on the server, even
// middleware.
func newDirect(ctx context.Context, s *Server, h *Host, srv *mcp.Server) *direct {
	if s.opts.ThroughSDK || s.opts.NewServer != nil || s.opts.HTTP == SessionsOnly {
		return nil
	}
	d := &direct{srv: srv, ctx: ctx, tools: h.innermost}
	d.info = strictjson.MustMarshal(mcp.Meta{mcp.MetaKeyServerInfo: s.impl})
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		d.handle = next
		return next
	})
	return d
}

// answers answers a request, if it is one of those for direct. data is its body, which the strict reader has accepted.
func (d *direct) answers(w http.ResponseWriter, r *http.Request, m *message) bool {
	if d == nil || len(m.raw) > maxDirect || !d.takes(r, m) {
		return false
	}
	d.once.Do(d.connect)
	req := d.request(r, m)
	if req == nil {
		return false
	}
	ctx := &carried{Context: r.Context(), token: req.GetExtra().TokenInfo, header: r.Header}
	res, err := d.handle(ctx, m.method, req)
	d.write(w, m.id, res, err)
	return true
}

// takes reports whether the headers of a request are those of a usual one. What is wrong with others, the SDK says.
func (d *direct) takes(r *http.Request, m *message) bool {
	h := r.Header
	version := header(h, versionHeader)
	_, named := m.named()
	token := auth.TokenInfoFromContext(r.Context())
	switch {
	case m.method != callTool && m.method != "tools/list" && m.method != readResource,
		m.responses != nil || m.state != nil,
		version < stateless || !slices.Contains(versions, version) || strictjson.Text(m.version) != version,
		header(h, "Content-Type") != "application/json" || len(h["Last-Event-Id"]) > 0 || !accepts(h["Accept"]),
		named && header(h, nameHeader) == "",
		r.Context().Value(recordKey{}) != nil,            // a function of this server serves it
		token != nil && token.Extra[carriedExtra] != nil: // of an outer CarryContext
		return false
	}
	for name := range h {
		if strings.HasPrefix(name, "Mcp-Param-") {
			return false
		}
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return !ok || !isLoopback(local) || isLocal(hostname(r.Host)) && r.Host == strings.ToLower(r.Host) // as the SDK
}

// isLoopback reports whether an address is one of this machine alone.
func isLoopback(a net.Addr) bool {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.IP.IsLoopback()
	}
	return isLocal(hostname(a.String()))
}

// accepts reports whether a client takes both forms of an answer, as the protocol demands.
func accepts(values []string) bool {
	var plain, stream bool
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			one, _, _ = strings.Cut(one, ";")
			switch strings.TrimSpace(one) {
			case "application/json":
				plain = true
			case "text/event-stream":
				stream = true
			}
		}
	}
	return plain && stream
}

// request returns the SDK's form of a message, or nil if the SDK must read it.
func (d *direct) request(r *http.Request, m *message) mcp.Request {
	meta := d.usual(m.meta)
	if meta == nil || d.session == nil {
		return nil
	}
	extra := &mcp.RequestExtra{TokenInfo: auth.TokenInfoFromContext(r.Context()), Header: r.Header}
	switch m.method {
	case callTool:
		p := &mcp.CallToolParamsRaw{Meta: meta, Name: strictjson.Text(m.name), Arguments: slices.Clip(m.arguments)}
		return &mcp.CallToolRequest{Session: d.session, Params: p, Extra: extra}
	case readResource:
		p := &mcp.ReadResourceParams{Meta: meta, URI: strictjson.Text(m.uri)}
		return &mcp.ReadResourceRequest{Session: d.session, Params: p, Extra: extra}
	}
	p := &mcp.ListToolsParams{Meta: meta, Cursor: strictjson.Text(m.cursor)}
	return &mcp.ListToolsRequest{Session: d.session, Params: p, Extra: extra}
}

// usual returns the metadata of a request that is complete and asks for nothing but an answer, else nil.
func (d *direct) usual(raw []byte) mcp.Meta {
	meta := make(mcp.Meta, 4)
	for key, value := range strictjson.RawMembers(raw) {
		ok := true
		switch string(strictjson.Unquote(key)) {
		case mcp.MetaKeyClientInfo:
			meta[mcp.MetaKeyClientInfo], ok = d.clients.decode(value, new(mcp.Implementation))
		case mcp.MetaKeyClientCapabilities:
			meta[mcp.MetaKeyClientCapabilities], ok = d.capabilities.decode(value, new(mcp.ClientCapabilities))
		default:
			meta[strictjson.Text(key)] = strictjson.Decode(value)
		}
		if !ok {
			return nil
		}
	}
	//lint:ignore SA1019 clients ask for log messages as long as they can
	if meta["progressToken"] != nil || meta[mcp.MetaKeyLogLevel] != nil || meta[mcp.MetaKeyClientCapabilities] == nil {
		return nil
	}
	return meta
}

// seen are the latest objects of a kind in the metadata of requests, decoded, by a hash of their spelling. Clients
// repeat them with each request. They are shared, and nobody changes them ([registry.Client]).
type seen [16]atomic.Pointer[seenObject]

type seenObject struct {
	raw   string
	value any
}

const maxSeen = 2 << 10 // bytes of the spelling

var seenSeed = maphash.MakeSeed()

// decode returns an object as encoding/json decodes it into an empty interface. ok is false unless it also decodes into
// v, the SDK's type.
func (s *seen) decode(raw []byte, v any) (value any, ok bool) {
	place := &s[maphash.Bytes(seenSeed, raw)%uint64(len(s))]
	if last := place.Load(); last != nil && last.raw == string(raw) {
		return last.value, true
	}
	if strictjson.KindOf(raw) != strictjson.Object || json.Unmarshal(raw, v) != nil {
		return nil, false
	}
	value = strictjson.Decode(raw)
	if len(raw) <= maxSeen {
		place.Store(&seenObject{string(raw), value})
	}
	return value, true
}

// write answers a request.
func (d *direct) write(w http.ResponseWriter, id json.RawMessage, res mcp.Result, err error) {
	status := http.StatusOK
	body := make([]byte, 0, sizeOf(res)+len(d.info)+len(id)+frame)
	body = append(append(append(body, `{"jsonrpc":"2.0","id":`...), id...), ',')
	head := body
	if err == nil {
		body, err = d.appendResult(body, res)
	}
	if err != nil {
		body = head
		wire := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		var coded *jsonrpc.Error
		if errors.As(err, &coded) {
			wire.Code = coded.Code
			if err == error(coded) {
				wire.Data = coded.Data
			}
		}
		switch wire.Code {
		case jsonrpc.CodeMethodNotFound:
			status = http.StatusNotFound
		case jsonrpc.CodeInvalidParams, mcp.CodeUnsupportedProtocolVersion, mcp.CodeMissingRequiredClientCapabilities:
			status = http.StatusBadRequest
		}
		body = append(append(body, `"error":`...), strictjson.MustMarshal(wire)...)
	}
	w.Header()["Content-Type"] = jsonType
	w.Header()["Cache-Control"] = noCache
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '}')) // the client may be gone
}

// frame is some more than the bytes of an answer around its result.
const frame = 128

// sizeOf estimates the bytes of a result with texts only.
func sizeOf(res mcp.Result) (n int) {
	if call, ok := res.(*mcp.CallToolResult); ok {
		for _, block := range call.Content {
			if t, ok := block.(*mcp.TextContent); ok && t != nil {
				n += len(t.Text) + len(t.Text)/8 + 32 // a JSON text in a text has a sign before each quotation mark
			}
		}
	}
	return n
}

// Values of the headers of an answer, which are only read.
var (
	jsonType = []string{"application/json"}
	noCache  = []string{"no-cache, no-transform"}
)

// appendResult appends the member with a result, which has a JSON form. As the SDK does, it names the server and the
// type of the result.
func (d *direct) appendResult(body []byte, res mcp.Result) ([]byte, error) {
	body = append(body, `"result":`...)
	call, isCall := res.(*mcp.CallToolResult)
	if isCall && call.Meta == nil && isPlain(call) {
		return d.appendPlain(body, call), nil
	}
	meta := res.GetMeta()
	if meta == nil {
		meta = make(map[string]any, 1)
	}
	if _, ok := meta[mcp.MetaKeyServerInfo]; !ok {
		meta[mcp.MetaKeyServerInfo] = json.RawMessage(strictjson.Member(d.info, mcp.MetaKeyServerInfo))
		res.SetMeta(meta)
	}
	data, err := json.Marshal(res)
	if err != nil {
		return nil, err
	}
	if strictjson.Member(data, "resultType") != nil {
		return append(body, data...), nil
	}
	return append(append(body, `{"resultType":"complete",`...), data[1:]...), nil
}

// appendPlain appends a result with texts only.
func (d *direct) appendPlain(body []byte, r *mcp.CallToolResult) []byte {
	body = append(body, `{"resultType":"complete","content":[`...)
	for i, block := range r.Content {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, `{"type":"text","text":`...)
		body = append(strictjson.AppendText(body, block.(*mcp.TextContent).Text), '}')
	}
	body = append(body, ']')
	if s, ok := r.StructuredContent.(json.RawMessage); ok {
		body = append(append(body, `,"structuredContent":`...), s...)
	}
	if r.IsError {
		body = append(body, `,"isError":true`...)
	}
	return append(append(append(body, `,"_meta":`...), d.info...), '}')
}

// connect gives the handlers a session. They only ask it which server it belongs to, and that it has no id, as each
// request stands alone. It has ended, so that nothing is kept open and nobody notifies it.
func (d *direct) connect() {
	session, err := d.srv.Connect(context.WithoutCancel(d.ctx), over{}, nil)
	if err != nil {
		return
	}
	_ = session.Wait()
	if !d.repeated(session) {
		d.session = session
	}
}

// repeated reports whether headers repeat an argument of a tool ([paramHeader]). The SDK compares them.
func (d *direct) repeated(session *mcp.ServerSession) bool {
	req := &mcp.ListToolsRequest{Session: session, Params: new(mcp.ListToolsParams)}
	for {
		res, err := d.tools(d.ctx, "tools/list", req)
		list, ok := res.(*mcp.ListToolsResult)
		if err != nil || !ok {
			return true
		}
		for _, tool := range list.Tools {
			schema, err := json.Marshal(tool.InputSchema)
			if err != nil || bytes.Contains(strictjson.Canonical(schema), []byte(paramHeader)) { // however it is spelled
				return true
			}
		}
		if list.NextCursor == "" {
			return false
		}
		req.Params.Cursor = list.NextCursor
	}
}

// over is a transport, and its connection that is over.
type over struct{}

func (over) Connect(context.Context) (mcp.Connection, error) { return over{}, nil }
func (over) Read(context.Context) (jsonrpc.Message, error)   { return nil, io.EOF }
func (over) Write(context.Context, jsonrpc.Message) error    { return io.ErrClosedPipe }
func (over) SessionID() string                               { return "" }
func (over) Close() error                                    { return nil }
