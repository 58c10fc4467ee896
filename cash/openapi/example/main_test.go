package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

func TestMain(m *testing.M) { guidetest.Main(m, main) }

func TestReadme(t *testing.T) { new(guidetest.Guide).Test(t) }

// The service and the tools are at one address, and both answer.
func TestServe(t *testing.T) {
	service := newService()
	reg, _, err := mount(document, service)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(routes(service, newServer(reg)))
	defer web.Close()
	res, err := http.Get(web.URL + "/stock/paper")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	want, _ := io.ReadAll(res.Body)

	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer("token-of-ada")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{
		"namespace": "stock", "function": "get", "kwargs": map[string]any{"product": "paper"},
	}})
	if err != nil || answer.IsError {
		t.Fatalf("%v, %v", answer, err)
	}
	if text := answer.Content[0].(*mcp.TextContent).Text; text != string(want) {
		t.Errorf("the tool answers %q, the service %q", text, want)
	}
	answer, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{
		"namespace": "orders", "function": "cancel", "kwargs": map[string]any{"id": 1},
	}})
	if err != nil || answer.IsError {
		t.Errorf("ada cannot cancel: %v, %v", answer, err)
	}
	made, err := http.Post(web.URL+"/orders", "application/json", strings.NewReader(`{"product":"paper","quantity":1}`))
	if err != nil {
		t.Fatal(err)
	}
	defer made.Body.Close()
	if body, _ := io.ReadAll(made.Body); !strings.Contains(string(body), `"id":3`) {
		t.Errorf("the new order is %s", body)
	}
	res, err = http.Post(web.URL+"/mcp", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %s", res.Status)
	}
}

// A bearer sends a token.
type bearer string

// RoundTrip implements [http.RoundTripper].
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
