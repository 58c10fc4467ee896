package serve_test

import (
	"context"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// noModel is an embedder that has made no vectors yet.
type noModel struct{}

func (noModel) Embed(context.Context, []string) ([][]float32, error) { return nil, nil }

// One call finds what fails open: in the registries and in the controls.
func TestOptionsLint(t *testing.T) {
	reg := registry.New(&registry.Options{Embedder: noModel{}})
	done := func(context.Context, struct{}) (string, error) { return "", nil }
	reg.Namespace("orders", "Orders.", registry.VisibleTo(registry.Roles("clerk"))).Add(registry.Func("list", "List.", done))
	reg.AddSkills(fstest.MapFS{"ordres/pay.md": &fstest.MapFile{Data: []byte("---\ndescription: Pay.\n---\nPay.")}})
	opts := &serve.Options{Controls: &control.Controls{
		Policy: control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny, Roles: []string{"clrk"}}, {Decision: control.Deny, Tools: []string{"orders.lst"}}}}),
		Quota:  control.NewQuota(&control.QuotaOptions{Tools: map[string]control.Limit{"orders.drop": {PerMinute: 1}}}),
	}}
	found, err := opts.Lint(t.Context(), []*registry.Caller{{ID: "ann", Roles: []string{"clerk"}}}, reg)
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, f := range found {
		rules = append(rules, f.Rule)
	}
	if want := []string{"phantom-namespace", "missing-vector", "unmatched-role", "unmatched-rule", "unmatched-key"}; !slices.Equal(rules, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	if found, err := new(serve.Options).Lint(t.Context(), nil); err != nil || len(found) > 0 {
		t.Errorf("of nothing: %v, %v", found, err)
	}
}
