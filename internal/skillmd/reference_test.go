package skillmd_test

import (
	"os"
	"reflect"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

func TestReferences(t *testing.T) {
	type refs = []skillmd.Reference
	for _, tt := range []struct {
		name, body string
		want       refs
	}{
		{"R67 call", `call(namespace="orders", function="create", kwargs={"customer_id": "C-1", items: [{"product_id": 1}], 'x': null}, sizelimit=5)`,
			refs{{Line: 1, Tool: "call", Namespace: "orders", Name: "create", HasNamespace: true, Kwargs: []string{"customer_id", "items", "x"}}}},
		{"R67 no arguments", "help() skill()", refs{{Line: 1, Tool: "help"}, {Line: 1, Tool: "skill"}}},
		{"R7 direct arguments", `help(function="f", params="full", kwargs={format: 'json'})`,
			refs{{Line: 1, Tool: "help", Name: "f", Kwargs: []string{"format", "params"}}}},
		{"R9 name", `skill(namespace='a.b', name='c') skill(skillName: "d")`,
			refs{{Line: 1, Tool: "skill", Namespace: "a.b", Name: "c", HasNamespace: true}, {Line: 1, Tool: "skill", Name: "d"}}},
		{"R11 empty namespace", `call(namespace="", function="f") call(namespace=null, function="f")`,
			refs{{Line: 1, Tool: "call", Name: "f", HasNamespace: true}, {Line: 1, Tool: "call", Name: "f"}}},
		{"R67 several lines", "a\n\n> 1. `call(\n>   namespace: \"orders\", # c\n>   function: \"get\",\n> )` and\n`help()`",
			refs{{Line: 3, Tool: "call", Namespace: "orders", Name: "get", HasNamespace: true}, {Line: 7, Tool: "help"}}},
		{"R67 escapes", `call(function="a\"b\\")`, refs{{Line: 1, Tool: "call", Name: `a"b\`}}},
		{"R67 ellipsis", `call(function="f", kwargs={...})`, refs{{Line: 1, Tool: "call", Name: "f"}}},
		{"dynamic positional", `help("orders")`, refs{{Line: 1, Tool: "help", Dynamic: true}}},
		{"dynamic variable", `call(namespace=ns, function="f")`, refs{{Line: 1, Tool: "call", Name: "f", HasNamespace: true, Dynamic: true}}},
		{"dynamic placeholder", `call(function="{{f}}") call(function=<name>) skill(skillname="<name>") help(namespace={{ns|x}})`,
			refs{{Line: 1, Tool: "call", Dynamic: true}, {Line: 1, Tool: "call", Dynamic: true}, {Line: 1, Tool: "skill", Dynamic: true}, {Line: 1, Tool: "help", HasNamespace: true, Dynamic: true}}},
		{"dynamic kwargs", `call(function="f", kwargs=args)`, refs{{Line: 1, Tool: "call", Name: "f", Dynamic: true}}},
		{"dynamic expression", `call(namespace="a", function=f(1))`, refs{{Line: 1, Tool: "call", Namespace: "a", HasNamespace: true, Dynamic: true}}},
		{"none", "`orders.create` call (the customer) call(the customer) recall() x.call() callback() Call() call", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := skillmd.References(tt.body); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestReferencesOfSpecification(t *testing.T) {
	t.Run("R67", func(t *testing.T) {
		data, err := os.ReadFile("testdata/R67_rfc_8_7.in.md")
		if err != nil {
			t.Fatal(err)
		}
		want := []skillmd.Reference{
			{Line: 5, Tool: "help", Namespace: "inventory", Name: "check", HasNamespace: true},
			{Line: 6, Tool: "call", Namespace: "inventory", Name: "check", HasNamespace: true},
			{Line: 7, Tool: "call", Namespace: "orders", Name: "create", HasNamespace: true},
		}
		if got := skillmd.References(string(data)); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v", got)
		}
	})
}
