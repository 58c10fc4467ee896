package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// answer is a document of type result.
type answer struct {
	members map[string][]byte
	code    int // the status with which the process ended
	request payload
}

// readAnswer finds the answer in what a process wrote. What an endpoint says is
// on its output; the original one says what went wrong on standard error. The
// error is an *Error that the endpoint sent, or says what is wrong with the
// answer.
func readAnswer(end *ending) (*answer, error) {
	a, err := readDocument(end.stdout)
	var said *Error
	if end.code == 0 || err == nil || errors.As(err, &said) {
		if a != nil {
			a.code = end.code
		}
		return a, err
	}
	if said := findEnvelope(end.stderr); said != nil {
		return nil, said
	}
	return nil, errors.New(ended(end))
}

// readDocument reads one document of type result. Without one the error says what
// there is instead.
func readDocument(data []byte) (*answer, error) {
	data = strictjson.Trim(withoutBOM(data))
	if len(data) == 0 {
		return nil, errors.New("gave no answer at all")
	}
	if err := strictjson.CheckDepth(data, maxDepth); err != nil {
		return nil, fmt.Errorf("gave no proper answer: it is not one JSON document: %s", clean.Line(err.Error(), maxReason))
	}
	if kind := strictjson.KindOf(data); kind != strictjson.Object {
		return nil, fmt.Errorf("gave no proper answer: want a JSON object, got type %s", kind)
	}
	members := make(map[string][]byte)
	for key, value := range strictjson.Members(data) {
		switch key {
		case "type", "error", "tool", "tools", "result":
			members[key] = value
		}
	}
	switch typ := strictjson.Text(members["type"]); typ {
	case answerResult:
		return &answer{members: members}, nil
	case answerError:
		return nil, readError(members["error"])
	case "":
		return nil, errors.New("gave no proper answer: it has no type")
	default:
		return nil, fmt.Errorf("gave no proper answer: its type is %s", quote(typ))
	}
}

// readError reads an error object, whose members should be texts. An envelope
// without one is still an error.
func readError(object []byte) *Error {
	members := make(map[string]string, 3)
	if object != nil && strictjson.KindOf(object) == strictjson.Object {
		for key, value := range strictjson.Members(object) {
			switch key {
			case "name", "category", "message":
				members[key] = textOf(value)
			}
		}
	}
	e := &Error{
		Name:     clean.Line(members["name"], maxName),
		Category: Category(clean.Line(members["category"], maxName)),
		Message:  clean.Cut(strings.TrimSpace(clean.Text(members["message"])), maxMessage),
	}
	if e.Name == "" {
		e.Name = DefaultName
	}
	if e.Category == "" {
		e.Category = Pipeline
	}
	if e.Message == "" {
		e.Message = "it does not say why"
	}
	return e
}

// textOf returns a text, or what stands in the place of one.
func textOf(value []byte) string {
	switch strictjson.KindOf(value) {
	case strictjson.String:
		return strictjson.Text(value)
	case strictjson.Null:
		return ""
	}
	return string(value)
}

// maxEnvelopes is at how many places of standard error an envelope is looked for.
const maxEnvelopes = 8

// findEnvelope returns the error whose envelope is on standard error: all of it,
// or the end of it, from a line that begins with a brace.
func findEnvelope(data []byte) *Error {
	data = strictjson.Trim(withoutBOM(data))
	var said *Error
	if _, err := readDocument(data); errors.As(err, &said) {
		return said
	}
	rest := data
	for range maxEnvelopes {
		i := bytes.LastIndex(rest, []byte("\n{"))
		if i < 0 {
			return nil
		}
		if _, err := readDocument(data[i+1:]); errors.As(err, &said) {
			return said
		}
		rest = rest[:i]
	}
	return nil
}

// maxTail bounds what is looked at of standard error for an excerpt, in bytes.
const maxTail = 4 * maxReason

// ended says how a process ended that gave no answer, with the end of what it
// wrote on standard error.
func ended(end *ending) string {
	text := fmt.Sprintf("ended with status %d and gave no answer", end.code)
	tail := end.stderr[max(0, len(end.stderr)-maxTail):]
	if excerpt := clean.Line(string(tail), maxReason); excerpt != "" {
		text += "; its last words: " + strings.TrimRight(excerpt, ".")
	}
	return text
}
