package skillmd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

// show writes an invocation by cutting its parts out of the text.
func show(text string, inv skillmd.Invocation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", inv.Tool)
	for _, a := range inv.Arguments {
		fmt.Fprintf(&b, " %s|%s|%s", a.Name, text[a.Start:a.ValueStart-a.Quote], text[a.ValueStart:a.ValueEnd])
		if a.Quote > 0 {
			fmt.Fprintf(&b, "|%s", text[a.ValueEnd:a.ValueEnd+a.Quote])
		}
	}
	if !inv.Whole {
		fmt.Fprintf(&b, " not read: %s", text[inv.End:])
	} else if inv.End < len(text) {
		fmt.Fprintf(&b, " end: %s", text[inv.End:])
	}
	return b.String()
}

func TestInvocations(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"named", `call(namespace="a.b", 'function' : 'c', kwargs={"x": [1]})`, []string{`call namespace|namespace=|a.b|" function|'function' : |c|' kwargs|kwargs=|{"x": [1]}`}},
		{"positional", `help("a", ...)`, []string{`help |` + `|a|" ||...`}},
		{"none", `help() skill( )`, []string{"help end:  skill( )", "skill"}},
		{"typographic quotes", `help(namespace=“a”, function=‘b’)`, []string{`help namespace|namespace=|a|” function|function=|b|’`}},
		{"escaped quotes", `help(namespace=\"a\")`, []string{`help namespace|namespace=|a|\"`}},
		{"members of a map", `call({"namespace": "a", "function": "b"},)`, []string{`call namespace|"namespace": |a|" function|"function": |b|"`}},
		{"a template is no map", `call({{a}})`, []string{"call |" + "|{{a}}"}},
		{"not whole", `call(function="a", kwargs=f(1)) x`, []string{`call function|function=|a|" kwargs|kwargs=|f not read: (1)) x`}},
		{"no end of a string", "help(namespace=“a\n”)", []string{"help namespace|namespace=|“a not read: \n”)"}},
		{"no invocation", "call (x) recall() call(the customer)", nil},
		{"as long as may be", `help(a="` + strings.Repeat("x", 65_000) + `")`, []string{`help a|a=|` + strings.Repeat("x", 65_000) + `|"`}},
		{"too long", `help(a="` + strings.Repeat("x", 65_536) + `")`, []string{`help a|a=|"` + strings.Repeat("x", 65_532) + ` not read: xxxx")`}},
	} {
		t.Run("R137 "+tt.name, func(t *testing.T) {
			var got []string
			for inv := range skillmd.Invocations(tt.body) {
				got = append(got, show(tt.body, inv))
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got  %.200q\nwant %.200q", got, tt.want)
			}
		})
	}
}

func FuzzInvocations(f *testing.F) {
	addFixtures(f)
	f.Add(`call("a", b='c', {"d": 1}) help({"x": “y”}) skill(name=\"z\", f(1))`)
	f.Fuzz(func(t *testing.T, body string) {
		inside := 0
		for inv := range skillmd.Invocations(body) {
			if inv.Inside <= inside || inv.End < inv.Inside || inv.End > len(body) {
				t.Fatalf("%+v of %q", inv, body)
			}
			inside = inv.Inside
			at := inv.Inside
			for _, a := range inv.Arguments {
				if a.Start < at || a.ValueStart < a.Start+a.Quote || a.ValueEnd < a.ValueStart || a.ValueEnd+a.Quote > len(body) {
					t.Fatalf("%+v of %q", a, body)
				}
				at = a.ValueEnd + a.Quote
			}
		}
	})
}
