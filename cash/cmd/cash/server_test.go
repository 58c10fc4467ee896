package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/internal/wrong"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// asServer makes the test binary a server over stdio, of the face that it names.
const asServer = "CASH_TEST_SERVER"

func TestMain(m *testing.M) {
	face := os.Getenv(asServer)
	if answer, ok := strings.CutPrefix(face, "wrong endpoint "); ok {
		if err := wrong.Endpoint(os.Stdin, os.Stdout, answer); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	switch face {
	case "":
		os.Exit(m.Run())
	case "silent":
		fmt.Fprintln(os.Stderr, "cannot open \x1b[31mthe database", secret)
		os.Exit(3)
	case "endpoint":
		os.Exit(endpoint.New(orders(), nil).Run(context.Background(), os.Stdin, os.Stdout))
	default:
		if err := newFace(face).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// face is a server with a transport.
type face interface {
	Run(context.Context, mcp.Transport) error
	Handler() http.Handler
}

func newFace(name string) face {
	switch name {
	case "cash":
		return cash.NewServer(orders(), &cash.Options{Name: "orders"})
	case "disclosure":
		return disclosure.NewServer(orders(), nil)
	case "facade":
		return facade.NewServer(orders(), nil)
	}
	return plain.NewServer(orders(), nil)
}

// secret has the form of a token.
const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

// hostile is a text that would colour a terminal and turn its direction.
const hostile = "\x1b[31mred\u202e"

// orders is a registry with functions of every kind of result.
func orders() *registry.Registry {
	reg := registry.New(nil)
	type byID struct {
		ID string `json:"id" jsonschema:"The id of the order."`
	}
	ns := reg.Namespace("orders", "Manage orders.")
	ns.Add(
		registry.Func("get", "Get an order by its id.", func(_ context.Context, in byID) (byID, error) { return in, nil }, registry.ReadOnly),
		registry.Func("cancel", "Cancel an order.", func(_ context.Context, in byID) (string, error) {
			return "", errors.New("the order " + hostile + " is shipped")
		}, registry.Destructive(true)),
		registry.Func("note", "Read the note of an order.", func(context.Context, byID) (string, error) { return "a " + hostile + " note", nil }, registry.ReadOnly),
	)
	ns.AddSkill(registry.NewSkill("refund", "Refund an order.", "Call orders.cancel for {{id}}."))
	return reg
}

// self returns the command line of this binary as a server.
func self(t *testing.T, face string) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asServer, face)
	return []string{"--", program}
}

// web serves a handler, and returns its URL.
func web(t *testing.T, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL + "/mcp"
}

// printed runs the command with an environment.
func printed(t *testing.T, terminal bool, stdin string, vars map[string]string, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	env := &environment{stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs, terminal: terminal,
		getenv: func(name string) string { return vars[name] }}
	code := run(t.Context(), env, args)
	return ran{code, out.String(), errs.String()}
}

func decoded(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

func pictures(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte{1, 2, 3}, MIMEType: "image/png"}}}, nil
}
