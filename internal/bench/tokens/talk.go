package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// A runner is a server of any face.
type runner interface {
	Run(context.Context, mcp.Transport) error
}

// A talk is a conversation of a model with a server over a real connection.
type talk struct {
	ctx         context.Context
	session     *mcp.ClientSession
	definitions int               // tokens before the first turn
	defined     []json.RawMessage // the tools as listed
	tools       []string          // their names
	turns       []turn
	read        strings.Builder // all replies
}

// A turn is a call of the model and its reply.
type turn struct {
	tool, args string
	sent, got  int // tokens
}

// connect starts a talk. The server ends with the context or the session.
func connect(ctx context.Context, srv runner) (*talk, error) {
	near, far := mcp.NewInMemoryTransports()
	go srv.Run(ctx, far) // an error shows up in the client's next request
	client := mcp.NewClient(&mcp.Implementation{Name: "tokens", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, mcpclient.Tap(near, mcpclient.Options{}), nil)
	if err != nil {
		return nil, err
	}
	t := &talk{ctx: ctx, session: session}
	if err := t.list(); err != nil {
		session.Close()
		return nil, err
	}
	return t, nil
}

// list counts what the model knows of the server at the beginning.
func (t *talk) list() error {
	t.definitions = count(t.session.InitializeResult().Instructions)
	for cursor := ""; ; {
		ctx, exchange := mcpclient.WithExchange(t.ctx)
		page, err := t.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return err
		}
		listed, err := definitions(exchange.Result())
		if err != nil {
			return err
		}
		for _, raw := range listed {
			d, err := read(raw)
			if err != nil {
				return err
			}
			t.tools = append(t.tools, d.Name)
			t.definitions += count(string(asJSON(d)))
			t.defined = append(t.defined, raw)
		}
		if cursor = page.NextCursor; cursor == "" {
			return nil
		}
	}
}

// listResources counts the resources that the model may read.
func (t *talk) listResources() error {
	list, err := t.session.ListResources(t.ctx, nil)
	if err != nil {
		return err
	}
	for _, r := range list.Resources {
		t.definitions += count(string(asJSON(struct {
			URI         string `json:"uri"`
			Name        string `json:"name"`
			Description string `json:"description,omitempty"`
		}{r.URI, r.Name, r.Description})))
	}
	return nil
}

// listed returns the tokens of the whole of tools/list.
func (t *talk) listed() int {
	n := 0
	for _, raw := range t.defined {
		n += count(string(raw))
	}
	return n
}

// named returns the listed name of a tool, ignoring case.
func (t *talk) named(name string) (string, error) {
	i := slices.IndexFunc(t.tools, func(tool string) bool { return strings.EqualFold(tool, name) })
	if i < 0 {
		return "", fmt.Errorf("no tool is called %s", name)
	}
	return t.tools[i], nil
}

// A definition is the part of a tool that the model sees.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// definitions splits a page of tools/list as it was sent, because the SDK's client reorders the members of schemas.
func definitions(page json.RawMessage) ([]json.RawMessage, error) {
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(page, &list); err != nil {
		return nil, fmt.Errorf("reading a page of tools: %w", err)
	}
	return list.Tools, nil
}

func read(tool json.RawMessage) (d definition, err error) {
	if err = json.Unmarshal(tool, &d); err != nil {
		err = fmt.Errorf("reading a tool: %w", err)
	}
	return d, err
}

// call takes one turn.
func (t *talk) call(tool string, args any) (reply string, isError bool, err error) {
	data := asJSON(args)
	res, err := t.session.CallTool(t.ctx, &mcp.CallToolParams{Name: tool, Arguments: data})
	if err != nil {
		return "", false, fmt.Errorf("calling %s: %w", tool, err)
	}
	reply = (&registry.Result{Content: res.Content}).Text()
	t.take(tool, data, reply)
	return reply, res.IsError, nil
}

// take records a turn.
func (t *talk) take(tool string, args json.RawMessage, reply string) {
	t.read.WriteString(reply)
	shown := maskHandles(string(args))
	t.turns = append(t.turns, turn{
		tool: tool, args: shown, got: count(maskHandles(reply)),
		sent: count(string(asJSON(struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}{tool, json.RawMessage(shown)}))),
	})
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
	t.take("resources/read", asJSON(map[string]string{"uri": uri}), text)
	return text, nil
}

// must is a call that has to succeed.
func (t *talk) must(tool string, args any) (reply string, err error) {
	reply, failed, err := t.call(tool, args)
	if failed {
		err = failure(tool, args, reply)
	}
	return reply, err
}

func failure(tool string, args any, reply string) error {
	return fmt.Errorf("%s %s has failed: %.300s", tool, asJSON(args), reply)
}

// handles match the random handles, whose number of tokens varies.
var handles = regexp.MustCompile(`art-[A-Z2-7]{26}`)

// maskHandles replaces each handle by the same one.
func maskHandles(text string) string {
	return handles.ReplaceAllLiteralString(text, "art-L2IH2G23HKZ727CNF5FI55SWRK")
}

func count(text string) int { return card.CL100K().Count(text, math.MaxInt) }

// asJSON returns v as JSON without escapes for '<', '>' and '&'.
func asJSON(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("tokens: " + err.Error()) // cannot happen: every value here has a JSON form
	}
	return bytes.TrimSpace(b.Bytes())
}
