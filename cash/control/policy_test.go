package control_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// at returns a call of a function with this full name.
func at(path string, facts ...registry.FuncOption) *registry.Call {
	namespace, name := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		namespace, name = path[:i], path[i+1:]
	}
	f := registry.Func(name, "Does it.", func(context.Context, struct{}) (string, error) { return "", nil }, facts...)
	return &registry.Call{Function: f.In(namespace)}
}

func by(c *registry.Call, caller *registry.Caller) *registry.Call {
	c.Caller = caller
	return c
}

func policy(t testing.TB, rules ...control.Rule) *control.Policy {
	t.Helper()
	p := control.NewPolicy(&control.PolicyOptions{Rules: rules})
	return p
}

var (
	destructive = registry.Destructive(true)
	tagged      = registry.Tags("money", "pii")
)

// remote makes a call of a function whose id and kind are given.
func remote(t testing.TB, id string) *registry.Call {
	t.Helper()
	p, err := toolid.ParsePrimitive(id)
	if err != nil {
		t.Fatal(err)
	}
	f, err := registry.RemoteFunc("f", "Does it.", registry.Remote{
		ID: p, Handler: func(context.Context, *registry.Call) (*registry.Result, error) { return registry.TextResult(""), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &registry.Call{Function: f.In("up")}
}

func TestW38RuleApplies(t *testing.T) {
	ada := &registry.Caller{ID: "ada", Roles: []string{"ops"}}
	for _, tt := range []struct {
		name string
		rule control.Rule
		call *registry.Call
		want bool
	}{
		{"no member", control.Rule{}, at("a.b"), true},
		{"namespace", control.Rule{Namespaces: []string{"or_ders"}}, at("Orders.create"), true},
		{"namespace above", control.Rule{Namespaces: []string{"orders"}}, at("orders.retail.create"), true},
		{"namespace with the same beginning", control.Rule{Namespaces: []string{"orders"}}, at("ordersretail.create"), false},
		{"function of the namespace's name", control.Rule{Namespaces: []string{"orders"}}, at("orders"), false},
		{"one of two namespaces", control.Rule{Namespaces: []string{"x", "orders"}}, at("orders.a"), true},
		{"tool", control.Rule{Tools: []string{"orders.delete_*"}}, at("orders.deleteAll"), true},
		{"tool in root", control.Rule{Tools: []string{"**.delete*"}}, at("delete"), true},
		{"id", control.Rule{IDs: []string{"up:f@1#00000001"}}, remote(t, "up:f@1#00000001"), true},
		{"id without its hash", control.Rule{IDs: []string{"up:f@1"}}, remote(t, "up:f@1#00000001"), true},
		{"id with another hash", control.Rule{IDs: []string{"up:f@1#00000002"}}, remote(t, "up:f@1#00000001"), false},
		{"id of another kind", control.Rule{IDs: []string{"up:f#00000001"}}, remote(t, "resource::up:f#00000001"), false},
		{"tag", control.Rule{Tags: []string{"x", "pii"}}, at("a.b", tagged), true},
		{"no such tag", control.Rule{Tags: []string{"pi"}}, at("a.b", tagged), false},
		{"destructive", control.Rule{Classes: []control.Class{control.Destructive}}, at("a.b", destructive), true},
		{"read-only", control.Rule{Classes: []control.Class{control.ReadOnly}}, at("a.b", registry.ReadOnly), true},
		{"says nothing", control.Rule{Classes: []control.Class{control.Writes}}, at("a.b"), true},
		{"kind", control.Rule{Kinds: []toolid.Kind{toolid.Resource}}, remote(t, "resource::up:f#00000001"), true},
		{"another kind", control.Rule{Kinds: []toolid.Kind{toolid.Prompt, toolid.Tool}}, remote(t, "resource::up:f#00000001"), false},
		{"role", control.Rule{Roles: []string{"ops"}}, by(at("a"), ada), true},
		{"no role", control.Rule{Roles: []string{"ops"}}, at("a"), false},
		{"caller", control.Rule{Callers: []string{"bob", "ada"}}, by(at("a"), ada), true},
		{"caller of another case", control.Rule{Callers: []string{"Ada"}}, by(at("a"), ada), false},
		{"caller, nobody there", control.Rule{Callers: []string{"ada"}}, at("a"), false},
		{"anonymous", control.Rule{Anonymous: true}, by(at("a"), &registry.Caller{Roles: []string{"ops"}}), true},
		{"not anonymous", control.Rule{Anonymous: true}, by(at("a"), ada), false},
		{"all members", control.Rule{Roles: []string{"ops"}, Tags: []string{"money"}}, by(at("a", tagged), ada), true},
		{"all members but one", control.Rule{Roles: []string{"ops"}, Tags: []string{"money"}}, at("a", tagged), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.rule.Decision = control.Deny
			want := control.Allow
			if tt.want {
				want = control.Deny
			}
			if got, _ := policy(t, tt.rule).Decide(tt.call); got != want {
				t.Errorf("decided %s, want %s", got, want)
			}
		})
	}
}

func TestPolicyFirstRuleDecides(t *testing.T) {
	p := control.NewPolicy(&control.PolicyOptions{
		Default: control.Deny,
		Rules: []control.Rule{
			{Decision: control.Allow, Tools: []string{"shop.read"}},
			{Decision: control.RequireApproval, Reason: "Money\nmoves.", Namespaces: []string{"shop"}},
			{Decision: control.Deny, Tools: []string{"shop.read"}},
		},
	})
	for path, want := range map[string]string{"shop.read": "allow ", "shop.pay": "require_approval Money moves.", "other.read": "deny "} {
		d, reason := p.Decide(at(path))
		if got := fmt.Sprint(d, " ", reason); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// What is written wrongly is an error, and never a rule that applies to more or
// to less than was meant.
func TestPolicyMistakes(t *testing.T) {
	for name, opts := range map[string]control.PolicyOptions{
		"no decision":       {Rules: []control.Rule{{}}},
		"unknown decision":  {Rules: []control.Rule{{Decision: "Allow"}}},
		"unknown default":   {Default: "none"},
		"empty list":        {Rules: []control.Rule{{Decision: control.Allow, Tools: []string{}}}},
		"empty namespace":   {Rules: []control.Rule{{Decision: control.Allow, Namespaces: []string{""}}}},
		"no namespace":      {Rules: []control.Rule{{Decision: control.Allow, Namespaces: []string{"a..b"}}}},
		"no glob":           {Rules: []control.Rule{{Decision: control.Deny, Tools: []string{"a/b"}}}},
		"blank in a glob":   {Rules: []control.Rule{{Decision: control.Deny, Tools: []string{" a"}}}},
		"empty glob":        {Rules: []control.Rule{{Decision: control.Deny, Tools: []string{""}}}},
		"empty label":       {Rules: []control.Rule{{Decision: control.Deny, Tools: []string{"a.__"}}}},
		"half a star":       {Rules: []control.Rule{{Decision: control.Deny, Tools: []string{"a.b**"}}}},
		"hidden two stars":  {Rules: []control.Rule{{Decision: control.Deny, Tools: []string{"*_*"}}}},
		"long glob":         {Rules: []control.Rule{{Decision: control.Deny, Tools: []string{strings.Repeat("a", 257)}}}},
		"no id":             {Rules: []control.Rule{{Decision: control.Deny, IDs: []string{"orders.create"}}}},
		"unknown class":     {Rules: []control.Rule{{Decision: control.Deny, Classes: []control.Class{"read-only"}}}},
		"unknown kind":      {Rules: []control.Rule{{Decision: control.Deny, Kinds: []toolid.Kind{"skill"}}}},
		"empty tag":         {Rules: []control.Rule{{Decision: control.Deny, Tags: []string{""}}}},
		"anonymous with id": {Rules: []control.Rule{{Decision: control.Deny, Anonymous: true, Callers: []string{"ada"}}}},
	} {
		err := opts.Check()
		if err == nil {
			t.Errorf("%s: taken", name)
		} else if len(opts.Rules) > 0 && !strings.Contains(err.Error(), "rule 0") {
			t.Errorf("%s: the error does not say where: %v", name, err)
		}
		wantPanic(t, err, func() { control.NewPolicy(&opts) })
	}
	defer func() {
		if recover() == nil {
			t.Error("a policy that was not made by NewPolicy is taken")
		}
	}()
	new(control.Policy).Middleware()
}

func TestW30PolicyRefuses(t *testing.T) {
	p := policy(t, control.Rule{Decision: control.Deny, Tools: []string{"shop.wipe"}, Reason: "Nothing is wiped on Fridays."})
	r := newRig(nil, p.Middleware())
	_, err := r.do("ada", "wipe", `{"secret":"hunter2"}`)
	e := refusal(t, err, registry.Denied)
	if !strings.Contains(e.Message, "Fridays") || strings.Contains(e.Error(), "hunter2") || e.Name != "wipe" || e.Namespace != "shop" {
		t.Errorf("the error is %+v", e)
	}
	if res, err := r.do("ada", "read", ""); textOf(t, res, err) != "1" || r.ran("wipe") != 0 {
		t.Error("the wrong call was refused")
	}
}

func TestW38PolicyInDryRun(t *testing.T) {
	p := policy(t,
		control.Rule{Decision: control.Deny, Tools: []string{"shop.wipe"}},
		control.Rule{Decision: control.RequireApproval, Tools: []string{"shop.write"}})
	r := newRig(nil, p.Middleware())
	for name, want := range map[string]string{"read": `{"name":"policy","status":"pass"}`, "write": `{"name":"approval","status":"required"}`} {
		if res, err := r.do("ada", name, "", dry); !strings.Contains(textOf(t, res, err), want) {
			t.Errorf("%s: the plan is %s", name, res.Text())
		}
	}
	res, err := r.do("ada", "wipe", "", dry)
	if plan := textOf(t, res, err); !strings.Contains(plan, `{"name":"policy","status":"fail","message":"The policy of this server does not allow this call of `) ||
		!strings.Contains(plan, `{"name":"approval","status":"not_required"}`) || !strings.Contains(plan, `{"name":"rate_limit","status":"not_configured"}`) {
		t.Errorf("wipe: the plan is %s", plan)
	}
	if len((&operator{p.Approvals(), t}).Pending()) != 0 || r.ran("read")+r.ran("write") != 0 {
		t.Error("a dry run asks, or runs")
	}
}

// Deciding is on the way of every call.
func TestPolicyDecidesWithoutAllocating(t *testing.T) {
	p := policy(t,
		control.Rule{Decision: control.Deny, Tools: []string{"**.Drop_*", "a.*.c*d"}, Callers: []string{"x"}},
		control.Rule{Decision: control.Deny, Tags: []string{"x"}},
		control.Rule{Decision: control.Deny, Namespaces: []string{"other"}, Roles: []string{"ops"}},
		control.Rule{Decision: control.Deny, Tools: []string{"**.Drop_*", "a.*.c*d"}},
		control.Rule{Decision: control.Deny, IDs: []string{"up:f@1"}, Kinds: []toolid.Kind{toolid.Tool}},
	)
	c := by(at("Orders.retail.create_order", tagged), &registry.Caller{ID: "ada", Roles: []string{"dev"}})
	if n := testing.AllocsPerRun(100, func() { p.Decide(c) }); n != 0 {
		t.Errorf("a decision takes %v allocations", n)
	}
}

// asRegexp says what a glob means in other words.
func asRegexp(glob string) *regexp.Regexp {
	labels := strings.Split(strings.ReplaceAll(strings.ToLower(glob), "_", ""), ".")
	var b strings.Builder
	for i, label := range labels {
		last := i == len(labels)-1
		switch {
		case label == "**" && last:
			b.WriteString(`.+`)
		case label == "**":
			b.WriteString(`(?:[^.]*\.)*`)
		default:
			b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(label), `\*`, `[^.]*`))
			if !last {
				b.WriteString(`\.`)
			}
		}
	}
	return regexp.MustCompile(`\A(?:` + b.String() + `)\z`)
}

func FuzzPolicyGlob(f *testing.F) {
	for _, seed := range [][2]string{
		{"orders.create", "Orders.cre_ate"}, {"orders.*.delete*", "orders.retail.deleteAll"}, {"**.drop_*", "drop_all"},
		{"a.**.b.*c*d.**", "a.x.b.b.zczd.e.f"}, {"**", "a"}, {"a.**", "a"}, {"**.b", "a.b"}, {"**.b", "a.b.c.b"}, {"a.**.b", "a.b"}, {"a.**.b", "a.x.y.b"}, {"a.*.b", "a.x.y.b"}, {"**.**.a", "a"}, {"*a*a*b", "aaaaaab"}, {"**.a.**.a.**.b", "a.a.a.a.a"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, glob, path string) {
		opts := &control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny, Tools: []string{glob}}}}
		if opts.Check() != nil {
			return
		}
		p := control.NewPolicy(opts)
		folded, ok := registry.CanonicalPath(path)
		if !ok || path == "" {
			return
		}
		d, _ := p.Decide(at(path))
		if want := asRegexp(glob).MatchString(folded); (d == control.Deny) != want {
			t.Errorf("%q applies to %q: %t, want %t", glob, path, d == control.Deny, want)
		}
	})
}

// A glob made to be slow is not.
func BenchmarkPolicyHostileGlob(b *testing.B) {
	glob := strings.Repeat("**.*a*a*a*b.", 20) + "c"
	p := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny, Tools: []string{glob}}}})
	c := at(strings.Repeat(strings.Repeat("a", 30)+".", 30) + "c")
	for b.Loop() {
		p.Decide(c)
	}
}

func TestPolicyErrorsAreOfTheirKind(t *testing.T) {
	r := newRig(nil, policy(t, control.Rule{Decision: control.Deny}).Middleware())
	if _, err := r.do("", "read", ""); !errors.Is(err, registry.Denied) {
		t.Errorf("the error is %v", err)
	}
}
