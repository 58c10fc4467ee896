package serve

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// Bounds of an error sent to a client.
const (
	maxMessage = 1_000 // characters
	maxData    = 4_096 // bytes
)

// encodable returns the outcome of a request in a form that the SDK can write. The SDK takes an
// error during writing for a broken connection and never answers such a call.
func (h *Host) encodable(ctx context.Context, method string, req mcp.Request, res mcp.Result, err error) (mcp.Result, error) {
	if strings.HasPrefix(method, "notifications/") {
		return res, err
	}
	if err != nil {
		return nil, sendable(err, req)
	}
	size, err := encodes(res)
	if err != nil {
		h.server.opts.Logger.ErrorContext(ctx, "the result cannot be encoded", "method", method, "error", err.Error())
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the result cannot be encoded as JSON"}
	}
	if size > 0 {
		h.record(ctx).Note(func(r *observe.Request) { r.ResultBytes = size })
	}
	return res, nil
}

// sendable returns err with a code and a bounded size.
func sendable(err error, req mcp.Request) error {
	wire, ok := err.(*jsonrpc.Error) // the data of a wrapped one is not sent
	if !ok {
		if errors.As(err, &wire) && utf8.RuneCountInString(err.Error()) <= maxMessage {
			return err
		}
		return uncoded{err, wire}
	}
	short := *wire
	short.Message = clean.Cut(wire.Message, maxMessage)
	if len(short.Data) > 0 && strictjson.Scan(short.Data, maxDepth, minValues) != nil {
		short.Data = resourceData(req)
	}
	if len(short.Data) > maxData {
		short.Data = nil
	}
	return &short
}

// resourceData returns the data of an error about a resource, where the SDK would write invalid
// JSON with %q. Nil is for all other requests.
func resourceData(req mcp.Request) json.RawMessage {
	r, ok := req.(*mcp.ReadResourceRequest)
	if !ok || r.Params == nil {
		return nil
	}
	data, err := json.Marshal(map[string]string{"uri": r.Params.URI})
	if err != nil {
		return nil
	}
	return data
}

// uncoded is an error without a JSON-RPC code, which would be sent as 0, or with a message that is
// too long.
type uncoded struct {
	error
	wire *jsonrpc.Error // the wrapped one, or nil
}

func (e uncoded) Error() string { return clean.Cut(e.error.Error(), maxMessage) }

// Unwrap gives the error the code of an internal error, unless it has one.
func (e uncoded) Unwrap() []error {
	if e.wire != nil {
		return []error{e.error}
	}
	return []error{e.error, &jsonrpc.Error{Code: jsonrpc.CodeInternalError}}
}

// encodes returns the reason why a result has no JSON form, or nil and its size. The size of the result of a tool is
// not counted: it is known.
func encodes(res mcp.Result) (size int, err error) {
	if v := reflect.ValueOf(res); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return 0, errors.New("there is none")
	}
	r, isTool := res.(*mcp.CallToolResult)
	if isTool && isPlain(r) {
		return 0, nil
	}
	data, err := json.Marshal(res)
	if !isTool {
		size = len(data)
	}
	return size, err
}

// isPlain reports whether a result has texts only, asks nothing, and surely has a JSON form. Most are so: this is the
// hot path.
func isPlain(r *mcp.CallToolResult) bool {
	if r.InputRequests != nil || r.RequestState != "" {
		return false
	}
	for _, block := range r.Content {
		if t, ok := block.(*mcp.TextContent); !ok || t == nil || t.Meta != nil || t.Annotations != nil {
			return false
		}
	}
	for _, v := range r.Meta {
		switch v.(type) {
		case string, bool, int:
		default:
			return false
		}
	}
	switch s := r.StructuredContent.(type) {
	case nil:
		return true
	case json.RawMessage:
		return strictjson.Scan(s, math.MaxInt, 0) == nil
	}
	return false
}
