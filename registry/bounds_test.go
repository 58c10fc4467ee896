package registry_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestNamesInErrorsAreBounded holds that what a caller asks for is shown
// short, and in characters that cannot be mistaken for something else.
func TestNamesInErrorsAreBounded(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(echo("f"))
	long := strings.Repeat("a", 1_000_000)
	odd := "a`\"\n\x1b[31m\u202e\u200b<é>"
	ctx := context.Background()
	for name, ask := range map[string]func(string) error{
		"path":     func(s string) error { _, err := reg.List(ctx, s); return err },
		"function": func(s string) error { _, err := reg.Function(ctx, "", s); return err },
		"dotted":   func(s string) error { _, err := reg.Function(ctx, "", s+"."+s); return err },
		"skill":    func(s string) error { _, err := reg.Skill(ctx, "", s); return err },
	} {
		for what, s := range map[string]string{"long": long, "odd": odd, "dashes": strings.Repeat("a-", 500_000)} {
			err := ask(s)
			if err == nil {
				t.Fatalf("%s: a %s name is there", name, what)
			}
			if text := err.Error(); len(text) > 500 || strings.ContainsAny(text, "\n\x1b\u202e\u200bé") {
				t.Errorf("%s: a %s name gets %.600q", name, what, text)
			}
		}
	}
	_, err := reg.Function(ctx, "", long)
	if err == nil || strings.Count(err.Error(), "a") > 100 || !strings.Contains(err.Error(), strings.Repeat("a", 64)+"...") {
		t.Errorf("got %.200q", err)
	}
}

// TestSkillFilesAreBounded holds that a directory without end is refused.
func TestSkillFilesAreBounded(t *testing.T) {
	files := func(n int) fstest.MapFS {
		fsys := fstest.MapFS{"x.md": {Data: []byte("x")}}
		for i := range n - 1 {
			fsys[fmt.Sprintf("f%d.txt", i)] = &fstest.MapFile{}
		}
		return fsys
	}
	if err := registry.New(nil).TryAddSkills(files(10_000)); err != nil {
		t.Errorf("10,000 files: %v", err)
	}
	if err := registry.New(nil).TryAddSkills(files(10_001)); err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Errorf("10,001 files: %v", err)
	}
}
