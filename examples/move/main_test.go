package main

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

func TestMain(m *testing.M) { guidetest.Main(m, main) }

func TestGuide(t *testing.T) { new(guidetest.Guide).Test(t) }

// The tools that clients know are those of before, with the same arguments and results.
func TestSame(t *testing.T) {
	answers := make(map[string]string)
	for _, srv := range []server{before(new(book)), same(new(book))} {
		client := cashtest.Connect(t, srv)
		for _, tool := range client.Tools() {
			args := map[string]any{"text": "buy bread"}
			if tool.Name == "notes-find" {
				args = map[string]any{"word": "bread"}
			}
			got := client.Tool(tool.Name, args).OK().Text
			if want, ok := answers[tool.Name]; ok && got != want {
				t.Errorf("%s answers %s, and answered %s", tool.Name, got, want)
			}
			answers[tool.Name] = got
		}
	}
	if len(answers) != 2 {
		t.Errorf("the tools differ: %v", answers)
	}
}

func TestSkill(t *testing.T) {
	if text := cashtest.Connect(t, after(new(book))).Skill("notes", "tidy").OK().Text; !strings.Contains(text, "# Tidy the notes") {
		t.Errorf("the skill is %s", text)
	}
}
