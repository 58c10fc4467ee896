package upstream_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// One namespace whose help hangs is left out, and takes nothing with it.
func TestR139OnePageHangs(t *testing.T) {
	srv := hands{help: func(ctx context.Context, _ *mcp.CallToolRequest, a args) *mcp.CallToolResult {
		switch str(a["namespace"]) {
		case "":
			return text(`{"namespaces":["good","bad"]}`)
		case "bad":
			<-ctx.Done()
		}
		return text(`{"functions":["f"]}`)
	}}.server()
	s := memory("evil", srv)
	s.ConnectTimeout = time.Second
	_, agg, _ := aggregate(t, nil, s)
	if st := agg.Status()[0]; st.State != upstream.Connected {
		t.Errorf("the server is %v: %v", st.State, st.Err)
	}
}

// What stands beside the notice of a gate does not pass with it.
func TestR138NoticesWithMoreBesides(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	srv := hands{help: func(context.Context, *mcp.CallToolRequest, args) *mcp.CallToolResult {
		return text(`{"functions":["meta","structured","image"]}`)
	}, call: func(_ context.Context, _ *mcp.CallToolRequest, a args) *mcp.CallToolResult {
		r := failed("**Gated:** too large.")
		switch str(a["function"]) {
		case "meta":
			r.Meta = mcp.Meta{"com.example/x": big}
		case "structured":
			r.StructuredContent = args{"x": big}
		case "image":
			r.Content = append(r.Content, &mcp.ImageContent{Data: []byte(big), MIMEType: "image/png"})
		}
		return r
	}}.server()
	c := cashtest.Connect(t, serving(t, memory("evil", srv)))
	for _, f := range []string{"meta", "structured", "image"} {
		if data, _ := json.Marshal(c.Call("evil", f, nil).Raw); len(data) > 5000 {
			t.Errorf("%s: %d bytes get through", f, len(data))
		}
	}
}

// A question has a bound, and nothing hidden in it.
func TestW39TextsOfQuestions(t *testing.T) {
	up := mcp.NewServer(&mcp.Implementation{Name: "up"}, &mcp.ServerOptions{SupportedProtocolVersions: versions[:1]})
	addTool(up, "ask", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: strings.Repeat("m", 1<<20), RequestedSchema: json.RawMessage(
			`{"type":"object","properties":{"name":{"type":"string","title":"\u202e\u200b\udb40\udc41"}}}`)})
		return text("asked"), err
	})
	d := cashtest.Dialer{Version: versions[0], Client: &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			form, _ := json.Marshal(req.Params.RequestedSchema)
			if len(req.Params.Message) > 10_000 {
				t.Errorf("the message has %d bytes", len(req.Params.Message))
			}
			if strings.IndexFunc(string(form), hostile) >= 0 {
				t.Errorf("the form is %+q", form)
			}
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	}}
	d.Connect(t, serving(t, memory("a", up))).Call("a", "ask", nil)
}

// While a person thinks about several calls none of them runs out of time, and
// nobody else is shut out.
func TestW39QuestionsSideBySide(t *testing.T) {
	door := greeter(versions[0])
	addTool(door, "run", saying("done"))
	s := memory("door", door)
	s.Timeout = time.Second
	srv, agg, _ := aggregate(t, nil, s)
	c := (&cashtest.Dialer{Version: versions[1], Client: &mcp.ClientOptions{
		MultiRoundTrip:     &mcp.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, nil },
	}}).Connect(t, srv)
	asked := 0
	for range 8 {
		r, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: args{"namespace": "door", "function": "greet"}})
		if err != nil {
			t.Fatal(err)
		}
		if r.InputRequests != nil {
			asked++
		} else {
			t.Log(r.Content[0].(*mcp.TextContent).Text)
		}
	}
	if r := cashtest.Connect(t, srv).Call("door", "run", nil); asked != 8 || r.Text != "done" {
		t.Errorf("%d of 8 calls were asked; another caller: %s", asked, r.Text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nobody answers any more
	if err := agg.Close(ctx); err == nil {
		t.Error("calls that wait were not cut off")
	}
}

// Neither does the page of one function that hangs.
func TestR139OneFunctionHangs(t *testing.T) {
	srv := hands{help: func(ctx context.Context, _ *mcp.CallToolRequest, a args) *mcp.CallToolResult {
		if str(a["function"]) == "bad" {
			<-ctx.Done()
		}
		return text(`{"functions":["good","bad"]}`)
	}}.server()
	s := memory("evil", srv)
	s.ConnectTimeout = time.Second
	face, agg, _ := aggregate(t, nil, s)
	if st := agg.Status()[0]; st.State != upstream.Connected || st.Functions != 2 {
		t.Errorf("the server is %v with %d functions: %v", st.State, st.Functions, st.Err)
	}
	if page := cashtest.Connect(t, face).Help("evil", "").OK().Text; !strings.Contains(page, "**bad**") {
		t.Errorf("help says:\n%s", page)
	}
}
