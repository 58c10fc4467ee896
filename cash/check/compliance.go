package check

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Compliance checks a server against the CaSH RFC, as a black box. Each row is
// a subtest of its name, "R40 ..."; rows that cannot be checked are logged. It
// works for servers of any shape: with root functions only, without skills,
// and of other makers than this module.
func Compliance(t *testing.T, target Target) {
	t.Helper()
	s, end, err := newSuite(t, target)
	if err != nil {
		t.Fatalf("connecting to the target: %v", err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Errorf("ending the connection: %v", err)
		}
	})
	s.run(t, func(name string, run func(reporter)) {
		t.Run(name, func(t *testing.T) { run(t) })
	})
}

// A criterion is one row of the requirements.
type criterion struct {
	row, title string
	needs      func(*suite) string // what is missing to check it; nil needs nothing
	run        func(*probe)
}

var checks = slices.Concat(
	toolChecks, argumentChecks, nameChecks, pathChecks, kwargChecks, layerChecks, pageChecks,
	helpArgumentChecks, searchChecks, visibilityChecks, skillChecks, errorChecks, gateChecks, limitChecks, exemptChecks,
)

// notChecked are the rows in the sections that this kit covers of which
// nothing can be seen from outside.
var notChecked = []string{
	"R32 (advice on the depth of hierarchies: see LintClean)",
	"R33 (advice on names: see LintClean)",
	"R55 (a permission: help may vary)",
	"R66 (whether a text stands alone is for a reader to say)",
	"R69 (where skills come from)",
	"R82 (a permission: error codes)",
	"R84 (whether a cancellation reaches the function)",
}

// A suite is what all checks of a target share: one connection, and what was
// found out over it.
type suite struct {
	Target
	client *Client
	tools  []*mcp.Tool
	pages  int // of tools/list
	tree   *tree
	skills []SkillSample
	json   bool // help() names format and json
	search bool // help() names search, which does something
	huge   int  // characters of the largest result that is asked for
	times  int  // repeats of what must always be the same
}

func newSuite(t reporter, target Target) (*suite, func() error, error) {
	if target.Transport == nil {
		return nil, nil, errors.New("Target.Transport is nil")
	}
	if target.SizeLimit == 0 {
		target.SizeLimit = defaultSizeLimit
	}
	s := &suite{Target: target, huge: 5_000_000, times: 20}
	c, end, err := s.dialer().open(t, target.Transport())
	if err != nil {
		return nil, nil, err
	}
	s.client = c
	if err := s.discover(); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return s, end, nil
}

// defaultSizeLimit is the gate threshold that RFC 7.3 names.
const defaultSizeLimit = 10_000

func (s *suite) dialer() *Dialer {
	return &Dialer{Version: s.Version, Timeout: s.Timeout}
}

// discover reads what the checks start from. Protocol errors of the three
// tools are not the end here: the rows about them will say so.
func (s *suite) discover() (err error) {
	if s.tools, s.pages, err = s.client.list(); err != nil {
		return err
	}
	s.tree = &tree{places: []*place{{page: parsePage("", "")}}}
	if help, err := s.client.try("help", nil); err == nil {
		s.json = mentions(help.Text, "format") && mentions(help.Text, "json")
		if t, err := growTree(s.client, s.json); err == nil {
			s.tree = t
		}
		s.search = s.searches(help)
	}
	if skills, err := readSkills(s.client); err == nil {
		s.skills = skills
	}
	return nil
}

// run runs all checks through sub, and logs to t what is not checked.
func (s *suite) run(t reporter, sub func(name string, run func(reporter))) {
	t.Helper()
	if s.tree.cut {
		t.Logf("not checked: the pages of help beyond the first %d", maxPages)
	}
	for _, c := range checks {
		if c.needs != nil {
			if missing := c.needs(s); missing != "" {
				t.Logf("not checked: %s (%s)", c.row, missing)
				continue
			}
		}
		sub(c.row+" "+c.title, func(r reporter) {
			r.Helper()
			c.run(&probe{reporter: r, suite: s, client: s.client.with(r)})
		})
	}
	for _, row := range notChecked {
		t.Logf("not checked: %s", row)
	}
}

// A probe is one check at work.
type probe struct {
	reporter
	*suite
	client *Client
}

// connect opens one more connection, and returns what ends it.
func (p *probe) connect(transport mcp.Transport) (*Client, func()) {
	p.Helper()
	c, end, err := p.dialer().open(p, transport)
	if err != nil {
		p.Fatalf("connecting once more: %v", err)
	}
	return c, func() {
		if err := end(); err != nil {
			p.Errorf("ending the connection: %v", err)
		}
	}
}

// must reports a failure unless ok, and returns ok.
func (p *probe) must(ok bool, format string, args ...any) bool {
	p.Helper()
	if !ok {
		p.Errorf(format, args...)
	}
	return ok
}

// should is must for what is recommended or inferred.
func (p *probe) should(ok bool, format string, args ...any) bool {
	p.Helper()
	switch {
	case ok:
	case p.Strict:
		p.Errorf(format, args...)
	default:
		p.Logf("should: "+format, args...)
	}
	return ok
}

// A level is must or should, as a method expression.
type level func(p *probe, ok bool, format string, args ...any) bool

var (
	must   level = (*probe).must
	should level = (*probe).should
)

// tool calls a tool that is to answer.
func (p *probe) tool(name string, args object) *Reply {
	p.Helper()
	return p.client.Tool(name, json.RawMessage(args.String()))
}

// raw is tool for arguments that are JSON already.
func (p *probe) raw(name, args string) *Reply {
	p.Helper()
	return p.client.Tool(name, json.RawMessage(args))
}

// refused calls a tool with arguments that it is to answer with an error, and
// returns the error's text. A protocol error is one too, though the model is
// better served by a result.
func (p *probe) refused(l level, name, args string) string {
	p.Helper()
	reply, err := p.client.try(name, json.RawMessage(args))
	if err != nil {
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) {
			p.Fatalf("%s%s: %v", name, args, err)
		}
		p.should(false, "%s%s is answered by a protocol error, which a model may not see: want a result with isError", name, args)
		return wire.Message
	}
	if l(p, reply.IsError, "%s%s is not an error: %s", name, args, excerpt(reply.Text)) {
		l(p, strings.TrimSpace(reply.Text) != "", "%s%s is an error without text", name, args)
	}
	return reply.Text
}

// mentions reports whether text has word, whatever its case.
func mentions(text, word string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(word))
}

// says reports whether text has one of the words.
func says(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return mentions(text, w) })
}
