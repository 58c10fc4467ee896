package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// handles are unlike in each run.
var handles = regexp.MustCompile(`"art-[^"]+"`)

// The pages that a newcomer sees, word for word.
func TestWalk(t *testing.T) {
	for name, args := range map[string][]string{
		"walk":            nil,
		"walk-gateway":    {"-face", "gateway"},
		"walk-proxy":      {"-face", "proxy"},
		"walk-disclosure": {"-face", "disclosure"},
		"walk-facade":     {"-face", "facade"},
		"walk-plain":      {"-face", "plain"},
		"walk-endpoint":   {"-face", "endpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(t.Context(), args, &out, &errs); code != 0 || errs.Len() > 0 {
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			checkPage(t, out.String())
			got := handles.ReplaceAllString(out.String(), `"HANDLE"`)
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the walk differs from %s (run with -update to accept it):\n%s", golden, got)
			}
		})
	}
}

// checkPage fails the test if the page is not for a screen.
func checkPage(t *testing.T, page string) {
	t.Helper()
	list := strings.Split(strings.TrimSpace(page), "\n")
	if len(list) > 85 {
		t.Errorf("%d lines do not fit a screen", len(list))
	}
	for _, line := range list {
		if n := utf8.RuneCountInString(line); n > width {
			t.Errorf("%d characters in the line %q", n, line)
		}
	}
}

// demo is a catalog of package catalog.
const demo = "../../cash/catalog/testdata/demo.json"

// A catalog that nobody has seen before is walked through by any face.
func TestWalkOfCatalog(t *testing.T) {
	for _, tt := range []struct {
		face string
		want []string
	}{
		{"cash", []string{`> help {"namespace":"github"}`, "- **create_issue** — "}},
		{"gateway", []string{`> tool_browse {"path":"/github"}`, "github:create_issue@1.4.0 (tool)", "resource::file:readme#", "prompt::mcp:summarize#"}},
		{"proxy", []string{"< github_create_issue_1_4_0_41e9b5f8 Create", `> tool_hydrate {"tool_id":"github_create_issue_1_4_0_41e9b5f8"}`}},
		{"disclosure", []string{"< github-create_issue Create", "> resources/read resource:///tool_descriptions?tools=github-", `"inputSchema":{`}},
		{"facade", []string{"< GithubExecute ", `> ToolsExecute {"cmd":"get","params":{"name":"github.`}},
		{"plain", []string{"< github-create_issue Create", "Take plain: "}},
		{"endpoint", []string{`> {"action":"list_tools"}`, `> {"action":"describe_tool","tool":"github.`}},
	} {
		t.Run(tt.face, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(t.Context(), []string{"-face", tt.face, "-catalog", demo}, &out, &errs); code != 0 {
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			if !strings.Contains(errs.String(), "8 tools, 3 resources, 2 prompts") {
				t.Errorf("what was loaded is not told: %q", errs.String())
			}
			checkPage(t, out.String())
			for _, want := range append(tt.want, "A catalog with 8 functions") {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the page has no %q", want)
				}
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		args []string
		code int
		text string
	}{
		{[]string{"-nonsense"}, 2, "Usage of shop"},
		{[]string{"extra"}, 2, "no arguments"},
		{[]string{"-stdio", "extra"}, 2, "no arguments"},
		{[]string{"-stdio", "-http", "127.0.0.1:0"}, 2, "at most one"},
		{[]string{"-http"}, 2, "flag needs an argument"},
		{[]string{"-http", "127.0.0.1:-1"}, 1, "shop: listen tcp"},
		{[]string{"-h"}, 0, "-http address"},
		{[]string{"-face", "domains"}, 2, `no face "domains", but cash, gateway, proxy, disclosure, facade, plain, endpoint`},
		{[]string{"-face", "endpoint", "-http", "127.0.0.1:0"}, 2, "takes no -http"},
		{[]string{"-face", ""}, 2, "no face"},
		{[]string{"-face", "Gateway", "-stdio"}, 2, "no face"},
		{[]string{"-catalog", "no-such-file.json"}, 2, "shop: loading a catalog: "},
		{[]string{"-catalog", "walk_test.go", "-stdio"}, 2, "is not JSON: line 1"},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), tt.args, &out, &errs)
			if code != tt.code || out.Len() > 0 || !strings.Contains(errs.String(), tt.text) {
				t.Errorf("exit code %d, out %q, errors %q; want %d, nothing, %q", code, out.String(), errs.String(), tt.code, tt.text)
			}
		})
	}
}

func TestLines(t *testing.T) {
	tests := []struct {
		text string
		want string
	}{
		{"", ""},
		{"\n \n", ""},
		{"one two three", "one two|three"},
		{"one\n\n  two  \n", "one|two"},
		{"0123456789abc", "0123456789|abc"},
		{"a 0123456789abc", "a 01234567|89abc"},
		{"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9|\u00e9"},
		{"bad \xff\xfe bytes", "bad \xff\xfe|bytes"},
	}
	for _, tt := range tests {
		var got []string
		for line := range lines(tt.text, 10) {
			got = append(got, line)
		}
		if joined := strings.Join(got, "|"); joined != tt.want {
			t.Errorf("lines of %q: %q, want %q", tt.text, joined, tt.want)
		}
	}
}
