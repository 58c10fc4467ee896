package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// A criterion is one row of the requirements.
type criterion struct {
	row, title string
	needs      need
	run        func(*probe)
}

// A suite is what all checks of a target share: one connection, and what was found
// out over it.
type suite struct {
	Target
	ctx   context.Context
	conn  *client.Conn   // the first of them
	conns []*client.Conn // all that were made
	tools []*mcp.Tool
	pages int // of tools/list

	// Of a CaSH server.
	tree   *tree
	skills []SkillSample
	json   bool // help() names format and json
	search bool // help() names search, which does something
	huge   int  // characters of the largest result that is asked for
	times  int  // repeats of what must always be the same

	// Of a server of two-stage disclosure.
	d        DisclosureTarget
	uri      string
	resource *mcp.Resource // nil if it is not listed
}

// begin makes the connection and lists the tools.
func (s *suite) begin(ctx context.Context) (err error) {
	if s.Transport == nil {
		return errors.New("no Transport is set")
	}
	s.ctx = ctx
	if s.conn, err = s.dial(s.Transport()); err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	if s.tools, s.pages, err = s.conn.Tools(); err != nil {
		return errors.Join(err, s.conn.Close())
	}
	return nil
}

// end ends the connection of a report.
func (s *suite) end(report *Report, err error) (*Report, error) {
	return report, errors.Join(err, s.conn.Close())
}

func (s *suite) dial(transport mcp.Transport) (*client.Conn, error) {
	c, err := client.Dial(s.ctx, transport, &client.Options{Version: s.Version, Timeout: s.Timeout})
	if err == nil {
		s.conns = append(s.conns, c)
	}
	return c, err
}

// run runs the checks.
func (s *suite) run(list []criterion) (*Report, error) {
	report := new(Report)
	for _, c := range list {
		row := Row{Name: c.row, Title: c.title}
		if c.needs.met != nil && !c.needs.met(s) {
			row.skip(c.needs.missing)
		} else {
			s.check(c, &row)
		}
		if s.ctx.Err() != nil { // which is not for the row to say
			break
		}
		report.Rows = append(report.Rows, row)
	}
	for _, c := range s.conns {
		report.Requests += int(c.Sent.Load())
	}
	return report, s.ctx.Err()
}

// stopped is what a check panics with that cannot go on.
type stopped struct{}

func (s *suite) check(c criterion, row *Row) {
	p := &probe{suite: s, row: row}
	defer func() {
		if r := recover(); r != nil && r != any(stopped{}) {
			panic(r)
		}
		for _, c := range p.open {
			p.hangUp(c)
		}
		if row.Status == NotChecked {
			row.Status = Passed
		}
	}()
	c.run(p)
}

// A probe is one check at work.
type probe struct {
	*suite
	row  *Row
	open []*client.Conn // of its own
}

// must counts a check of the row, and returns ok.
func (p *probe) must(ok bool, format string, args ...any) bool {
	if ok {
		p.row.hold()
	} else {
		p.fail(format, args...)
	}
	return ok
}

// should is must for what is recommended or inferred.
func (p *probe) should(ok bool, format string, args ...any) bool {
	if ok || p.Strict {
		return p.must(ok, format, args...)
	}
	p.note("should: "+format, args...)
	return false
}

func (p *probe) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.row.fail(text, text)
}

// stop fails the row and ends its check.
func (p *probe) stop(format string, args ...any) {
	p.fail(format, args...)
	panic(stopped{})
}

func (p *probe) note(format string, args ...any) { p.row.note(fmt.Sprintf(format, args...)) }

// A level is must or should, as a method expression.
type level func(p *probe, ok bool, format string, args ...any) bool

var (
	must   level = (*probe).must
	should level = (*probe).should
)

// connect opens one more connection, which ends with the check.
func (p *probe) connect(transport mcp.Transport) *client.Conn {
	c, err := p.dial(transport)
	if err != nil {
		p.stop("connecting once more: %v", err)
	}
	p.open = append(p.open, c)
	return c
}

// hangUp ends a connection.
func (p *probe) hangUp(c *client.Conn) {
	p.open = slices.DeleteFunc(slices.Clone(p.open), func(o *client.Conn) bool { return o == c })
	if err := c.Close(); err != nil {
		p.fail("ending the connection: %v", err)
	}
}

// tool calls a tool that is to answer.
func (p *probe) tool(name string, args object) *client.Reply { return p.over(p.conn, name, args) }

// over is tool for another connection.
func (p *probe) over(c *client.Conn, name string, args object) *client.Reply {
	reply, err := c.Tool(name, json.RawMessage(args.String()))
	if err != nil {
		p.stop("tools/call %q: %v", name, err)
	}
	return reply
}

// try calls a tool that may refuse with a protocol error.
func (p *probe) try(name string, args object) (*client.Reply, error) {
	return p.conn.Tool(name, json.RawMessage(args.String()))
}

// refused calls a tool with arguments that it is to answer with an error, and
// returns the error's text. A protocol error is one too, though the model is
// better served by a result.
func (p *probe) refused(l level, name string, args object) string {
	reply, err := p.try(name, args)
	if err != nil {
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) {
			p.stop("%s%s: %v", name, args, err)
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

// object is the arguments of a tool.
type object map[string]any

// named returns the arguments of pairs of a name and a text, without empty texts.
func named(pairs ...string) object { return client.Named(pairs...) }

// and returns a copy of o with one more member.
func (o object) and(name string, value any) object {
	c := make(object, len(o)+1)
	maps.Copy(c, o)
	c[name] = value
	return c
}

// text is a member that is a text, or "".
func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

// String returns o as JSON.
func (o object) String() string {
	if o == nil {
		return "{}"
	}
	return toJSON(o)
}

// toJSON returns v as JSON, or why it has no such form.
func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "!" + err.Error()
	}
	return string(data)
}

// same reports whether two replies say the same, metadata aside.
func same(a, b *client.Reply) bool {
	form := func(r *client.Reply) string { return toJSON(r.Raw.Content) + toJSON(r.Raw.StructuredContent) }
	return a.IsError == b.IsError && form(a) == form(b)
}

// onlyText reports whether a reply has texts and nothing else.
func onlyText(r *client.Reply) bool {
	return r.Raw.StructuredContent == nil && !slices.ContainsFunc(r.Raw.Content, func(c mcp.Content) bool {
		_, ok := c.(*mcp.TextContent)
		return !ok
	})
}

// plain reports whether r is one text and nothing else, so that its length is not a
// matter of opinion.
func plain(r *client.Reply) bool { return len(r.Raw.Content) == 1 && onlyText(r) }

// chars is the number of characters of a reply's text.
func chars(r *client.Reply) int { return utf8.RuneCountInString(r.Text) }
