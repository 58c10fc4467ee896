package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
)

// What a server's help takes besides is named where the server stands, and
// passed on; what changes nothing there changes nothing here.
func TestR139FurtherArguments(t *testing.T) {
	reg := newShop()
	shop := cash.NewServer(reg, &cash.Options{Name: "shop", HelpText: func(_ context.Context, req *cash.HelpRequest, text string) string {
		var kwargs struct{ Lang string }
		_ = json.Unmarshal(req.Kwargs, &kwargs)
		if req.Namespace == "" && !strings.HasPrefix(text, "{") {
			text += "\n\nSupported arguments: `lang` (de|fr)."
		}
		if kwargs.Lang != "" && !strings.HasPrefix(text, "{") {
			text += fmt.Sprintf("\n\nIn %s: `call(namespace=\"orders\", function=\"get\")`.", kwargs.Lang)
		}
		return text
	}})
	c := cashtest.Connect(t, serving(t, memory("shop", shop)))
	help := func(namespace, function string, kwargs map[string]any) string {
		args := map[string]any{"namespace": namespace, "kwargs": kwargs}
		if function != "" {
			args["function"] = function
		}
		return c.Tool("help", args).OK().Text
	}
	if page := help("shop", "", nil); !strings.Contains(page, "`lang` (de|fr)") {
		t.Errorf("the further argument is not named:\n%s", page)
	}
	for _, f := range []string{"", "get"} {
		plain := help("shop.orders", f, nil)
		if got := help("shop.orders", f, map[string]any{"lang": "fr"}); !strings.Contains(got, "In fr: `call(namespace=\"shop.orders\", function=\"get\")`") {
			t.Errorf("help with an argument of the server's says:\n%s", got)
		}
		if got := help("shop.orders", f, map[string]any{"nonsense": true}); got != plain {
			t.Errorf("help with an argument that means nothing says:\n%s\nand not\n%s", got, plain)
		}
	}
}
