package skillmd_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

// from makes a value function that knows the given names.
func from(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	}
}

func TestExpand(t *testing.T) {
	values := from(map[string]string{"a": "1", "b_C": "x\r\ny\rz", "empty": "", "again": "{{a}}", "bad": "a\xffb"})
	for _, tt := range []struct{ name, body, want string }{
		{"R65 value", "{{a}}{{ a }}{{\ta}}", "111"},
		{"R65 default unused", "{{a|2}}", "1"},
		{"R65 empty value wins over default", "[{{empty|2}}]", "[]"},
		{"R65 missing stays visible", "{{missing}} {{ missing }}", "{{missing}} {{missing}}"},
		{"R65 default", "{{missing| some text }}, {{missing|}}.", "some text, ."},
		{"R65 default with bar", "{{missing|a|b}}", "a|b"},
		{"R65 values are not expanded", "{{again}}{{again|{{a}}}}", "{{a}}{{again|1}}"},
		{"R65 line ends", "{{b_C}}", "x\ny\nz"},
		{"R65 bad bytes", "{{bad}}", "a\ufffdb"},
		{"not a placeholder", "{{a-b}} {{}} {{_}} {{ a b }} {a} {{a} {{a\n}} {{{a}}} {{a", "{{a-b}} {{}} {{_}} {{ a b }} {a} {{a} {{a\n}} {1} {{a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := skillmd.Expand(tt.body, values); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestExpandBounds(t *testing.T) {
	t.Run("R65 long value is cut at characters", func(t *testing.T) {
		got := skillmd.Expand("{{a}}", from(map[string]string{"a": strings.Repeat("\u20ac", skillmd.MaxValue+1)}))
		if n := utf8.RuneCountInString(got); n != skillmd.MaxValue || !utf8.ValidString(got) {
			t.Errorf("%d characters", n)
		}
	})
	t.Run("R65 growth", func(t *testing.T) {
		body := strings.Repeat("{{a}}", 1000)
		got := skillmd.Expand(body, from(map[string]string{"a": strings.Repeat("x", skillmd.MaxValue)}))
		if len(got) > len(body)+skillmd.MaxGrowth {
			t.Errorf("%d bytes", len(got))
		}
		if !strings.HasPrefix(got, "xxx") || !strings.HasSuffix(got, "{{a}}") {
			t.Error("want values first and visible placeholders after")
		}
	})
}

func TestInputs(t *testing.T) {
	got := skillmd.Inputs("{{customer_id}} {{b|}} {{CustomerID|x}} {{customerid|y}} {{B|z}} {{no-name}}")
	want := []skillmd.Input{
		{Name: "customer_id", Default: "x", HasDefault: true},
		{Name: "b", HasDefault: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestValueInjection expands hostile values and looks at what a caller would see.
func TestValueInjection(t *testing.T) {
	for _, tt := range []struct{ name, body, value, want string }{
		{"whole block", "Go:\n\n{{x}}\n\nEnd.\n", "```bash\nEVIL\n```", "Go:\n\n[code block removed: bash, 1 line]\n\nEnd.\n"},
		{"tilde block", "{{x}}\n", "~~~sh\nEVIL\n~~~", "[code block removed: sh, 1 line]\n"},
		{"fence in a line", "Run {{x}} now.\n", "```bash\nEVIL\n```", "Run\n[code block removed: bash, 1 line]\nnow.\n"},
		{"untagged fence in a line", "Run {{x}} now.\n", "```\nEVIL\n```", "Run\n[code block removed: 1 line]\nnow.\n"},
		{"open fence", "{{x}}\n\nEnd.\n", "```bash\nEVIL", "[code block removed: bash, 3 lines]\n"},
		{"half a fence before", "``{{x}}\n", "`bash\nEVIL\n```", "[code block removed: bash, 1 line]\n"},
		{"half a fence after", "{{x}}`bash\nEVIL\n```\n", "``", "[code block removed: bash, 1 line]\n"},
		{"tag of a fence", "```{{x}}\nEVIL\n```\n", "bash", "[code block removed: bash, 1 line]\n"},
		{"out of a kept block", "```text\n{{x}}\n```\n", "a\n```\n```bash\nEVIL", "```text\na\n```\n[code block removed: bash, 1 line]\n"},
		{"nested in a kept block", "````text\n{{x}}\n````\n", "```bash\nEVIL\n```", "````text\n[code block removed: bash, 1 line]\n````\n"},
		{"into an invocation", "```\ncall(function=\"{{x}}\")\n```\n", "a\")\nEVIL(\"", "[code block removed: 2 lines]\n"},
		{"four blanks", "{{x}}\n", "    EVIL", "[code block removed: 1 line]\n"},
		{"tab", "a\n\n{{x}}\n", "\tEVIL", "a\n\n[code block removed: 1 line]\n"},
		{"four blanks in a list", "- {{x}}\n", "    EVIL", "- [code block removed: 1 line]\n"},
		{"blanks after a blank line", "a {{x}} b\n", "\n\n    EVIL", "a \n\n[code block removed: 1 line]\n"},
		{"shebang", "{{x}}\n\nb\n", "#!/bin/sh\nEVIL", "[code block removed: 2 lines]\n\nb\n"},
		{"shebang in a list", "- {{x}}\n", "#! /bin/sh\nEVIL", "- [code block removed: 2 lines]\n"},
		{"here-document", "{{x}}\n", "cat <<EOT\nEVIL\nEOT", "[code block removed: 3 lines]\n"},
		{"quoted block", "> {{x}}\n", "```bash\n> EVIL\n> ```", "> [code block removed: bash, 1 line]\n"},
		{"carriage returns", "{{x}}\n", "a\r\r```bash\rEVIL\r```", "a\n\n[code block removed: bash, 1 line]\n"},
		{"command", "See {{x}}.\n", "!`EVIL`", "See [command removed].\n"},
		{"command out of a span", "See `{{x}}`.\n", "` !`EVIL", "See `` [command removed].\n"},
		{"command joined", "See !{{x}}.\n", "`EVIL`", "See [command removed].\n"},
		{"command block", "{{x}}\n", "```!\nEVIL\n```", "[code block removed: 1 line]\n"},
		{"script", "a {{x}} b\n", "<script>EVIL</script>", "a [script removed] b\n"},
		{"script joined", "a <scr{{x}}> b\n", "ipt>EVIL</script", "a [script removed] b\n"},
		{"link", "[a]({{x}})\n", "javascript:EVIL", "[a](#removed)\n"},
		{"link joined", "[a](java{{x}})\n", "script:EVIL", "[a](#removed)\n"},
		{"link out of its text", "[{{x}}](https://example.com)\n", "a](javascript:EVIL) [b", "[a](#removed) [b](https://example.com)\n"},
		{"definition", "[a]\n\n{{x}}\n", "[a]: javascript:EVIL", "[a]\n\n[a]: #removed\n"},
		{"handler", "<b title=\"{{x}}\">a</b>\n", "\" onclick=\"EVIL", "<b title=\"\" data-removed>a</b>\n"},
		{"front matter", "{{x}}\n", "---\nhooks: a\n---", "---\nhooks: a\n---\n"},
	} {
		t.Run("R65 "+tt.name, func(t *testing.T) {
			body := skillmd.Expand(tt.body, from(map[string]string{"x": tt.value}))
			got, _ := skillmd.Strip(body)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if strings.Contains(got, "EVIL") {
				t.Error("the payload is left")
			}
			checkStripped(t, body, got)
		})
	}
}

// TestValueCombinations puts every value into every place and checks what must hold whatever comes out.
func TestValueCombinations(t *testing.T) {
	places := []string{
		"%s", "a %s b", "a\n%s\nb", "- %s", "  - a\n\n    %s", "> %s", "> - %s", "# %s", "| %s |", "`%s`", "``%s``", "```%s", "```\n%s\n```",
		"```text\n%s\n```", "````md\n%s\n````", "~~~json\n%s\n~~~", "```\ncall(function=\"%s\")\n```", "    %s", "[%s](x)", "[a](%s)",
		"[a]: %s", "<%s>", "<a href=\"%s\">", "<a %s>", "!%s", "!`%s`", "<script>%s</script>", "<scr%s", "&lt;%s", "%s`", "%s```", "\\%s",
	}
	values := []string{
		"```bash\nEVIL\n```", "```\nEVIL\n```", "~~~py\nEVIL", "\n```bash\nEVIL\n", "`", "``", "```", "`bash\nEVIL\n```", "    EVIL", "\n\n    EVIL",
		"\tEVIL", "#!/bin/sh\nEVIL", "cat <<EOT\nEVIL\nEOT", "!`EVIL`", "` !`EVIL` `", "<script>EVIL</script>", "<script>", "ipt>EVIL</script>",
		"</script><script >", "[a](javascript:EVIL)", "javascript:EVIL", "](javascript:EVIL", "data:text/html,EVIL", "<javascript:EVIL>",
		"\" onclick=EVIL x=\"", "' onload='EVIL'", "><img onerror=EVIL>", "<iframe src=EVIL>", "java\nscript:EVIL", "java&#115;cript:EVIL",
		"> ```bash\n> EVIL", "- ```bash\n  EVIL\n  ```", "\n~~~\n~~~bash\nEVIL\n~~~", "\r```bash\rEVIL\r```", "![", "\n\n", "<b a=\"", "<!--",
	}
	for i, place := range places {
		for j, value := range values {
			body := fmt.Sprintf("Intro.\n\n"+strings.ReplaceAll(place, "%s", "%[1]s")+"\n\nEnd.\n", value)
			t.Run(fmt.Sprintf("R65 place %d value %d", i, j), func(t *testing.T) {
				got, _ := skillmd.Strip(body)
				checkStripped(t, body, got)
			})
		}
	}
}
