package serve

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Headers in which clients from 2026-07-28 on repeat parts of a message (SEP-2243), so that proxies
// need not read it.
const (
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
)

// header returns the first value of a header. name is in canonical form, which [http.Header.Get] would compute.
func header(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// headerMismatch returns the refusal for a header that differs from the message, or nil. The SDK
// compares them too, but shows both without a bound.
func headerMismatch(h http.Header, m *message) *refusal {
	version := header(h, versionHeader)
	said := strictjson.Text(m.version)
	switch {
	case version == "" && said >= stateless:
		return mismatch(m, versionHeader, "is missing")
	case version < stateless:
		return nil
	case header(h, methodHeader) == "":
		return mismatch(m, methodHeader, "is missing")
	case header(h, methodHeader) != m.method:
		return mismatch(m, methodHeader, "is not the message's method")
	case m.id != nil && said != "" && said != version:
		return mismatch(m, versionHeader, "is not the version in params._meta")
	}
	repeated, named := m.named()
	name := strictjson.Text(repeated)
	switch sent := header(h, nameHeader); {
	case !named:
	case sent == "" && name != "":
		return mismatch(m, nameHeader, "is missing")
	case sent != name && decoded(sent) != name:
		return mismatch(m, nameHeader, "is not the name in the message's params")
	case sent != name || len(h[nameHeader]) > 1:
		h.Set(nameHeader, name) // the SDK does not decode it
	}
	return nil
}

func mismatch(m *message, header, problem string) *refusal {
	f := refuse(mcp.CodeHeaderMismatch, "header mismatch: %s %s", header, problem)
	f.id, f.method = m.id, m.method
	return f
}

// decoded returns the text of a header value, which may be encoded.
func decoded(value string) string {
	inner, ok := strings.CutPrefix(value, "=?base64?")
	inner, ends := strings.CutSuffix(inner, "?=")
	if !ok || !ends {
		return value
	}
	text, err := base64.StdEncoding.DecodeString(inner)
	if err != nil {
		return value
	}
	return string(text)
}

// named returns the part of a message that Mcp-Name repeats. ok is false if there is none.
func (m *message) named() (part json.RawMessage, ok bool) {
	switch m.method {
	case callTool, "prompts/get":
		return m.name, true
	case readResource:
		return m.uri, true
	}
	return nil, false
}
