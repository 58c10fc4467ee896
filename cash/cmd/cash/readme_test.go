package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadme: the configurations of the guide become those that it shows, with the lines that it shows, its commands
// exist, and its samples are read. internal/realclients runs its other commands.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(map[string][]string) // sh has the commands of console, too
	yamls, imports := 0, 0
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]+) ?([a-z./]*)\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		kind, name, text := m[1], m[2], m[3]
		blocks[kind] = append(blocks[kind], text)
		switch {
		case kind == "json":
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, name, text)
		case kind == "yaml":
			yamls++
			got, err := os.ReadFile(name)
			if there := strings.ReplaceAll(string(got), here, "/srv/project"); err != nil || filepath.ToSlash(there) != text {
				t.Errorf("%s: %v\n%s", name, err, there)
			}
		case kind == "console":
			line, want, _ := strings.Cut(text, "\n")
			words, isImport := strings.CutPrefix(line, "$ cash import ")
			words, file, _ := strings.Cut(words, " > ")
			for printed := range strings.Lines(text) {
				if command, ok := strings.CutPrefix(printed, "$ "); ok {
					blocks["sh"] = append(blocks["sh"], command)
				}
			}
			if !isImport {
				continue
			}
			imports++
			got := printed(t, false, "", nil, append([]string{"import"}, strings.Fields(words)...)...)
			if got.code != 0 || got.err != want {
				t.Errorf("%s: status %d\n%s", line, got.code, got.err)
			}
			write(t, file, got.out)
		}
	}
	if yamls != 2 || imports != 2 {
		t.Errorf("the guide shows %d configurations of %d imports", yamls, imports)
	}
	if s, err := readSamples("samples"); err != nil || s.Read == nil || s.Call == nil {
		t.Errorf("%+v, %v", s, err)
	}
	lines := 0
	for _, line := range strings.Split(strings.Join(blocks["sh"], ""), "\n") {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "cash" {
			continue
		}
		lines++
		i := slices.IndexFunc(verbs(), func(v verb) bool { return v.name == words[1] })
		if i < 0 {
			t.Errorf("there is no verb in %q", line)
			continue
		}
		known := " " + completed{verbs()[i], flagsOf(t.Context(), verbs()[i])}.names() + " "
		for _, word := range words[2:] {
			if word == "--" {
				break
			}
			if i := strings.IndexAny(word, "-"); i == 0 && word != "-stdio" && !strings.Contains(known, " "+word+" ") {
				t.Errorf("%s has no flag %s: %q", words[1], word, line)
			}
		}
	}
	if lines < 12 {
		t.Errorf("only %d commands were read", lines)
	}
}

// The configurations of clients in the README of the project are ones.
func TestClients(t *testing.T) {
	data, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	blocks := regexp.MustCompile("(?ms)^```json\n(.*?)^```$").FindAllStringSubmatch(string(data), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d configurations", len(blocks))
	}
	for _, m := range blocks {
		write(t, "client.json", m[1])
		got := printed(t, false, "", nil, "import", "client.json")
		if got.code != 0 || !strings.Contains(got.out, "command: [/path/to/shop]") {
			t.Errorf("%s\nstatus %d\n%s\n%s", m[1], got.code, got.out, got.err)
		}
	}
}
