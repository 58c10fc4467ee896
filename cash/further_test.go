package cash_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestFurtherArgumentsTakeLittleRoom holds that servers with many arguments of help do not push the namespaces of
// others off the top level.
func TestFurtherArgumentsTakeLittleRoom(t *testing.T) {
	get := func(context.Context, struct{}) (string, error) { return "", nil }
	reg := registry.New(nil)
	for i := range 20 {
		var names []string
		for n := range 50 {
			names = append(names, fmt.Sprintf("a%02d%s", n, strings.Repeat("x", 61)))
		}
		reg.Namespace(fmt.Sprintf("loud%02d", i), "Loud.").Arguments(names...).Add(registry.Func("get", "Get.", get))
	}
	reg.Namespace("quiet", "Quiet.").Arguments("tenant").Add(registry.Func("get", "Get.", get))
	srv := cash.NewServer(reg, nil)
	page, err := srv.Help(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCountInString(page); n > gate.Default {
		t.Errorf("the page has %d characters", n)
	}
	if !strings.Contains(page, "**quiet**") || !strings.Contains(page, "**loud19**") {
		t.Errorf("namespaces are missing:\n%.500s", page)
	}
}
