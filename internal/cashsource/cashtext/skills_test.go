package cashtext_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

func TestParseSkills(t *testing.T) {
	type skills = []cashtext.SkillEntry
	type namespaces = []cashtext.SkillNamespace
	for _, tt := range []struct {
		name, text string
		want       cashtext.Skills
	}{
		{"R60 root", "# Skills\n\n- **start** — About start.\n\n## Namespaces with skills\n\n- **shop** — 2 skills.\n- **warehouse.east** — 1 skill.\n\nRead one with `skill(skillname=\"...\")`.",
			cashtext.Skills{Skills: skills{{Name: "start", Description: "About start."}}, Namespaces: namespaces{{"shop", 2}, {"warehouse.east", 1}}}},
		{"R60 namespace", "# Skills in a.b\n\n- **x** — About x.\n- **y**\n\n50 more lines are not shown: list a namespace.",
			cashtext.Skills{Namespace: "a.b", Skills: skills{{Name: "x", Description: "About x."}, {Name: "y"}}, More: 50}},
		{"R123 qualified", "## Skills\n- `orders.create-order`: How.\n- crm.x: About x, 3 more.", cashtext.Skills{Skills: skills{{Namespace: "orders", Name: "create-order", Description: "How."}}}},
		{"a count says that it is a namespace", "- **a.b** — 12 skills\n- **c** — 12 skills", cashtext.Skills{Skills: skills{{Name: "c", Description: "12 skills"}}, Namespaces: namespaces{{"a.b", 12}}}},
		{"tables", "# Skills of namespace `a`\n| Skill | About |\n|---|---|\n| `x` | About x. |\n\n## Namespaces\n| Namespace | Skills |\n|---|---|\n| b | 3 |",
			cashtext.Skills{Namespace: "a", Skills: skills{{Name: "x", Description: "About x."}}, Namespaces: namespaces{{"b", 3}}}},
		{"JSON", `{"namespace":"a","skills":[{"name":"x","description":"About\nx."},{"namespace":"b.c","name":"y-z"},"w"],"namespaces":[{"name":"b.c","skills":2},{"name":"d"}],"more":7}`,
			cashtext.Skills{Namespace: "a", Skills: skills{{Name: "x", Description: "About x."}, {Namespace: "b.c", Name: "y-z"}, {Name: "w"}}, Namespaces: namespaces{{"b.c", 2}, {"d", 0}}, More: 7}},
		{"names that are none", "- **a b** — x\n- **ok** — x\n- **O-k** — again\n- **..x** — x\n\n## Namespaces\n- **a-b** — 1 skill.\n- **c** — 1 skill.\n- **C** — 1 skill.",
			cashtext.Skills{Skills: skills{{Name: "ok", Description: "x"}}, Namespaces: namespaces{{"c", 1}}, Dropped: []string{"a b", "O-k", "..x", "a-b", "C"}}},
		{"lists in lists and lines that go on", "- **a** — About\n  a.\n  - **b** — of a\n- **c** — C.", cashtext.Skills{Skills: skills{{Name: "a", Description: "About a."}, {Name: "c", Description: "C."}}}},
		{"none", "# Skills\n\nNone.", cashtext.Skills{}},
		{"a skill", "# createorderwithcheck\n\nTo create an order:\n\n1. Call `help()`.\n2. Confirm.", cashtext.Skills{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := cashtext.ParseSkills(tt.text)
			if err != nil || !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
	for text, want := range map[string]string{
		strings.Repeat("x", 1<<20+1):                             "reading a list of skills: the text has 1048577 bytes; at most 1048576 are read",
		strings.Repeat("- a:\n", 10_001):                         "reading a list of skills: 10001 entries; at most 10000 are read",
		`{"skills":[` + strings.Repeat(`"a",`, 10_000) + `"a"]}`: "reading a list of skills: 10001 entries; at most 10000 are read",
		`{`: "reading a list of skills: ",
	} {
		if s, err := cashtext.ParseSkills(text); s != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.30q: got %v, %v", text, s, err)
		}
	}
}

// TestEmptySkillLists holds that our lists without skills have none, and that a list that goes on names the next page.
func TestEmptySkillLists(t *testing.T) {
	for text, next := range map[string]int{
		"# Skills\n\nNone. Use `help()` to see what there is.":                                                                                    0,
		"# Skills in a.b\n\nNone. Use `skill()` to see where there are skills, or `help(namespace=\"a.b\")` to see the functions here.":           0,
		"# Skills\n\nEntries 1 to 100 of 150 (150 skills here, 0 namespaces with skills), by name. Go on with `skill(kwargs={\"offset\": 100})`.": 100,
	} {
		if p, err := cashtext.ParseSkills(text); err != nil || len(p.Skills)+len(p.Namespaces) > 0 || p.Next != next {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
}
