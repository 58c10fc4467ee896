package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/cash/otel/internal/otlptest"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/examples/embed/desk/desktest"
	"github.com/cash-mcp/go-sdk/internal/guidetest"
	"github.com/cash-mcp/go-sdk/registry"
)

const publicURL = "https://desk.example"

// stand is the desk in a process of its own, behind a reverse proxy, before a carrier and with a collector.
type stand struct {
	t        *testing.T
	receiver *otlptest.Receiver
	desk     *guidetest.Process
	client   *http.Client // it finds the proxy
	agent    *trace.TracerProvider

	called chan string   // receives who calls the carrier
	gate   chan struct{} // calls for the parcel "slow" wait for it
}

var testEnv = []string{"DESK_KEYS=" + strings.Repeat("01", 32), "DESK_CARRIER_TOKEN=the-desk-itself"}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{t: t, receiver: otlptest.New(t), called: make(chan string, 100), gate: make(chan struct{})}
	s.agent = s.provider("agent")
	env := append(slices.Clone(testEnv), endpointVariable+"="+s.receiver.URL, "OTEL_BSP_SCHEDULE_DELAY=20") // milliseconds
	s.desk = guidetest.Start(t, program(env, "-addr", "127.0.0.1:0", "-url", publicURL, "-carrier", s.newCarrier()))
	s.client = desktest.Proxy(t, s.desk.Out.WaitForAddress(t), io.Discard)
	s.desk.Log.WaitFor(t, `"msg":"connected"`)
	return s
}

// program returns the program of this folder, with variables.
func program(env []string, args ...string) *exec.Cmd {
	cmd := guidetest.Command(args...)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// provider exports the spans of a service to the receiver.
func (s *stand) provider(service string) *trace.TracerProvider {
	s.t.Helper()
	exporter, err := otlptracehttp.New(s.t.Context(), otlptracehttp.WithEndpointURL(s.receiver.URL+"/v1/traces"))
	if err != nil {
		s.t.Fatal(err)
	}
	p := trace.NewTracerProvider(trace.WithSyncer(exporter), trace.WithResource(resource.NewSchemaless(attribute.String("service.name", service))))
	s.t.Cleanup(func() { _ = p.Shutdown(context.Background()) })
	return p
}

// newCarrier starts a carrier that knows the accounts of the real one, and returns its URL.
func (s *stand) newCarrier() string {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("track", "Tell where a parcel is.", func(ctx context.Context, in parcel) (string, error) {
		s.called <- registry.CallerFrom(ctx).ID
		if in.Parcel == "slow" {
			<-s.gate
		}
		return track(ctx, in)
	}, registry.ReadOnly))
	hook := cashotel.New(&cashotel.Options{TracerProvider: s.provider("carrier")})
	face := plain.NewServer(reg, &plain.Options{Serve: serve.Options{VerifyToken: verify, Observe: hook}})
	web := httptest.NewServer(face.Handler())
	s.t.Cleanup(func() {
		_ = face.Shutdown(context.Background())
		web.Close()
	})
	return web.URL
}

// as returns a client that sends the token of a user, and the context of each request in its headers.
func (s *stand) as(user string) *http.Client {
	s.t.Helper()
	token, err := program(testEnv, "-url", publicURL, "-token", user).Output()
	if err != nil {
		s.t.Fatal(err)
	}
	way := otelhttp.NewTransport(s.client.Transport, otelhttp.WithTracerProvider(s.agent), otelhttp.WithPropagators(propagation.TraceContext{}))
	return &http.Client{Transport: bearer{strings.TrimSpace(string(token)), way}}
}

type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// connect connects a real MCP client through the proxy.
func (s *stand) connect(client *http.Client, version string) *cashtest.Client {
	s.t.Helper()
	return (&cashtest.Dialer{Version: version, HTTPClient: client}).ConnectHTTP(s.t, publicURL+"/mcp")
}

// get returns the status and the body of an answer.
func (s *stand) get(client *http.Client, method, path, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, publicURL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// call calls a function in a turn of the agent. It may be used in any goroutine.
func (s *stand) call(c *cashtest.Client, namespace, function string, kwargs any) (text string, id string) {
	ctx, turn := s.agent.Tracer("agent").Start(s.t.Context(), "turn")
	defer turn.End()
	id = turn.SpanContext().TraceID().String()
	res, err := c.Session.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: map[string]any{
		"namespace": namespace, "function": function, "kwargs": kwargs,
	}})
	if err != nil {
		return "error: " + err.Error(), id
	}
	for _, one := range res.Content {
		if t, ok := one.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	return text, id
}

// wantTrace waits for the spans of a trace and compares their tree.
func (s *stand) wantTrace(id, want string) {
	s.t.Helper()
	own := func(all []otlptest.Span) []otlptest.Span {
		return slices.DeleteFunc(slices.Clone(all), func(s otlptest.Span) bool { return s.Trace != id })
	}
	spans := own(s.receiver.Spans(s.t, func(all []otlptest.Span) bool { return len(own(all)) >= strings.Count(want, "\n") }))
	if got := otlptest.Tree(spans); got != want {
		s.t.Errorf("the trace is\n%s\nwant\n%s", got, want)
	}
}

// Behind a proxy, the desk does what it does without telemetry, and all of it shows: each call under the span of its
// HTTP request, in one trace from the agent to the carrier, and the outcomes as metrics.
func TestBehindProxy(t *testing.T) {
	s := newStand(t)
	carla, anton, greta := s.as("carla"), s.as("anton"), s.as("greta")
	if status, body := s.get(s.client, "GET", "/readyz", ""); status != http.StatusOK || body != "ok\n" {
		t.Errorf("/readyz: %d %q", status, body)
	}
	if status, _ := s.get(s.client, "POST", "/mcp", ""); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
	if status, body := s.get(carla, "PUT", "/accounts/carrier", "carla-at-the-carrier"); status != http.StatusOK {
		t.Errorf("/accounts/carrier: %d %q", status, body)
	}
	for i, version := range []string{"2025-11-25", "2026-07-28"} {
		c := s.connect(carla, version)
		// A method of the desk, in a transaction.
		text, id := s.call(c, "tickets", "close", map[string]string{"id": fmt.Sprint("T-", i+1)})
		if !strings.Contains(text, `"closed_by":"carla"`) {
			t.Errorf("%s: %s", version, text)
		}
		s.wantTrace(id, `turn internal (agent)
  HTTP POST client (agent)
    POST /mcp server (desk)
      tools/call tickets.close server (desk)
        transaction internal (desk)
`)
		s.wantLogged(id)
		// A function of the carrier, with the user's own account.
		if text, id = s.call(c, "parcels", "track", parcel{"P-1"}); text != "P-1 of carla is on its way." || <-s.called != "carla" {
			t.Errorf("%s: %s", version, text)
		}
		s.wantTrace(id, `turn internal (agent)
  HTTP POST client (agent)
    POST /mcp server (desk)
      tools/call parcels.track server (desk)
        tools/call parcels.track client (desk)
          tools/call track server (carrier)
`)
		// What her role does not allow does not exist.
		if text, id = s.call(c, "tickets", "delete", map[string]string{"id": "T-1"}); !strings.Contains(text, "delete") {
			t.Errorf("%s: %s", version, text)
		}
		s.wantTrace(id, `turn internal (agent)
  HTTP POST client (agent)
    POST /mcp server (desk)
      tools/call call server (desk)
`)
	}
	if text, _ := s.call(s.connect(greta, "2026-07-28"), "parcels", "track", parcel{"P-1"}); !strings.Contains(text, publicURL+"/accounts") {
		t.Errorf("greta, who has no account: %s", text)
	}
	refused := 0
	for c := s.connect(anton, "2026-07-28"); refused == 0; {
		if text, _ := s.call(c, "staff", "workload", map[string]string{}); strings.Contains(text, "Try again in") {
			refused++
		}
		if t.Context().Err() != nil {
			t.Fatal("nothing limits anton")
		}
	}
	s.stopsInACall(carla)

	counted := make(map[string]float64)
	for _, p := range s.receiver.Points("desk", "mcp.server.operation.duration") {
		if p.Attributes["mcp.method.name"] == "tools/call" {
			counted[p.Attributes["gen_ai.tool.name"]+" "+p.Attributes["cash.outcome"]] += p.Value
		}
	}
	for name, want := range map[string]float64{
		"tickets.close ok": 2, "parcels.track ok": 3, "parcels.track AUTH_FAILED": 1, "call UNKNOWN_FUNCTION": 2, "staff.workload RATE_LIMITED": 1,
	} {
		if counted[name] != want {
			t.Errorf("%s is counted %v times, want %v: %v", name, counted[name], want, counted)
		}
	}
	for _, span := range s.receiver.Spans(t, func([]otlptest.Span) bool { return true }) {
		if span.Service == "desk" && (strings.Contains(span.Name, "livez") || strings.Contains(span.Name, "readyz") || span.Name == "HTTP") {
			t.Errorf("there is a span %s", span.Name)
		}
		for key, value := range span.Attributes {
			if strings.Contains(value, "T-1") || strings.Contains(value, "P-1") || strings.Contains(value, "at-the-carrier") {
				t.Errorf("the span %s has %s=%s", span.Name, key, value)
			}
		}
	}
}

// wantLogged waits for the line of the desk's log about the request of a trace.
func (s *stand) wantLogged(id string) {
	s.t.Helper()
	s.desk.Log.Wait(s.t, func(lines []string) bool {
		return slices.ContainsFunc(lines, func(line string) bool {
			return strings.Contains(line, `"msg":"request"`) && strings.Contains(line, `"trace":"`+id+`"`)
		})
	})
}

// stopsInACall stops the desk in the middle of a call, which finishes. Its spans arrive.
func (s *stand) stopsInACall(user *http.Client) {
	s.t.Helper()
	c := s.connect(user, "2026-07-28")
	type answer struct{ text, id string }
	answered := make(chan answer, 1)
	go func() {
		text, id := s.call(c, "parcels", "track", parcel{"slow"})
		answered <- answer{text, id}
	}()
	select {
	case <-s.called:
	case a := <-answered:
		s.t.Fatalf("the carrier is not called: %s", a.text)
	}
	s.desk.Signal()
	for status := 0; status != http.StatusServiceUnavailable; {
		if status, _ = s.get(s.client, "GET", "/readyz", ""); s.t.Context().Err() != nil {
			s.t.Fatal("it stays ready")
		}
		time.Sleep(time.Millisecond)
	}
	if status, _ := s.get(s.client, "GET", "/livez", ""); status != http.StatusOK {
		s.t.Errorf("while stopping: /livez: %d", status)
	}
	if text, _ := s.call(c, "tickets", "list", map[string]string{}); !strings.Contains(text, "shutting down") {
		s.t.Errorf("a call while stopping: %s", text)
	}
	close(s.gate)
	a := <-answered
	if a.text != "slow of carla is on its way." {
		s.t.Errorf("the call in flight: %s", a.text)
	}
	s.desk.Stop(s.t)
	s.wantTrace(a.id, `turn internal (agent)
  HTTP POST client (agent)
    POST /mcp server (desk)
      tools/call parcels.track server (desk)
        tools/call parcels.track client (desk)
          tools/call track server (carrier)
`)
}
