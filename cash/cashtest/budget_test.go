package cashtest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestBudget(t *testing.T) {
	srv := fixture{}.server()
	words := func(text string) int { return len(strings.Fields(text)) }
	tests := []struct {
		name   string
		budget check.Budget
		want   []string // nil for no failure
	}{
		{"nothing is checked", check.Budget{}, nil},
		{"R2 ample", check.Budget{Tools: 5000, Instructions: 1000, Index: 2000, Namespace: 2000, Function: 2000, Skills: 2000}, nil},
		{"R2 tools", check.Budget{Tools: 10}, []string{"tools/list costs"}},
		{"instructions", check.Budget{Instructions: 10}, []string{"instructions costs"}},
		{"R51 index", check.Budget{Index: 10}, []string{"help() costs", "more than the budget of 10"}},
		{"R51 namespaces", check.Budget{Namespace: 10}, []string{"help(data) costs", "help(Order_Mgmt.summary) costs", "characters"}},
		{"R51 functions", check.Budget{Function: 10}, []string{"help of Order_Mgmt.get costs", "help of ping costs"}},
		{"R60 skills", check.Budget{Skills: 10}, []string{"skill() costs"}},
		{"a unit of its own", check.Budget{Index: 500, Unit: func(s string) int { return 100 * words(s) }}, []string{"help() costs", "units"}},
		{"a unit that is small", check.Budget{Index: 500, Unit: words}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := cashtest.Connect(t, srv)
			got := failures(t, func(t testing.TB) { cashtest.Budget(t, client, tt.budget) })
			if tt.want == nil && got != "" {
				t.Errorf("failures: %s", got)
			}
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("failures %q lack %q", got, want)
				}
			}
		})
	}
}

func TestMaxChars(t *testing.T) {
	tests := []struct {
		name string
		test func(testing.TB)
		want string
	}{
		{"R90 characters, not bytes", func(t testing.TB) { cashtest.MaxTokens(t, "page", "\u00e9\u00e9", 2, nil) }, ""},
		{"too many", func(t testing.TB) { cashtest.MaxTokens(t, "page", "abc", 2, nil) }, "page has 3 characters, more than 2"},
		{"tokens", func(t testing.TB) { cashtest.MaxTokens(t, "page", "a b c", 2, func(s string) int { return len(s) }) }, "page has 5 tokens, more than 2"},
		{"none allowed", func(t testing.TB) { cashtest.MaxTokens(t, "page", "a", 0, func(string) int { return 1 }) }, "more than 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := failures(t, tt.test); !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("failures %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLintClean(t *testing.T) {
	reg := registry.New(nil)
	hidden := reg.Namespace("hidden", "What few may see.", registry.VisibleTo(registry.Roles("admin")))
	hidden.Add(registry.Func("quiet", "", func(context.Context, none) (string, error) { return "", nil }))
	if got := failures(t, func(t testing.TB) { cashtest.LintClean(t, reg, caller("admin")) }); !strings.Contains(got, "hidden.quiet") {
		t.Errorf("findings: %q, want one about hidden.quiet", got)
	}
	cashtest.LintClean(t, registry.New(nil))
}
