package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// The variables by which this test's binary is a program of another kind.
const (
	modeVariable = "ENDPOINT_TEST_MODE"
	argVariable  = "ENDPOINT_TEST_ARG"
	// readyVariable says that file 3 is to be closed when a test knows of the
	// process.
	readyVariable = "ENDPOINT_TEST_READY"
)

// endpointName begins the name of a copy of this test's binary that is an endpoint without any variable.
const endpointName = "an endpoint"

func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), endpointName) {
		syscall.Exit(play("echo", ""))
	}
	if mode := os.Getenv(modeVariable); mode != "" {
		syscall.Exit(play(mode, os.Getenv(argVariable))) // not os.Exit, which has words of its own when coverage is measured
	}
	os.Exit(m.Run())
}

// program returns a command that is this test's binary in a mode.
func program(mode, arg string) endpoint.Command {
	return endpoint.Command{Path: os.Args[0], Env: []string{modeVariable + "=" + mode, argVariable + "=" + arg}}
}

func newClient(t *testing.T, mode, arg string, o *endpoint.ClientOptions) *endpoint.Client {
	t.Helper()
	c, err := endpoint.NewClient(program(mode, arg), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// deadline bounds everything in tests that should not take time.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func withCancel(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(deadline(t))
}

// play is the main function of a process in a mode.
func play(mode, arg string) int {
	switch mode {
	case "ours":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return endpoint.New(newRegistry(), nil).Run(ctx, os.Stdin, os.Stdout)
	case "ours waiting": // in a command
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		reg := registry.New(nil)
		reg.Namespace("", "").Add(endpoint.Tool("wait", "Wait.", program("wait", arg)))
		return endpoint.New(reg, nil).Run(ctx, os.Stdin, os.Stdout)
	case "ours deaf": // to every signal but the last, with a command that is deaf too
		signal.Ignore(syscall.SIGTERM)
		reg := registry.New(nil)
		reg.Namespace("", "").Add(endpoint.Tool("wait", "Wait.", program("deaf wait", arg)))
		return endpoint.New(reg, nil).Run(context.Background(), os.Stdin, os.Stdout)
	case "ours mounting": // a server that is deaf, also to the end of its input
		reg := registry.New(nil)
		agg := upstream.New(reg, nil)
		server := program("deaf wait", arg)
		if err := agg.Add(upstream.Server{Label: "deaf", Endpoint: upstream.Command(server)}); err != nil {
			panic(err)
		}
		_ = agg.Wait(context.Background())
		return 1
	case "printing": // and after the answer arg
		exit := endpoint.New(printing(), nil).Run(context.Background(), os.Stdin, os.Stdout)
		if arg != "" {
			fmt.Println(arg)
		}
		return exit
	case "limits": // with arg tools more
		many, _ := strconv.Atoi(arg)
		return endpoint.New(limitsRegistry(many), nil).Run(context.Background(), os.Stdin, os.Stdout)
	case "script": // the parts of arg: the answer to list_tools, and to others
		request, _ := io.ReadAll(os.Stdin)
		tools, other, _ := strings.Cut(arg, "|")
		if strings.Contains(string(request), `"list_tools"`) {
			other = tools
		}
		fmt.Print(other)
	case "handler":
		fmt.Println("out", os.Getenv("TOOL_QUERY"))
		fmt.Fprintln(os.Stderr, "err")
		fmt.Println("end")
		fmt.Println()
		code, _ := strconv.Atoi(arg)
		return code
	case "write": // arg, on the output
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Print(arg)
	case "write early": // without a look at the request
		fmt.Print(arg)
	case "noise":
		fmt.Fprintln(os.Stderr, "warning: \x1b[31mnoise\x1b[0m")
		fmt.Print(arg)
	case "fail": // status, then standard error, then output
		status, rest, _ := strings.Cut(arg, "|")
		said, out, _ := strings.Cut(rest, "|")
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Fprint(os.Stderr, said)
		fmt.Print(out)
		code, _ := strconv.Atoi(status)
		return code
	case "kill": // itself
		fmt.Println("last")
		_ = self().Kill()
		select {}
	case "huge":
		return flood(os.Stdout)
	case "huge errors":
		return flood(os.Stderr)
	case "environment":
		answer(map[string]any{"environment": os.Environ(), "arguments": os.Args[1:]})
	case "echo":
		return echo()
	case "wait": // until it is ended
		hold(arg)
	case "deaf wait":
		signal.Ignore(syscall.SIGTERM)
		hold(arg)
	case "fork": // and leave a grandchild that holds the pipes
		return fork(arg, false)
	case "fork away": // and out of the process group
		return fork(arg, true)
	}
	return 0
}

func self() *os.Process {
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		panic(err)
	}
	return p
}

func flood(w io.Writer) int {
	for range 100 {
		if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
			return 1
		}
	}
	return 0
}

// hold connects to a test, says so, and ends when the test hangs up.
func hold(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(conn, "here")
	if os.Getenv(readyVariable) != "" {
		_ = os.NewFile(3, "ready").Close()
	}
	_, _ = io.Copy(io.Discard, conn)
}

func answer(result any) {
	data, err := json.Marshal(map[string]any{"type": "result", "tool": "t", "result": result})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(data))
}

// echo is an independent endpoint with the habits of the original: it reads to the
// end, prints over many lines, says what goes wrong on standard error, looks at no
// tool's name when it is called, and reads numbers as floating point.
func echo() int {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 2
	}
	var req struct {
		Action    string
		Tool      string
		Arguments map[string]any
	}
	if json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &req) != nil {
		return complain("usage", "Invalid JSON payload")
	}
	descriptor := map[string]any{
		"name": "echo_external", "description": "Echo a message.", "command": "echo_external '<json>'",
		"origin": "local", "safety": "Safe: it only echoes.",
		"input_schema":  json.RawMessage(`{"type":"object","required":["message"],"properties":{"message":{"type":"string"}}}`),
		"result_schema": json.RawMessage(`{"type":"object","required":["echo"],"properties":{"echo":{"type":"string"}}}`),
	}
	switch req.Action {
	case "list_tools":
		pretty(map[string]any{"type": "result", "tools": []any{descriptor}})
	case "describe_tool":
		if req.Tool != "echo_external" {
			return complain("usage", "Unknown tool")
		}
		pretty(map[string]any{"type": "result", "tool": descriptor})
	case "call_tool":
		if req.Arguments["message"] == "explode" {
			return complain("fatal", "It exploded")
		}
		pretty(map[string]any{"type": "result", "tool": "echo_external", "result": map[string]any{"echo": req.Arguments["message"]}})
	default:
		return complain("usage", "Unknown action")
	}
	return 0
}

func pretty(v any) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", data)
}

func complain(category, message string) int {
	data, _ := json.MarshalIndent(map[string]any{"type": "error", "error": map[string]string{
		"name": "mcp_echo", "category": category, "message": message}}, "", "  ")
	fmt.Fprintf(os.Stderr, "%s\n", data)
	return 1
}

// newRegistry is what our own endpoint serves.
func newRegistry() *registry.Registry {
	reg := registry.New(nil)
	type item struct {
		Customer string `json:"customer_id" jsonschema:"Who orders."`
		Count    int    `json:"count,omitempty" jsonschema:"How many." cash:"min=1"`
	}
	orders := reg.Namespace("orders", "Orders.")
	create := registry.Func("create", "Create an order.", func(_ context.Context, in item) (json.RawMessage, error) {
		return json.RawMessage(`{ "z": 9007199254740993, "customer": "` + in.Customer + `", "a": 1.0 }`), nil
	}, registry.Idempotent(true))
	list := registry.Func("list", "List orders.", func(context.Context, struct{}) ([]int, error) { return []int{1, 2}, nil }, registry.ReadOnly)
	orders.Add(create, list,
		registry.Func("deny", "Say no.", func(context.Context, struct{}) (string, error) {
			return "", &registry.Error{Kind: registry.Denied, Message: "Not you."}
		}),
		registry.Func("fail", "Fail.", func(context.Context, struct{}) (string, error) { return "", errors.New("it broke") }),
		registry.Func("panic", "Panic.", func(context.Context, struct{}) (string, error) { panic("secret") }),
		registry.Func("say", "Say something.", func(context.Context, struct{}) (string, error) { return "a \"b\"\nc", nil }))
	reg.Namespace("", "").Add(endpoint.Tool("shout", "Shout.", program("handler", "7")), endpoint.Tool("quiet", "Say.", program("handler", "0")))
	hidden := registry.Func("hidden", "Hidden.", func(context.Context, struct{}) (string, error) { return "seen", nil }, registry.VisibleTo(registry.Roles("admin")))
	orders.Add(hidden)
	orders.AddSkill(registry.NewSkill("refund", "How to refund.", "Call it."))
	return reg
}
