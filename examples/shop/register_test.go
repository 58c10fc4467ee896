package main

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/registry"
)

func newTestServer() *cash.Server { return newServer(shopGoods(store.New(), "cash")) }

// call runs a function without any transport.
func call(ctx context.Context, srv *cash.Server, namespace, function, kwargs string) (string, error) {
	res, err := srv.Call(ctx, &cash.CallRequest{Namespace: namespace, Function: function, Kwargs: json.RawMessage(kwargs)})
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

// The only finding is the script that the monthly report has for hosts that run scripts.
func TestLint(t *testing.T) {
	found, err := registry.Lint(t.Context(), shopGoods(store.New(), "cash").tools)
	if err != nil || len(found) != 1 || found[0].Rule != "unserved-script" || found[0].Subject != "skill orders.monthlyreport" {
		t.Errorf("%v, %v", found, err)
	}
}

// Every function answers a good call, and its facts are what they should be.
func TestFunctions(t *testing.T) {
	tests := []struct {
		namespace, function, kwargs string
		want                        string // pattern of the answer
	}{
		{"orders", "create", `{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}],"notes":"a & b"}`, `^{"order_id":"ORD-5822","status":"confirmed",.*"unit_price":12\.50}\],"total":37\.50,"notes":"a & b"}$`},
		{"orders", "get", `{"order_id":"ORD-1001"}`, `^{"order_id":"ORD-1001","status":"delivered",`},
		{"orders", "list", `{"limit":1}`, `^{"orders":\[{"order_id":"ORD-5821",[^[]*"total":77\.75}\],"more":4820}$`},
		{"orders", "cancel", `{"order_id":"ORD-5820"}`, `^{"order_id":"ORD-5820","status":"cancelled",`},
		{"orders", "summary", `{"groupby":"month","since":"2026-03-01"}`, `^{"total_orders":\d+,"total_revenue":[\d.]+,"breakdown":\[{"period":"2026-03",`},
		{"orders.retail", "list", `{"limit":1}`, `"customer_id":"C-`},
		{"orders.retail", "summary", `{"since":"2026-03-31"}`, `{"period":"2026-03-31",`},
		{"orders.wholesale", "list", `{"limit":1,"status":"shipped"}`, `"status":"shipped"`},
		{"orders.wholesale", "summary", `{"groupby":"week","since":"2026-03-31"}`, `{"period":"2026-W14",`},
		{"inventory", "check", `{"product_id":"P-7","quantity":180}`, `^{"product_id":"P-7","available":true,"in_stock":180,"unit_price":12\.50}$`},
		{"inventory", "restock", `{"product_id":"P-7","quantity":20}`, `"in_stock":200`},
		{"inventory", "list", ``, `^{"products":\[({[^}]*},?){12}\]}$`},
		{"crm", "find", `{"query":"bergen","limit":2}`, `^{"customers":\[({[^}]*"city":"Bergen"[^}]*},?){2}\],"more":\d+}$`},
		{"crm", "get", `{"customer_id":"C-42"}`, `^{"customer_id":"C-42",.*"orders":\d+,"revenue":[\d.]+}$`},
	}
	for _, tt := range tests {
		t.Run(tt.namespace+"."+tt.function, func(t *testing.T) {
			got, err := call(t.Context(), newTestServer(), tt.namespace, tt.function, tt.kwargs)
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(tt.want).MatchString(got) || !json.Valid([]byte(got)) {
				t.Errorf("got %.500s, want %s", got, tt.want)
			}
		})
	}
	t.Run("none is forgotten", func(t *testing.T) {
		tested := map[string]bool{}
		for _, tt := range tests {
			tested[tt.namespace+"."+tt.function] = true
		}
		for _, f := range functions(t) {
			if !tested[f.Path()] {
				t.Errorf("%s is not called", f.Path())
			}
		}
	})
}

func functions(t *testing.T) []*registry.Function {
	t.Helper()
	var all []*registry.Function
	err := registry.Walk(t.Context(), newRegistry(store.New()), "", func(l *registry.Listing) error {
		all = append(all, l.Functions...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A call changes something exactly if it does not say that it only reads.
func TestFacts(t *testing.T) {
	writes := map[string]string{"orders.create": "", "orders.cancel": "destructive idempotent", "inventory.restock": ""}
	for _, f := range functions(t) {
		facts, changes := writes[f.Path()]
		if f.ReadOnly() == changes {
			t.Errorf("%s: ReadOnly is %v", f.Path(), f.ReadOnly())
		}
		if cancel := facts != ""; f.Destructive() != cancel || f.Idempotent() != cancel {
			t.Errorf("%s: Destructive %v, Idempotent %v, want %q", f.Path(), f.Destructive(), f.Idempotent(), facts)
		}
		if f.Returns() == "" {
			t.Errorf("%s does not say what it returns", f.Path())
		}
	}
}

func TestErrors(t *testing.T) {
	srv := newTestServer()
	tests := []struct {
		namespace, function, kwargs string
		kind                        registry.Kind
		want                        string
	}{
		{"orders", "get", `{"order_id":"ORD-1"}`, registry.Failed, "no order has this order_id. Use `call(namespace=\"orders\", function=\"list\")`"},
		{"orders", "cancel", `{"order_id":"ORD-1002"}`, registry.Failed, "the order has left the house: it is delivered. Only confirmed"},
		{"orders", "create", `{"customer_id":"C-0","items":[{"product_id":"P-7","quantity":3}]}`, registry.Failed, "no customer has this customer_id. Use `call(namespace=\"crm\", function=\"find\")`"},
		{"orders", "create", `{"customer_id":"C-1","items":[{"product_id":"P-0","quantity":3}]}`, registry.Failed, "items[0]: no product has this product_id. Use `call(namespace=\"inventory\", function=\"list\")`"},
		{"orders", "create", `{"customer_id":"C-1","items":[{"product_id":"P-9","quantity":5}]}`, registry.Failed, "items[0]: not enough in stock: 4 of P-9 left. Nothing was ordered."},
		{"orders", "create", `{"customer_id":"C-1","items":[]}`, registry.InvalidArguments, "items"},
		{"orders", "create", `{"customer_id":"C-1","items":[{"product_id":"P-9","quantity":0}]}`, registry.InvalidArguments, "items[0].quantity"},
		{"orders", "create", `{"items":[{"product_id":"P-9","quantity":1}]}`, registry.InvalidArguments, "customer_id"},
		{"orders", "list", `{"since":"last week"}`, registry.InvalidArguments, "since"},
		{"orders", "list", `{"status":"lost"}`, registry.InvalidArguments, "confirmed, shipped, delivered, cancelled"},
		{"crm", "find", `{"query":" "}`, registry.Failed, "query must not be blank"},
	}
	for _, tt := range tests {
		t.Run(tt.namespace+"."+tt.function+tt.kwargs, func(t *testing.T) {
			_, err := call(t.Context(), srv, tt.namespace, tt.function, tt.kwargs)
			if err == nil || !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s with %q", err, tt.kind, tt.want)
			}
		})
	}
}

// What the hints name exists.
func TestHints(t *testing.T) {
	reg := newRegistry(store.New())
	for _, step := range nextSteps {
		if strings.Contains(step.hint, "%s") != (step.name != "") {
			t.Errorf("%q and the function %q do not fit", step.hint, step.name)
		}
		if step.name == "" {
			continue
		}
		if _, err := reg.Function(t.Context(), step.namespace, step.name); err != nil {
			t.Errorf("%q: %v", step.hint, err)
		}
	}
}

func TestSkills(t *testing.T) {
	srv := newTestServer()
	t.Run("R62 an Agent Skill is text only", func(t *testing.T) {
		text, err := srv.Skill(t.Context(), &cash.SkillRequest{
			Namespace: "orders", Name: "monthly-report", Kwargs: json.RawMessage(`{"since":"2026-01-01"}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"# Monthly report", "since 2026-01-01:", `call(namespace="orders", function="summary")`, "[code block removed: bash, 1 line]"} {
			if !strings.Contains(text, want) {
				t.Errorf("the text has no %q:\n%s", want, text)
			}
		}
		for _, leak := range []string{"report.sh", "shopctl", "allowed-tools", "Apache", "{{", "```"} {
			if strings.Contains(text, leak) {
				t.Errorf("the text has %q:\n%s", leak, text)
			}
		}
	})
	t.Run("R60 list", func(t *testing.T) {
		text, err := srv.Skill(t.Context(), &cash.SkillRequest{Namespace: "orders"})
		if err != nil || strings.Count(text, "\n- ") != 2 {
			t.Errorf("skills of orders: %q, %v, want two", text, err)
		}
	})
}
