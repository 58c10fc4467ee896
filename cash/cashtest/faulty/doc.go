// Package faulty provides MCP servers that misbehave on purpose. A test shows with them what a service does when a
// mounted server hangs, crashes, lies or floods.
//
//	f := &faulty.Server{Fault: "hang-after"}
//	url := f.HTTP(t)  // mount it, and call its tool echo
//	f.Calls()         // how often it was called
//	f.Heal()          // from now on it is sound
//
// [Server.Command] returns the same server as a process. A test of every fault loops over [Faults].
//
// # Faults
//
// Faults of the connection. The first two affect all connections; the others affect the requests that [Server.At]
// names:
//
//	refused              connections are refused; a process exits at once
//	certificate          the certificate is signed by itself
//	hang-before          the request is taken and nothing is done, for ever
//	hang-after           the tool runs and the answer never comes
//	drip                 the answer comes one byte at a time and never ends
//	crash                the connection is reset in the middle of the answer; the process exits with status 1
//	exit                 the tool runs, then the connection is reset or the process exits, without an answer
//	flapping             every other request, or process, is cut off before anything is done
//
// Faults of HTTP, in the requests that [Server.At] names. No tool runs. Except for the first, they do not exist for
// processes:
//
//	html                 a web page comes in place of an answer, with status 200
//	unauthorized         status 401, with WWW-Authenticate
//	forbidden            status 403
//	not-found            status 404
//	too-many-requests    status 429, with Retry-After of 7 seconds
//	internal-error       status 500
//	unavailable          status 503
//	redirect-307         a temporary redirect to another host, where a sound server answers
//	redirect-308         a permanent redirect to another host, where a sound server answers
//	redirect-loop        a redirect to the same place
//
// Faults of messages, in the requests that [Server.At] names. The tool has run, whatever happens to the answer:
//
//	wrong-id             the answer has the id of another request
//	no-id                the answer has no id
//	negative-id          the answer has a negative number as its id
//	fraction-id          the answer has a fraction as its id
//	duplicate            the answer comes twice
//	truncated            half of the answer's JSON comes as if it were all
//	deep                 the answer's JSON is 100,000 levels deep
//	huge                 the answer has 1 GiB, on stdio in one line
//	not-rpc              the answer is JSON, but not JSON-RPC
//	noise                lines that are no messages stand before and after the answer; over HTTP, such events
//	null-result          the result is null
//	duplicate-keys       the answer and its result have members twice, with other values
//	invalid-utf8         the answer has bytes that are no UTF-8
//	notification-flood   10,000 log messages come before the answer
//	request-flood        1,000 requests (ping, elicitation/create) come before the answer; replies are dropped
//
// Faults of a tool's result, and of messages during a call:
//
//	unknown-content      the content has types that nobody knows, and items that are no content
//	broken-structured    echo has an output schema, and structured content breaks it
//	wrong-progress       progress is reported under tokens that nobody gave, and backwards
//
// Faults of the list of tools, and of the server's instructions. Sound tools are listed next to broken ones; all of
// them answer calls:
//
//	duplicate-tools      echo is listed three times, with different definitions
//	hostile-names        names have escape sequences, bidi controls, invisible and look-alike characters, or are empty
//	hostile-descriptions titles, descriptions and those of parameters have the same, and orders to the model
//	long-names           a name and a description have 1 MB each
//	colliding-names      names differ in case and separators only
//	cyclic-schema        input schemas refer to themselves
//	diamond-schema       an input schema has 22 levels of anyOf, each with the next one twice
//	not-schema           an input schema has 5,000 nested not
//	enum-schema          an input schema has 100,000 values in an enum of items
//	deep-schema          an input schema has objects within objects, 200 levels deep
//	no-object-schema     input schemas are of other types than object, or no schemas
//	output-schema        output schemas are cyclic, too much work, wrong or elsewhere
//	list-changing        no two lists are the same, and 1,000 notifications say so before each answer to a call
//	same-cursor          each page of the list has the same cursor to the next one
//	endless-cursors      each page of the list has a new cursor to the next one
//	huge-instructions    the instructions have 4 MB
//
// # How it works
//
// A sound server of the SDK answers everything that meets no fault. A request that meets one becomes an exchange:
// the sound result, if the fault needs it, and the wire to the client.
//
//	HTTP     a listener on loopback ─ site ───┐
//	                                          ├─ exchange ─ fault ─ wire
//	Command  a relay of the test binary ──────┘
//
// # Limits
//
// While a call over HTTP meets a fault, elicitations and progress of its tool are not delivered. A process is a
// relay to the test, which does the work: signals and memory are those of the relay.
package faulty
