package registry_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cash-mcp/go-sdk/registry"
)

func render(t *testing.T, src registry.Source, path, name, args string) string {
	t.Helper()
	s, err := src.Skill(context.Background(), path, name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Render(context.Background(), json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSkillInputs(t *testing.T) { // R65
	reg := registry.New(nil)
	reg.Namespace("orders", "").AddSkill(registry.NewSkill("greet", "", "Greet {{customer_name}} in {{language|English}}, {{ count }} times."))
	for args, want := range map[string]string{
		``: "Greet {{customer_name}} in English, {{count}} times.",
		`{"customerName":"Ann","count":3,"unknown":1}`: "Greet Ann in English, 3 times.",
		`{"CUSTOMER_NAME":"A","language":"de"}`:        "Greet A in de, {{count}} times.",
		`{"count":{"a":[1, 2.50]}}`:                    `Greet {{customer_name}} in English, {"a":[1, 2.50]} times.`,
	} {
		got := render(t, reg, "Orders", "Greet", args)
		if strings.ReplaceAll(got, "{{ count }}", "{{count}}") != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
	injected := render(t, reg, "orders", "greet", "{\"count\":\"\\n```sh\\nrm -rf /\\n```\\n\"}")
	if strings.Contains(injected, "rm -rf") {
		t.Errorf("an input brings a code block: %s", injected)
	}
	s, _ := reg.Skill(context.Background(), "orders", "greet")
	for _, args := range []string{`{"count":1,"Count":2}`, `[1]`, `{`, `"x"`} {
		_, err := s.Render(context.Background(), json.RawMessage(args))
		wantKind(t, err, registry.InvalidArguments)
	}
}

func TestSkillNames(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("", "").AddSkill(registry.NewSkill("create-order-with-check", "", "x"))
	for _, name := range []string{"createorderwithcheck", "createOrderWithCheck", "create_order_with_check", "create-order-with-check"} { // R64, X4
		if got := render(t, reg, "", name, ""); got != "x" {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, kind := range map[string]registry.Kind{"nope": registry.UnknownSkill, "a.b": registry.InvalidName, "--": registry.InvalidName} {
		_, err := reg.Skill(context.Background(), "", name)
		wantKind(t, err, kind)
	}
}

const orderSkill = "---\nname: create-order\ndescription: Create an order.\nallowed-tools: Bash\n---\n# Create\n\nDo it.\n\n```bash\n./scripts/run.sh\n```\n"

func TestAddSkills(t *testing.T) {
	reg := registry.New(nil)
	reg.AddSkills(fstest.MapFS{
		"skills/orders/create-order/SKILL.md":             {Data: []byte(orderSkill)},
		"skills/orders/create-order/scripts/run.sh":       {Data: []byte("rm -rf /")},
		"skills/orders/create-order/references/secret.md": {Data: []byte("never served")},
		"skills/orders/retail-shops/greet.md":             {Data: []byte("Hello.")},
		"skills/top.md":                                   {Data: []byte("Top.")},
		"skills/README.md":                                {Data: []byte("Not a skill.")},
		"skills/.hidden.md":                               {Data: []byte("Not a skill.")},
		"skills/notes.txt":                                {Data: []byte("Not a skill.")},
	})
	var got []string
	err := registry.Walk(context.Background(), reg, "", func(l *registry.Listing) error {
		for _, s := range l.Skills {
			got = append(got, l.Namespace+"/"+s.Name()+": "+s.Description())
		}
		return nil
	})
	want := "/top: ; orders/createorder: Create an order.; orders.retail_shops/greet: "
	if s := strings.Join(got, "; "); err != nil || s != want {
		t.Errorf("got %q, want %q, %v", s, want, err)
	}
	text := render(t, reg, "orders", "createorder", "")
	if strings.Contains(text, "run.sh") || strings.Contains(text, "allowed-tools") || !strings.Contains(text, "[code block removed: bash, 1 line]") {
		t.Errorf("R62, R68: %s", text)
	}
}

func TestAddSkillsTop(t *testing.T) {
	for name, fsys := range map[string]fstest.MapFS{
		"skills.x":   {"skills/x.md": {Data: []byte("x")}, "orders/y.md": {Data: []byte("y")}}, // a namespace among others
		"x":          {"skills/x.md": {Data: []byte("x")}},
		"skills":     {"skills/SKILL.md": {Data: []byte("x")}}, // a skill of that name
		"frommatter": {"SKILL.md": {Data: []byte("---\nname: from-matter\ndescription: d\n---\nx")}},
	} {
		reg := registry.New(nil)
		if err := reg.TryAddSkills(fsys); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		path, last := "", name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			path, last = name[:i], name[i+1:]
		}
		if got := render(t, reg, path, last, ""); got != "x" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAddSkillsErrors(t *testing.T) {
	big := strings.Repeat("x", 1<<20+1)
	for name, fsys := range map[string]fstest.MapFS{
		"a.md: larger":                   {"a.md": {Data: []byte(big)}},
		"bad name/SKILL.md":              {"bad name/SKILL.md": {Data: []byte("x")}},
		"bad name":                       {"bad name/x.md": {Data: []byte("x")}},
		"a/SKILL.md":                     {"a/SKILL.md": {Data: []byte("---\n\t: [\n---\nx")}},
		"conflicts":                      {"a-b.md": {Data: []byte("x")}, "ab.md": {Data: []byte("y")}},
		"no text":                        {"a.md": {Data: []byte("---\nname: a\n---\n")}},
		"link.md: a symbolic link":       {"link.md": {Data: []byte("a.md"), Mode: fs.ModeSymlink}},
		"a/SKILL.md: not a regular file": {"a/SKILL.md": {Mode: fs.ModeNamedPipe}},
		"levels":                         {strings.Repeat("a/", 30) + "x.md": {Data: []byte("x")}},
		"SKILL.md: no name":              {"SKILL.md": {Data: []byte("x")}},
	} {
		reg := registry.New(nil)
		err := reg.TryAddSkills(fsys)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v does not name %q", err, name)
		}
		if l, _ := reg.List(context.Background(), ""); l.HasSkills {
			t.Errorf("%s: something was added all the same", name)
		}
	}
	if got := mustPanic(t, func() { registry.New(nil).AddSkills(fstest.MapFS{"a b.md": {Data: []byte("x")}}) }); !strings.Contains(got, "a b") {
		t.Errorf("the panic does not name the file: %s", got)
	}
}

// TestAddSkillsFromDisk holds that links out of the directory are refused.
func TestAddSkillsFromDisk(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.md"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range []struct{ target, name string }{{filepath.Join(outside, "secret.md"), "x.md"}, {outside, "dir"}} {
		dir := t.TempDir()
		if err := os.Symlink(link.target, filepath.Join(dir, link.name)); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		for _, fsys := range []fs.FS{root.FS(), os.DirFS(dir)} {
			if err := registry.New(nil).TryAddSkills(fsys); err == nil || !strings.Contains(err.Error(), "symbolic link") {
				t.Errorf("%s: %v", link.name, err)
			}
		}
	}
}
