package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

const (
	rootPage   = "# Available Namespaces\n\n- **orders** — Orders.\n"
	ordersPage = "# orders\n\n## Functions\n\n- **create** — Create; see help(namespace=\"orders\").\n"
	createPage = "# orders.create\n\nCreate an order.\n\n## Parameters\n\n| Name | Type | Required | Description |\n|--|--|--|--|\n| id | string | yes | Which. |\n\nAdditional parameters available with `params=\"full\"`.\n"
)

// A speaker is a CaSH server by other hands, whose tools take the properties of
// schemas and no others; no schema is any. It answers with pages, by tool,
// namespace and name.
type speaker struct {
	schemas map[string]string
	pages   map[string]string
	refuse  string // of what has no page, as a plain text; empty is as an error
	answer  func(a args) *mcp.CallToolResult
	listen  func(ctx context.Context, a args) *mcp.CallToolResult // comes before pages
	calls   []string
}

func (s *speaker) server() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "speaker"}, nil)
	for _, tool := range []string{"call", "help", "skill"} {
		schema, allowed := `{"type":"object"}`, args(nil)
		if props := s.schemas[tool]; props != "" {
			schema = `{"type":"object","additionalProperties":false,"properties":` + props + `}`
			if json.Unmarshal([]byte(props), &allowed) != nil {
				panic(props)
			}
		}
		srv.AddTool(&mcp.Tool{Name: tool, InputSchema: json.RawMessage(schema)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var a args
			if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
				return nil, err
			}
			for name := range a {
				if _, ok := allowed[name]; !ok && allowed != nil {
					return failed("unexpected argument " + name), nil
				}
			}
			if tool == "call" {
				s.calls = append(s.calls, string(req.Params.Arguments))
				if s.answer != nil {
					return s.answer(a), nil
				}
				return text("called"), nil
			}
			if s.listen != nil {
				if r := s.listen(ctx, a); r != nil {
					return r, nil
				}
			}
			name := str(a["namespace"]) + "/" + str(a["function"]) + str(a["skillname"]) + str(a["name"])
			page, ok := s.pages[tool+" "+name]
			switch {
			case ok:
				return text(page), nil
			case s.refuse != "":
				return text(s.refuse), nil
			}
			return failed("nothing there"), nil
		})
	}
	return srv
}

func newSpeaker() *speaker {
	return &speaker{
		schemas: map[string]string{
			"call": `{"namespace":{},"function":{},"kwargs":{},"sizelimit":{}}`, "help": `{"namespace":{},"function":{},"kwargs":{}}`,
			"skill": `{"namespace":{},"skillname":{},"kwargs":{}}`,
		},
		pages: map[string]string{
			"help /": rootPage, "help orders/": ordersPage, "help orders/create": createPage,
			"skill /": "# Skills\n\n- **do-it** — Do it.\n", "skill /do-it": "Done by `call(namespace=orders, function=create)`.",
		},
	}
}

// The three tools are used with the arguments that they declare.
func TestR120Dialects(t *testing.T) {
	for name, tt := range map[string]struct {
		kind       upstream.Kind
		tool, args string
		want       string // how it is called with a size limit
	}{
		"RFC":                    {upstream.Auto, "", "", `{"namespace":"orders","function":"create","kwargs":{"id":"x"},"sizelimit":77}`},
		"skill by name":          {upstream.Auto, "skill", `{"namespace":{},"name":{},"kwargs":{}}`, ""},
		"skill without kwargs":   {upstream.Auto, "skill", `{"namespace":{},"skillname":{}}`, ""},
		"help without kwargs":    {upstream.Auto, "help", `{"namespace":{},"function":{}}`, ""},
		"help with its format":   {upstream.Auto, "help", `{"namespace":{},"function":{},"format":{}}`, ""},
		"call without sizelimit": {upstream.Auto, "call", `{"namespace":{},"function":{},"kwargs":{}}`, `{"namespace":"orders","function":"create","kwargs":{"sizelimit":77,"id":"x"}}`},
		"another spelling":       {upstream.Auto, "call", `{"namespace":{},"function":{},"kwargs":{},"size_limit":{}}`, `{"namespace":"orders","function":"create","kwargs":{"id":"x"},"size_limit":77}`},
		"help without schema":    {upstream.Auto, "help", "", ""},
		"call without schema":    {upstream.CaSH, "call", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpeaker()
			if tt.tool != "" {
				s.schemas[tt.tool] = tt.args
			}
			server := memory("shop", s.server())
			server.Kind = tt.kind
			c := cashtest.Connect(t, serving(t, server))
			if got := c.Help("shop.orders", "").OK().Text; !strings.Contains(got, "- **create** — Create; see help(namespace=\"shop.orders\").") {
				t.Errorf("R137: help says\n%s", got)
			}
			if got := c.Skill("", "doit").OK().Text; got != "Done by `call(namespace=shop.orders, function=create)`." {
				t.Errorf("R123: the skill reads %s", got)
			}
			c.Tool("call", args{"namespace": "shop.orders", "function": "create", "kwargs": json.RawMessage(`{"id":"x"}`), "sizelimit": 77}).OK()
			if len(s.calls) != 1 || tt.want != "" && s.calls[0] != tt.want {
				t.Errorf("R138: the server was called with %s", s.calls)
			}
		})
	}
}

// Who asks for JSON gets JSON, also from a server that knows markdown only.
func TestR139PagesInJSON(t *testing.T) {
	c := cashtest.Connect(t, serving(t, memory("shop", newSpeaker().server())))
	got := c.Tool("help", args{"namespace": "shop.orders", "function": "create", "kwargs": args{"format": "json"}}).OK().Text
	const want = `{"namespace":"shop.orders","name":"create","description":"Create an order.","parameters":[{"name":"id","type":"string","required":true,"description":"Which."}],"more":"params=\"full\"","id":"shop:orders.create#97046959"}`
	if got != want {
		t.Errorf("the page is %s", got)
	}
	if got = c.Help("shop.orders", "create").OK().Text; !strings.HasPrefix(got, "# shop.orders.create\n") {
		t.Errorf("the page is %s", got)
	}
}

// Arguments of help that only the server could understand cost nobody the page
// that is known, if it does not answer; an error of its own stays one.
func TestR139PagesOfTheSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSpeaker()
		var silent atomic.Bool
		silence := make(chan struct{})
		defer close(silence)
		s.listen = func(ctx context.Context, a args) *mcp.CallToolResult {
			kwargs, _ := a["kwargs"].(args)
			switch {
			case silent.Load():
				select {
				case <-silence:
				case <-ctx.Done():
				}
				return text("late")
			case kwargs["bad"] != nil:
				return failed("bad is bad")
			}
			return nil
		}
		srv := serving(t, memory("shop", s.server()))
		help := func(kwargs string) (string, error) {
			return srv.Help(t.Context(), &cash.HelpRequest{Namespace: "shop.orders", Kwargs: json.RawMessage(kwargs)})
		}
		if _, err := help(`{"bad":1}`); err == nil || !strings.Contains(err.Error(), "bad is bad") {
			t.Errorf("an error became %v", err)
		}
		silent.Store(true)
		if got, err := help(`{"detailed":true}`); err != nil || !strings.HasPrefix(got, "# shop.orders\n") {
			t.Errorf("the page is %s, %v", got, err)
		}
	})
}

// Where a page does not say whether it lists namespaces or functions, the server
// is asked.
func TestR122PagesThatDoNotSay(t *testing.T) {
	const list = "- **create** — Create.\n"
	for name, tt := range map[string]struct{ root, below, refuse, namespace string }{
		"namespaces below a word":  {"# Domains\n\n" + list, ordersPage, "", "shop.create"},
		"functions of the root":    {"# My calculator\n\n" + list, "", "", "shop"},
		"errors as plain texts":    {"# My calculator\n\n" + list, "", "**Error:** No namespace.", "shop"},
		"the same for all, a word": {"# Calculator\n\n" + list, "", "# Calculator\n\n" + list, "shop"},
		"the same for all":         {"# My calculator\n\n" + list, "", "# My calculator\n\n" + list, "shop"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpeaker()
			s.refuse = tt.refuse
			s.pages = map[string]string{"help /": tt.root}
			if tt.below != "" {
				s.pages["help create/"] = tt.below
			}
			c := cashtest.Connect(t, serving(t, memory("shop", s.server())))
			c.Call(tt.namespace, "create", nil).OK()
			if r := c.Call(tt.namespace+".create", "create", nil); !r.IsError {
				t.Error("there is a namespace that is none")
			}
		})
	}
}

// A server whose errors look like pages is not taken for an endless tree.
func TestR122ErrorsAsPages(t *testing.T) {
	s := newSpeaker()
	s.pages["help /"] = "# Available Namespaces\n\n- **orders** — Orders.\n- **gone** — Gone.\n"
	s.refuse = "Available namespaces:\n\n- **orders** — Orders.\n- **gone** — Gone.\n"
	_, agg, _ := aggregate(t, nil, memory("shop", s.server()))
	st := agg.Status()[0]
	if notes := fmt.Sprint(st.Notes); st.Functions != 1 || !strings.Contains(notes, "gone cannot be read") || len(st.Notes) > 2 {
		t.Errorf("%d functions, and the notes are %s", st.Functions, notes)
	}
}

// A notice of a gate passes once, however it is worded.
func TestR138OtherNotices(t *testing.T) {
	const long = " This sentence makes the notice longer than what was asked for."
	for _, notice := range []*mcp.CallToolResult{
		text("**Gated:** Response exceeds size limit (4821 orders, ~48,000 characters). Pass `sizelimit=50000`." + long),
		failed("Gated: 48000 characters. Narrow the query, or repeat it with size_limit=50000." + long),
		text("⚠️ Output withheld: 48,000 characters. Narrow your query or pass sizeLimit: 50000." + long),
		text(`{"gated":true,"count":4821,"suggested_sizelimit":50000,"message":"Response gated. Narrow the query with filters."}`),
	} {
		s := newSpeaker()
		s.answer = func(a args) *mcp.CallToolResult {
			if limit, _ := a["sizelimit"].(float64); limit >= 48_000 {
				return text(strings.Repeat("x", 48_000))
			}
			return notice
		}
		c := cashtest.Connect(t, serving(t, memory("shop", s.server())))
		want := notice.Content[0].(*mcp.TextContent).Text
		for _, limit := range []int{0, 50, 9000} {
			r := c.Tool("call", args{"namespace": "shop.orders", "function": "create", "kwargs": args{"id": "7"}, "sizelimit": limit})
			if r.Text != want || r.IsError != notice.IsError {
				t.Errorf("sizelimit %d: got %s", limit, r.Text)
			}
		}
		if r := c.Tool("call", args{"namespace": "shop.orders", "function": "create", "kwargs": args{"id": "7"}, "sizelimit": 50_000}).OK(); r.Chars() != 48_000 {
			t.Errorf("the response has %d characters", r.Chars())
		}
	}
}

// Skills stand where the headings of their list say, if those are namespaces.
func TestR123SkillsBelowHeadings(t *testing.T) {
	s := newSpeaker()
	s.pages["skill /"] = "# Skills\n\n## orders\n\n- **do-it** — Do it.\n\n## General\n\n- **other** — Another.\n"
	s.pages["skill orders/do-it"], s.pages["skill /other"] = "Of orders.", "Of all."
	delete(s.pages, "skill /do-it")
	c := cashtest.Connect(t, serving(t, memory("shop", s.server())))
	if got := c.Skill("shop.orders", "doit").OK().Text + c.Skill("shop", "other").OK().Text; got != "Of orders.Of all." {
		t.Errorf("the skills read %s", got)
	}
}
