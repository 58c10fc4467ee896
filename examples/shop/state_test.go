package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// request sends a request to the shop as a command of its own, with flags.
func request(t *testing.T, text string, flags ...string) (answer string, exit int) {
	t.Helper()
	cmd := command(t, append([]string{"-face", "endpoint", "-stdio"}, flags...)...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &errs
	_ = cmd.Run() // the status is looked at
	return out.String() + errs.String(), cmd.ProcessState.ExitCode()
}

// What one process orders, the next one finds: the lines of the README do what it says.
func TestStateOfReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^echo '(.*)' \|\n  go run ./examples/shop -face endpoint -stdio -state shop.json$`).FindAllSubmatch(readme, -1)
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	file := filepath.Join(t.TempDir(), "new", "shop.json")
	for _, line := range lines {
		answer, exit := request(t, string(line[1]), "-state", file)
		if exit != 0 || !strings.Contains(answer, `"order_id":"ORD-5822","status":"confirmed","customer_id":"C-42"`) {
			t.Errorf("%s: %d %s", line[1], exit, answer)
		}
	}
	if answer, exit := request(t, string(lines[1][1])); exit != 1 {
		t.Errorf("without a file: %s", answer)
	}
}

const createOrder = `{"action":"call_tool","tool":"orders.create","arguments":{"customer_id":"C-42","items":[{"product_id":"P-11","quantity":1}],"notes":"%d"}}`

// Many processes at the same time lose nothing: every answer is kept, under a number of its own, and the stock is
// right.
func TestStateOfManyProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.json")
	const many = 20
	type answer struct {
		Result struct {
			OrderID string `json:"order_id"`
			Notes   string
		}
	}
	answers := make([]answer, many)
	var running sync.WaitGroup
	for i := range many {
		running.Go(func() {
			text, exit := request(t, fmt.Sprintf(createOrder, i), "-state", file)
			if err := json.Unmarshal([]byte(text), &answers[i]); err != nil || exit != 0 {
				t.Errorf("%d: %v %s", exit, err, text)
			}
		})
	}
	running.Wait()
	var ids, want []string
	for i, a := range answers {
		ids = append(ids, a.Result.OrderID)
		want = append(want, fmt.Sprintf("ORD-%d", 5822+i))
		text, _ := request(t, `{"action":"call_tool","tool":"orders.get","arguments":{"order_id":"`+a.Result.OrderID+`"}}`, "-state", file)
		var kept answer
		if err := json.Unmarshal([]byte(text), &kept); err != nil || kept != a || kept.Result.Notes != fmt.Sprint(i) {
			t.Errorf("%+v is kept as %s", a, text)
		}
	}
	if slices.Sort(ids); !slices.Equal(ids, want) {
		t.Errorf("%q", ids)
	}
	stock, _ := request(t, `{"action":"call_tool","tool":"inventory.check","arguments":{"product_id":"P-11","quantity":1}}`, "-state", file)
	if !strings.Contains(stock, `"in_stock":920,`) {
		t.Errorf("%s", stock)
	}
}

// A server finds what other processes have changed, on every face. What is refused changes nothing.
func TestStateOfServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.json")
	session := dial(t.Context(), t, &mcp.CommandTransport{Command: command(t, "-stdio", "-state", file)}, protocolVersions[0])
	defer session.Close()
	call := func(function, kwargs string) string {
		t.Helper()
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: json.RawMessage(`{"namespace":"orders","function":"` + function + `","kwargs":` + kwargs + `}`)})
		if err != nil {
			t.Fatal(err)
		}
		return res.Content[0].(*mcp.TextContent).Text
	}
	if text := call("get", `{"order_id":"ORD-5822"}`); !strings.Contains(text, "no order") {
		t.Errorf("before: %s", text)
	}
	if answer, exit := request(t, fmt.Sprintf(createOrder, 1), "-state", file); exit != 0 {
		t.Fatal(answer)
	}
	if text := call("get", `{"order_id":"ORD-5822"}`); !strings.Contains(text, `"status":"confirmed"`) {
		t.Errorf("after: %s", text)
	}
	if text := call("create", `{"customer_id":"C-42","items":[{"product_id":"P-11","quantity":1000}]}`); !strings.Contains(text, "939 of P-11 left") {
		t.Errorf("too many: %s", text)
	}
	if text := call("cancel", `{"order_id":"ORD-5822"}`); !strings.Contains(text, `"status":"cancelled"`) {
		t.Errorf("cancel: %s", text)
	}
	answer, _ := request(t, `{"action":"call_tool","tool":"orders.get","arguments":{"order_id":"ORD-5822"}}`, "-state", file)
	if !strings.Contains(answer, `"status":"cancelled"`) {
		t.Errorf("%s", answer)
	}
	if err := os.WriteFile(file, []byte(`{"secret":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, function := range []string{"get", "cancel"} {
		if text := call(function, `{"order_id":"ORD-5822"}`); !strings.Contains(text, "could not be read") || strings.Contains(text, "secret") {
			t.Errorf("%s of a damaged file: %s", function, text)
		}
	}
}

func TestStateThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"text": "hello", "empty": "", "two": `{"orders":[],"stock":{}} {}`, "unknown": `{"version":2}`, "stock": `{"stock":{"P-1":-1}}`,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, exit := request(t, `{"action":"list_tools"}`, "-state", file); exit != 2 || !strings.Contains(text, "the file with the state") {
			t.Errorf("%s: %d %s", name, exit, text)
		}
		if kept, err := os.ReadFile(file); err != nil || string(kept) != data {
			t.Errorf("%s is now %q, %v", name, kept, err)
		}
	}
	if text, exit := request(t, `{"action":"list_tools"}`, "-state", dir); exit != 2 {
		t.Errorf("a folder: %d %s", exit, text)
	}
	if text, exit := request(t, `{"action":"list_tools"}`, "-state", filepath.Join(dir, "s"), "-catalog", "testdata/catalog.json"); exit != 2 || !strings.Contains(text, "no -state") {
		t.Errorf("with a catalog: %d %s", exit, text)
	}
}
