package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// served is the name of a copy of this test's binary that is an endpoint.
const served = "served"

func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), served) {
		reg := registry.New(nil)
		type input struct {
			City string `json:"city" jsonschema:"Where."`
		}
		reg.Namespace("weather", "The weather.").Add(registry.Func("today", "Say what the weather is.\nIn short.",
			func(_ context.Context, in input) (string, error) { return "Rain in " + in.City + ".\u202e", nil }, registry.ReadOnly))
		os.Exit(endpoint.New(reg, nil).Run(context.Background(), os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

func TestClient(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), served+filepath.Ext(self))
	data, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(program, data, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		endpoint, args string
		exit           int
		out, errs      string
	}{
		{program, "", 0, "1 tools\nweather.today  Say what the weather is.\n", ""},
		{program, "list", 0, "1 tools\nweather.today  Say what the weather is.\n", ""},
		{program, "describe|Weather.today", 0, `"command": "weather.today city=CITY",`, ""},
		{program, `call|weather.today|{"city":"Oslo"}`, 0, `{"text":"Rain in Oslo."}` + "\n", ""},
		{program, "call|weather.today", 1, "", "city: missing"},
		{program, "call|weather.toady", 1, "", "Did you mean `weather.today`?"},
		{program, "call|weather.today|[1]", 1, "", "Payload must be a JSON object"},
		{program, "call", 2, "", "client describe TOOL"},
		{program, "describe", 2, "", "client describe TOOL"},
		{program, "list|all", 2, "", "client describe TOOL"},
		{program + " list", "list", 2, "", "there is no such program"},
		{"", "list", 2, "", "Set MCP_ENDPOINT"},
	} {
		t.Setenv(endpoint.EnvVariable, test.endpoint)
		var args []string
		if test.args != "" {
			args = strings.Split(test.args, "|")
		}
		var out, errs bytes.Buffer
		exit := run(t.Context(), args, &out, &errs)
		if exit != test.exit || !strings.Contains(out.String(), test.out) || !strings.Contains(errs.String(), test.errs) ||
			test.errs == "" && errs.Len() > 0 || test.out == "" && out.Len() > 0 {
			t.Errorf("%s: %d\n%s\n%s", test.args, exit, out.String(), errs.String())
		}
	}
}
