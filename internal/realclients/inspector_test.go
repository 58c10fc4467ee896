//go:build realclients

package realclients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inspection is what MCP Inspector prints with --format json.
type inspection struct {
	Result struct {
		Meta    map[string]json.RawMessage `json:"_meta"`
		Tools   []tool                     `json:"tools"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
		Resources  []resource      `json:"resources"`
		Contents   []contents      `json:"contents"`
	} `json:"result"`
}

// text is the text of a result that has exactly one block.
func (i *inspection) text(t *testing.T) string {
	t.Helper()
	if len(i.Result.Content) != 1 || i.Result.Content[0].Type != "text" {
		t.Fatalf("the result has %d blocks, want one of text", len(i.Result.Content))
	}
	return i.Result.Content[0].Text
}

// names are those of the tools, sorted.
func (i *inspection) names() []string {
	var names []string
	for _, tool := range i.Result.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// inspector is MCP Inspector pointed at one server in one generation.
type inspector struct {
	target []string // a command or an address
	era    string   // legacy or modern
}

// toolFailed is the exit code of MCP Inspector for a result with isError.
const toolFailed = 5

// run returns what MCP Inspector prints when it ends with an exit code.
func (in inspector) run(t *testing.T, wantCode int, args ...string) *inspection {
	t.Helper()
	stdout, _ := in.exec(t, wantCode, args...)
	var out inspection
	if err := json.Unmarshal(stdout, &out); err != nil {
		t.Fatalf("reading the output of MCP Inspector: %v:\n%s", err, stdout)
	}
	return &out
}

func (in inspector) exec(t *testing.T, wantCode int, args ...string) (stdout, stderr []byte) {
	t.Helper()
	options := []string{"--format", "json", "--protocol-era", in.era, "--connect-timeout", fmt.Sprint(patience.Milliseconds())}
	all := slices.Concat([]string{"--cli"}, in.target, options, args)
	cmd := partner(t, "mcp-inspector", all...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	code := 0
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatalf("running MCP Inspector: %v", err)
		}
		code = exit.ExitCode()
	}
	if code != wantCode {
		t.Fatalf("MCP Inspector ended with code %d, want %d:\n%s%s", code, wantCode, &out, &log)
	}
	return out.Bytes(), log.Bytes()
}

func (in inspector) call(t *testing.T, wantCode int, tool, args string) *inspection {
	t.Helper()
	return in.run(t, wantCode, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", args)
}

func TestInspector(t *testing.T) {
	stdio := []string{shop, "-stdio"}
	http := []string{serveHTTP(t, shop)}
	for _, tt := range []struct {
		name string
		inspector
	}{
		{"stdio, session", inspector{stdio, "legacy"}},
		{"stdio, stateless", inspector{stdio, "modern"}},
		{"HTTP, session", inspector{http, "legacy"}},
		{"HTTP, stateless", inspector{http, "modern"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Run("tools", tt.testTools)
			t.Run("generation", tt.testGeneration)
			t.Run("help", tt.testHelp)
			t.Run("call", tt.testCall)
			t.Run("skill", tt.testSkill)
			t.Run("gate", tt.testGate)
			t.Run("unknown function", tt.testUnknown)
		})
	}
}

// --strict makes MCP Inspector fail on schemas that some clients cannot read.
func (in inspector) testTools(t *testing.T) {
	out := in.run(t, 0, "--strict", "--method", "tools/list")
	for _, tool := range out.Result.Tools {
		if tool.Description == "" || len(tool.InputSchema) == 0 {
			t.Errorf("tool %q lacks a description or a schema", tool.Name)
		}
	}
	if names := out.names(); !slices.Equal(names, []string{"call", "help", "skill"}) {
		t.Errorf("tools = %q, want call, help and skill", names)
	}
}

// Results name the server in the stateless generation only: this is how to see
// that the client got the one it asked for.
func (in inspector) testGeneration(t *testing.T) {
	out := in.call(t, 0, "help", `{}`)
	_, stateless := out.Result.Meta["io.modelcontextprotocol/serverInfo"]
	if want := in.era == "modern"; stateless != want {
		t.Errorf("answered statelessly = %t, want %t", stateless, want)
	}
}

func (in inspector) testHelp(t *testing.T) {
	top := in.call(t, 0, "help", `{}`).text(t)
	if !strings.HasPrefix(top, "# Available Namespaces") || !strings.Contains(top, "**orders**") || strings.Contains(top, "**get**") {
		t.Errorf("help() should list the namespaces, orders among them, and no function:\n%s", top)
	}
	orders := in.call(t, 0, "help", `{"namespace":"orders"}`).text(t)
	if !strings.Contains(orders, "**get**") {
		t.Errorf("help(orders) should name the function get:\n%s", orders)
	}
}

func (in inspector) testCall(t *testing.T) {
	got := in.call(t, 0, "call", `{"namespace":"orders","function":"get","kwargs":{"order_id":"ORD-1001"}}`).text(t)
	if !json.Valid([]byte(got)) || !strings.Contains(got, `"ORD-1001"`) {
		t.Errorf("call(orders, get) should return the order as JSON:\n%s", got)
	}
}

func (in inspector) testSkill(t *testing.T) {
	list := in.call(t, 0, "skill", `{"namespace":"orders"}`).text(t)
	if !strings.Contains(list, "**createorderwithcheck**") {
		t.Errorf("skill(orders) should name createorderwithcheck:\n%s", list)
	}
	skill := in.call(t, 0, "skill", `{"namespace":"orders","skillname":"createorderwithcheck"}`).text(t)
	if !strings.HasPrefix(skill, "# ") || len(skill) <= len(list) {
		t.Errorf("skill(orders, createorderwithcheck) should be its text:\n%s", skill)
	}
}

func (in inspector) testGate(t *testing.T) {
	got := in.call(t, toolFailed, "call", `{"namespace":"orders","function":"list"}`).text(t)
	if !strings.HasPrefix(got, "**Gated:**") || !strings.Contains(got, "`sizelimit=") || len(got) > 600 {
		t.Errorf("a list of all orders should be gated:\n%s", got)
	}
}

func (in inspector) testUnknown(t *testing.T) {
	out := in.call(t, toolFailed, "call", `{"namespace":"orders","function":"no_such_function"}`)
	if !out.Result.IsError {
		t.Error("an unknown function should be an error result")
	}
	if got := out.text(t); !strings.Contains(got, "help") {
		t.Errorf("the error should lead back to help:\n%s", got)
	}
}

// Servers from npm side by side, behind the aggregator as it is run.
func TestInspectorOfAggregator(t *testing.T) {
	files := files(t)
	if err := os.WriteFile(filepath.Join(files.root, "notes.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := writeConfig(t, everything().entry(), files.entry(), memory(t).entry())
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			in := inspector{[]string{aggregator, "-config", config, "-stdio"}, era}
			in.testTools(t)
			in.testGeneration(t)
			top := in.call(t, 0, "help", `{}`).text(t)
			for _, label := range []string{"everything", "files", "memory"} {
				if !strings.Contains(top, "- **"+label+"** — Of npm.\n") {
					t.Errorf("help() should list %s:\n%s", label, top)
				}
			}
			sum := in.call(t, 0, "help", `{"namespace":"everything","function":"get_sum"}`).text(t)
			if !strings.HasPrefix(sum, "# everything.get_sum\n") || !strings.Contains(sum, "| a | number | yes | First number |") {
				t.Errorf("help(everything, get_sum) should document its parameters:\n%s", sum)
			}
			got := in.call(t, 0, "call", `{"namespace":"files","function":"list_directory","kwargs":{"path":"."}}`).text(t)
			if !strings.Contains(got, "[FILE] notes.txt") {
				t.Errorf("call(files, list_directory) should list notes.txt:\n%s", got)
			}
			denied := in.call(t, toolFailed, "call", `{"namespace":"files","function":"read_text_file","kwargs":{"path":"/etc/hostname"}}`).text(t)
			if !strings.Contains(denied, "Access denied") {
				t.Errorf("call(files, read_text_file) outside of the root should be denied:\n%s", denied)
			}
			wrong := in.call(t, toolFailed, "call", `{"namespace":"memory","function":"open_nodes","kwargs":{"names":"Ada"}}`).text(t)
			if !strings.Contains(wrong, "names") {
				t.Errorf("call(memory, open_nodes) with a text for a list should name the argument:\n%s", wrong)
			}
		})
	}
}
