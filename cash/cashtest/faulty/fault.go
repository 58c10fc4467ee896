package faulty

import "slices"

// A Fault names one way in which a [Server] misbehaves, such as "hang-after". The name suits a subtest. The package
// comment and [Faults] list all of them.
type Fault string

// Faults that concern more than single requests.
const (
	refused     Fault = "refused"
	certificate Fault = "certificate"
	flapping    Fault = "flapping"
)

// A trait describes what a fault does.
type trait struct {
	fault  Fault
	doc    string
	at     Stage           // where it occurs; 0 means Server.At
	runs   bool            // needs the sound server's answer first
	stalls bool            // over stdio, nothing is read meanwhile
	web    bool            // over HTTP only
	act    func(*exchange) // nil if it does not concern requests
}

const atAnswer = AtList | AtCall

// traits are all faults.
var traits = []trait{
	{fault: refused, doc: "connections are refused; a process exits at once"},
	{fault: certificate, doc: "the certificate is signed by itself", web: true},
	{fault: "hang-before", doc: "the request is taken and nothing is done, for ever", stalls: true, act: (*exchange).wait},
	{fault: "hang-after", doc: "the tool runs and the answer never comes", runs: true, act: (*exchange).wait},
	{fault: "drip", doc: "the answer comes one byte at a time and never ends", runs: true, act: drip},
	{fault: "crash", doc: "the connection is reset in the middle of the answer; the process exits with status 1", runs: true, act: crash},
	{fault: "exit", doc: "the tool runs, then the connection is reset or the process exits, without an answer", runs: true, act: (*exchange).cut},
	{fault: flapping, doc: "every other request, or process, is cut off before anything is done", act: (*exchange).cut},

	{fault: "html", doc: "a web page comes in place of an answer, with status 200", act: html},
	{fault: "unauthorized", doc: "status 401, with WWW-Authenticate", web: true, act: status(401, "WWW-Authenticate", `Bearer realm="faulty"`)},
	{fault: "forbidden", doc: "status 403", web: true, act: status(403)},
	{fault: "not-found", doc: "status 404", web: true, act: status(404)},
	{fault: "too-many-requests", doc: "status 429, with Retry-After of 7 seconds", web: true, act: status(429, "Retry-After", "7")},
	{fault: "internal-error", doc: "status 500", web: true, act: status(500)},
	{fault: "unavailable", doc: "status 503", web: true, act: status(503)},
	{fault: "redirect-307", doc: "a temporary redirect to another host, where a sound server answers", web: true, act: redirect(307)},
	{fault: "redirect-308", doc: "a permanent redirect to another host, where a sound server answers", web: true, act: redirect(308)},
	{fault: "redirect-loop", doc: "a redirect to the same place", web: true, act: redirectLoop},

	{fault: "wrong-id", doc: "the answer has the id of another request", runs: true, act: withID(func(string) string { return `"nobody"` })},
	{fault: "no-id", doc: "the answer has no id", runs: true, act: noID},
	{fault: "negative-id", doc: "the answer has a negative number as its id", runs: true, act: withID(func(string) string { return "-7" })},
	{fault: "fraction-id", doc: "the answer has a fraction as its id", runs: true, act: withID(fraction)},
	{fault: "duplicate", doc: "the answer comes twice", runs: true, act: duplicate},
	{fault: "truncated", doc: "half of the answer's JSON comes as if it were all", runs: true, act: truncated},
	{fault: "deep", doc: "the answer's JSON is 100,000 levels deep", runs: true, act: deep},
	{fault: "huge", doc: "the answer has 1 GiB, on stdio in one line", runs: true, act: huge},
	{fault: "not-rpc", doc: "the answer is JSON, but not JSON-RPC", runs: true, act: notRPC},
	{fault: "noise", doc: "lines that are no messages stand before and after the answer; over HTTP, such events", runs: true, act: noise},
	{fault: "null-result", doc: "the result is null", runs: true, act: func(x *exchange) { x.respond([]byte("null")) }},
	{fault: "duplicate-keys", doc: "the answer and its result have members twice, with other values", runs: true, act: duplicateKeys},
	{fault: "invalid-utf8", doc: "the answer has bytes that are no UTF-8", runs: true, act: invalidUTF8},
	{fault: "notification-flood", doc: "10,000 log messages come before the answer", runs: true, act: notificationFlood},
	{fault: "request-flood", doc: "1,000 requests (ping, elicitation/create) come before the answer; replies are dropped", runs: true, act: requestFlood},

	{fault: "unknown-content", doc: "the content has types that nobody knows, and items that are no content", at: AtCall, runs: true, act: unknownContent},
	{fault: "broken-structured", doc: "echo has an output schema, and structured content breaks it", at: atAnswer, runs: true, act: brokenStructured},
	{fault: "wrong-progress", doc: "progress is reported under tokens that nobody gave, and backwards", at: AtCall, runs: true, act: wrongProgress},

	{fault: "duplicate-tools", doc: "echo is listed three times, with different definitions", at: AtList, runs: true, act: listing(duplicateTools)},
	{fault: "hostile-names", doc: "names have escape sequences, bidi controls, invisible and look-alike characters, or are empty", at: AtList, runs: true, act: listing(hostileNames)},
	{fault: "hostile-descriptions", doc: "titles, descriptions and those of parameters have the same, and orders to the model", at: AtList, runs: true, act: listing(hostileDescriptions)},
	{fault: "long-names", doc: "a name and a description have 1 MB each", at: AtList, runs: true, act: listing(longNames)},
	{fault: "colliding-names", doc: "names differ in case and separators only", at: AtList, runs: true, act: listing(collidingNames)},
	{fault: "cyclic-schema", doc: "input schemas refer to themselves", at: AtList, runs: true, act: listing(cyclicSchemas)},
	{fault: "diamond-schema", doc: "an input schema has 22 levels of anyOf, each with the next one twice", at: AtList, runs: true, act: listing(diamondSchemas)},
	{fault: "not-schema", doc: "an input schema has 5,000 nested not", at: AtList, runs: true, act: listing(notSchemas)},
	{fault: "enum-schema", doc: "an input schema has 100,000 values in an enum of items", at: AtList, runs: true, act: listing(enumSchemas)},
	{fault: "deep-schema", doc: "an input schema has objects within objects, 200 levels deep", at: AtList, runs: true, act: listing(deepSchemas)},
	{fault: "no-object-schema", doc: "input schemas are of other types than object, or no schemas", at: AtList, runs: true, act: listing(noObjectSchemas)},
	{fault: "output-schema", doc: "output schemas are cyclic, too much work, wrong or elsewhere", at: AtList, runs: true, act: listing(outputSchemas)},
	{fault: "list-changing", doc: "no two lists are the same, and 1,000 notifications say so before each answer to a call", at: atAnswer, runs: true, act: listChanging},
	{fault: "same-cursor", doc: "each page of the list has the same cursor to the next one", at: AtList, act: func(x *exchange) { x.page("again") }},
	{fault: "endless-cursors", doc: "each page of the list has a new cursor to the next one", at: AtList, act: func(x *exchange) { x.page("") }},
	{fault: "huge-instructions", doc: "the instructions have 4 MB", at: AtConnect, runs: true, act: hugeInstructions},
}

// Faults returns all faults, always in the same order.
func Faults() []Fault {
	list := make([]Fault, len(traits))
	for i, t := range traits {
		list[i] = t.fault
	}
	return list
}

// Description returns a one-line description of the fault; "" if it is unknown.
func (f Fault) Description() string {
	if t := f.lookup(); t != nil {
		return t.doc
	}
	return ""
}

// HTTPOnly reports whether the fault does not exist for processes.
func (f Fault) HTTPOnly() bool {
	t := f.lookup()
	return t != nil && t.web
}

// lookup returns the fault's trait; nil if it is unknown.
func (f Fault) lookup() *trait {
	i := slices.IndexFunc(traits, func(t trait) bool { return t.fault == f })
	if i < 0 {
		return nil
	}
	return &traits[i]
}
