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
	document []byte // an object
	request  payload
}

// member returns a member of the answer; nil if there is none.
func (a *answer) member(name string) []byte { return strictjson.Member(a.document, name) }

// readAnswer finds the answer in what a process wrote. What an endpoint says is
// on its output; the original one says what went wrong on standard error. The
// error is an *Error that the endpoint sent, or says what is wrong with the
// answer.
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
	code, ok := exitCodeOf(a.member("result"))
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
	a := &answer{document: data}
	switch typ := strictjson.Text(a.member("type")); typ {
	case answerResult:
		return a, nil
	case answerError:
		return nil, readError(a.member("error"))
	case "":
		return nil, errors.New("gave no proper answer: it has no type")
	default:
		return nil, fmt.Errorf("gave no proper answer: its type is %s", quote(typ))
	}
}

// readError parses an error object whose members should be texts. A missing object is still an error; a text in its
// place is the message.
func readError(object []byte) *Error {
	message := strictjson.Member(object, "message")
	if strictjson.KindOf(object) == strictjson.String {
		message = object
	}
	e := &Error{
		Name:     clean.Line(textOf(strictjson.Member(object, "name")), maxName),
		Category: Category(clean.Line(textOf(strictjson.Member(object, "category")), maxName)),
		Message:  clean.Cut(strings.TrimSpace(clean.Text(textOf(message))), maxMessage),
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
	var text string
	if !strictjson.Take(&text, value) && strictjson.KindOf(value) != strictjson.Null {
		return string(value)
	}
	return text
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
