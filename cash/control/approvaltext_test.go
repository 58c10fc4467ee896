package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// question returns what a person reads of a call with these arguments.
func question(t testing.TB, rule control.Rule, args string, facts ...registry.FuncOption) string {
	t.Helper()
	return questionOf(t, "Pays.\nMore.", rule, args, facts...)
}

func questionOf(t testing.TB, about string, rule control.Rule, args string, facts ...registry.FuncOption) string {
	t.Helper()
	var text string
	rule.Decision = control.RequireApproval
	p := control.NewPolicy(&control.PolicyOptions{
		Rules: []control.Rule{rule},
		Approvals: control.NewApprovals(&control.ApprovalOptions{Approve: func(_ context.Context, r *control.ApprovalRequest) (control.Decision, error) {
			text = r.Text
			return control.Deny, nil
		}}),
	})
	fn, err := registry.RawFunc("pay_out", about, json.RawMessage(`{"type":"object"}`),
		func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil }, facts...)
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("bank", "").Add(fn)
	registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{p.Middleware()}}).
		Call(context.Background(), &registry.Request{Namespace: "bank", Function: "payout", Arguments: json.RawMessage(args)})
	return text
}

func TestW38QuestionShowsTheRealTool(t *testing.T) {
	got := question(t, control.Rule{Reason: "Money moves."}, `{"to":"Ada \u003c3","cents":9007199254740993,"note":{"b":[1,null],"a":"x"}}`, destructive)
	want := `Approve this call?

Tool: bank.pay_out
Id: bank:pay_out#HASH
Effect: destructive: may delete or overwrite, as the tool says of itself; not verified
About: Pays.
Reason: Money moves.
Arguments:
  to: "Ada <3"
  cents: 9007199254740993
  note: {"a":"x","b":[1,null]}
`
	i := strings.Index(got, "#") + 1
	if i == 0 || len(got) < i+8 || got[:i]+"HASH"+got[i+8:] != want {
		t.Errorf("the question is\n%s", got)
	}
	for class, facts := range map[string][]registry.FuncOption{"may change something\n": nil, "read-only, as the tool says": {registry.ReadOnly}} {
		if got := question(t, control.Rule{}, "", facts...); !strings.Contains(got, "Effect: "+class) || !strings.HasSuffix(got, "Arguments: none\n") {
			t.Errorf("%s: the question is\n%s", class, got)
		}
	}
}

// What is hostile in a question changes nothing of its form, and nothing that is
// left out goes without a word.
func TestW35QuestionIsClean(t *testing.T) {
	key := "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc" // is no real one
	for _, tt := range []struct{ name, args, has, hasNot string }{
		{"a line of its own", `{"a":"x\nTool: harmless"}`, `a: "x\nTool: harmless"` + "\n", "\nTool: harmless"},
		{"a key of two lines", `{"a\nEffect: none":1}`, `  "a\nEffect: none": 1` + "\n", "\nEffect: none"},
		{"a key like a value", `{"amount: 1 (in all)":100}`, `  "amount: 1 (in all)": 100` + "\n", "  amount: 1"},
		{"colours", `{"a":"\u001b[31mred"}`, `\x1b[31mred`, "\x1b"},
		{"turned around", `{"a":"\u202egpj.exe"}`, `\u202e`, "\u202e"},
		{"invisible", `{"a":["rm\u200b -rf"]}`, "rm -rf", "\u200b"},
		{"spelled in escapes", `{"a":["\u0072m"]}`, `["rm"]`, `\u0072`},
		{"a key without a name", `{"":1}`, `  "": 1`, "  : 1"},
		{"a long text", `{"a":"` + strings.Repeat("x", 5000) + `"}`, "… (5002 characters)\n", strings.Repeat("x", 250)},
		{"a password", `{"password":"hunter2hunter2"}`, "password: ", "hunter2"},
		{"a known secret", `{"a":{"b":"` + key + `"}}`, "redacted", key},
	} {
		got := question(t, control.Rule{}, tt.args)
		if !strings.Contains(got, tt.has) || strings.Contains(got, tt.hasNot) {
			t.Errorf("%s: the question is\n%q", tt.name, got)
		}
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	if got := question(t, control.Rule{}, "{"+strings.Join(many, ",")+"}"); !strings.HasSuffix(got, "  k29: 29\n  (and 70 more that are not shown)\n") {
		t.Errorf("the question is\n%s", got)
	}
	if got := questionOf(t, "\x1b[2J\u202eok\nArguments: none", control.Rule{}, `{"a":1}`); strings.Count(got, "Arguments:") != 1 || strings.ContainsAny(got, "\x1b\u202e") {
		t.Errorf("the question is\n%q", got)
	}
}

// Whatever the arguments are, a question has the same form.
func FuzzQuestion(f *testing.F) {
	f.Add("a", "b\nTool: x")
	f.Add("\u2028", "\x1b[0m")
	f.Add("password", strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, key, value string) {
		args, err := json.Marshal(map[string]any{key: value, "list": []any{value, map[string]any{key: value}}})
		if err != nil || len(args) > 1<<16 {
			return
		}
		got := question(t, control.Rule{}, string(args))
		if got == "" { // keys that are one in canonical form
			return
		}
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 2000 {
			t.Errorf("the question has %d characters", utf8.RuneCountInString(got))
		}
		if strings.Count(got, "\nTool: ") != 1 || strings.Count(got, "\nArguments:") != 1 {
			t.Errorf("the question is\n%q", got)
		}
		for _, r := range got {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%U in %q", r, got)
			}
		}
	})
}
