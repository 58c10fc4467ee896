package check

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// An answer is one message of the server.
type answer struct {
	raw     []byte
	id      string // as JSON; empty if null or missing
	method  string // of a request or notification
	failure *failure
	bad     string // why it is no valid message
}

// A failure is the error of an answer.
type failure struct {
	code    string // as JSON
	message any
}

// answerDepth bounds the nesting of an answer, which may echo what was sent.
const answerDepth = 10_000

// parseAnswer reads a message of the server.
func parseAnswer(raw []byte) *answer {
	a := &answer{raw: raw}
	if err := strictjson.CheckDepth(raw, answerDepth); err != nil {
		a.bad = "is not strict JSON: " + err.Error()
		return a
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		a.bad = "is not an object"
		return a
	}
	if id := string(m["id"]); id != "null" {
		a.id = id
	}
	a.bad = a.shape(m)
	return a
}

// shape returns why the members are not a valid message.
func (a *answer) shape(m map[string]json.RawMessage) string {
	if string(m["jsonrpc"]) != `"2.0"` {
		return `has no member "jsonrpc" of "2.0"`
	}
	result, hasResult := m["result"]
	failed, hasError := m["error"]
	if method, ok := m["method"]; ok {
		if json.Unmarshal(method, &a.method) != nil || a.method == "" || hasResult || hasError {
			return "has a method that is none, or an answer besides"
		}
		return ""
	}
	switch {
	case hasResult == hasError:
		return "has not exactly one of result and error"
	case hasResult && result[0] != '{':
		return "has a result that is not an object"
	case hasResult && a.id == "":
		return "has a result for no id"
	case hasError:
		var e struct {
			Code    json.RawMessage `json:"code"`
			Message any             `json:"message"`
		}
		if json.Unmarshal(failed, &e) != nil {
			return "has an error that is not an object"
		}
		a.failure = &failure{string(e.Code), e.Message}
	}
	return ""
}

// maxErrorText bounds an error's message, in characters.
const maxErrorText = 2000

var integer = regexp.MustCompile(`^-?[1-9][0-9]{0,9}$`)

// wrong returns the mistake in an error: in its code or its text.
func (f *failure) wrong() string {
	text, ok := f.message.(string)
	switch {
	case !integer.MatchString(f.code):
		return fmt.Sprintf("the error's code is %.20q", f.code)
	case !ok:
		return "the error's message is not a string"
	}
	return wrongText(text)
}

func wrongText(text string) string {
	if n := utf8.RuneCountInString(text); n > maxErrorText {
		return fmt.Sprintf("the error's text is too long: %d characters", n)
	}
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		return fmt.Sprintf("the error's text has the control character %U", []rune(text[i:])[0])
	}
	return ""
}

// innards match words about the server's implementation, which are of no use to a client.
var innards = regexp.MustCompile(`\*?\b(?:mcp|json|jsonrpc2?|jsonschema|registry|serve|http|reflect|runtime|bufio)\.[A-Z]\w+|` +
	`\bjsonrpc2\b|\bGo (?:struct|value)\b|map\[string\]|\[\]interface|interface ?\{|\bgoroutine\b|\.go:\d|\w+\.go\b|%!|` +
	`nil pointer|invalid memory|\bpanic:|Traceback \(most|java\.lang\.|\bat \w+ \(.*\.[jt]s:\d`)

// leaks returns words about the server's implementation in a text, unless they were sent.
func leaks(text string, sent []byte) string {
	for _, word := range innards.FindAllString(text, -1) {
		if !strings.Contains(string(sent), word) {
			return word
		}
	}
	return ""
}
