package faulty

import "slices"

// A Fault is a way in which an MCP server misbehaves; see [Faults] for all. It
// is a word such as "hang-after", good for the name of a test.
type Fault string

// Faults of the connection. The first two are of all connections at any time,
// the others of the requests that [Faulty.At] names.
const (
	FaultRefused     Fault = "refused"
	FaultCertificate Fault = "certificate"
	FaultHangBefore  Fault = "hang-before"
	FaultHangAfter   Fault = "hang-after"
	FaultDrip        Fault = "drip"
	FaultCrash       Fault = "crash"
	FaultExit        Fault = "exit"
	FaultFlapping    Fault = "flapping"
)

// Faults of HTTP, of the requests that [Faulty.At] names. No tool runs.
const (
	FaultHTML            Fault = "html" // over stdio too
	FaultUnauthorized    Fault = "unauthorized"
	FaultForbidden       Fault = "forbidden"
	FaultNotFound        Fault = "not-found"
	FaultTooManyRequests Fault = "too-many-requests"
	FaultInternalError   Fault = "internal-error"
	FaultUnavailable     Fault = "unavailable"
	FaultRedirect307     Fault = "redirect-307"
	FaultRedirect308     Fault = "redirect-308"
	FaultRedirectLoop    Fault = "redirect-loop"
)

// Faults of the messages, of the requests that [Faulty.At] names. Whatever
// becomes of the answer, the tool has run.
const (
	FaultWrongID           Fault = "wrong-id"
	FaultNoID              Fault = "no-id"
	FaultNegativeID        Fault = "negative-id"
	FaultFractionID        Fault = "fraction-id"
	FaultDuplicate         Fault = "duplicate"
	FaultTruncated         Fault = "truncated"
	FaultDeep              Fault = "deep"
	FaultHuge              Fault = "huge"
	FaultNotRPC            Fault = "not-rpc"
	FaultNoise             Fault = "noise"
	FaultNullResult        Fault = "null-result"
	FaultDuplicateKeys     Fault = "duplicate-keys"
	FaultInvalidUTF8       Fault = "invalid-utf8"
	FaultNotificationFlood Fault = "notification-flood"
	FaultRequestFlood      Fault = "request-flood"
)

// Faults of what a tool answers, or sends meanwhile.
const (
	FaultUnknownContent   Fault = "unknown-content"
	FaultBrokenStructured Fault = "broken-structured" // of the list too
	FaultWrongProgress    Fault = "wrong-progress"
)

// Faults of the list of tools, and of what the server says of itself when it is
// connected to. Sound tools are listed beside broken ones, and all of them
// answer calls.
const (
	FaultDuplicateTools      Fault = "duplicate-tools"
	FaultHostileNames        Fault = "hostile-names"
	FaultHostileDescriptions Fault = "hostile-descriptions"
	FaultLongNames           Fault = "long-names"
	FaultCollidingNames      Fault = "colliding-names"
	FaultCyclicSchema        Fault = "cyclic-schema"
	FaultDiamondSchema       Fault = "diamond-schema"
	FaultNotSchema           Fault = "not-schema"
	FaultEnumSchema          Fault = "enum-schema"
	FaultDeepSchema          Fault = "deep-schema"
	FaultNoObjectSchema      Fault = "no-object-schema"
	FaultOutputSchema        Fault = "output-schema"
	FaultListChanging        Fault = "list-changing" // of calls too
	FaultSameCursor          Fault = "same-cursor"
	FaultEndlessCursors      Fault = "endless-cursors"
	FaultHugeInstructions    Fault = "huge-instructions"
)

// A trait is what a fault does.
type trait struct {
	fault  Fault
	doc    string
	at     Stage           // where it lies; 0 for where Faulty.At says
	runs   bool            // the sound server answers first
	stalls bool            // over stdio nothing is read meanwhile
	web    bool            // exists over HTTP only
	act    func(*exchange) // nil if it is not about requests
}

const atAnswer = AtList | AtCall

// traits are all faults.
var traits = []trait{
	{fault: FaultRefused, doc: "connections are refused; a process exits at once"},
	{fault: FaultCertificate, doc: "the certificate is signed by itself", web: true},
	{fault: FaultHangBefore, doc: "the request is taken and nothing is done, for ever", stalls: true, act: (*exchange).wait},
	{fault: FaultHangAfter, doc: "the tool runs and the answer never comes", runs: true, act: (*exchange).wait},
	{fault: FaultDrip, doc: "the answer comes one byte at a time and never ends", runs: true, act: drip},
	{fault: FaultCrash, doc: "the connection is reset in the middle of the answer; the process exits with status 1", runs: true, act: crash},
	{fault: FaultExit, doc: "the tool runs, then the connection is reset or the process exits, without an answer", runs: true, act: (*exchange).cut},
	{fault: FaultFlapping, doc: "every other request, or process, is cut off before anything is done", act: (*exchange).cut},

	{fault: FaultHTML, doc: "a web page comes in place of an answer, with status 200", act: html},
	{fault: FaultUnauthorized, doc: "status 401, with WWW-Authenticate", web: true, act: status(401, "WWW-Authenticate", `Bearer realm="faulty"`)},
	{fault: FaultForbidden, doc: "status 403", web: true, act: status(403)},
	{fault: FaultNotFound, doc: "status 404", web: true, act: status(404)},
	{fault: FaultTooManyRequests, doc: "status 429, with Retry-After of 7 seconds", web: true, act: status(429, "Retry-After", "7")},
	{fault: FaultInternalError, doc: "status 500", web: true, act: status(500)},
	{fault: FaultUnavailable, doc: "status 503", web: true, act: status(503)},
	{fault: FaultRedirect307, doc: "a temporary redirect to another host, where a sound server answers", web: true, act: redirect(307)},
	{fault: FaultRedirect308, doc: "a permanent redirect to another host, where a sound server answers", web: true, act: redirect(308)},
	{fault: FaultRedirectLoop, doc: "a redirect to the same place", web: true, act: redirectLoop},

	{fault: FaultWrongID, doc: "the answer has the id of another request", runs: true, act: withID(func(string) string { return `"nobody"` })},
	{fault: FaultNoID, doc: "the answer has no id", runs: true, act: noID},
	{fault: FaultNegativeID, doc: "the answer has a negative number as its id", runs: true, act: withID(func(string) string { return "-7" })},
	{fault: FaultFractionID, doc: "the answer has a fraction as its id", runs: true, act: withID(fraction)},
	{fault: FaultDuplicate, doc: "the answer comes twice", runs: true, act: duplicate},
	{fault: FaultTruncated, doc: "half of the answer's JSON comes as if it were all", runs: true, act: truncated},
	{fault: FaultDeep, doc: "the answer's JSON is 100,000 levels deep", runs: true, act: deep},
	{fault: FaultHuge, doc: "the answer has 1 GiB, on stdio in one line", runs: true, act: huge},
	{fault: FaultNotRPC, doc: "the answer is JSON, but not JSON-RPC", runs: true, act: notRPC},
	{fault: FaultNoise, doc: "lines that are no messages stand before and after the answer; over HTTP, such events", runs: true, act: noise},
	{fault: FaultNullResult, doc: "the result is null", runs: true, act: func(x *exchange) { x.respond([]byte("null")) }},
	{fault: FaultDuplicateKeys, doc: "the answer and its result have members twice, with other values", runs: true, act: duplicateKeys},
	{fault: FaultInvalidUTF8, doc: "the answer has bytes that are no UTF-8", runs: true, act: invalidUTF8},
	{fault: FaultNotificationFlood, doc: "10,000 log messages come before the answer", runs: true, act: notificationFlood},
	{fault: FaultRequestFlood, doc: "1,000 requests (ping, elicitation/create) come before the answer; replies are dropped", runs: true, act: requestFlood},

	{fault: FaultUnknownContent, doc: "the content has types that nobody knows, and items that are no content", at: AtCall, runs: true, act: unknownContent},
	{fault: FaultBrokenStructured, doc: "echo has an output schema, and structured content breaks it", at: atAnswer, runs: true, act: brokenStructured},
	{fault: FaultWrongProgress, doc: "progress is reported under tokens that nobody gave, and backwards", at: AtCall, runs: true, act: wrongProgress},

	{fault: FaultDuplicateTools, doc: "echo is listed three times, with different definitions", at: AtList, runs: true, act: listing(duplicateTools)},
	{fault: FaultHostileNames, doc: "names have escape sequences, bidi controls, invisible and look-alike characters, or are empty", at: AtList, runs: true, act: listing(hostileNames)},
	{fault: FaultHostileDescriptions, doc: "titles, descriptions and those of parameters have the same, and orders to the model", at: AtList, runs: true, act: listing(hostileDescriptions)},
	{fault: FaultLongNames, doc: "a name and a description have 1 MB each", at: AtList, runs: true, act: listing(longNames)},
	{fault: FaultCollidingNames, doc: "names differ in case and separators only", at: AtList, runs: true, act: listing(collidingNames)},
	{fault: FaultCyclicSchema, doc: "input schemas refer to themselves", at: AtList, runs: true, act: listing(cyclicSchemas)},
	{fault: FaultDiamondSchema, doc: "an input schema has 22 levels of anyOf, each with the next one twice", at: AtList, runs: true, act: listing(diamondSchemas)},
	{fault: FaultNotSchema, doc: "an input schema has 5,000 nested not", at: AtList, runs: true, act: listing(notSchemas)},
	{fault: FaultEnumSchema, doc: "an input schema has 100,000 values in an enum of items", at: AtList, runs: true, act: listing(enumSchemas)},
	{fault: FaultDeepSchema, doc: "an input schema has objects within objects, 200 levels deep", at: AtList, runs: true, act: listing(deepSchemas)},
	{fault: FaultNoObjectSchema, doc: "input schemas are of other types than object, or no schemas", at: AtList, runs: true, act: listing(noObjectSchemas)},
	{fault: FaultOutputSchema, doc: "output schemas are cyclic, too much work, wrong or elsewhere", at: AtList, runs: true, act: listing(outputSchemas)},
	{fault: FaultListChanging, doc: "no two lists are the same, and 1,000 notifications say so before each answer to a call", at: atAnswer, runs: true, act: listChanging},
	{fault: FaultSameCursor, doc: "each page of the list has the same cursor to the next one", at: AtList, act: func(x *exchange) { x.page("again") }},
	{fault: FaultEndlessCursors, doc: "each page of the list has a new cursor to the next one", at: AtList, act: func(x *exchange) { x.page("") }},
	{fault: FaultHugeInstructions, doc: "the instructions have 4 MB", at: AtConnect, runs: true, act: hugeInstructions},
}

// Faults returns all faults there are, each once and always in the same order.
func Faults() []Fault {
	list := make([]Fault, len(traits))
	for i, t := range traits {
		list[i] = t.fault
	}
	return list
}

// Description returns a line that says what the fault is, or "" if it is none.
func (f Fault) Description() string {
	if t := f.trait(); t != nil {
		return t.doc
	}
	return ""
}

// HTTPOnly reports whether the fault does not exist for servers that are
// processes.
func (f Fault) HTTPOnly() bool {
	t := f.trait()
	return t != nil && t.web
}

// trait returns what f does, or nil if it is no fault.
func (f Fault) trait() *trait {
	i := slices.IndexFunc(traits, func(t trait) bool { return t.fault == f })
	if i < 0 {
		return nil
	}
	return &traits[i]
}
