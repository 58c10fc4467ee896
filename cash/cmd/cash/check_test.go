package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestCheck: each face passes over stdio, and over HTTP in both generations of the protocol.
func TestCheck(t *testing.T) {
	samples := filepath.Join(t.TempDir(), "samples.json")
	write(t, samples, `{"read": {"namespace": "orders", "function": "get", "kwargs": {"id": "A-7"}},
		"skill": {"namespace": "orders", "name": "refund", "inputs": {"id": "A-7"}},
		"call": {"tool": "orders-get", "arguments": {"id": "A-7"}}}`)
	domain := filepath.Join(t.TempDir(), "domain.json")
	write(t, domain, `{"read": {"namespace": "OrdersExecute", "function": "get", "kwargs": {"id": "A-7"}}}`)
	for name, test := range map[string]struct {
		kind   string
		passed int
		args   []string
	}{
		"stdio":      {"cash", 55, append([]string{"-samples", samples}, self(t, "cash")...)},
		"stateless":  {"cash", 55, []string{"-samples", samples, "-protocol", "2026-07-28", web(t, newFace("cash").Handler())}},
		"sessions":   {"cash", 55, []string{"-samples", samples, "-protocol", "2025-11-25", web(t, newFace("cash").Handler())}},
		"facade":     {"facade", 6, []string{"-samples", domain, web(t, newFace("facade").Handler())}},
		"disclosure": {"disclosure", 12, []string{"-samples", samples, web(t, newFace("disclosure").Handler())}},
	} {
		got := printed(t, false, "", nil, append([]string{"check", "-json"}, test.args...)...)
		var r checked
		decoded(t, got.out, &r)
		if got.code != 0 || r.Failed != 0 || r.Passed < test.passed || r.Requests == 0 || r.Kind != test.kind {
			t.Errorf("%s: status %d, kind %s: %d passed, %d failed\n%s", name, got.code, r.Kind, r.Passed, r.Failed, got.err)
		}
	}
	got := printed(t, false, "", nil, slices.Concat([]string{"check", "-as", "endpoint"}, self(t, "endpoint"))...)
	if got.code != 0 || !strings.Contains(got.out, "(endpoint): 7 passed, 0 failed") {
		t.Errorf("%+v", got)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A fault makes a CaSH server of this module wrong: it answers in place of a tool, or returns nil.
type fault func(tool string, args map[string]any) *mcp.CallToolResult

// faultyURL returns the URL of a CaSH server with a fault.
func faultyURL(t *testing.T, without string, f fault) string {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	go func() { _ = newFace("cash").Run(t.Context(), far) }() // ends with the test
	inner, err := mcp.NewClient(&mcp.Implementation{Name: "proxy", Version: "1.0.0"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	srv := mcp.NewServer(&mcp.Implementation{Name: "wrong", Version: "1.0.0"}, nil)
	list, err := inner.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name == without {
			continue
		}
		srv.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args := map[string]any{}
			if len(req.Params.Arguments) > 0 {
				if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
					return nil, err
				}
			}
			if r := f(req.Params.Name, args); r != nil {
				return r, nil
			}
			return inner.CallTool(ctx, &mcp.CallToolParams{Name: req.Params.Name, Arguments: req.Params.Arguments})
		})
	}
	return web(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil))
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// TestCheckWrong: a wrong server fails with status 1, and the report in each form says why.
func TestCheckWrong(t *testing.T) {
	for name, test := range map[string]struct {
		f        fault
		evidence string
	}{
		"silent errors": {func(tool string, args map[string]any) *mcp.CallToolResult {
			if tool == "call" {
				return textResult("fine")
			}
			return nil
		}, "is not an error"},
		"an empty guide": {func(tool string, args map[string]any) *mcp.CallToolResult {
			if tool == "help" && len(args) == 0 {
				return textResult("")
			}
			return nil
		}, "help"},
	} {
		url := faultyURL(t, "", test.f)
		got := printed(t, true, "", nil, "check", url)
		if got.code != 1 || !strings.Contains(got.out, "\x1b[31mfailed     \x1b[0m R") || !strings.Contains(got.out, test.evidence) {
			t.Errorf("%s: status %d\n%s%s", name, got.code, got.out, got.err)
		}
		var r checked
		got = printed(t, false, "", nil, "check", "-json", url)
		decoded(t, got.out, &r)
		i := slices.IndexFunc(r.Rows, func(row checkRow) bool { return row.Status == "failed" })
		if got.code != 1 || r.Failed == 0 || i < 0 || len(r.Rows[i].Evidence) == 0 || r.Rows[i].Failures == 0 {
			t.Errorf("%s: status %d, %+v", name, got.code, r)
		}
		var suite struct {
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Failure *struct{} `xml:"failure"`
			} `xml:"testcase"`
		}
		got = printed(t, false, "", nil, "check", "-junit", url)
		if err := xml.Unmarshal([]byte(got.out), &suite); err != nil || got.code != 1 || suite.Failures != r.Failed || len(suite.Cases) != len(r.Rows) {
			t.Errorf("%s: status %d, %v, %d failures of %d", name, got.code, err, suite.Failures, len(suite.Cases))
		}
	}
}

// TestCheckKinds: what is no server of a known kind is told so, and wrong usage is refused.
func TestCheckKinds(t *testing.T) {
	plain := web(t, wrongKind())
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"plain":      {[]string{"check", plain}, 1, "try -hostile 500, or -as KIND"},
		"as":         {[]string{"check", "-as", "facad", plain}, 2, "did you mean facade?"},
		"both":       {[]string{"check", "-json", "-junit", plain}, 2, "take -json or -junit"},
		"endpoint":   {[]string{"check", "-as", "endpoint", plain}, 2, "an endpoint is a command"},
		"file":       {[]string{"check", "tools.yaml"}, 2, "a file cannot be checked"},
		"samples":    {[]string{"check", "-samples", "none.json", plain}, 1, "reading samples"},
		"no cash":    {[]string{"check", "-as", "cash", "-v", plain}, 1, ""},
		"no facade":  {[]string{"check", "-as", "facade", plain}, 1, ""},
		"disclosure": {[]string{"check", "-as", "disclosure", plain}, 1, ""},
	} {
		if got := printed(t, false, "", nil, test.args...); got.code != test.code || !strings.Contains(got.err, test.want) {
			t.Errorf("%s: %+v, want %q", name, got, test.want)
		}
	}
	bad := filepath.Join(t.TempDir(), "samples.json")
	write(t, bad, `{"raed": {}}`)
	if got := printed(t, false, "", nil, "check", "-samples", bad, plain); got.code != 1 || !strings.Contains(got.err, `unknown field "raed"`) {
		t.Errorf("%+v", got)
	}
}

func wrongKind() http.Handler {
	srv := mcp.NewServer(&mcp.Implementation{Name: "ping", Version: "1.0.0"}, nil)
	srv.AddTool(&mcp.Tool{Name: "ping", InputSchema: map[string]any{"type": "object"}}, pictures)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil)
}

// TestCheckHostile: -hostile adds the rows of the attack.
func TestCheckHostile(t *testing.T) {
	got := printed(t, false, "", nil, "check", "-hostile", "40", "-protocol", "2025-11-25", web(t, newFace("plain").Handler()))
	if got.code != 0 || !strings.Contains(got.out, "http/2025-11-25/answered") {
		t.Errorf("%+v", got)
	}
}

// TestCheckNothing: a report without a checked row is no success.
func TestCheckNothing(t *testing.T) {
	got := printed(t, false, "", nil, "check", "-as", "skills", served(t))
	if got.code != 1 || got.err != "cash check: nothing could be checked; -v shows why\n" || !strings.Contains(got.out, "0 passed, 0 failed") {
		t.Errorf("%+v", got)
	}
}
