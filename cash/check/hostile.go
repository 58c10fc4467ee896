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

// A HostileTarget is a server that [Hostile] attacks, over one way or several.
type HostileTarget struct {
	// Command returns the server as a process that speaks over standard input
	// and output. It is called for every connection, and each time returns a
	// fresh one. Nil is not checked.
	Command func() *exec.Cmd
	// URL is an endpoint of streamable HTTP. Empty is not checked.
	URL string
	// HTTPClient is for URL. Nil is one without proxies and cookies.
	HTTPClient *http.Client
	// Serve is a server in this process: it serves one client, a message on each
	// line, until in ends or ctx is over. Nil is not checked.
	Serve func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error

	// Versions are those of the protocol to speak. Nil is 2025-11-25 and
	// 2026-07-28, of which the server need not know both.
	Versions []string
	// Calls are params of tools/call that succeed, each a JSON object. Its texts
	// take turns in being replaced, as those of calls made up from tools/list do.
	Calls []string
	// Requests is how many messages are sent in all, besides those that have a
	// row of their own. Zero is 2,000. Fewer make the largest ones smaller, too.
	Requests int
	// Seed chooses which combinations come first. The same seed sends the same.
	Seed uint64
	// Timeout is how long an answer may take. Zero is 30 seconds.
	Timeout time.Duration
	// Memory returns how many bytes of memory the server uses. Nil asks Linux for
	// that of the process of Command; else it is not checked.
	Memory func() uint64
}

// Hostile attacks a server and reports what it stood. The error is that a way to
// it cannot be checked at all, or ctx's; the report then has what was found before.
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

// An attack is what the links of a target share.
type attack struct {
	target HostileTarget
	texts  []payload
	heavy  int // bytes of the largest messages

	anyVersion bool // the server need not know all of them
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

// links returns a link for each way and each version.
func (a *attack) links() []*link {
	var list []*link
	t := a.target
	for _, version := range t.Versions {
		add := func(name string, w wire) {
			list = append(list, &link{wire: w, web: name == "http", version: version, timeout: t.Timeout, blame: up,
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

// over attacks over one link with n messages, and those that have their own row.
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
		err = a.specials(ctx, l)
	}
	l.explain("nothing came that shows it", "the check ended before it")
	if errors.Is(err, errGivenUp) {
		return nil
	}
	return err
}

// product sends n messages and looks at the memory.
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

// explain gives the rows that were not checked a reason: statements, and specials.
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
