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

// A criterion is a row with its check.
type criterion struct {
	row, title string
	needs      need
	run        func(*probe)
}

// A suite holds what all checks of a target share: one connection, and what was discovered over it.
type suite struct {
	Target
	ctx   context.Context
	conn  *client.Conn   // the first connection
	conns []*client.Conn // all connections
	tools []*mcp.Tool
	pages int // pages of tools/list

	// For a CaSH server:
	tree   *tree
	skills []SkillSample
	json   bool // help() mentions format and json
	search bool // help() mentions search, and it works
	huge   int  // size in characters of the largest requested result
	times  int  // repetitions of requests whose answers must not vary

	ext *extension // nil unless a server with the skills extension is checked

	// For a server of two-stage disclosure:
	d        DisclosureTarget
	uri      string
	resource *mcp.Resource // nil if not listed
}

// begin connects and lists the tools.
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

// end closes the connections and completes a report.
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

// run runs the checks in order.
func (s *suite) run(list []criterion) (*Report, error) {
	report := new(Report)
	for _, c := range list {
		row := Row{Name: c.row, Title: c.title}
		if c.needs.met != nil && !c.needs.met(s) {
			row.skip(c.needs.missing)
		} else {
			s.check(c, &row)
		}
		if s.ctx.Err() != nil { // not the row's fault
			break
		}
		report.Rows = append(report.Rows, row)
	}
	for _, c := range s.conns {
		report.Requests += int(c.Sent.Load())
	}
	return report, s.ctx.Err()
}

// stopped is the panic value of a check that cannot go on.
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

// A probe is one running check. It sends requests and records the result in its row.
type probe struct {
	*suite
	row  *Row
	open []*client.Conn // connections of this check
}

// must records a check in the row, and returns ok.
func (p *probe) must(ok bool, format string, args ...any) bool {
	if ok {
		p.row.hold()
	} else {
		p.fail(format, args...)
	}
	return ok
}

// should is must for recommended and inferred rules: it notes, or with Strict fails.
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

// stop fails the row and ends the check.
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

// connect opens a further connection, closed after the check.
func (p *probe) connect(transport mcp.Transport) *client.Conn {
	c, err := p.dial(transport)
	if err != nil {
		p.stop("connecting once more: %v", err)
	}
	p.open = append(p.open, c)
	return c
}

// hangUp closes a connection.
func (p *probe) hangUp(c *client.Conn) {
	p.open = slices.DeleteFunc(slices.Clone(p.open), func(o *client.Conn) bool { return o == c })
	if err := c.Close(); err != nil {
		p.fail("ending the connection: %v", err)
	}
}

// tool calls a tool that must answer.
func (p *probe) tool(name string, args object) *client.Reply { return p.over(p.conn, name, args) }

// over is tool over another connection.
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

// refused calls a tool that must answer with an error, and returns the error's text. A protocol error counts,
// although a result is better for the model.
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

// mentions reports whether text contains word, in any case.
func mentions(text, word string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(word))
}

// says reports whether text contains one of the words.
func says(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return mentions(text, w) })
}

// object holds the arguments of a tool.
type object map[string]any

// named returns arguments from name-text pairs, without empty texts.
func named(pairs ...string) object { return client.Named(pairs...) }

// and returns a copy of o with a further member.
func (o object) and(name string, value any) object {
	c := make(object, len(o)+1)
	maps.Copy(c, o)
	c[name] = value
	return c
}

// text returns a string member, or "".
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

// toJSON returns v as JSON, or the reason why it has none.
func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "!" + err.Error()
	}
	return string(data)
}

// same reports whether two replies are equal, without metadata.
func same(a, b *client.Reply) bool {
	form := func(r *client.Reply) string { return toJSON(r.Raw.Content) + toJSON(r.Raw.StructuredContent) }
	return a.IsError == b.IsError && form(a) == form(b)
}

// onlyText reports whether a reply consists of texts.
func onlyText(r *client.Reply) bool {
	return r.Raw.StructuredContent == nil && !slices.ContainsFunc(r.Raw.Content, func(c mcp.Content) bool {
		_, ok := c.(*mcp.TextContent)
		return !ok
	})
}

// plain reports whether r is exactly one text, so that its length is unambiguous.
func plain(r *client.Reply) bool { return len(r.Raw.Content) == 1 && onlyText(r) }

// chars returns the length of a reply's text in characters.
func chars(r *client.Reply) int { return utf8.RuneCountInString(r.Text) }
