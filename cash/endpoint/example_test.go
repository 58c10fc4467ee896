package endpoint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

func echoArguments(_ context.Context, args json.RawMessage) (*registry.Result, error) {
	return registry.TextResult(string(args)), nil
}

// An endpoint answers one request: that of a process, on its standard input.
func ExampleEndpoint_Run() {
	type input struct {
		City string `json:"city" jsonschema:"Where."`
	}
	reg := registry.New(nil)
	reg.Namespace("weather", "The weather.").Add(registry.Func("today", "Say what the weather is.",
		func(_ context.Context, in input) (string, error) { return "Rain in " + in.City + ".", nil }))
	e := endpoint.New(reg, nil)
	for _, request := range []string{
		`{"action":"describe_tool","tool":"weather.today"}`,
		`{"action":"call_tool","tool":"weather.today","arguments":{"city":"Oslo"}}`,
		`{"action":"call_tool","tool":"weather.tomorrow"}`,
	} {
		fmt.Println("status", e.Run(context.Background(), strings.NewReader(request), os.Stdout))
	}
	// Output:
	// {"type":"result","tool":{"name":"weather.today","description":"Say what the weather is.","command":"weather.today city=CITY","origin":"local","safety":"A call may change something.","input_schema":{"type":"object","properties":{"city":{"type":"string","description":"Where."}},"required":["city"],"additionalProperties":false},"result_schema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}}
	// status 0
	// {"type":"result","tool":"weather.today","result":{"text":"Rain in Oslo."}}
	// status 0
	// {"type":"error","error":{"name":"endpoint","category":"usage","message":"There is no tool `weather.tomorrow`. Use `list_tools` for the names."}}
	// status 1
}

// The tools of a program become functions of a namespace.
func ExampleClient_Mount() {
	c, err := endpoint.NewClient(endpoint.Command{Path: os.Args[0], Env: []string{"ENDPOINT_TEST_MODE=echo"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	reg := registry.New(nil)
	report, err := c.Mount(context.Background(), reg, "shell")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report)
	res, err := registry.NewPipeline(reg, nil).Call(context.Background(), &registry.Request{
		Namespace: "shell", Function: "echo_external", Arguments: json.RawMessage(`{"message":"hi"}`),
	})
	fmt.Println(res.Text(), err)
	// Output:
	// 1 tools
	// {"echo":"hi"} <nil>
}

// A command becomes a function, which gets its argument in TOOL_QUERY.
func ExampleTool() {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(endpoint.Tool("greet", "Greet somebody.",
		endpoint.Command{Path: os.Args[0], Env: []string{"ENDPOINT_TEST_MODE=handler", "ENDPOINT_TEST_ARG=7"}}))
	document, exit := endpoint.New(reg, nil).Answer(context.Background(), []byte(`{"action":"call_tool","tool":"greet","arguments":{"query":"Ada"}}`))
	fmt.Printf("%s\nstatus %d\n", document, exit)
	// Output:
	// {"type":"result","tool":"greet","result":{"stdout":"out Ada\nerr\nend","exit_code":7}}
	// status 7
}

// The tools of an endpoint stand behind those of a registry.
func ExampleCatalog() {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("ping", "Answer.", func(context.Context, struct{}) (string, error) { return "pong", nil }))
	c, err := endpoint.NewClient(endpoint.Command{Path: os.Args[0], Env: []string{"ENDPOINT_TEST_MODE=echo"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	src := endpoint.Catalog(context.Background(), reg, c)
	l, err := src.List(context.Background(), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range l.Functions {
		fmt.Println(f.Name(), f.Remote())
	}
	// Output:
	// echo_external true
	// ping false
}
