package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// An EndpointTarget is a command endpoint to check: a program that answers one request and ends.
type EndpointTarget struct {
	// Command returns a new command for each request. Required.
	Command func() *exec.Cmd
	// Strict turns notes about recommended and inferred rules into failures.
	Strict bool
	// Timeout is the deadline of each request. Zero is 30 seconds.
	Timeout time.Duration
}

// Endpoint checks a program against the specification of the command endpoint as a black box. The rows are E1 and so
// on. It calls no tool. The error is a program that does not start, or ctx's; the report then has the rows so far.
func Endpoint(ctx context.Context, target EndpointTarget) (*Report, error) {
	if target.Command == nil {
		return nil, errors.New("no Command is set")
	}
	e := &endpointSuite{target: target}
	if _, err := e.ask(ctx, `{"action":"list_tools"}`); errors.Is(err, errNotStarted) {
		return nil, err
	}
	report, err := (&suite{Target: Target{Strict: target.Strict}, ctx: ctx}).run([]criterion{
		{"E1", "list_tools answers with tools", none, e.listed},
		{"E2", "a tool has all members of a descriptor", none, e.described},
		{"E3", "describe_tool answers with the descriptor of list_tools", none, e.same},
		{"E4", "an unknown tool is an error", none, e.refuses(`{"action":"describe_tool","tool":"no_such_tool_7f3a"}`)},
		{"E5", "calling an unknown tool is an error", none, e.refuses(`{"action":"call_tool","tool":"no_such_tool_7f3a","arguments":{}}`)},
		{"E6", "an unknown action is an error", none, e.refuses(`{"action":"no_such_action_7f3a"}`)},
		{"E7", "a request that is no JSON object is an error", none, e.refuses(`[]`, `{"action":`, `"list_tools"`, ``)},
	})
	report.Requests = e.sent
	return report, err
}

// An endpointSuite asks the program.
type endpointSuite struct {
	target EndpointTarget
	sent   int
	tools  [][]byte // the descriptors
}

// errNotStarted is the error of a program that cannot be started.
var errNotStarted = errors.New("starting the endpoint")

// maxEndpointAnswer bounds the output of the program, in bytes.
const maxEndpointAnswer = 16 << 20

// ask returns the answer to one request.
func (e *endpointSuite) ask(ctx context.Context, request string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(e.target.Timeout, 30*time.Second))
	defer cancel()
	cmd := e.target.Command()
	cmd.Stdin = strings.NewReader(request + "\n")
	out := &limited{most: maxEndpointAnswer}
	cmd.Stdout = out
	cmd.WaitDelay = time.Second
	e.sent++
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	ended := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer ended()
	err := cmd.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("no answer within %v", cmp.Or(e.target.Timeout, 30*time.Second))
	}
	if out.over {
		return nil, fmt.Errorf("the answer is larger than %d bytes", maxEndpointAnswer)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) { // the status is no part of the specification
		return nil, err
	}
	if err := strictjson.Check(out.data.Bytes()); err != nil {
		return nil, fmt.Errorf("the answer is no JSON document: %s", excerpt(out.data.Bytes()))
	}
	return out.data.Bytes(), nil
}

// limited keeps the beginning of an output, and reads on.
type limited struct {
	data bytes.Buffer
	most int
	over bool
}

func (l *limited) Write(b []byte) (int, error) {
	if l.data.Len()+len(b) > l.most {
		l.over = true
		return len(b), nil
	}
	return l.data.Write(b)
}

// result asks, and stops the row unless the answer is a result.
func (e *endpointSuite) result(p *probe, request string) []byte {
	answer, err := e.ask(p.ctx, request)
	if err != nil {
		p.stop("%s: %v", request, err)
	}
	if kind := strictjson.Text(strictjson.Member(answer, "type")); kind != "result" {
		p.stop("%s: the type is %q, want result: %s", request, kind, excerpt(answer))
	}
	return answer
}

func (e *endpointSuite) listed(p *probe) {
	tools := strictjson.Member(e.result(p, `{"action":"list_tools"}`), "tools")
	if !p.must(len(tools) > 0 && tools[0] == '[', "there is no array tools") {
		return
	}
	for _, tool := range strictjson.Elements(tools) {
		e.tools = append(e.tools, tool)
	}
}

// descriptorMembers are those of a descriptor, with the first byte of their values.
var descriptorMembers = []struct {
	name  string
	first byte
}{
	{"name", '"'}, {"description", '"'}, {"command", '"'}, {"origin", '"'}, {"safety", '"'},
	{"input_schema", '{'}, {"result_schema", '{'},
}

func (e *endpointSuite) described(p *probe) {
	if len(e.tools) == 0 {
		p.stop("list_tools has no tool")
	}
	for _, tool := range e.tools {
		name := strictjson.Text(strictjson.Member(tool, "name"))
		for _, m := range descriptorMembers {
			value := strictjson.Member(tool, m.name)
			p.must(len(value) > 0 && value[0] == m.first, "%q has no member %s, or one of another type", name, m.name)
		}
		origin := strictjson.Text(strictjson.Member(tool, "origin"))
		p.must(origin == "local" || origin == "remote", "the origin of %q is %q, want local or remote", name, origin)
	}
}

// maxDescribed bounds the tools that are described.
const maxDescribed = 20

func (e *endpointSuite) same(p *probe) {
	for _, tool := range e.tools[:min(maxDescribed, len(e.tools))] {
		name := strictjson.Text(strictjson.Member(tool, "name"))
		request, _ := json.Marshal(map[string]string{"action": "describe_tool", "tool": name})
		one := strictjson.Member(e.result(p, string(request)), "tool")
		p.must(bytes.Equal(strictjson.Canonical(one), strictjson.Canonical(tool)), "%q is described differently: %s", name, excerpt(one))
	}
}

// refuses returns a check that requests are errors.
func (e *endpointSuite) refuses(requests ...string) func(*probe) {
	return func(p *probe) {
		for _, request := range requests {
			answer, err := e.ask(p.ctx, request)
			if err != nil {
				p.fail("%q: %v", request, err)
				continue
			}
			p.must(strictjson.Text(strictjson.Member(answer, "type")) == "error", "%q is no error: %s", request, excerpt(answer))
			detail := strictjson.Member(answer, "error")
			for _, name := range []string{"name", "category", "message"} {
				p.must(strictjson.Text(strictjson.Member(detail, name)) != "", "%q: the error has no %s", request, name)
			}
		}
	}
}
