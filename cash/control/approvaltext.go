package control

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of a question: the number of arguments, and the characters of a name, of a value and of other text.
const (
	maxShown  = 30
	maxKey    = 60
	maxValue  = 200
	maxReason = 300
)

func newRequest(c *registry.Call, reason string, age time.Duration) *ApprovalRequest {
	now := time.Now()
	r := &ApprovalRequest{
		Function: c.Function, Class: ClassOf(c.Function), Caller: c.Caller, Reason: reason,
		Asked: now, Expires: now.Add(age),
	}
	r.Text = questionText(r, c.Arguments)
	return r
}

// questionText returns the question as a person reads it. Foreign text stays within a line whose beginning is ours, so
// it cannot imitate the question.
func questionText(r *ApprovalRequest, args json.RawMessage) string {
	f := r.Function
	var b strings.Builder
	fmt.Fprintf(&b, "Approve this call?\n\nTool: %s\nId: %s\n", shownName(f.Path()), f.Primitive())
	fmt.Fprintf(&b, "Effect: %s\n", effects[r.Class])
	if about := clean.FirstLine(f.Description(), maxReason); about != "" {
		fmt.Fprintf(&b, "About: %s\n", clean.Line(about, maxReason))
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, "Reason: %s\n", r.Reason)
	}
	writeArguments(&b, args)
	return b.String()
}

var effects = map[Class]string{
	ReadOnly:    "read-only, as the tool says of itself; not verified",
	Writes:      "may change something",
	Destructive: "destructive: may delete or overwrite, as the tool says of itself; not verified",
}

func writeArguments(b *strings.Builder, args json.RawMessage) {
	shown := []byte(withoutSecrets(string(args)))
	if strictjson.Check(shown) != nil {
		b.WriteString("Arguments: they cannot be shown.\n")
		return
	}
	n := 0
	for key, value := range strictjson.Members(shown) {
		if n == 0 {
			b.WriteString("Arguments:\n")
		}
		if n++; n <= maxShown {
			fmt.Fprintf(b, "  %s: %s\n", shownKey(key), shownValue(value))
		}
	}
	switch {
	case n == 0:
		b.WriteString("Arguments: none\n")
	case n > maxShown:
		fmt.Fprintf(b, "  (and %d more that are not shown)\n", n-maxShown)
	}
}

// shownKey returns a key for a line. Unusual keys are quoted, because they could look like a value or like several
// arguments.
func shownKey(key string) string {
	if key == "" || strings.Trim(strings.ToLower(key), "abcdefghijklmnopqrstuvwxyz0123456789_-.") != "" {
		key = strconv.Quote(key)
	}
	return clean.Line(key, maxKey)
}

// shownValue returns a value for a line. Strings are quoted, with invisible characters escaped.
func shownValue(value []byte) string {
	text := string(strictjson.Canonical(value))
	if strictjson.KindOf(value) == strictjson.String {
		text = strconv.Quote(strictjson.Text(value))
	}
	shown := clean.Line(text, maxValue)
	if n := utf8.RuneCountInString(text); n > maxValue {
		shown += fmt.Sprintf(" (%d characters)", n)
	}
	return shown
}

// shownReason returns the operator's reason as one clean line that ends like a sentence.
func shownReason(reason string) string {
	reason = clean.Line(reason, maxReason)
	if r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(reason, `"'”’)`)); reason != "" && !strings.ContainsRune(".!?…。！？", r) {
		reason += "."
	}
	return reason
}
