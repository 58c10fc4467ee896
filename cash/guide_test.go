package cash_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// TestGuide holds what the guide of Appendix A is: three skills that lead from one to the next, cost little, and name
// the three tools only. It is there only if asked for.
func TestGuide(t *testing.T) {
	reg := registryOf(5)
	reg.Namespace("", "").AddSkill(registry.NewSkill("begin", "Begin.", "Begin."), registry.NewSkill("zoo", "Zoo.", "Zoo."))
	srv := cash.NewServer(reg, &cash.Options{Guide: true})
	list, err := srv.Skill(t.Context(), &cash.SkillRequest{})
	if want := "# Skills\n\n- **begin** — Begin.\n- **cash_basics** — How to use call, help and skill. Start here.\n- **cash_discovery** — "; err != nil || !strings.HasPrefix(list, want) || !strings.Contains(list, "- **zoo**") {
		t.Errorf("%v:\n%s", err, list)
	}
	next, layers := "CashBasics", 0
	for ; next != ""; layers++ {
		text, err := srv.Skill(t.Context(), &cash.SkillRequest{Name: next})
		if err != nil {
			t.Fatal(err)
		}
		if card.Truncate(text, 260) != text {
			t.Errorf("%s has more than 260 tokens", next)
		}
		if strings.Contains(text, "```") || strings.Contains(text, "---") && !strings.Contains(text, "|---") {
			t.Errorf("%s has what is not for models:\n%s", next, text)
		}
		_, rest, _ := strings.Cut(text, `More: `+"`"+`skill(skillname="`)
		next, _, _ = strings.Cut(rest, `"`)
	}
	if layers != 3 {
		t.Errorf("%d layers", layers)
	}
	if strings.Contains(help(t, srv, "", "", ""), "cash_") {
		t.Error("R47: help names a skill")
	}
	if m, err := srv.Manifest(t.Context()); err != nil || len(m.Skills) != 2 {
		t.Errorf("the manifest has the guide: %+v, %v", m, err)
	}
	through := registry.WithVia(t.Context(), []string{"other"})
	for name, ctx := range map[string]context.Context{"another server": through, "a server without it": t.Context()} {
		srv := srv
		if ctx == t.Context() {
			srv = cash.NewServer(reg, nil)
		}
		list, err := srv.Skill(ctx, &cash.SkillRequest{})
		if err != nil || strings.Contains(list, "cash_") {
			t.Errorf("%s gets the guide: %s, %v", name, list, err)
		}
		if _, err := srv.Skill(ctx, &cash.SkillRequest{Name: "cash_basics"}); err == nil {
			t.Errorf("%s gets a skill of the guide", name)
		}
	}
	reg.Namespace("", "").AddSkill(registry.NewSkill("cash_basics", "Ours.", "Our own."))
	list, _ = srv.Skill(t.Context(), &cash.SkillRequest{})
	if text, err := srv.Skill(t.Context(), &cash.SkillRequest{Name: "cash_basics"}); err != nil || text != "Our own." || strings.Count(list, "basics") != 1 {
		t.Errorf("%q, %v:\n%s", text, err, list)
	}
}
