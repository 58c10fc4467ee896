package cashotel

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// callMethod is the method of tool calls.
const callMethod = "tools/call"

// spanName is the method, and the function or tool. The tool is known at the end only.
func spanName(r *observe.Request) string {
	if target := targetOf(r); target != "" {
		return methodOf(r) + " " + target
	}
	return methodOf(r)
}

// methodOf returns the method, or _OTHER if none is known.
func methodOf(r *observe.Request) string {
	if r.Method == "" {
		return other
	}
	return r.Method
}

// targetOf returns the function of a request, or the tool if there is none.
func targetOf(r *observe.Request) string {
	if r.Function != "" {
		return r.Function
	}
	return r.Tool
}

// errorType returns the error.type of a failed request: the JSON-RPC code, the HTTP status, tool_error for a result
// that is an error, else the outcome. It is empty for all others.
func errorType(r *observe.Request) string {
	switch {
	case r.Outcome == observe.OK || r.Outcome == observe.Asked:
		return ""
	case r.Code != 0:
		return strconv.FormatInt(r.Code, 10)
	case r.Status != 0:
		return strconv.Itoa(r.Status)
	case r.Outcome == observe.Refused || r.Outcome == "":
		return other
	case r.Method == callMethod && (!r.Sent || r.Outcome == observe.Outcome(registry.Failed)):
		return toolError
	}
	return string(r.Outcome)
}

// transport returns the names of a transport in the conventions. Empty ones do not apply.
func transport(name string) (network, protocol string) {
	switch name {
	case "http":
		return "tcp", "http"
	case "stdio", "command":
		return "pipe", ""
	}
	return "", ""
}

// early are the attributes that are known at the beginning, which samplers see.
func (h *Hook) early(r *observe.Request) []attribute.KeyValue {
	a := append(make([]attribute.KeyValue, 0, 8), methodKey.String(methodOf(r)))
	network, protocol := transport(r.Transport)
	a = appendText(a, semconv.NetworkTransportKey, network)
	a = appendText(a, semconv.NetworkProtocolNameKey, protocol)
	a = appendText(a, upstreamKey, r.Server)
	if r.Method == callMethod {
		a = append(a, operationKey.String(executeTool))
	}
	return a
}

// late are those that are known at the end.
func (h *Hook) late(r *observe.Request) []attribute.KeyValue {
	a := append(make([]attribute.KeyValue, 0, 16), outcomeKey.String(string(r.Outcome)))
	a = appendText(a, toolKey, targetOf(r))
	if r.Function != "" {
		a = appendText(a, faceToolKey, r.Tool)
	}
	a = appendText(a, versionKey, cut(r.Version))
	if h.opts.Callers {
		a = appendText(a, sessionKey, cut(r.Session))
		a = appendText(a, ownerKey, cut(r.Owner))
	}
	if r.Code != 0 {
		a = append(a, semconv.RPCResponseStatusCodeKey.String(strconv.FormatInt(r.Code, 10)))
	}
	a = appendCount(a, semconv.HTTPResponseStatusCodeKey, r.Status)
	a = appendCount(a, requestSizeKey, r.RequestBytes)
	a = appendCount(a, resultSizeKey, r.ResultBytes)
	a = appendCount(a, resultTokensKey, r.Tokens)
	a = appendCount(a, repairsKey, r.Repairs)
	a = appendCount(a, attemptsKey, r.Attempts)
	a = appendFlag(a, gatedKey, r.Gated)
	a = appendFlag(a, cachedKey, r.Cached)
	a = appendFlag(a, dryRunKey, r.DryRun)
	return appendText(a, approvalKey, r.Approval)
}

func appendText(a []attribute.KeyValue, key attribute.Key, value string) []attribute.KeyValue {
	if value == "" {
		return a
	}
	return append(a, key.String(value))
}

func appendCount(a []attribute.KeyValue, key attribute.Key, n int) []attribute.KeyValue {
	if n == 0 {
		return a
	}
	return append(a, key.Int(n))
}

func appendFlag(a []attribute.KeyValue, key attribute.Key, on bool) []attribute.KeyValue {
	if !on {
		return a
	}
	return append(a, key.Bool(true))
}

// maxText bounds a value that a client may have chosen, in bytes.
const maxText = 200

// cut bounds such a value. One that is not UTF-8 would have an exporter drop all spans of its batch.
func cut(value string) string {
	return strings.ToValidUTF8(value[:min(len(value), maxText)], "\uFFFD")
}
