package upstream_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestR137ProseThroughLevels holds that skills, pages, descriptions and errors name what they speak of by its path in
// the outermost tree, through one level and through two. The skill is the RFC's (8.7).
func TestR137ProseThroughLevels(t *testing.T) {
	reg := registry.New(nil)
	orders := reg.Namespace("orders", "See orders.create, and orders.csv.")
	orders.Add(
		registry.Func("create", "Create, after inventory.check.", func(context.Context, struct {
			Kind string `json:"kind,omitempty" jsonschema:"As for inventory.check." cash:"enum=orders.create|x"`
		}) (string, error) {
			return "", errors.New("the order needs `inventory.check` first, not https://inventory.check/")
		}),
		registry.Func("list", "List.", func(context.Context, struct{}) (string, error) { return "orders.create inventory.check", nil }),
	)
	reg.Namespace("inventory", "Stock.").Add(registry.Func("check", "Check.", func(context.Context, struct{}) (string, error) { return "", nil }))
	orders.AddSkill(registry.NewSkill("createorderwithcheck", "Use orders.create safely.",
		"1. Call `help(namespace=\"inventory\", function=\"check\")`.\n\nIf `inventory.check` is unavailable, proceed directly to `orders.create`.\n"))
	inner := cash.NewServer(reg, nil)
	middle := serving(t, memory("shop", inner))
	outer := serving(t, memory("mall", middle))
	for path, srv := range map[string]*cash.Server{"": inner, "shop.": middle, "mall.shop.": outer} {
		c := cashtest.Connect(t, srv)
		contains := func(what, got string, want ...string) {
			t.Helper()
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("R137 %s at %q lacks %q:\n%s", what, path, w, got)
				}
			}
		}
		contains("the skill", c.Skill(path+"orders", "createorderwithcheck").OK().Text,
			"If `"+path+"inventory.check` is unavailable, proceed directly to `"+path+"orders.create`.", `help(namespace="`+path+`inventory", function="check")`)
		contains("the list of skills", c.Skill(path+"orders", "").OK().Text, "Use "+path+"orders.create safely.")
		contains("the page", c.Help(path+"orders", "").OK().Text, "Create, after "+path+"inventory.check.")
		contains("the function's page", c.Help(path+"orders", "create").OK().Text,
			"Create, after "+path+"inventory.check.", "As for "+path+"inventory.check. One of: orders.create, x.")
		contains("the error", c.Call(path+"orders", "create", nil).Text, "the order needs `"+path+"inventory.check` first, not https://inventory.check/")
		contains("the data", c.Call(path+"orders", "list", nil).OK().Text, "orders.create inventory.check")
		if text := c.Call(path+"orders", "list", nil).OK().Text; text != "orders.create inventory.check" {
			t.Errorf("R137: the data became %q", text)
		}
	}
}
