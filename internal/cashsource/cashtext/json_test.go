package cashtext_test

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"index", `{"namespaces":[{"name":"orders","description":"See help(namespace=\"orders\")."}],"functions":[{"name":"ping"}]}`,
			`{"namespaces":[{"name":"orders","description":"See help(namespace=\"shop.orders\")."}],"functions":[{"name":"ping"}]}`},
		{"namespace", ` { "namespace" : "orders.retail", "functions" : [ {"name":"get", "x": 1.50e+400} ] }` + "\n",
			` { "namespace" : "shop.orders.retail", "functions" : [ {"name":"get", "x": 1.50e+400} ] }` + "\n"},
		{"the root", `{"namespace":"","functions":[]}`, `{"namespace":"shop","functions":[]}`},
		{"null", `{"namespace":null,"functions":[]}`, `{"namespace":"shop","functions":[]}`},
		{"function", `{"namespace":"orders","name":"get","parameters":[{"name":"namespace","description":"d"}],"more":"params=\"full\"","example":"call(namespace=\"orders\", function=\"get\")"}`,
			`{"namespace":"shop.orders","name":"get","parameters":[{"name":"namespace","description":"d"}],"more":"params=\"full\"","example":"call(namespace=\"shop.orders\", function=\"get\")"}`},
		{"function at the root", ` {"name":"ping","parameters":[]}`, ` {"namespace":"shop","name":"ping","parameters":[]}`},
		{"found", `{"functions":[{"namespace":"a.b","name":"f"},{"name":"ping"}]}`, `{"functions":[{"namespace":"shop.a.b","name":"f"},{"namespace":"shop","name":"ping"}]}`},
		{"nothing found", "{\"functions\":[],\"next\":\"No function in `a` fits. Use `help()`.\"}", "{\"functions\":[],\"next\":\"No function in `shop.a` fits. Use `help(namespace=\\\"shop\\\")`.\"}"},
		{"error", `{"error":{"namespace":"orders","message":"No namespace ` + "`x`" + `."}}`, `{"error":{"namespace":"shop.orders","message":"No namespace ` + "`shop.x`" + `."}}`},
		{"error in words", `{"error":"Use help()."}`, `{"error":"Use help(namespace=\"shop\")."}`},
		{"example that is an invocation", `{"namespace":"a","name":"f","example":{"namespace":"a","function":"f"}}`, `{"namespace":"shop.a","name":"f","example":{"namespace":"shop.a","function":"f"}}`},
		{"examples of arguments", `{"namespace":"a","name":"f","examples":[{"namespace":"prod","pod":"x"}]}`, `{"namespace":"shop.a","name":"f","examples":[{"namespace":"prod","pod":"x"}]}`},
		{"other members", `{"namespace":"a","x":{"namespace":"prod"},"functions":"help()","é":"\u00e9 \/ <&>","n":-0.0,"d":[[[{"t":"skill()"}]]]}`,
			`{"namespace":"shop.a","x":{"namespace":"prod"},"functions":"help(namespace=\"shop\")","é":"\u00e9 \/ <&>","n":-0.0,"d":[[[{"t":"skill(namespace=\"shop\")"}]]]}`},
		{"no path", `{"namespace":"a-b","functions":[{"namespace":7}]}`, `{"namespace":"a-b","functions":[{"namespace":7}]}`},
		{"empty", `{}`, `{}`},
	} {
		t.Run("R137 "+tt.name, func(t *testing.T) {
			got, ok := (cashtext.Mount{To: "shop"}).JSON(tt.page)
			if !ok || got != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, ok, tt.want)
			}
		})
	}
	for _, page := range []string{"", "x", "[]", `"x"`, "7", `{"a":1,"a":2}`, `{"a":1} {}`, `{`, "{\"a\":\"\xff\"}", strings.Repeat(`{"a":`, 66) + "1" + strings.Repeat("}", 66)} {
		if got, ok := (cashtext.Mount{To: "shop"}).JSON(page); ok || got != "" {
			t.Errorf("R137 %.20q: got %q, %v", page, got, ok)
		}
	}
	const found = `{"functions":[{"namespace":"orders.x","name":"f"},{"name":"ping"},{"namespace":"crm","name":"g"}]}`
	const want = `{"functions":[{"namespace":"shop.x","name":"f"},{"name":"ping"},{"namespace":"crm","name":"g"}]}`
	if got, _ := (cashtext.Mount{From: "orders", To: "shop"}).JSON(found); got != want {
		t.Errorf("R137: of a part, got %s", got)
	}
}
