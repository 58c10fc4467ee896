package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// A link is one client of the server at a time: a wire, and a version.
type link struct {
	wire    wire
	version string
	timeout time.Duration
	judge   *judge
	known   known

	isOpen   bool
	opened   int // how often
	misses   int // requests without an answer
	sent     int
	pings    int
	given    string // why the link was given up
	web      bool
	sessions bool
}

// The most that goes wrong on a link before it is given up.
const (
	maxMisses = 20
	maxOpens  = 20
)

var errGivenUp = errors.New("given up")

// dial opens the link: it begins as a client of the version does.
func (l *link) dial(ctx context.Context) error {
	if l.opened++; l.opened > maxOpens {
		l.given = fmt.Sprintf("given up: the connection was lost %d times", maxOpens)
		return errGivenUp
	}
	if err := l.wire.open(ctx); err != nil {
		return err
	}
	method, params := "server/discover", ""
	if l.version < sessionless {
		method, params = "initialize", fmt.Sprintf(`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"check","version":"1"}`, l.version)
	}
	result, err := l.ask(ctx, method, params)
	if err == nil {
		err = l.agreed(result)
	}
	if err == nil && l.version < sessionless {
		note := newQuiet(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "")
		err = ctx.Err()
		if o := l.wire.exchange(ctx, note, l.ping(), l.timeout); err == nil && (o.pinged == nil || o.broken != "") {
			err = fmt.Errorf("after initializing: %s", came(o)+o.unheard+o.broken)
		}
	}
	if err != nil {
		l.wire.close()
		return err
	}
	l.isOpen = true
	return nil
}

// agreed reports whether the server speaks the version.
func (l *link) agreed(result json.RawMessage) error {
	var r struct {
		ProtocolVersion   string
		SupportedVersions []string
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return err
	}
	for _, v := range append(r.SupportedVersions, r.ProtocolVersion) {
		if v == l.version {
			return nil
		}
	}
	return fmt.Errorf("the server does not speak %s", l.version)
}

// ask sends a sound request and returns its result.
func (l *link) ask(ctx context.Context, method, params string) (json.RawMessage, error) {
	id := strconv.Quote("check-" + method)
	m := newRequest(id, plainRequest(l.version, id, method, params), method)
	o := l.wire.exchange(ctx, m, nil, l.timeout)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(o.answers) != 1 || o.answers[0].bad != "" || o.answers[0].failure != nil {
		return nil, fmt.Errorf("%s: %s", method, came(o)+o.unheard+o.broken)
	}
	var answer struct{ Result json.RawMessage }
	err := json.Unmarshal(o.answers[0].raw, &answer)
	return answer.Result, err
}

// ping returns what shows that the server is alive. Now and then it shows that
// the session is, too.
func (l *link) ping() *message {
	const rare = 25
	l.pings++
	id := strconv.Quote("ping-" + strconv.Itoa(l.pings))
	method := pingMethod(l.version)
	if l.pings%rare == 0 {
		method = "tools/list"
	}
	return newRequest(id, plainRequest(l.version, id, method, ""), "a ping")
}

// send sends a message and judges what comes of it. The error is that the link
// is given up, or ctx's.
func (l *link) send(ctx context.Context, m *message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !l.isOpen {
		if err := l.dial(ctx); err != nil {
			if l.given == "" {
				l.given = "given up: cannot connect again: " + err.Error()
			}
			return errGivenUp
		}
	}
	l.sent++
	o := l.wire.exchange(ctx, m, l.ping(), l.patience())
	if err := ctx.Err(); err != nil {
		return err
	}
	l.judge.look(m, o)
	if o.late {
		l.misses++
	}
	if o.broken != "" || o.lost != "" || o.unheard != "" {
		l.close()
	}
	if l.misses > maxMisses {
		l.given = fmt.Sprintf("given up: %d messages had no answer", l.misses)
		return errGivenUp
	}
	return nil
}

// patience is how long an answer is awaited: not as long again once it was in vain.
func (l *link) patience() time.Duration {
	if l.misses > 0 {
		return l.timeout / 10
	}
	return l.timeout
}

func (l *link) close() {
	if l.isOpen {
		l.wire.close()
		l.isOpen = false
	}
}

// discover asks the server what it has. What it does not tell is not there.
func (l *link) discover(ctx context.Context, calls []string) {
	const most = 12 // of each kind
	for _, c := range calls {
		l.known.calls = append(l.known.calls, inner(c))
	}
	var tools struct {
		Tools []struct {
			Name        string
			InputSchema struct {
				Properties map[string]struct{ Type any }
			}
		}
	}
	l.list(ctx, "tools/list", &tools)
	for _, t := range tools.Tools[:min(most, len(tools.Tools))] {
		arguments := map[string]any{}
		for name, p := range t.InputSchema.Properties {
			if len(arguments) < most {
				arguments[name] = example(p.Type)
			}
		}
		l.known.calls = append(l.known.calls, `"name":`+quoted(t.Name)+`,"arguments":`+encoded(arguments))
	}
	var resources struct{ Resources []struct{ URI string } }
	l.list(ctx, "resources/list", &resources)
	for _, r := range resources.Resources[:min(most, len(resources.Resources))] {
		l.known.resources = append(l.known.resources, r.URI)
	}
	var prompts struct {
		Prompts []struct {
			Name      string
			Arguments []struct{ Name string }
		}
	}
	l.list(ctx, "prompts/list", &prompts)
	for _, p := range prompts.Prompts[:min(most, len(prompts.Prompts))] {
		arguments := map[string]any{}
		for _, a := range p.Arguments[:min(most, len(p.Arguments))] {
			arguments[a.Name] = "x"
		}
		l.known.prompts = append(l.known.prompts, `"name":`+quoted(p.Name)+`,"arguments":`+encoded(arguments))
	}
}

func (l *link) list(ctx context.Context, method string, into any) {
	if result, err := l.ask(ctx, method, ""); err == nil {
		_ = json.Unmarshal(result, into)
	}
}

// example returns a value of a JSON schema's type.
func example(kind any) any {
	switch kind {
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "array":
		return []string{"x"}
	case "object":
		return map[string]string{"x": "y"}
	}
	return "x"
}

func encoded(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(data)
}

// inner returns what is between the braces of an object.
func inner(object string) string {
	for i := range object {
		if object[i] == '{' {
			for j := len(object) - 1; j > i; j-- {
				if object[j] == '}' {
					return object[i+1 : j]
				}
			}
		}
	}
	return ""
}

func itoa(n int) string { return strconv.Itoa(n) }
