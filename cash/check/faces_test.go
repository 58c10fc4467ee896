package check_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/internal/wrong"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

var (
	hostileMessages = flag.Int("hostile", fewMessages, "how many messages TestHostileFaces sends in all")
	hostileSeed     = flag.Uint64("hostileseed", 0, "which of them TestHostileFaces sends")
)

// asServer makes the test's binary be a server: its value is a face, a slash,
// and stdio or http; or fake/sound or fake/panics.
const asServer = "TEST_AS_HOSTILE_TARGET"

func TestMain(m *testing.M) {
	if what := os.Getenv(asServer); what != "" {
		if err := serveAs(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	debug.SetGCPercent(400) // less of the time, more memory
	os.Exit(m.Run())
}

func serveAs(what string) error {
	name, way, _ := strings.Cut(what, "/")
	if name == "endpoint" {
		return wrong.Endpoint(os.Stdin, os.Stdout, way)
	}
	if name != "fake" {
		return serveFace(newFace(name), way)
	}
	f := new(fake)
	if way == "panics" {
		f.fault = on(struck, func([]byte, []string) []string { panic("a fault") })
	}
	return f.serve(context.Background(), os.Stdin, os.Stdout)
}

func serveFace(face cashtest.Face, way string) error {
	if way == "stdio" {
		return face.Run(context.Background(), &mcp.StdioTransport{})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	go func() { // ends with the test
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return http.Serve(listener, face.Handler())
}

type note struct {
	Text string            `json:"text" jsonschema:"What it says."`
	Tags []string          `json:"tags,omitempty" jsonschema:"What it is about."`
	More map[string]string `json:"more,omitempty" jsonschema:"Anything else."`
}

// newRegistry has notes.echo, notes.fail, the root function about, and skills.
func newRegistry() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("notes", "Keep notes.").Add(
		registry.Func("echo", "Return a note.", func(_ context.Context, in note) (note, error) { return in, nil }),
		registry.Func("fail", "Refuse a note.", func(_ context.Context, in note) (note, error) { return note{}, errors.New("refused: " + in.Text) }),
	)
	reg.Namespace("", "").Add(registry.Func("about", "Tell what this is.",
		func(context.Context, struct{}) (string, error) { return "notes", nil }))
	reg.AddSkills(fstest.MapFS{
		"notes/take-notes/SKILL.md":     {Data: []byte("---\nname: take-notes\ndescription: Take notes.\n---\n\nRead a/b c.md.\n")},
		"notes/take-notes/a/b c.md":     {Data: []byte("More.\n")},
		"notes/greet.md":                {Data: []byte("Greet {{name|nobody}}.\n")},
		"notes/take-notes/scripts/x.sh": {Data: []byte("rm\n")},
	}, registry.WithFiles)
	return reg
}

// primitives are a resource and a prompt.
const primitives = `{
	"resources": [{"uri": "file:///notes/readme.md", "name": "readme", "mimeType": "text/markdown", "text": "# Notes"}],
	"prompts": [{"name": "summarize", "arguments": [{"name": "topic", "required": true}],
		"messages": [{"role": "user", "content": "Summarize {{topic}}."}]}]
}`

// faces are the names of the faces.
var faces = []string{"cash", "gateway", "proxy", "disclosure", "facade", "plain"}

func newFace(name string) cashtest.Face {
	reg := newRegistry()
	switch name {
	case "gateway":
		c := catalog.New(nil)
		if _, err := c.Load([]byte(primitives)); err != nil {
			panic(err)
		}
		return gateway.NewServer(reg, &gateway.Options{Resources: c.Resources(), Prompts: c.Prompts()})
	case "proxy":
		return gateway.NewServer(reg, &gateway.Options{Mode: gateway.Proxy})
	case "disclosure":
		face := disclosure.NewServer(reg, &disclosure.Options{Grants: new(disclosure.Grants), FetchesPerMinute: -1})
		return face
	case "facade":
		return facade.NewServer(reg, &facade.Options{Tools: true})
	case "plain":
		return plain.NewServer(reg, nil)
	}
	return cash.NewServer(reg, nil)
}

// calls are calls of a face that succeed.
func calls(t *testing.T, name string) []string {
	const arguments = `{"text":"t","tags":["a"],"more":{"k":"v"}}`
	switch name {
	case "cash":
		return []string{
			`{"name":"call","arguments":{"namespace":"notes","function":"echo","kwargs":` + arguments + `}}`,
			`{"name":"help","arguments":{"namespace":"notes","function":"echo","kwargs":{"format":"json"}}}`,
			`{"name":"help","arguments":{"kwargs":{"search":"note"}}}`,
		}
	case "gateway", "proxy":
		client := cashtest.Connect(t, newFace("gateway"))
		id := regexp.MustCompile(`notes:echo#\w+`).FindString(client.Tool("tool_browse", map[string]any{"path": "/notes"}).Text)
		if id == "" {
			t.Fatal("notes.echo has no id")
		}
		list := []string{`{"name":"tool_execute","arguments":{"tool_id":"` + id + `","args":` + arguments + `}}`}
		if name == "proxy" {
			return append(list, `{"name":"tool_hydrate","arguments":{"tool_id":"`+id+`"}}`)
		}
		return append(list,
			`{"name":"tool_browse","arguments":{"path":"/notes"}}`,
			`{"name":"tool_browse","arguments":{"query":"note"}}`,
			`{"name":"tool_view","arguments":{"handle":"h","selector":{"type":"search","query":"q"}}}`)
	case "facade":
		return []string{
			`{"name":"NotesExecute","arguments":{"cmd":"echo","detail":"full","params":` + arguments + `}}`,
			`{"name":"ToolsExecute","arguments":{"cmd":"list","params":{"query":"note"}}}`,
		}
	}
	return []string{`{"name":"notes-echo","arguments":` + arguments + `}`, `{"name":"notes-fail","arguments":` + arguments + `}`}
}

// TestHostileFaces attacks all faces, over standard input and output and over
// HTTP, with sessions and without. .ci/fuzz sends more than go test does.
func TestHostileFaces(t *testing.T) {
	for i, name := range faces {
		for j, way := range []string{"stdio", "http"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				target := check.HostileTarget{
					Versions: both, Calls: calls(t, name), Timeout: 20 * time.Second,
					Requests: *hostileMessages / len(faces) / 2,
					Seed:     *hostileSeed + uint64(100*i+10*j),
				}
				server := func() *exec.Cmd { return command(t, name+"/"+way) }
				if way == "stdio" {
					target.Command = server
				} else {
					target.URL, target.Memory = startWeb(t, server())
				}
				t.Parallel()
				report, err := check.Hostile(t.Context(), target)
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range report.Failed() {
					t.Errorf("%s: %s, failed %d times of %d:\n%s",
						row.Name, row.Title, row.Failures, row.Checks, strings.Join(row.Evidence, "\n"))
				}
			})
		}
	}
}

// command is a server as a process of its own.
func command(t *testing.T, what string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asServer+"="+what, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// startWeb starts a server over HTTP, and returns its endpoint and its memory.
func startWeb(t *testing.T, cmd *exec.Cmd) (url string, memory func() uint64) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server has ended with %v", err)
		}
	})
	url, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url), func() uint64 { return check.Resident(cmd.Process.Pid) }
}

// TestHostileCalls: the calls that the attack begins with do succeed.
func TestHostileCalls(t *testing.T) {
	for _, name := range faces {
		if name == "disclosure" { // wants its tools read before
			continue
		}
		client := cashtest.Connect(t, newFace(name))
		for _, c := range calls(t, name) {
			if strings.Contains(c, `"handle"`) || strings.Contains(c, "fail") { // what they answer is an error
				continue
			}
			var call struct {
				Name      string
				Arguments json.RawMessage
			}
			if err := json.Unmarshal([]byte(c), &call); err != nil {
				t.Fatal(err)
			}
			client.Tool(call.Name, call.Arguments).OK()
		}
	}
}
