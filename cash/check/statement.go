package check

// A statement is what must hold of all messages, or of many.
type statement struct{ name, title string }

// The statements, in the order of their rows.
var (
	answered  = statement{"answered", "a request is answered"}
	once      = statement{"once", "nothing is answered twice"}
	silent    = statement{"silent", "notifications and responses are not answered"}
	repeated  = statement{"id", "an answer has the id that was sent"}
	oddID     = statement{"odd-id", "an id that is none is refused or repeated, never changed"}
	refused   = statement{"unreadable", "what is no message is refused"}
	shaped    = statement{"form", "what comes is JSON-RPC in strict JSON"}
	errorText = statement{"error", "an error has a code and a short text without controls"}
	inside    = statement{"inside", "no error tells how the server is made"}
	alive     = statement{"alive", "a ping after each message is answered"}
	up        = statement{"up", "the server goes on: neither process nor connection ends"}
	session   = statement{"session", "the session stays the same"}
	memory    = statement{"memory", "memory stays flat"}
)

var statements = []statement{
	answered, once, silent, repeated, oddID, refused, shaped, errorText, inside, alive, up, session, memory,
}
