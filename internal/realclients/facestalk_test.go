//go:build realclients

package realclients

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// caller calls a tool, which must fail or not.
type caller func(t *testing.T, fails bool, tool, args string) *result

// shopTools are the functions of the shop by their flat names, sorted.
var shopTools = []string{
	"crm-find", "crm-get",
	"inventory-check", "inventory-list", "inventory-restock",
	"orders-cancel", "orders-create", "orders-get", "orders-list",
	"orders-retail-list", "orders-retail-summary", "orders-summary",
	"orders-wholesale-list", "orders-wholesale-summary",
}

const (
	getOrder   = `{"order_id":"ORD-1001"}`
	orderStart = `{"order_id":"ORD-1001"`
)

// plainList checks the list of the plain face: every function with its schema.
func plainList(t *testing.T, tools []tool) {
	t.Helper()
	checkNames(t, tools, shopTools)
	for _, tool := range tools {
		var schema, output struct {
			Type       string
			Properties map[string]json.RawMessage
		}
		decode(t, string(tool.InputSchema), &schema)
		decode(t, string(tool.OutputSchema), &output)
		if schema.Type != "object" || tool.Description == "" || output.Type != "object" {
			t.Errorf("%s: %q, %s, %s", tool.Name, tool.Description, tool.InputSchema, tool.OutputSchema)
		}
		if _, ok := schema.Properties["order_id"]; tool.Name == "orders-get" && (!ok || !tool.Annotations.ReadOnlyHint) {
			t.Errorf("orders-get: %s, %+v", tool.InputSchema, tool.Annotations)
		}
		if tool.Name == "orders-cancel" && tool.Annotations.ReadOnlyHint {
			t.Error("orders-cancel should not be read-only")
		}
	}
}

// plainCalls makes a call, and one with wrong arguments.
func plainCalls(t *testing.T, call caller) {
	t.Helper()
	if got := call(t, false, "orders-get", getOrder); !strings.HasPrefix(got.text(), orderStart) || string(got.Structured) != got.text() {
		t.Errorf("orders-get: %s, structured %s", got.text(), got.Structured)
	}
	if got := call(t, true, "orders-get", `{"order_id":7}`).text(); !strings.Contains(got, "order_id: must be a string") {
		t.Errorf("wrong arguments: %s", got)
	}
}

func facadeList(t *testing.T, tools []tool) {
	t.Helper()
	checkNames(t, tools, []string{"CrmExecute", "InventoryExecute", "OrdersExecute", "ToolsExecute"})
	for _, tool := range tools {
		if tool.Name == "OrdersExecute" && !strings.Contains(tool.Description, "get(order_id)") {
			t.Errorf("OrdersExecute should name its commands: %s", tool.Description)
		}
	}
}

// facadeCalls makes a call, one of no command and one with wrong arguments: each
// has the same envelope twice (F3 to F6, F21).
func facadeCalls(t *testing.T, call caller) {
	t.Helper()
	for _, tt := range []struct {
		fails      bool
		tool, args string
		starts     string
	}{
		{false, "OrdersExecute", `{"cmd":"GET","params":` + getOrder + `}`, `{"ok":true,"cmd":"GET","data":` + orderStart},
		{true, "OrdersExecute", `{"cmd":"nope"}`, `{"ok":false,"cmd":"nope","error":"Unknown command: nope. Available commands: `},
		{true, "CrmExecute", `{"cmd":"get","params":{}}`, `{"ok":false,"cmd":"get","error":"Invalid arguments: customer_id: missing.`},
	} {
		got := call(t, tt.fails, tt.tool, tt.args)
		if text := got.text(); len(got.Content) != 1 || !strings.HasPrefix(text, tt.starts) || text != string(got.Structured) {
			t.Errorf("%s %s: %s, structured %s, want %s", tt.tool, tt.args, text, got.Structured, tt.starts)
		}
	}
}

// disclosureList checks the first stage: nothing of how to call a tool (P1, P3).
func disclosureList(t *testing.T, tools []tool) {
	t.Helper()
	checkNames(t, tools, shopTools)
	for _, tool := range tools {
		if tool.Description == "" || string(tool.InputSchema) != `{"type":"object","additionalProperties":true}` || tool.OutputSchema != nil {
			t.Errorf("%s: %q, %s, %s", tool.Name, tool.Description, tool.InputSchema, tool.OutputSchema)
		}
	}
}

const descriptions = "resource:///tool_descriptions"

// What the specification gives word by word (6.1, 6.2).
const noSelection = `{"error":{"code":"MISSING_TOOL_SELECTION","message":"You must specify one or more tool names in the 'tools' parameter.",` +
	`"examples":["` + descriptions + `?tools=tool_name","` + descriptions + `?tools=tool1,tool2"]}}`

func required(tool string) string {
	return `{"error":{"code":"TOOL_DESCRIPTION_REQUIRED","message":"Tool '` + tool + `' requires fetching its description before use.",` +
		`"resource_uri":"` + descriptions + `?tools=` + tool + `"}}`
}

// resource is a resource, or a template of some, in a list.
type resource struct {
	URI, URITemplate, Name, Description, MIMEType string
}

// checkResource checks what a model is told of the second stage (P4, P5).
func checkResource(t *testing.T, list []resource) {
	t.Helper()
	if len(list) != 1 || list[0].URI != descriptions || list[0].MIMEType != "application/json" || !strings.Contains(list[0].Name, "Tool Descriptions") {
		t.Fatalf("resources: %+v", list)
	}
	for _, want := range []string{"tools/list", "Step 1", descriptions + "?tools=", "before", "TOOL_DESCRIPTION_REQUIRED", "session"} {
		if !strings.Contains(strings.ToLower(list[0].Description), strings.ToLower(want)) {
			t.Errorf("the description of the resource lacks %q: %s", want, list[0].Description)
		}
	}
}

// contents are what is read of a resource.
type contents struct{ URI, MIMEType, Text string }

// A described tool is an entry of what is read.
type described struct {
	Name, Description string
	InputSchema       json.RawMessage
	Usage             struct {
		Grant string `json:"_grant"`
	} `json:"usage_guidance"`
	Error     string
	Available []string `json:"available_tools"`
}

// checkRead returns what was read at a URI: one document of JSON with the names as
// its keys (P8, P9).
func checkRead(t *testing.T, uri string, read []contents, names ...string) map[string]described {
	t.Helper()
	if len(read) != 1 || read[0].URI != uri || read[0].MIMEType != "application/json" {
		t.Fatalf("reading %s: %+v", uri, read)
	}
	var tools map[string]described
	decode(t, read[0].Text, &tools)
	if got := keys(t, read[0].Text); !slices.Equal(got, names) {
		t.Fatalf("reading %s: %q, want %q", uri, got, names)
	}
	for name, tool := range tools {
		if tool.Error == "" && (tool.Name != name || tool.Description == "" || !bytes.Contains(tool.InputSchema, []byte(`"properties"`))) {
			t.Errorf("%s: %+v", name, tool)
		}
	}
	return tools
}

// keys are those of an object, in order.
func keys(t *testing.T, object string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(object))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	var list []string
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			t.Fatalf("reading %.300q", object)
		}
		list = append(list, key.(string))
	}
	return list
}

func checkNames(t *testing.T, tools []tool, want []string) {
	t.Helper()
	var got []string
	for _, tool := range tools {
		got = append(got, tool.Name)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("tools: %q, want %q", got, want)
	}
}
