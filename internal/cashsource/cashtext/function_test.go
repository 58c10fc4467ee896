package cashtext_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

func TestParseFunction(t *testing.T) {
	type params = []cashtext.Parameter
	yes := wire.ReadOnly().ReadOnly
	for _, tt := range []struct {
		name, text string
		want       cashtext.Function
	}{
		{"RFC 8.3", "# orders.create\n\nCreate a new order for a customer.\n\n## Parameters\n\n| Name | Type | Required | Description |\n|------|------|----------|-------------|\n| customer_id | string | yes | Unique customer identifier. |\n| notes | string | no | Free-text notes. |\n\n## Returns\n\nObject with assigned order ID.\n\nAdditional parameters available with `params=\"full\"`.",
			cashtext.Function{Namespace: "orders", Name: "create", Description: "Create a new order for a customer.", Parameters: params{{Name: "customer_id", Type: "string", Description: "Unique customer identifier.", Required: true}, {Name: "notes", Type: "string", Description: "Free-text notes.", Required: false}}, Returns: "Object with assigned order ID.", More: `params="full"`}},
		{"JSON", `{"namespace":"a.b","name":"f","description":"One.\nTwo.","safety":"Read-only.","parameters":[{"name":"x","type":"integer","required":true,"description":"X\nx."},{"name":"x[].y","new":1},{"type":"string"},7],"open":true,"returns":"Text.","more":"params=\"full\"","other":{}}`,
			cashtext.Function{Namespace: "a.b", Name: "f", Description: "One.\nTwo.", Safety: "Read-only.", Open: true, Parameters: params{{Name: "x", Type: "integer", Description: "X x.", Required: true}, {Name: "x[].y"}}, Returns: "Text.", More: `params="full"`}},
		{"annotations", `{"name":"f","description":"F.","annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":"no","title":"F"}}`,
			cashtext.Function{Name: "f", Description: "F.", Hints: wire.Hints{ReadOnly: new(bool), Destructive: yes}}},
		{"JSON of little", `{"name":"no-name","description":7,"parameters":{}}`, cashtext.Function{}},
		{"root function", "# ping\n\nPings.\n\nSafe to repeat.\n\nNo parameters.\n", cashtext.Function{Name: "ping", Description: "Pings.", Safety: "Safe to repeat.", Closed: true}},
		{"other tables", "# a.f\n\nDoes.\n\n## Arguments\n\n| Argument | Required | Type |\n|--|--|--|\n| `x` | True | a\\|b |\n\n## Errors\n\n| Code | Meaning |\n|--|--|\n| 1 | Bad. |\n\nSee also.",
			cashtext.Function{Namespace: "a", Name: "f", Description: "Does.", Parameters: params{{Name: "x", Type: "a|b", Description: "", Required: true}}}},
	} {
		t.Run("R42 "+tt.name, func(t *testing.T) {
			got, err := cashtext.ParseFunction(tt.text)
			if err != nil || !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
	for text, want := range map[string]string{
		"":                                  "reading the page of a function: the page has neither a description nor a table of parameters",
		`{"result":1}`:                      "reading the page of a function: the JSON has neither parameters nor a description",
		`{"description":"a","description"}`: "reading the page of a function: ",
		strings.Repeat("x", 1<<20+1):        "reading the page of a function: the text has 1048577 bytes; at most 1048576 are read",
		`{"parameters":[` + strings.Repeat(`{"name":"a"},`, 1000) + `{"name":"a"}]}`: "reading the page of a function: 1001 parameters; at most 1000 are read",
	} {
		if f, err := cashtext.ParseFunction(text); f != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.30q: got %v, %v", text, f, err)
		}
	}
}

// TestEffects holds that the safety line tells what the annotations leave out.
func TestEffects(t *testing.T) {
	for page, want := range map[string]string{
		`{"description":"F."}`:                                                                 "",
		`{"description":"F.","safety":"Read-only."}`:                                           `{"readOnlyHint":true}`,
		`{"description":"F.","safety":"Destructive; safe to repeat."}`:                         `{"idempotentHint":true,"destructiveHint":true}`,
		`{"description":"F.","safety":"Read-only.","annotations":{"openWorldHint":false}}`:     `{"readOnlyHint":true,"openWorldHint":false}`,
		`{"description":"F.","safety":"Read-only.","annotations":{"readOnlyHint":false}}`:      `{"readOnlyHint":false}`,
		`{"description":"F.","safety":"Destructive.","annotations":{"readOnlyHint":true}}`:     `{"readOnlyHint":true,"destructiveHint":true}`,
		`{"description":"F.","safety":"Safe to repeat.","annotations":7}`:                      `{"idempotentHint":true}`,
		`{"description":"F.","annotations":{"readOnlyHint":null,"idempotentHint":1,"x":true}}`: "",
		"# a.f\n\nF.\n\nRead-only.\n":                                                          `{"readOnlyHint":true}`,
	} {
		f, err := cashtext.ParseFunction(page)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(f.Effects().JSON()); got != want {
			t.Errorf("%s has the effects %s, want %s", page, got, want)
		}
	}
}
