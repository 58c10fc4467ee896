package disclosure_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestP1P2P3List(t *testing.T) {
	overAll(t, &disclosure.Options{}, func(t *testing.T, c *client) {
		tools := c.Tools()
		if got := toolNames(tools); !slices.Equal(got, names) {
			t.Fatalf("tools %v, want %v", got, names)
		}
		open := map[string]any{"type": "object", "additionalProperties": true}
		for _, tool := range tools {
			if tool.Description == "" || !reflect.DeepEqual(tool.InputSchema, any(open)) || tool.OutputSchema != nil || tool.Title != "" {
				t.Errorf("%s: %s", tool.Name, toJSON(tool))
			}
			text := strings.ToLower(toJSON(tool))
			for _, word := range []string{"customer_id", "quantity", "priority", "example", "usage"} {
				if strings.Contains(text, word) {
					t.Errorf("%s: %q in %s", tool.Name, word, text)
				}
			}
		}
		if got := tools[3].Description; got != "Retrieve the order of a customer id." {
			t.Errorf("description %q", got)
		}
		if a := tools[3].Annotations; !a.ReadOnlyHint {
			t.Errorf("orders-get: %+v", a)
		}
		if a := tools[1].Annotations; a.ReadOnlyHint || !*a.DestructiveHint {
			t.Errorf("orders-drop: %+v", a)
		}
	})
}

func TestP2Minimal(t *testing.T) {
	params := `{"type":"object","properties":{"customer_id":{},"pageSize":{},"page-count":{},"limit":{},"x2":{},"a":{"type":"object","properties":{"deep_one":{}}}}}`
	for _, tt := range []struct{ description, want string }{
		{"", "orders create thing"},
		{"   \u200b\n", "orders create thing"},
		{"Ping.", "Ping."},
		{"List orders up to a limit.", "List orders up to a limit."},
		{"The first. The second.", "The first."},
		{"Deprecated. Make an order. More.", "Deprecated. Make an order."},
		{"U.S. tax rates. More.", "U.S. tax rates."},
		{"Is it there? Yes.", "Is it there?"},
		{"Find v1.2 of a file.", "Find v1.2 of a file."},
		{"Compare a vs. others. More.", "Compare a vs. others."},
		{"Look a customer_id up by pageSize or x2 and deep_one.", "Look a customer id up by page size or x 2 and deep one."},
		{"Look up customer_id.name, a.customer_id and pageSize-2.", "Look up customer id.name, a.customer id and page size-2."},
		{"A customer_id-based list of customer_ids.", "A customer id-based list of customer ids."},
		{"Look up CUSTOMER_ID, --page-count or __customer_id__.", "Look up customer id, page count or customer id."},
		{"Look up customer_id_2 and x20.", "Look up customer_id_2 and x20."},
		{"Make an order, e.g. for one customer.", "Make an order"},
		{"Make an order, eg. for one.", "Make an order"},
		{"Make an order, ex: for one.", "Make an order"},
		{"Make an order\n@param customer_id whose", "Make an order"},
		{"Make an order\n:param customer_id: whose", "Make an order"},
		{"Make an order\nInput: {\"customer_id\":1}", "Make an order"},
		{"<example>make(1)</example> Make an order.", "Make an order."},
		{"Call make(customer_id, 1) for order(s) or box(es).", "Call make for order(s) or box(es)."},
		{"[Make](https://example.com/a?b=c) **an** order.", "Make an order."},
		{"Make what https://example.com/docs, says.", "orders create thing"},
		{"[DEPRECATED] Make an order of [1, 2].", "(DEPRECATED) Make an order."},
		{"- Make an order", "Make an order"},
		{"Make an order (e.g. two) now.", "Make an order now."},
		{"Make an order (customer_id: string, limit: integer).", "Make an order."},
		{"Make an order. Usage: make(1)", "Make an order."},
		{"Make an order\nUsage: make(1)", "Make an order"},
		{"Example: {\"customer_id\": 1}", "orders create thing"},
		{"Make an order from {\"customer_id\": 1}.", "Make an order."},
		{"Make an order like `{\"customer_id\":1}` now.", "Make an order."},
		{"Return an example order.", "Return a sample order."},
		{"Run `make`. More.", "Run `make`."},
		{"Make it.\n\n```\nmake(1)\n```", "Make it."},
		{"```\nmake(1)\n```", "orders create thing"},
		{"Make it.\n~~~\nmake(1)\n~~~", "Make it."},
		{"# Heading\n\nMake an order.", "Make an order."},
		{"Make\tan\u202e order\r\nnow.", "Make an order now."},
		{"{{{{", "orders create thing"},
		{strings.Repeat("word ", 100), strings.TrimSpace(strings.Repeat("word ", 31)) + "…"},
		{"注文を作る。次。", "注文を作る。"},
	} {
		f, err := registry.RawFunc("create_thing", tt.description, json.RawMessage(params),
			func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := disclosure.Minimal(f.In("orders")); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.description, got, tt.want)
		}
	}
}

func TestP4P5P28Resource(t *testing.T) {
	const other = "shop:///docs"
	for _, at := range []string{uri, other} {
		c := connect(t, disclosure.NewServer(shop(), &disclosure.Options{URI: at}), nil)
		res, err := c.Session.ListResources(context.Background(), nil)
		if err != nil || len(res.Resources) != 1 {
			t.Fatalf("%v %s", err, toJSON(res))
		}
		r := res.Resources[0]
		if r.URI != at || !strings.Contains(r.Name, "Tool Descriptions") || r.MIMEType != "application/json" {
			t.Errorf("%s", toJSON(r))
		}
		for _, want := range []string{"tools/list", "?tools=", "Step 1", "Step 2", "Step 3", at + "?tools=TOOL1,TOOL2", "Before", "TOOL_DESCRIPTION_REQUIRED", "fails", "session", "parameters"} {
			if !strings.Contains(r.Description, want) {
				t.Errorf("the description does not have %q: %s", want, r.Description)
			}
		}
		if got := c.read(at); got != missing(at) {
			t.Errorf("bare: %s", got)
		}
		templates, err := c.Session.ListResourceTemplates(context.Background(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != at+"{?tools}" {
			t.Errorf("templates: %v %s", err, toJSON(templates))
		}
		caps := c.Session.InitializeResult().Capabilities
		if caps.Tools == nil || caps.Resources == nil || caps.Prompts != nil || caps.Experimental != nil || caps.Completions != nil {
			t.Errorf("capabilities: %s", toJSON(caps))
		}
	}
}

func TestP22SystemPrompt(t *testing.T) {
	for _, want := range []string{"two stages", "tools/list", "enough", "Never", "?tools=TOOL1,TOOL2", uri + "?tools="} {
		if !strings.Contains(disclosure.SystemPrompt, want) {
			t.Errorf("no %q", want)
		}
	}
	c := connect(t, disclosure.NewServer(shop(), &disclosure.Options{Serve: serve.Options{Instructions: "A shop."}, URI: "shop:///docs"}), nil)
	got := c.Session.InitializeResult().Instructions
	want := "A shop.\n\n" + strings.ReplaceAll(disclosure.SystemPrompt, uri, "shop:///docs") + "\n\nThe tools are about: orders, ping."
	if got != want || len(got) > 2000 {
		t.Errorf("instructions %q, want %q", got, want)
	}
}

// TestPX3Embedded adds the face to a server that says other things of its own.
func TestPX3Embedded(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, &mcp.ServerOptions{
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope, c.TTLMs = "public", 60_000 },
	})
	own.AddTool(&mcp.Tool{Name: "own", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "mine"}}}, nil
		})
	own.AddResource(&mcp.Resource{URI: uri + "_of_my_own", Name: "x"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: "mine"}}}, nil
		})
	disclosure.NewServer(shop(), nil).AddTo(own)
	c := dialOwn(t, own)
	list, err := c.Session.ListTools(context.Background(), nil)
	if err != nil || list.CacheScope != "private" || list.TTLMs != 0 {
		t.Errorf("tools/list: %v %+v", err, list.Cacheable)
	}
	if got := toolNames(list.Tools); !slices.Equal(got, append([]string{"own"}, names...)) {
		t.Errorf("tools %v", got)
	}
	c.fetch("tools=ping")
	if got := c.call("ping", "{}").OK().Text; got != "pong" {
		t.Errorf("ping: %q", got)
	}
	if got := c.call("own", "{}").OK().Text; got != "mine" {
		t.Errorf("own: %q", got)
	}
	res, err := c.Session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri + "_of_my_own"})
	if err != nil || res.Contents[0].Text != "mine" || res.TTLMs != 60_000 {
		t.Errorf("the resource of its own: %v %s", err, toJSON(res))
	}
	for _, stranger := range []string{"other:///x", uri + "s", uri + "/x?tools=ping", "resource:///tool?tools=ping"} {
		if _, err := c.Session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: stranger}); err == nil {
			t.Errorf("%s is answered", stranger)
		}
	}
}
