package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cash-mcp/go-sdk/internal/skillext"
)

// A link is one client of the server: a wire and a protocol version. It reconnects when the connection is lost.
type link struct {
	wire    wire
	web     bool
	version string
	timeout time.Duration
	judge   *judge
	known   known

	isOpen     bool
	opened     int       // connections so far
	timeouts   int       // exchanges that timed out
	sent       int       // messages sent
	pings      int       // pings sent
	lastFailed statement // the last statement that failed when the connection was lost
}

// The failures after which a link is given up.
const (
	maxTimeouts = 20
	maxOpens    = 20
)

// errGivenUp means that too much went wrong. The rows have the details.
var errGivenUp = errors.New("given up")

// dial opens the link and performs the handshake of its version.
func (l *link) dial(ctx context.Context) error {
	l.opened++
	if err := l.wire.open(ctx); err != nil {
		return err
	}
	if err := l.begin(ctx); err != nil {
		l.wire.close()
		return err
	}
	l.isOpen = true
	return nil
}

func (l *link) begin(ctx context.Context) error {
	method, params := "server/discover", ""
	if l.version < sessionless {
		method = "initialize"
		params = fmt.Sprintf(`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"check","version":"1"}`, l.version)
	}
	result, err := l.ask(ctx, method, params)
	if err != nil {
		return err
	}
	if err := l.agreed(result); err != nil || l.version >= sessionless {
		return err
	}
	note := newQuiet(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "")
	o := l.wire.exchange(ctx, note, l.ping(), l.timeout)
	if o.pinged == nil {
		return fmt.Errorf("the ping after initializing is answered by %s", cmp.Or(o.broken, o.noPing, o.lost))
	}
	return ctx.Err()
}

// agreed reports whether the server accepts the version.
func (l *link) agreed(result json.RawMessage) error {
	var r struct {
		ProtocolVersion   string
		SupportedVersions []string
		Capabilities      struct{ Extensions map[string]any }
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return err
	}
	_, l.known.extension = r.Capabilities.Extensions[skillext.ID]
	if r.ProtocolVersion != l.version && !slices.Contains(r.SupportedVersions, l.version) {
		return fmt.Errorf("the server does not speak %s", l.version)
	}
	return nil
}

// ask sends a valid request and returns its result.
func (l *link) ask(ctx context.Context, method, params string) (json.RawMessage, error) {
	id := strconv.Quote("check-" + method)
	m := newRequest(id, plainRequest(l.version, id, method, params), method)
	o := l.wire.exchange(ctx, m, nil, l.timeout)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(o.answers) != 1 || o.answers[0].bad != "" || o.answers[0].failure != nil {
		return nil, fmt.Errorf("%s: %s", method, describe(o)+o.noPing+o.broken)
	}
	var answer struct{ Result json.RawMessage }
	err := json.Unmarshal(o.answers[0].raw, &answer)
	return answer.Result, err
}

// ping returns a message that shows that the server is alive, and sometimes that the session is.
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

// send sends a message and judges the outcome. The error is errGivenUp, or ctx's.
func (l *link) send(ctx context.Context, m *message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !l.isOpen {
		if l.opened >= maxOpens {
			return l.giveUp(fmt.Sprintf("the connection was lost %d times", maxOpens))
		}
		if err := l.dial(ctx); err != nil {
			return l.giveUp("cannot connect again: " + err.Error())
		}
	}
	l.sent++
	o := l.wire.exchange(ctx, m, l.ping(), l.answerTimeout())
	if err := ctx.Err(); err != nil {
		return err
	}
	l.judge.look(m, o)
	return l.handle(o)
}

// handle handles lost connections and timeouts of an outcome.
func (l *link) handle(o *outcome) error {
	switch {
	case o.broken != "":
		l.lastFailed = statementUp
	case o.lost != "":
		l.lastFailed = statementSession
	case o.noPing != "":
		l.lastFailed = statementAlive
	}
	if o.broken != "" || o.lost != "" || o.noPing != "" {
		l.close()
	} else if o.late {
		l.lastFailed = statementAnswered
		l.timeouts++
	}
	if l.timeouts > maxTimeouts {
		return l.giveUp(fmt.Sprintf("%d messages had no answer", l.timeouts))
	}
	return nil
}

// giveUp ends the checks on the link. The row of the last failed statement gets the reason.
func (l *link) giveUp(reason string) error {
	l.judge.ledger.row(l.lastFailed).fail("given up", "given up: "+reason)
	return errGivenUp
}

// answerTimeout returns the timeout of an answer. It is shorter after the first timeout.
func (l *link) answerTimeout() time.Duration {
	if l.timeouts > 0 {
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
