//go:build realclients

package endpoint_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestK13Shell uses an endpoint that is a shell script. It needs sh and jq.
func TestK13Shell(t *testing.T) {
	c, err := endpoint.NewClient(endpoint.Command{Path: "testdata/endpoint.sh"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	report, err := c.Mount(deadline(t), reg, "shell")
	if err != nil || report.Tools != 2 || len(report.Findings) != 0 {
		t.Fatalf("%v, %v", report, err)
	}
	if d, err := c.Describe(deadline(t), "sum"); err != nil || d.Description != "Add numbers." {
		t.Errorf("%+v, %v", d, err)
	}
	p := registry.NewPipeline(reg, nil)
	call := func(function, args string) (*registry.Result, error) {
		return p.Call(deadline(t), &registry.Request{Namespace: "shell", Function: function, Arguments: json.RawMessage(args)})
	}
	res, err := call("sum", `{"numbers":[1,2,3.5]}`)
	if err != nil || res.Text() != `{"sum":6.5}` {
		t.Errorf("%+v, %v", res, err)
	}
	_, err = call("fail", `{}`)
	if _, said := wantFailure(t, err, registry.Internal, endpoint.Fatal, false); said.Name != "endpoint.sh" {
		t.Errorf("%+v", said)
	}
	_, err = c.Call(deadline(t), "other", hi)
	wantFailure(t, err, registry.InvalidArguments, endpoint.Usage, false)
	// An answer of jq with the words of sh behind it.
	_, err = c.Call(deadline(t), "sum", json.RawMessage(`{"numbers":"`+strings.Repeat("x", 10)+`"}`))
	wantFailure(t, err, registry.Failed, endpoint.Pipeline, false)
	// And as what an endpoint of ours serves in turn.
	members, exit := ask(t, endpoint.New(endpoint.Catalog(deadline(t), newRegistry(), c), nil), `{"action":"call_tool","tool":"sum","arguments":{"numbers":[1]}}`)
	if exit != 0 || string(members["result"]) != `{"sum":1}` {
		t.Errorf("%d %s", exit, members)
	}
}

// TestK18ShellClient is our endpoint as a shell script uses it.
func TestK18ShellClient(t *testing.T) {
	cmd := exec.Command("testdata/client.sh", os.Args[0])
	cmd.Env = append(os.Environ(), modeVariable+"=ours", "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	const want = `tools: quiet shout orders.create orders.deny orders.fail orders.list orders.panic orders.say
members: [["command","description","input_schema","name","origin","result_schema","safety"]]
describe: ["query"]
call: 0 {"value":[1,2]}
command: 7 {"stdout":"out it's \"quoted\"\nerr\nend","exit_code":7}
error: 1 endpoint usage
bad: 1 error
standard error: 0
`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}
