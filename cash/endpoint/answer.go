package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// answer is a parsed document of type result.
type answer struct {
	members map[string][]byte
	request payload
}

// readAnswer finds the answer in a process's outputs. An answer is on standard output; the original implementation
// writes errors to standard error. The error is the endpoint's *Error, or says what is wrong with the answer.
func readAnswer(end *ending) (*answer, error) {
	a, err := readDocument(end.stdout)
	if err == nil && end.code != 0 && !a.isCommandFailure() {
		err = fmt.Errorf("gave no proper answer: it ended with status %d although it gave a result", end.code)
	}
	var said *Error
	switch {
	case err == nil:
		return a, nil
	case errors.As(err, &said), end.code == 0 && !isBlank(end.stdout):
		return nil, err
	}
	if said := findEnvelope(end.stderr); said != nil {
		return nil, said
	}
	if a == nil && end.code != 0 {
		return nil, errors.New(ended(end))
	}
	return nil, err
}

// isCommandFailure reports whether the result is that of a failed command. The endpoint may then exit with the
// command's status.
func (a *answer) isCommandFailure() bool {
	code, ok := exitCodeOf(a.members["result"])
	return ok && code != 0
}

// readDocument parses one document of type result. If there is none, the error says what was there instead.
func readDocument(data []byte) (*answer, error) {
	if isBlank(data) {
		return nil, errors.New("gave no answer at all")
	}
	data = withoutBOM(data)
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

// readError parses an error object whose members should be texts. A missing object is still an error; a text in its
// place is the message.
func readError(object []byte) *Error {
	members := make(map[string]string, 3)
	switch {
	case object == nil:
	case strictjson.KindOf(object) == strictjson.String:
		members["message"] = strictjson.Text(object)
	case strictjson.KindOf(object) == strictjson.Object:
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

// textOf returns a string, or the JSON in place of one.
func textOf(value []byte) string {
	switch strictjson.KindOf(value) {
	case strictjson.String:
		return strictjson.Text(value)
	case strictjson.Null:
		return ""
	}
	return string(value)
}

// maxEnvelopes bounds the places on standard error that are tried as an envelope.
const maxEnvelopes = 8

// findEnvelope returns the error in the last envelope that begins a line on standard error. Other text may surround
// it.
func findEnvelope(data []byte) *Error {
	data = withoutBOM(data)
	at := len(data)
	for range maxEnvelopes {
		if at = lastBrace(data[:at]); at < 0 {
			return nil
		}
		var value json.RawMessage // stops at the end of the value
		_ = json.NewDecoder(bytes.NewReader(data[at:])).Decode(&value)
		var said *Error
		if _, err := readDocument(value); errors.As(err, &said) {
			return said
		}
	}
	return nil
}

// lastBrace returns the index of the last opening brace that begins a line, or -1. White space may precede it.
func lastBrace(data []byte) int {
	for {
		i := bytes.LastIndexByte(data, '{')
		if i < 0 {
			return -1
		}
		data = data[:i]
		if before := bytes.TrimRight(data, " \t"); len(before) == 0 || before[len(before)-1] == '\n' {
			return i
		}
	}
}

// maxTail bounds the part of standard error that an excerpt is made from, in bytes.
const maxTail = 4 * maxReason

// ended words the end of a process without an answer, with the last words on its standard error.
func ended(end *ending) string {
	text := fmt.Sprintf("ended with status %d and gave no answer", end.code)
	tail := end.stderr[max(0, len(end.stderr)-maxTail):]
	if excerpt := clean.Line(string(tail), maxReason); excerpt != "" {
		text += "; its last words: " + strings.TrimRight(excerpt, ".")
	}
	return text
}
