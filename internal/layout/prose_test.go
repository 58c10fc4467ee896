package layout_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is the most of a line of prose, without the marker of a comment.
const columns = 120

// outside are the hosts that pages may link to: specifications, and this project.
var outside = []string{"aigon.ai", "modelcontextprotocol.io", "dev.to", "semver.org", "keepachangelog.com", "github.com"}

// A line is one of a file.
type line struct {
	number int
	text   string
}

// files calls f with each file of an extension, but for data of tests, installed packages, and notices of others.
func files(t *testing.T, extension string, f func(name, text string)) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && slices.Contains([]string{".git", "testdata", "node_modules"}, e.Name()) {
			return fs.SkipDir
		}
		if filepath.Ext(name) != extension || e.IsDir() || e.Name() == "NOTICES.md" {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found++
		f(name, strings.ReplaceAll(string(data), "\r\n", "\n"))
		return nil
	})
	if err != nil || found < 10 {
		t.Fatalf("%d files with the extension %s, error %v", found, extension, err)
	}
}

// prose returns the lines of a page outside of blocks.
func prose(page string) []line {
	var list []line
	block := false
	for i, text := range strings.Split(page, "\n") {
		if strings.HasPrefix(text, "```") {
			block = !block
		} else if !block {
			list = append(list, line{i + 1, text})
		}
	}
	return list
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Links within the tree lead to a file and a heading. Those to the outside are https, and lead to few hosts.
func TestLinks(t *testing.T) {
	links := 0
	files(t, ".md", func(name, page string) {
		text := new(strings.Builder)
		for _, l := range prose(page) {
			text.WriteString(l.text + "\n")
		}
		for _, m := range link.FindAllStringSubmatch(text.String(), -1) {
			links++
			u, err := url.Parse(m[1])
			switch {
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case u.Scheme != "" || u.Host != "":
				if u.Scheme != "https" || !slices.Contains(outside, u.Host) {
					t.Errorf("%s links to %s, whose host is not among %s", name, m[1], strings.Join(outside, ", "))
				}
			default:
				target := name
				if u.Path != "" {
					target = filepath.Join(filepath.Dir(name), filepath.FromSlash(u.Path))
				}
				if !leads(target, u.Fragment) {
					t.Errorf("%s links to %s, which is not there", name, m[1])
				}
			}
		}
	})
	if links < 50 {
		t.Errorf("only %d links were found", links)
	}
}

// leads reports whether there is such a file or folder, with such a heading if there is a fragment.
func leads(name, fragment string) bool {
	data, err := os.ReadFile(name)
	if fragment == "" {
		_, err = os.Stat(name)
		return err == nil
	}
	return err == nil && slices.ContainsFunc(prose(string(data)), func(l line) bool {
		return strings.HasPrefix(l.text, "#") && anchor(strings.TrimLeft(l.text, "# ")) == fragment
	})
}

var punctuation = regexp.MustCompile(`[^\w -]`)

// anchor returns the fragment of a heading, as code hosts make it.
func anchor(heading string) string {
	return strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// Prose is within 120 columns, but for tables, what is longer than a line without spaces, skills, which models read, and
// pages of figures, which programs write.
func TestColumns(t *testing.T) {
	files(t, ".md", func(name, page string) {
		if path := filepath.ToSlash(name); strings.Contains(path, "/skills/") || strings.Contains(path, "/internal/bench/") {
			return
		}
		for _, l := range prose(page) {
			if !strings.HasPrefix(l.text, "|") && strings.Contains(strings.TrimSpace(l.text), " ") && utf8.RuneCountInString(l.text) > columns {
				t.Errorf("%s:%d has more than %d columns", name, l.number, columns)
			}
		}
	})
	files(t, ".go", func(name, source string) {
		output := false // of an example, which is what it is
		for i, text := range strings.Split(source, "\n") {
			comment, ok := strings.CutPrefix(strings.TrimLeft(text, "\t "), "//")
			output = ok && (output || strings.HasPrefix(comment, " Output:") || strings.HasPrefix(comment, " Unordered output:"))
			code := strings.HasPrefix(comment, "\t")
			if ok && !output && !code && utf8.RuneCountInString(strings.TrimPrefix(comment, " ")) > columns {
				t.Errorf("%s:%d is a comment of more than %d columns", name, i+1, columns)
			}
		}
	})
}

// The README is read by somebody who decides in two minutes.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(data), "\n"); lines > 180 {
		t.Errorf("README.md has %d lines, more than 180", lines)
	}
}
