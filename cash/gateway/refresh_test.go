package gateway_test

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/gateway"
)

// TestS46Refresh holds that ids that are gone are refused, those that were changed
// name the new one, and none is ever sent to another tool.
func TestS46Refresh(t *testing.T) {
	c := catalog.New(nil)
	load := func(doc string) {
		t.Helper()
		if _, err := c.Load([]byte(doc)); err != nil {
			t.Fatal(err)
		}
	}
	load(`[{"name":"files.read","inputSchema":{"type":"object","properties":{"path":{}}},"result":"first"},{"name":"files.drop","inputSchema":{"type":"object"},"result":"dropped"},` +
		`{"name":"ping","inputSchema":{"type":"object"},"result":"pong"}]`)
	read, drop, ping := toolID(t, c, "files.read"), toolID(t, c, "files.drop"), toolID(t, c, "ping")
	srv := gateway.NewServer(c.Tools(), nil)
	client := inMemory(t, srv, nil)
	if e := execute(t, client, read, nil); e.Summary != "first" {
		t.Fatalf("%+v", e)
	}
	// The description changes and the id stays.
	load(`[{"name":"files.read","description":"Reads.","inputSchema":{"type":"object","properties":{"path":{}}},"result":"second"},{"name":"files.erase","inputSchema":{"type":"object"},"result":"erased"},` +
		`{"name":"ping","inputSchema":{"type":"object","properties":{"host":{}}},"result":"pong"}]`)
	if e := execute(t, client, read, nil); e.Summary != "second" {
		t.Errorf("%+v", e)
	}
	wantCode(t, client.Tool("tool_execute", object{"tool_id": drop}), gateway.HydrateFailed)
	e := wantCode(t, client.Tool("tool_execute", object{"tool_id": ping}), gateway.HydrateFailed)
	if now := toolID(t, c, "ping"); now == ping || !strings.Contains(e.Message, now) || !strings.Contains(string(e.Details), now) {
		t.Errorf("the error does not name the new id %s: %+v", now, e)
	}
	// The parameters change, and with them the id.
	load(`[{"name":"files.read","inputSchema":{"type":"object","properties":{"file":{}}},"result":"third"}]`)
	e = wantCode(t, client.Tool("tool_execute", object{"tool_id": read}), gateway.HydrateFailed)
	if now := toolID(t, c, "files.read"); !strings.Contains(e.Message, now) {
		t.Errorf("the error does not name the new id: %+v", e)
	}
}

func toolID(t testing.TB, c *catalog.Catalog, name string) string {
	t.Helper()
	for f := range c.Tools().All() {
		if f.Tool() == name {
			return f.Primitive().String()
		}
	}
	t.Fatalf("no tool %s", name)
	return ""
}

// TestS46Atomic holds that whoever calls while the catalog changes gets the tool
// that the id names, or none.
func TestS46Atomic(t *testing.T) {
	doc := func(v string) []byte {
		other := map[string]string{"a": "b", "b": "a"}[v]
		return []byte(`[{"name":"x.tool","inputSchema":{"type":"object","properties":{"` + v + `":{}}},"result":"tool ` + v + `"},` +
			`{"name":"x.` + v + `","inputSchema":{"type":"object"},"result":"only ` + v + `"},{"name":"y.` + other + `","inputSchema":{"type":"object"},"result":"y ` + other + `"}]`)
	}
	c := catalog.New(nil)
	want := map[string]string{}
	for _, v := range []string{"a", "b"} {
		if _, err := c.Load(doc(v)); err != nil {
			t.Fatal(err)
		}
		want[toolID(t, c, "x.tool")] = "tool " + v
		want[toolID(t, c, "x."+v)] = "only " + v
	}
	srv := gateway.NewServer(c.Tools(), nil)
	stop := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if _, err := c.Load(doc([]string{"a", "b"}[i%2])); err != nil {
				done <- err
				return
			}
		}
	}()
	got := 0
	for range 400 {
		for id, text := range want {
			r, err := srv.Execute(t.Context(), &gateway.ExecuteRequest{ID: id})
			if err != nil {
				continue // not there now
			}
			got++
			if e := envelopeIn(t, r.Text()); e.Summary != text {
				t.Fatalf("%s was sent to what answers %q", id, e.Summary)
			}
		}
	}
	close(stop)
	if err := <-done; err != nil || got == 0 {
		t.Errorf("%d calls went through: %v", got, err)
	}
}

// TestS46Findings holds W6: what is wrong with one tool costs that one only, and is
// reported by name.
func TestS46Findings(t *testing.T) {
	c := catalog.New(nil)
	if _, err := c.Load([]byte(`[{"name":"a.good","inputSchema":{"type":"object"},"result":"good"},` +
		`{"name":"a.bad","inputSchema":{"type":"object","properties":{"x":{"type":"nonsense"}}},"result":"bad"}]`)); err != nil {
		t.Fatal(err)
	}
	srv := gateway.NewServer(c.Tools(), nil)
	report, err := srv.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Tools != 2 || len(report.Findings) != 1 || report.Findings[0].Code != gateway.SchemaInvalid || report.Findings[0].ID != toolID(t, c, "a.bad") {
		t.Errorf("report %s", report)
	}
	client := inMemory(t, srv, nil)
	if e := execute(t, client, toolID(t, c, "a.good"), nil); e.Summary != "good" {
		t.Errorf("%+v", e)
	}
	wantCode(t, client.Tool("tool_execute", object{"tool_id": toolID(t, c, "a.bad")}), gateway.SchemaInvalid)
}
