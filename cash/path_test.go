package cash_test

import (
	"context"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

var goroutine = regexp.MustCompile(`(?s)goroutine \d+[^\n]*:\n(.*?)(?:\n\n|$)`)

// TestPathOfCall holds that the way of a call is as the package comment draws it: the
// own functions between the SDK and a typed handler, on the goroutine that waits and
// on the one that runs.
func TestPathOfCall(t *testing.T) {
	var stacks string
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("f", "", func(context.Context, none) (string, error) {
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		return "", nil
	}))
	session := connect(t, t.Context(), cash.NewServer(reg, nil))
	if res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"function": "f"}}); err != nil || res.IsError {
		t.Fatal(res, err)
	}
	var runs, waits []string
	for _, g := range goroutine.FindAllStringSubmatch(stacks, -1) {
		switch own := ownFunctions(g[1]); {
		case strings.Contains(g[1], "TestPathOfCall.func1("):
			runs = own
		case strings.Contains(g[1], "registry.(*Pipeline).Call("):
			waits = own
		}
	}
	want := []string{"(*Host).received", "(*Host).Tool", "serve.(*Host).run", "cash.face.callTool", "cash.(*Server).call", "registry.(*Pipeline).Call"}
	if !slices.EqualFunc(waits, want, strings.HasSuffix) {
		t.Errorf("on the goroutine that waits: %q, want %q", waits, want)
	}
	if want := []string{"registry.(*running).call", "registry.Func"}; !slices.EqualFunc(runs, want, strings.HasSuffix) {
		t.Errorf("on the goroutine that runs: %q, want %q", runs, want)
	}
}

// ownFunctions are the functions of this module in a stack, outermost first: without
// those of tests, and what waits within [registry.Pipeline.Call].
func ownFunctions(stack string) []string {
	const module = "github.com/cash-mcp/go-sdk/"
	closure := regexp.MustCompile(`(\[\.\.\.\])?(\.func\d+)+$|\[\.\.\.\]$`)
	var own []string
	for _, line := range strings.Split(stack, "\n") {
		name, ok := strings.CutPrefix(line, module)
		if !ok || strings.Contains(name, "_test.") || strings.HasPrefix(name, "internal/apart.") {
			continue
		}
		name = closure.ReplaceAllString(name[:strings.LastIndexByte(name, '(')], "")
		own = append([]string{name[strings.LastIndexByte(name, '/')+1:]}, own...)
	}
	return own
}
