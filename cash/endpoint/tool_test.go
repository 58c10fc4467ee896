package endpoint_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// toolOf is a source with one command.
func toolOf(cmd endpoint.Command) registry.Source {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(endpoint.Tool("tool", "A command.", cmd))
	return reg
}

func callTool(query string) string {
	args, _ := json.Marshal(map[string]string{"query": query})
	return `{"action":"call_tool","tool":"tool","arguments":` + string(args) + `}`
}

// TestK3Results has both outputs in their order, no line ends at the end, and the
// status of the command.
func TestK3Results(t *testing.T) {
	for arg, want := range map[string]int{"0": 0, "7": 7, "255": 255} {
		members, exit := ask(t, endpoint.New(toolOf(program("handler", arg)), nil), callTool("a 'b' $(id)\n\"é\""))
		result := `{"stdout":"out a 'b' $(id)\n\"é\"\nerr\nend","exit_code":` + arg + `}`
		if string(members["result"]) != result || exit != want {
			t.Errorf("status %d: %s", exit, members)
		}
	}
	members, exit := ask(t, endpoint.New(toolOf(program("write", "a\xff\n\n")), nil), callTool(""))
	if string(members["result"]) != "{\"stdout\":\"a\ufffd\",\"exit_code\":0}" || exit != 0 {
		t.Errorf("not UTF-8: %s", members)
	}
	members, _ = ask(t, endpoint.New(toolOf(program("write", "\r\na \r\n\r\n")), nil), callTool(""))
	if string(members["result"]) != `{"stdout":"\r\na ","exit_code":0}` {
		t.Errorf("other line ends: %s", members)
	}
	cmd := program("handler", "0")
	cmd.Env = append(cmd.Env, "TOOL_QUERY=of the command")
	if members, _ = ask(t, endpoint.New(toolOf(cmd), nil), callTool("of the call")); !strings.Contains(string(members["result"]), "out of the call") {
		t.Errorf("its own TOOL_QUERY: %s", members)
	}
}

func TestK2Arguments(t *testing.T) {
	e := endpoint.New(toolOf(program("handler", "0")), nil)
	for name, args := range map[string]string{
		"missing":  `{}`,
		"number":   `{"query":7}`,
		"NUL":      `{"query":"a\u0000b"}`,
		"too long": `{"query":"` + strings.Repeat("x", 32_001) + `"}`,
		"other":    `{"Query":"x"}`,
	} {
		members, exit := ask(t, e, `{"action":"call_tool","tool":"tool","arguments":`+args+`}`)
		if wantError(t, members, endpoint.Usage); exit != 1 {
			t.Errorf("%s: status %d", name, exit)
		}
	}
	long := strings.Repeat("é", 32_000)
	members, exit := ask(t, e, callTool(long))
	if exit != 0 || !strings.Contains(string(members["result"]), long) {
		t.Errorf("the longest query: status %d", exit)
	}
}

func TestK3K19Failures(t *testing.T) {
	members, exit := ask(t, endpoint.New(toolOf(endpoint.Command{Path: "/does/not/exist"}), nil), callTool(""))
	if e := wantError(t, members, endpoint.Pipeline); exit != 1 || strings.Contains(e.Message, "/") {
		t.Errorf("%d %+v", exit, e)
	}
	members, exit = ask(t, endpoint.New(toolOf(program("huge", "")), nil), callTool(""))
	if e := wantError(t, members, endpoint.Pipeline); exit != 1 || !strings.Contains(e.Message, "4194304") {
		t.Errorf("%d %+v", exit, e)
	}
	t.Setenv("ENDPOINT_SECRET", "secret")
	members, _ = ask(t, endpoint.New(toolOf(program("environment", "")), nil), callTool("q"))
	if text := string(members["result"]); strings.Contains(text, "ENDPOINT_SECRET") || !strings.Contains(text, "TOOL_QUERY=q") {
		t.Errorf("%s", text)
	}
}

// TestK21CommandOnOtherFaces is the result as other faces get it.
func TestK21CommandOnOtherFaces(t *testing.T) {
	for arg, failed := range map[string]bool{"0": false, "3": true} {
		p := registry.NewPipeline(toolOf(program("handler", arg)), nil)
		res, err := p.Call(deadline(t), &registry.Request{Function: "tool", Arguments: json.RawMessage(`{"query":"q"}`)})
		if err != nil || res.IsError != failed || res.Text() != string(res.Structured) {
			t.Errorf("%+v, %v", res, err)
		}
	}
}

func TestToolPanics(t *testing.T) {
	for name, cmd := range map[string]endpoint.Command{"no program": {}, "NUL": {Path: "x\x00"}, "environment": {Path: os.Args[0], Env: []string{"x"}}} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, `tool "x"`) {
					t.Errorf("got %q", text)
				}
			}()
			endpoint.Tool("x", "X.", cmd)
		})
	}
}

// What a command writes for a terminal is nothing for a model.
func TestK3ResultsAreClean(t *testing.T) {
	out := "\x1b[1mtotal\x1b[0m 8\r\n\u202e\U000e0041\a👨\u200d👩 می\u200cخواهم\tend  "
	members, _ := ask(t, endpoint.New(toolOf(program("write", out)), nil), callTool(""))
	if got, want := string(members["result"]), `{"stdout":"total 8\r\n`+"👨\u200d👩 می\u200cخواهم"+`\tend  ","exit_code":0}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
