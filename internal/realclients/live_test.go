//go:build realclients

package realclients

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// generations of the protocol that clients of the aggregator speak; the servers
// speak 2025-11-25.
var generations = []string{"2025-11-25", "2026-07-28"}

// What a server sends and asks while a call runs reaches the client of the
// aggregator (W39).
func TestW39WhileACallRuns(t *testing.T) {
	for _, way := range ways {
		m := mount(t, upstream.Server{Label: "everything", Endpoint: way.reach(t)})
		for _, version := range generations {
			t.Run(way.name+" "+version, func(t *testing.T) {
				t.Run("progress", func(t *testing.T) { testProgress(t, m.connect(t, version)) })
				t.Run("logging", func(t *testing.T) { testLogging(t, m.connect(t, version), version) })
				t.Run("elicitation", func(t *testing.T) { testElicitation(t, m.connect(t, version)) })
			})
		}
	}
}

func testProgress(t *testing.T, c *client) {
	params := functionCall("everything", "trigger_long_running_operation", `{"duration":1,"steps":5}`)
	params.SetProgressToken("mine")
	if r := c.call(t, params); r.IsError || !strings.Contains(r.text(), "Steps: 5") {
		t.Errorf("the result is %q, error %t", r.text(), r.IsError)
	}
	checkProgress(t, c, 5)
}

// checkProgress checks that each of so many steps has been reported, in order. The SDK's client may deliver the last
// reports after the result.
func checkProgress(t *testing.T, c *client, steps int) {
	t.Helper()
	reported := func() []float64 {
		c.mu.Lock()
		defer c.mu.Unlock()
		return slices.Clone(c.progress)
	}
	inTime(func() bool { return len(reported()) >= steps })
	var want []float64
	for i := range steps {
		want = append(want, float64(i+1))
	}
	if got := reported(); !slices.Equal(got, want) {
		t.Errorf("progress %v, want %v", got, want)
	}
}

// The server sends one message of a random level at once, and is not heard
// when that is debug.
func testLogging(t *testing.T, c *client, version string) {
	if version == generations[0] {
		//lint:ignore SA1019 deprecated in the newest protocol, and how clients up to 2025-11-25 ask
		if err := c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Fatal(err)
		}
	}
	for range 40 { // on and off, twenty times
		params := functionCall("everything", "toggle_simulated_logging", `{}`)
		if version != generations[0] {
			//lint:ignore SA1019 deprecated, and how clients ask since
			params.Meta = mcp.Meta{mcp.MetaKeyLogLevel: "info"}
		}
		r := c.call(t, params)
		if r.IsError {
			t.Fatal(r.text())
		}
		c.mu.Lock()
		logs := slices.Clone(c.logs)
		c.mu.Unlock()
		if len(logs) == 0 || strings.HasPrefix(r.text(), "Started") { // it is switched off in the end
			continue
		}
		data, _ := logs[0].Data.(string)
		if !strings.Contains(strings.ToLower(data), "level") || !strings.HasPrefix(logs[0].Logger, "everything") || logs[0].Level == "debug" {
			t.Errorf("the message is %+v, want one of the server, with its label", logs[0])
		}
		return
	}
	t.Error("no message has come of twenty")
}

func testElicitation(t *testing.T, c *client) {
	for _, answer := range []*mcp.ElicitResult{
		{Action: "accept", Content: map[string]any{"name": "Ada", "check": true, "integer": 7.0}},
		{Action: "decline"},
		{Action: "cancel"},
	} {
		direct := everything().direct(t)
		direct.answer, c.answer, c.asked = answer, answer, nil
		want := direct.call(t, &mcp.CallToolParams{Name: "trigger-elicitation-request"})
		got := c.function(t, "everything", "trigger_elicitation_request", `{}`)
		if !strings.Contains(want.text(), `"action": "`+answer.Action+`"`) || want.IsError {
			t.Fatalf("the answer %s: the server itself says %q", answer.Action, want.text())
		}
		if got.IsError || !reflect.DeepEqual(got.Content, want.Content) {
			t.Errorf("the answer %s: the result is\n%v\nof the server itself\n%v", answer.Action, got.Content, want.Content)
		}
		if len(c.asked) != 1 || len(direct.asked) != 1 || c.asked[0].Message != direct.asked[0].Message ||
			!reflect.DeepEqual(c.asked[0].RequestedSchema, direct.asked[0].RequestedSchema) {
			t.Errorf("asked was %+v, by the server itself %+v", c.asked, direct.asked)
		}
	}
}

// Calls of several clients share a connection, and each gets its own reports
// and results, also when another one gives up.
func TestW39SeveralClients(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			m := mount(t, upstream.Server{Label: "everything", Endpoint: way.reach(t)})
			gone := m.connect(t, "")
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan error, 1)
			params := functionCall("everything", "trigger_long_running_operation", `{"duration":60,"steps":600}`)
			params.SetProgressToken("mine")
			go func() {
				_, err := gone.CallTool(ctx, params)
				left <- err
			}()
			eventually(t, "the call that is cancelled later is under way", func() bool {
				gone.mu.Lock()
				defer gone.mu.Unlock()
				return len(gone.progress) > 0
			})
			var clients sync.WaitGroup
			for i := range 8 {
				c := m.connect(t, generations[i%2])
				clients.Go(func() { testOwnReports(t, c, i+3) })
			}
			leave()
			clients.Wait()
			if err := <-left; !errors.Is(err, context.Canceled) {
				t.Errorf("the call that was cancelled: %v", err)
			}
		})
	}
}

// testOwnReports makes a call of so many steps, and many short ones meanwhile.
func testOwnReports(t *testing.T, c *client, steps int) {
	params := functionCall("everything", "trigger_long_running_operation", fmt.Sprintf(`{"duration":1,"steps":%d}`, steps))
	params.SetProgressToken("mine") // the same for all
	done := make(chan string, 1)
	go func() {
		res, err := c.CallTool(t.Context(), params)
		if err != nil {
			done <- err.Error()
			return
		}
		done <- (&registry.Result{Content: res.Content}).Text()
	}()
	for i := range 50 {
		message := fmt.Sprintf("%d of %d", i, steps)
		res, err := c.CallTool(t.Context(), functionCall("everything", "echo", fmt.Sprintf(`{"message":%q}`, message)))
		if err != nil {
			t.Errorf("echo: %v", err)
			break
		}
		if got := (&registry.Result{Content: res.Content}).Text(); got != "Echo: "+message {
			t.Errorf("echo of %q: %q", message, got)
		}
	}
	if got := <-done; !strings.Contains(got, fmt.Sprintf("Steps: %d.", steps)) {
		t.Errorf("the call of %d steps: %q", steps, got)
	}
	checkProgress(t, c, steps)
}

// A client that cannot be asked gets an answer all the same: the server is told
// that nobody answers.
func TestW39NobodyToAsk(t *testing.T) {
	m := mount(t, upstream.Server{Label: "everything", Endpoint: everything().endpoint()})
	for _, version := range generations {
		c := new(client) // without an answer
		c.connect(t, cashtest.InMemory(m.srv), version)
		if r := c.function(t, "everything", "trigger_elicitation_request", `{}`); !strings.Contains(r.text(), `"action": "cancel"`) {
			t.Errorf("%s: the result is %q, want that the question was cancelled", version, r.text())
		}
	}
}

// A server sees no variable of the aggregator that was not meant for it.
func TestEnvironment(t *testing.T) {
	t.Setenv("AGGREGATOR_SECRET", "hunter2")
	s := everything()
	s.env = []string{"MEANT_FOR_IT=yes"}
	m := mount(t, upstream.Server{Label: "everything", Endpoint: s.endpoint()})
	r := m.connect(t, "").function(t, "everything", "get_env", `{}`)
	for text, want := range map[string]bool{`"PATH": `: true, `"MEANT_FOR_IT": "yes"`: true, "AGGREGATOR_SECRET": false, "hunter2": false} {
		if strings.Contains(r.text(), text) != want {
			t.Errorf("the environment has %s: %t, want %t", text, !want, want)
		}
	}
}
