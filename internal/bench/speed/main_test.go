package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args string
		code int
		text string
	}{
		{"-h", 0, "Usage of speed"},
		{"-nonsense", 2, "Usage of speed"},
		{"files", 2, "speed takes no arguments"},
		{"-readme x -only http", 2, "-readme needs all charts"},
		{"-only nonsense", 1, `speed: no chart "nonsense"`},
		{"-short -only direct -o nowhere", 1, "speed: open nowhere/README.md"},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(tt.args), &out, &errs); code != tt.code || !strings.Contains(errs.String(), tt.text) || out.Len() > 0 {
			t.Errorf("%s: exit code %d, out %q, errors %q; want %d, %q", tt.args, code, out.String(), errs.String(), tt.code, tt.text)
		}
	}
}

// TestRun measures for real, and draws lines and bars.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if code := run([]string{"-short", "-only", "direct,deep", "-o", dir, "-cpuprofile", filepath.Join(dir, "cpu")}, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	page := read(t, filepath.Join(dir, "README.md"))
	for _, want := range []string{"| " + serverCall + " | ", "## Namespaces inside each other", "![", " cores, ", "mcp-go v", "the SDK v", "Bleve v"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q:\n%s", want, page)
		}
	}
	for _, name := range []string{"direct.svg", "deep.svg"} {
		checkSVG(t, filepath.Join(dir, name))
	}
	if info, err := os.Stat(filepath.Join(dir, "cpu")); err != nil || info.Size() == 0 {
		t.Errorf("profile %v, %v", info, err)
	}
}

func checkSVG(t *testing.T, file string) {
	t.Helper()
	texts := 0
	for d := xml.NewDecoder(strings.NewReader(read(t, file))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "text" {
			texts++
		}
	}
	if texts < 5 {
		t.Errorf("%s has %d texts", file, texts)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadme holds that the README of the module has the table of the page, and that the page has all subjects.
func TestReadme(t *testing.T) {
	page := read(t, "README.md")
	_, table, _ := strings.Cut(page, "## In five lines\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if lines := strings.Count(table, "\n") - 1; lines != 5 || !strings.HasPrefix(table, tableHead) {
		t.Fatalf("the page has a table of %d lines:\n%s", lines, table)
	}
	if !strings.Contains(read(t, "../../../README.md"), "\n"+table+"\n") {
		t.Errorf("README.md has another table than the page:\n%s", table)
	}
	for _, c := range charts() {
		_, section, ok := strings.Cut(page, "\n## "+c.title+"\n")
		if !ok {
			t.Errorf("the page has no section %q", c.title)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for _, s := range c.subjects {
			if !strings.Contains(section, "\n| "+s.name+" | ") {
				t.Errorf("%s: the page has nothing about %q", c.title, s.name)
			}
		}
		checkSVG(t, c.name+".svg")
	}
}

// TestNames holds that what bounds and the table of the README refer to is measured.
func TestNames(t *testing.T) {
	known := make(map[string][]int)
	for _, c := range charts() {
		for _, s := range c.subjects {
			known[c.name+": "+s.name] = c.short
		}
	}
	for _, b := range bounds {
		for _, name := range []string{b.subject, b.against} {
			if name == "" {
				continue
			}
			measured := false
			for _, n := range known[b.chart+": "+name] {
				measured = measured || n == b.size
			}
			if !measured {
				t.Errorf("%s: %s is not measured at %d in a short run", b.chart, name, b.size)
			}
		}
	}
}
