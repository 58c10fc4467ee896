package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// The table of -wire has five tasks with the sizes of what the model writes and reads, before and now:
//
//	| bytes (tokens)                | definitions, before | now         | written, before | now       | read, before | now |
//	| rename one name in four files | 893 (204)           | 1,113 (256) | 140,147 (40,307) | 903 (248) | ...          | ... |
//
// Below it are the steps of each task. The model is not simulated: each task says what it sends (wiretask.go). It uses
// only what the face lists.

// A size is that of a text.
type size struct{ bytes, tokens int }

func sizeOf(text string) size { return size{len(text), card.CL100K().Count(text, math.MaxInt)} }

func (s size) and(other size) size { return size{s.bytes + other.bytes, s.tokens + other.tokens} }

// beforeCommit is the commit of the figures before: these tasks, by the shortest way that there was.
const beforeCommit = "7ffc6d5"

// A wireStep is one message of the model and its answer.
type wireStep struct {
	what          string
	written, read size
}

// A wireCost is the cost of a task. The definitions of the tools are read once in each conversation.
type wireCost struct {
	definitions, written, read size
	impossible                 bool // the task cannot be done
}

// A wireTask is a task and its cost.
type wireTask struct {
	name   string
	do     func(context.Context, *wireTalk) error
	before wireCost // at beforeCommit
	now    wireCost
	steps  []wireStep
}

// wireSizes plays the tasks.
func wireSizes(ctx context.Context) ([]wireTask, error) {
	list := slices.Clone(wireTasks)
	for i := range list {
		w, t := &list[i], new(wireTalk)
		err := w.do(ctx, t)
		t.close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		w.now.definitions, w.steps = t.definitions, t.steps
		for _, s := range t.steps {
			w.now.written, w.now.read = w.now.written.and(s.written), w.now.read.and(s.read)
		}
	}
	return list, nil
}

// A wireTalk is the conversation of a task.
type wireTalk struct {
	session     *mcp.ClientSession
	definitions size
	steps       []wireStep
	ends        []func()
}

func (t *wireTalk) close() {
	for _, end := range slices.Backward(t.ends) {
		end()
	}
}

// connect begins the conversation with a server, and lists its tools.
func (t *wireTalk) connect(ctx context.Context, srv cost.Runner) error {
	ctx, cancel := context.WithCancel(ctx)
	t.ends = append(t.ends, cancel)
	near, far := mcp.NewInMemoryTransports()
	go srv.Run(ctx, far) // ends with ctx; an error shows up in the client's next request
	session, err := mcp.NewClient(&mcp.Implementation{Name: "wire", Version: "1.0.0"}, nil).Connect(ctx, mcpclient.Tap(near, mcpclient.Options{}), nil)
	if err != nil {
		return err
	}
	t.ends = append(t.ends, func() { _ = session.Close() })
	t.session = session
	t.definitions = sizeOf(session.InitializeResult().Instructions)
	call, exchange := mcpclient.WithExchange(ctx)
	if _, err := session.ListTools(call, nil); err != nil {
		return err
	}
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description,omitempty"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		NextCursor string
	}
	if err := json.Unmarshal(exchange.Result(), &list); err != nil || list.NextCursor != "" {
		return fmt.Errorf("reading the tools, the next page being %q: %w", list.NextCursor, err)
	}
	for _, tool := range list.Tools {
		t.definitions = t.definitions.and(sizeOf(string(strictjson.MustMarshal(tool))))
	}
	return nil
}

// call calls a tool. The text of the result must have the wanted ones.
func (t *wireTalk) call(ctx context.Context, tool, args string, want ...string) (string, error) {
	text, failed, err := t.try(ctx, tool, args)
	if err == nil && failed {
		err = fmt.Errorf("%s %s has failed: %.300s", tool, args, text)
	}
	if err != nil {
		return "", err
	}
	return text, has(text, want)
}

// try calls a tool that may refuse.
func (t *wireTalk) try(ctx context.Context, tool, args string) (text string, failed bool, err error) {
	ctx, exchange := mcpclient.WithExchange(ctx)
	res, err := t.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return "", false, err
	}
	text = (&registry.Result{Content: res.Content}).Text()
	sent := fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args)
	t.take(tool+" "+args, sent, string(exchange.Result()), text)
	return text, res.IsError, nil
}

// fetch reads a resource.
func (t *wireTalk) fetch(ctx context.Context, uri string, want ...string) error {
	ctx, exchange := mcpclient.WithExchange(ctx)
	res, err := t.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return err
	}
	text := ""
	for _, c := range res.Contents {
		text += c.Text
	}
	t.take("resources/read "+uri, fmt.Sprintf(`{"uri":%q}`, uri), string(exchange.Result()), text)
	return has(text, want)
}

// take records a step. Bytes are those of the result on the wire, tokens those of its text.
func (t *wireTalk) take(what, sent, result, text string) {
	read := size{len(masked(result)), sizeOf(masked(text)).tokens}
	t.steps = append(t.steps, wireStep{masked(what), sizeOf(masked(sent)), read})
}

func has(text string, want []string) error {
	for _, w := range want {
		if !strings.Contains(text, w) {
			return fmt.Errorf("the model has not read %q: %.300s", w, text)
		}
	}
	return nil
}

// drifting are the values that differ from run to run, and what stands for them.
var drifting = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\b[A-Z2-7]{26}\b`), "L2IH2G23HKZ727CNF5FI55SWRK"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`), "2026-01-02T03:04:05Z"},
}

func masked(text string) string {
	for _, d := range drifting {
		text = d.from.ReplaceAllLiteralString(text, d.to)
	}
	return text
}

// member returns a text in the object data of an answer of a domain.
func member(answer, name string) string {
	var a struct{ Data map[string]json.RawMessage }
	_ = json.Unmarshal([]byte(answer), &a) // without the member, the next step fails
	return strictjson.Text(a.Data[name])
}

// writeWire writes the table, and the steps of each task.
func writeWire(out io.Writer, list []wireTask) error {
	p := &page{out: out}
	p.printf("| bytes (tokens) | definitions, before | now | written, before | now | read, before | now |\n|---|---|---|---|---|---|---|\n")
	for _, w := range list {
		p.printf("| %s | %s | %s | %s | %s | %s | %s |\n", w.name, w.before.definitions, w.now.definitions,
			w.before.of(w.before.written), w.now.of(w.now.written), w.before.of(w.before.read), w.now.of(w.now.read))
	}
	p.printf("\nBefore is commit %s.\n", beforeCommit)
	for _, w := range list {
		p.printf("\n%s:\n\n", w.name)
		p.table(func(row func(cells ...any)) {
			row("", "written", "read", "")
			for i, s := range w.steps {
				row(i+1, s.written, s.read, "  "+short(s.what))
			}
		})
	}
	return p.err
}

func (s size) String() string { return fmt.Sprintf("%s (%s)", thousands(s.bytes), thousands(s.tokens)) }

// of writes one size of a cost.
func (c wireCost) of(s size) string {
	if c.impossible {
		return "impossible"
	}
	return s.String()
}
