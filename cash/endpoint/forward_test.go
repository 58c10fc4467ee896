package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// raw returns the descriptor that an endpoint of src gives, as JSON.
func raw(t *testing.T, src registry.Source, tool string) string {
	t.Helper()
	members, exit := ask(t, endpoint.New(src, nil), `{"action":"describe_tool","tool":"`+tool+`"}`)
	if exit != 0 {
		t.Fatalf("%s", members["error"])
	}
	return string(members["tool"])
}

// What an endpoint says of a tool is what a client of ours reads, through a catalog and a mount, and through two.
func TestK21DescriptorsPassVerbatim(t *testing.T) {
	const said = `{"name":"run","description":"# Run  it,\n\n\n  as \"it\" is. 日本\t<b>","command":"run '<json>' | tee $HOME","origin":"ORIGIN",` +
		`"safety":"Deletes nothing.\nAsks first.","input_schema":{"type":"object","properties":{"b":{"const":9007199254740993},"a":{}}},` +
		`"result_schema":{"type":"object","required":["z"]},"x-cost":{"b":1.0,"a":[1e400]},"version":"2"}`
	local, remote := strings.Replace(said, "ORIGIN", "local", 1), strings.Replace(said, "ORIGIN", "remote", 1)
	c := newClient(t, "write", `{"type":"result","tools":[`+local+`]}`, nil)
	src := endpoint.Catalog(deadline(t), newRegistry(), c, nil)
	if got := raw(t, src, "run"); got != remote {
		t.Errorf("a catalog tells\n%s, want\n%s", got, remote)
	}
	list, _ := endpoint.New(src, nil).Answer(t.Context(), []byte(`{"action":"list_tools"}`))
	if !strings.HasSuffix(string(list), ","+remote+"]}") {
		t.Errorf("the list is %s", list)
	}
	reg, report := mount(t, c)
	if got, want := raw(t, reg, "shell.run"), strings.Replace(remote, `"run"`, `"shell.run"`, 1); got != want || len(report.Findings) > 0 {
		t.Errorf("a mount tells\n%s, want\n%s\n%s", got, want, report)
	}
	twice := newClient(t, "write", string(list), nil)
	if got := raw(t, endpoint.Catalog(deadline(t), registry.New(nil), twice), "run"); got != remote {
		t.Errorf("two catalogs tell\n%s", got)
	}
}

// A missing or invalid member is filled in with this side's facts.
func TestK1FilledIn(t *testing.T) {
	c := newClient(t, "write", `{"type":"result","tools":[{"name":"a-b","description":7,"input_schema":[],"safety":"","command":null}]}`, nil)
	const want = `{"name":"a_b","description":"A b; takes any arguments.","command":"a_b","origin":"remote",` +
		`"safety":"A call may change something.","input_schema":{"type":"object"},"result_schema":{"type":"object"}}`
	if got := raw(t, endpoint.Catalog(deadline(t), registry.New(nil), c), "a_b"); got != want {
		t.Errorf("%s", got)
	}
}

// A wrapper's own words about a function are those that count.
func TestK21DescriptionOfAWrapper(t *testing.T) {
	reg, _ := mount(t, newClient(t, "echo", "", nil))
	f, err := reg.Function(t.Context(), "shell", "echo_external")
	if err != nil {
		t.Fatal(err)
	}
	other := registry.New(nil)
	other.Namespace("", "").Add(f.With("In other words."))
	if d := descriptor(t, other, "echo_external"); d.Description != "In other words." || d.Safety != "Safe: it only echoes." {
		t.Errorf("%+v", d)
	}
}

// What steers or is too long is cut, and what would collide once it is clean is dropped.
func TestY3ForwardedIsClean(t *testing.T) {
	large := strings.Repeat("x", 17<<10)
	tools := `[{"name":"a","description":"` + strings.Repeat("d", 9000) + `","command":"\u001b[31mrm\u202e","safety":"\u001b[0mSafe.","x\u202e":"\u001b[31mred"},
		{"name":"b","name\u202e":"c"},{"name":"c","x":1,"x\u202e":2},{"name":"d","x":"` + large + `"},
		{"name":"e","input_schema":{"type":"object","properties":{"p":{},"p\u202e":{}}}}]`
	reg, report := mount(t, newClient(t, "write", `{"type":"result","tools":`+tools+`}`, nil))
	var d struct {
		Description, Command, Safety, X string
	}
	if err := json.Unmarshal([]byte(raw(t, reg, "shell.a")), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Description) > 4100 || d.Command != "rm" || d.Safety != "Safe." || d.X != "red" {
		t.Errorf("%+v", d)
	}
	for _, tool := range []string{"b", "c", "d", "e"} {
		got := raw(t, reg, "shell."+tool)
		if strictjson.Check([]byte(got)) != nil || len(got) > 1000 || !strings.HasPrefix(got, `{"name":"shell.`+tool+`"`) {
			t.Errorf("%s", got)
		}
	}
	var flagged []string
	for _, f := range report.Findings {
		if f.Status == endpoint.Flagged && strings.Contains(f.Reason, "further members") {
			flagged = append(flagged, f.Tool)
		}
	}
	if !slices.Equal(flagged, []string{"b", "c", "d"}) {
		t.Errorf("%v\n%s", flagged, report)
	}
}

// An error keeps the name and the category of the component that it comes from.
func TestK8Component(t *testing.T) {
	reg := registry.New(nil)
	mounted := func(namespace, mode, arg, name string) {
		t.Helper()
		if _, err := newClient(t, mode, arg, &endpoint.ClientOptions{Name: name}).Mount(deadline(t), reg, namespace); err != nil {
			t.Fatal(err)
		}
	}
	const tools = `{"type":"result","tools":[{"name":"f"}]}`
	mounted("one", "echo", "", "tools")
	mounted("two", "script", tools+"|not JSON", "left")
	mounted("three", "script", tools+`|{"type":"error","error":{"name":"disk\u001b[31m","category":"io","message":"It is full."}}`, "right")
	mounted("four", "script", tools+`|{"type":"error","error":{"category":"usage","message":"No."}}`, "unnamed")
	mounted("five", "ours", "", "ours")

	server := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "today", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "No sky."}}}, nil
	})
	agg := upstream.New(reg, nil)
	t.Cleanup(func() { _ = agg.Close(context.Background()) })
	if err := errors.Join(agg.Add(upstream.Server{Label: "weather", Endpoint: upstream.InMemory{Server: server}}), agg.Wait(deadline(t))); err != nil {
		t.Fatal(err)
	}
	fails := func(context.Context, struct{}) (string, error) { return "", errors.New("it broke") }
	reg.Namespace("own", "").Add(registry.Func("fail", "Fail.", fails))

	deny := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if who := registry.CallerFrom(ctx); who != nil && who.ID == "denied" {
				return nil, &registry.Error{Kind: registry.Denied, Message: "Not you."}
			}
			return next(ctx, c)
		}
	}
	e := endpoint.New(reg, &endpoint.Options{Name: "here", Middleware: []registry.Middleware{deny}})
	denied := registry.WithCaller(t.Context(), &registry.Caller{ID: "denied"})
	for _, test := range []struct {
		ctx             context.Context
		tool, arguments string
		name            string
		category        endpoint.Category
	}{
		{t.Context(), "one.echo_external", `{"message":"explode"}`, "mcp_echo", endpoint.Fatal},
		{t.Context(), "one.echo_external", `{}`, "here", endpoint.Usage}, // this side checks the arguments
		{t.Context(), "two.f", `{}`, "left", endpoint.Pipeline},
		{t.Context(), "three.f", `{}`, "disk", "io"},
		{t.Context(), "four.f", `{}`, "unnamed", endpoint.Usage},
		{t.Context(), "five.orders_fail", `{}`, "ours", endpoint.Pipeline},
		{t.Context(), "weather.today", `{}`, "weather", endpoint.Pipeline},
		{t.Context(), "own.fail", `{}`, "here", endpoint.Pipeline},
		{t.Context(), "own.nothing", `{}`, "here", endpoint.Usage},
		{denied, "weather.today", `{}`, "here", endpoint.Permission},
	} {
		document, exit := e.Answer(test.ctx, []byte(`{"action":"call_tool","tool":"`+test.tool+`","arguments":`+test.arguments+`}`))
		if said := wantError(t, checkAnswer(t, document), test.category); said.Name != test.name || exit != 1 {
			t.Errorf("%s: %+v", test.tool, said)
		}
	}
}

// Names are matched in canonical form, as on the other faces. Similar ones that the caller sees are suggested.
func TestK6Names(t *testing.T) {
	e := endpoint.New(newRegistry(), nil)
	for _, name := range []string{"orders.create", "Orders.Create", "ORDERS.cre_ate", "or_ders.CREATE_"} {
		members, exit := ask(t, e, `{"action":"describe_tool","tool":"`+name+`"}`)
		var d endpoint.Descriptor
		if err := json.Unmarshal(members["tool"], &d); err != nil || exit != 0 || d.Name != "orders.create" {
			t.Errorf("%s: %s, %v", name, members, err)
		}
		members, exit = ask(t, e, `{"action":"call_tool","tool":"`+name+`","arguments":{"customer_id":"C"}}`)
		if exit != 0 || string(members["tool"]) != `"`+name+`"` {
			t.Errorf("%s: %s", name, members)
		}
	}
	for name, want := range map[string]string{
		"orders.crate": "orders.create", "order.create": "orders.create", "create": "orders.create", "orders_create": "orders.create",
		"createOrder": "orders.create", "orders/list": "orders.list", "shot": "shout", "orders.hiden": "", "orders.refund": "", "zzz": "",
	} {
		for _, action := range []string{"describe_tool", "call_tool"} {
			members, _ := ask(t, e, `{"action":"`+action+`","tool":"`+name+`"}`)
			said := wantError(t, members, endpoint.Usage)
			if want != "" && !strings.Contains(said.Message, "Did you mean `"+want+"`") || want == "" && strings.Contains(said.Message, "Did you mean") ||
				strings.Contains(said.Message, "hidden") || !strings.HasSuffix(said.Message, "Use `list_tools` for the names.") {
				t.Errorf("%s: %s", name, said.Message)
			}
		}
	}
	admin := registry.WithCaller(t.Context(), &registry.Caller{ID: "a", Roles: []string{"admin"}})
	if document, _ := e.Answer(admin, []byte(`{"action":"call_tool","tool":"orders.hiden"}`)); !strings.Contains(string(document), "Did you mean `orders.hidden`") {
		t.Errorf("%s", document)
	}
	d, err := newClient(t, "ours", "", nil).Describe(deadline(t), "Orders.CREATE")
	if err != nil || d.Name != "orders.create" {
		t.Errorf("a client reads %+v, %v", d, err)
	}
}
