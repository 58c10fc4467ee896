package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"time"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A HostileTarget is a server for [Hostile] to attack, over one or more transports.
type HostileTarget struct {
	// Command returns a new command for each connection: the server as a process on standard input and output. Nil
	// is not checked.
	Command func() *exec.Cmd
	// URL is an endpoint of streamable HTTP. Empty is not checked.
	URL string
	// HTTPClient is the client for URL. Nil is one without proxies and cookies.
	HTTPClient *http.Client
	// Serve is a server in this process. It serves one client, one message a line, until in or ctx ends. Nil is not
	// checked.
	Serve func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error

	// Versions are the protocol versions to speak. Nil is 2025-11-25 and 2026-07-28; the server need only know one
	// of them.
	Versions []string
	// Calls are valid params of tools/call, each a JSON object. Their texts are replaced in turn, like those of
	// calls derived from tools/list.
	Calls []string
	// Requests is the number of messages, besides those with rows of their own. Zero is 2,000. A smaller number
	// also makes the largest messages smaller.
	Requests int
	// Seed chooses the order of the combinations. The same seed sends the same messages.
	Seed uint64
	// Timeout is the deadline of an answer. Zero is 30 seconds.
	Timeout time.Duration
	// Memory returns the server's memory use in bytes. Nil asks Linux about the process of Command; elsewhere
	// memory is not checked.
	Memory func() uint64
}

// Hostile attacks a server and reports what it withstood. The error is a transport that cannot be checked at all,
// or ctx's; the report then has the rows so far.
func Hostile(ctx context.Context, target HostileTarget) (*Report, error) {
	a, err := newAttack(target)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	links := a.links()
	report, reached := new(Report), false
	for i, l := range links {
		err := a.over(ctx, l, a.target.Requests/len(links), uint64(i))
		l.close()
		report.add(l)
		reached = reached || l.sent > 0
		if err != nil {
			return report, err
		}
	}
	if !reached {
		return report, errors.New("the server could be reached in none of its ways")
	}
	return report, nil
}

// add adds the rows of a link.
func (r *Report) add(l *link) {
	for _, row := range l.judge.ledger.rows {
		r.Rows = append(r.Rows, *row)
	}
	r.Requests += l.sent
}

// An attack is shared by the links of a target.
type attack struct {
	target HostileTarget
	texts  []payload
	heavy  int // size in bytes of the largest messages

	anyVersion bool // the server need not know every version
}

func newAttack(target HostileTarget) (*attack, error) {
	if target.Command == nil && target.URL == "" && target.Serve == nil {
		return nil, errors.New("none of Command, URL and Serve is set")
	}
	for _, c := range target.Calls {
		if err := strictjson.Check([]byte(c)); err != nil || inner(c) == "" {
			return nil, fmt.Errorf("the call %q is not a JSON object with members: %v", c, err)
		}
	}
	anyVersion := target.Versions == nil
	if anyVersion {
		target.Versions = []string{"2025-11-25", sessionless}
	}
	if target.Requests <= 0 {
		target.Requests = 2000
	}
	if target.Timeout <= 0 {
		target.Timeout = 30 * time.Second
	}
	const full = 2000
	a := &attack{target: target, anyVersion: anyVersion, heavy: max(64<<10, 20<<20*min(target.Requests, full)/full)}
	a.texts = append(texts(min(1<<20, a.heavy)), values...)
	return a, nil
}

// links returns a link for each transport and version.
func (a *attack) links() []*link {
	var list []*link
	t := a.target
	for _, version := range t.Versions {
		add := func(name string, w wire) {
			list = append(list, &link{wire: w, web: name == "http", version: version, timeout: t.Timeout, lastFailed: statementUp,
				judge: newJudge(&ledger{prefix: name + "/" + version})})
		}
		if t.Command != nil {
			add("stdio", &pipe{peer: &process{command: t.Command}, timeout: t.Timeout})
		}
		if t.Serve != nil {
			add("pipe", &pipe{peer: &inProcess{serve: t.Serve}, timeout: t.Timeout})
		}
		if t.URL != "" {
			add("http", newWeb(t.HTTPClient, t.URL, version, t.Timeout))
		}
	}
	return list
}

// over attacks over one link: n messages of the product, and the specials.
func (a *attack) over(ctx context.Context, l *link, n int, number uint64) error {
	if err := l.dial(ctx); err != nil {
		if a.anyVersion && ctx.Err() == nil {
			l.explain("cannot connect: "+err.Error(), "cannot connect")
			return nil
		}
		return fmt.Errorf("connecting over %s: %w", l.judge.ledger.prefix, err)
	}
	l.discover(ctx, a.target.Calls)
	p := newProduct(forms(l.version, &l.known), a.texts, a.target.Seed+number)
	err := a.product(ctx, l, p, n)
	if err == nil {
		err = a.sendSpecials(ctx, l)
	}
	l.explain("nothing came that shows it", "the check ended before it")
	if errors.Is(err, errGivenUp) {
		return nil
	}
	return err
}

// product sends n messages and checks the memory.
func (a *attack) product(ctx context.Context, l *link, p *product, n int) error {
	gauge := newGauge(a.target.Memory, l)
	for i := range n {
		if i == n/10 {
			gauge.begin()
		}
		if err := l.send(ctx, p.next()); err != nil {
			return err
		}
	}
	return gauge.end(ctx)
}

// explain gives unchecked rows their reason: one for statements, one for specials.
func (l *link) explain(statement, special string) {
	for _, s := range statements {
		l.judge.ledger.row(s).skip(statement)
	}
	for _, s := range specials {
		if l.web || !s.web {
			l.judge.ledger.row(s.statement).skip(special)
		}
	}
}
