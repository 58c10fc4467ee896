package check

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillext"
)

// sessionless is the first protocol version without sessions.
const sessionless = "2026-07-28"

// A form is a valid message of one method. Its slots are filled with payloads in turn.
type form struct {
	doc   string
	kind  kind // request or quiet
	slots []slot
	id    *slot // nil if there is no id
}

func newForm(k kind, doc string) form {
	f := form{doc: doc, kind: k, slots: slotsOf(doc)}
	for i := range f.slots {
		if s := &f.slots[i]; s.path == "id" && !s.key {
			f.id = s
		}
	}
	return f
}

// meta returns the _meta of a request.
func meta(version, more string) string {
	if version < sessionless {
		return `"_meta":{` + strings.TrimPrefix(more, ",") + `}`
	}
	return fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,`+
		`"io.modelcontextprotocol/clientInfo":{"name":"check","version":"1"},`+
		`"io.modelcontextprotocol/clientCapabilities":{}%s}`, version, more)
}

// oddMeta has members of _meta that the protocol knows, and one that it does not.
const oddMeta = `,"progressToken":"p","io.modelcontextprotocol/logLevel":"debug","example.com/key":{"a":"b"}`

// requestParams are valid params of all requests of both generations, without _meta, and without those that depend
// on the server.
var requestParams = []struct{ method, params string }{
	{"initialize", `"protocolVersion":"2025-11-25","clientInfo":{"name":"check","title":"t","version":"1","websiteUrl":"http://x","icons":[{"src":"data:,"}]},` +
		`"capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{}},"experimental":{"a":{"b":"c"}}}`},
	{"ping", ``},
	{"tools/list", `"cursor":"c"`},
	{"tools/call", `"name":"no-such-tool","arguments":{"a":"b"}`},
	{"tools/call", `"name":"x","arguments":{},"task":{"ttl":60000},"inputResponses":{"k":{"action":"accept","content":{"a":"b"}}},"requestState":"s"`},
	{"resources/list", `"cursor":"c"`},
	{"resources/templates/list", `"cursor":"c"`},
	{"resources/read", `"uri":"skill://x/y"`},
	{"resources/read", `"uri":"file:///x","inputResponses":{"k":{"roots":[{"uri":"file:///"}]}},"requestState":"s"`},
	{"resources/subscribe", `"uri":"skill://x/y"`},
	{"resources/unsubscribe", `"uri":"skill://x/y"`},
	{"prompts/list", `"cursor":"c"`},
	{"prompts/get", `"name":"no-such-prompt","arguments":{"a":"b"}`},
	{"completion/complete", `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"},"context":{"arguments":{"c":"d"}}`},
	{"completion/complete", `"ref":{"type":"ref/resource","uri":"skill://x/{y}"},"argument":{"name":"y","value":"b"}`},
	{"logging/setLevel", `"level":"debug"`},
	{"server/discover", ``},
	{"subscriptions/listen", `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["skill://x/y"]}`},
	{"tasks/list", `"cursor":"c"`},
	{"tasks/get", `"taskId":"t"`},
	{"tasks/result", `"taskId":"t"`},
	{"tasks/cancel", `"taskId":"t"`},
	{"sampling/createMessage", `"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":1`},
	{"elicitation/create", `"message":"m","requestedSchema":{"type":"object","properties":{}}`},
	{"roots/list", ``},
	{"no/such/method", `"a":"b"`},
	{"notifications/progress", `"progressToken":"p","progress":1`}, // without an id
}

// notificationParams are valid params of the notifications.
var notificationParams = []struct{ method, params string }{
	{"notifications/initialized", ``},
	{"notifications/cancelled", `"requestId":"r","reason":"because"`},
	{"notifications/progress", `"progressToken":"p","progress":1,"total":2,"message":"m"`},
	{"notifications/roots/list_changed", ``},
	{"notifications/message", `"level":"info","data":"d","logger":"l"`},
	{"notifications/elicitation/complete", `"elicitationId":"e"`},
	{"notifications/no/such", `"a":"b"`},
}

// responses are answers to requests that were never made.
var responses = []string{
	`{"jsonrpc":"2.0","id":"nobody-asked","result":{"a":"b"}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///x","name":"n"}]}}`,
	`{"jsonrpc":"2.0","id":"nobody-asked","error":{"code":-32000,"message":"m","data":{"a":"b"}}}`,
}

// forms returns a form of each message, as a client of the version sends it.
func forms(version string, k *known) []form {
	var list []form
	add := func(method, params string) {
		list = append(list, newForm(request, envelope(`"id":"?",`, method, params, meta(version, oddMeta))))
	}
	for _, r := range requestParams {
		add(r.method, r.params)
	}
	for _, params := range k.calls {
		add("tools/call", params)
	}
	for _, uri := range k.resources {
		add("resources/read", `"uri":`+quoted(uri))
	}
	for _, params := range k.prompts {
		add("prompts/get", params)
	}
	if k.extension {
		add(skillext.MethodList, `"cursor":"c"`)
		for _, uri := range append([]string{skillext.Scheme + "x/y/SKILL.md"}, k.skills...) {
			add(skillext.MethodGet, `"uri":`+quoted(uri))
			add(skillext.MethodReadDir, `"uri":`+quoted(strings.TrimSuffix(uri, "/SKILL.md"))+`,"cursor":""`)
		}
	}
	for _, n := range notificationParams {
		list = append(list, newForm(quiet, envelope("", n.method, n.params, `"_meta":{"a":"b"}`)))
	}
	for _, r := range responses {
		list = append(list, newForm(quiet, r))
	}
	return list
}

func envelope(id, method, params, meta string) string {
	if params != "" && meta != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":{%s%s}}`, id, method, params, meta)
}

// plainRequest returns an ordinary valid request.
func plainRequest(version, id, method, params string) string {
	return envelope(`"id":`+id+`,`, method, params, meta(version, ""))
}

// pingMethod returns a method that every server of a version answers without effects.
func pingMethod(version string) string {
	if version < sessionless {
		return "ping"
	}
	return "server/discover"
}
