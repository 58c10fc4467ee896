package cost

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// A talk is a conversation of a model with a server over a real connection.
type talk struct {
	ctx       context.Context
	session   *mcp.ClientSession
	typed     bool                 // output schemas and structured content count too
	texts     bool                 // the bill keeps what the model reads
	functions []*registry.Function // all that there are
	tools     []string             // the names of the tools
	bill      Bill
	read      strings.Builder // all replies
}

// connect starts a talk. The server ends with the context or the session.
func connect(ctx context.Context, srv Runner, o *PlayOptions) (*talk, error) {
	near, far := mcp.NewInMemoryTransports()
	go srv.Run(ctx, far) // an error shows up in the client's next request
	return dial(ctx, mcpclient.Tap(near, mcpclient.Options{}), o)
}

// Definitions returns what a running server of any maker costs a model before the first call, as a bill without turns.
// The transport must be new.
func Definitions(ctx context.Context, transport mcp.Transport) (*Bill, error) {
	t, err := dial(ctx, transport, new(PlayOptions))
	if err != nil {
		return nil, err
	}
	return &t.bill, t.session.Close()
}

// dial starts a talk over a transport.
func dial(ctx context.Context, transport mcp.Transport, o *PlayOptions) (*talk, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "cost", Version: "1.0.0"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	t := &talk{ctx: ctx, session: session, typed: o.Typed, texts: o.Texts}
	if err := t.list(); err != nil {
		session.Close()
		return nil, err
	}
	return t, nil
}

// maxPages bounds the list of tools of a running server.
const maxPages = 1000

// list counts what the model knows of the server at the beginning.
func (t *talk) list() error {
	t.bill.Instructions = count(t.session.InitializeResult().Instructions)
	t.define(t.session.InitializeResult().Instructions)
	if t.session.InitializeResult().Capabilities.Tools == nil {
		return nil
	}
	for pages, cursor := 0, ""; ; pages++ {
		if pages == maxPages {
			return fmt.Errorf("the list of tools has more than %d pages", maxPages)
		}
		ctx, exchange := mcpclient.WithExchange(t.ctx)
		page, err := t.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return err
		}
		// The definitions as they were sent: the SDK's client reorders the members of schemas.
		var sent struct{ Tools []json.RawMessage }
		data := []byte(exchange.Result())
		if data == nil { // a transport of another package
			data = strictjson.MustMarshal(page)
		}
		if err := json.Unmarshal(data, &sent); err != nil {
			return fmt.Errorf("reading a page of tools: %w", err)
		}
		for _, raw := range sent.Tools {
			var d definition
			if err := json.Unmarshal(raw, &d); err != nil {
				return fmt.Errorf("reading a tool: %w", err)
			}
			t.tools = append(t.tools, d.Name)
			if !t.typed {
				d.OutputSchema = nil
			}
			t.define(string(strictjson.MustMarshal(d)))
			t.bill.Listed += count(string(raw))
		}
		if cursor = page.NextCursor; cursor == "" {
			return nil
		}
	}
}

// define counts a text that the model has from the beginning.
func (t *talk) define(text string) {
	t.bill.Definitions += count(text)
	if t.texts && text != "" {
		t.bill.Defined = append(t.bill.Defined, text)
	}
}

// A definition is the part of a tool that the model sees.
type definition struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

// listResources counts the resources that the model may read.
func (t *talk) listResources() error {
	list, err := t.session.ListResources(t.ctx, nil)
	if err != nil {
		return err
	}
	for _, r := range list.Resources {
		t.define(string(strictjson.MustMarshal(struct {
			URI         string `json:"uri"`
			Name        string `json:"name"`
			Description string `json:"description,omitempty"`
		}{r.URI, r.Name, r.Description})))
	}
	return nil
}

// named returns the listed name of a tool, ignoring case.
func (t *talk) named(name string) (string, error) {
	i := slices.IndexFunc(t.tools, func(tool string) bool { return strings.EqualFold(tool, name) })
	if i < 0 {
		return "", fmt.Errorf("no tool is called %s", name)
	}
	return t.tools[i], nil
}

// call takes one turn.
func (t *talk) call(tool string, args any) (reply string, isError bool, err error) {
	data := json.RawMessage(strictjson.MustMarshal(args))
	ctx, exchange := mcpclient.WithExchange(t.ctx)
	res, err := t.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: data})
	if err != nil {
		return "", false, fmt.Errorf("calling %s: %w", tool, err)
	}
	reply = (&registry.Result{Content: res.Content}).Text()
	structured := ""
	if t.typed {
		structured = string(strictjson.Member(exchange.Result(), "structuredContent"))
	}
	t.take(tool, data, reply+structured)
	return reply, res.IsError, nil
}

// must is a call that has to succeed.
func (t *talk) must(tool string, args any) (reply string, err error) {
	reply, failed, err := t.call(tool, args)
	if failed {
		err = failure(tool, args, reply)
	}
	return reply, err
}

// fetch takes a turn that reads a resource.
func (t *talk) fetch(uri string) (text string, err error) {
	res, err := t.session.ReadResource(t.ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", uri, err)
	}
	for _, c := range res.Contents {
		text += c.Text
	}
	t.take("resources/read", strictjson.MustMarshal(map[string]string{"uri": uri}), text)
	return text, nil
}

// take records a turn.
func (t *talk) take(tool string, args json.RawMessage, reply string) {
	t.read.WriteString(reply)
	turn := newTurn(tool, string(args), reply)
	if t.texts {
		turn.Reply = reply
	}
	t.bill.Turns = append(t.bill.Turns, turn)
}

func newTurn(tool, args, reply string) Turn {
	args = maskHandles(args)
	sent := strictjson.MustMarshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{tool, json.RawMessage(args)})
	return Turn{Tool: tool, Args: args, Sent: count(string(sent)), Got: count(maskHandles(reply))}
}

func failure(tool string, args any, reply string) error {
	return fmt.Errorf("%s %s has failed: %.300s", tool, strictjson.MustMarshal(args), reply)
}

// handles match the random handles, whose number of tokens varies.
var handles = regexp.MustCompile(`art-[A-Z2-7]{26}`)

// maskHandles replaces each handle by the same one.
func maskHandles(text string) string {
	return handles.ReplaceAllLiteralString(text, "art-L2IH2G23HKZ727CNF5FI55SWRK")
}

func count(text string) int { return card.CL100K().Count(text, math.MaxInt) }
