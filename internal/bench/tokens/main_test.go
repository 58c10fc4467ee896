package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files in testdata, and with the tag realclients those in catalogs")

// golden compares text with a file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(text, "\n"), strings.Split(string(data), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s is another from line %d on: have %d lines, want %d; -update takes what is there now\nhave %.300s\nwant %.300s",
				name, i+1, len(got), len(want), at(got, i), at(want, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// TestTable pins what the program prints. What a face says may change, and its
// price with it; then the files are to be looked at and written anew, and the
// README too.
func TestTable(t *testing.T) {
	var brief, full, errs bytes.Buffer
	if code := run([]string{"-full"}, &full, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if err := allMeasured(t).write(&brief, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/table.golden", brief.String())
	golden(t, "testdata/full.golden", full.String())
	if !strings.HasSuffix(full.String(), brief.String()) {
		t.Error("-full does not end with what is printed without it")
	}
}

// allMeasured measures once for all tests, and apart from what the program itself
// does.
func allMeasured(t *testing.T) *results {
	t.Helper()
	r, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var measured = sync.OnceValues(func() (*results, error) { return measure(context.Background()) })

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		arg  string
		code int
		text string
	}{
		{"-h", 0, "Usage of tokens"},
		{"-nonsense", 2, "Usage of tokens"},
		{"files", 2, "tokens takes no arguments"},
	} {
		var out, errs bytes.Buffer
		if code := run([]string{tt.arg}, &out, &errs); code != tt.code || !strings.Contains(errs.String(), tt.text) || out.Len() > 0 {
			t.Errorf("%s: exit code %d, out %q, errors %q; want %d, %q", tt.arg, code, out.String(), errs.String(), tt.code, tt.text)
		}
	}
}

// broken is a writer that is full.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestNothingCanBeWritten(t *testing.T) {
	for _, full := range []bool{false, true} {
		if err := allMeasured(t).write(broken{}, full); !errors.Is(err, os.ErrClosed) {
			t.Errorf("error %v, want %v", err, os.ErrClosed)
		}
	}
}

// TestReadme holds that the page quotes the tables as they are printed, and the README a line of the second one.
func TestReadme(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, readme := read("README.md"), read("../../../README.md")
	var brief bytes.Buffer
	if err := allMeasured(t).write(&brief, false); err != nil {
		t.Fatal(err)
	}
	tables := 0
	for part := range strings.SplitSeq(strings.TrimSpace(brief.String()), "\n\n") {
		if !strings.Contains(page, "\n"+part+"\n") {
			t.Errorf("the page does not have\n%s", part)
		}
		if !strings.HasPrefix(part, "|") {
			continue
		}
		tables++
	}
	most := allMeasured(t).sizes[len(sizes)-1]
	if line := fmt.Sprintf("The definitions of %s functions cost %s tokens as ordinary tools, and %s behind the three tools:",
		sizes[len(sizes)-1].name, thousands(most[0].Definitions), thousands(most[1].Definitions)); !strings.Contains(strings.Join(strings.Fields(readme), " "), line) {
		t.Errorf("README.md does not have\n%s", line)
	}
	wire, _, _ := strings.Cut(read("testdata/wire.golden"), "\n\n")
	if !strings.Contains(page, "\n"+wire+"\n") {
		t.Errorf("the page does not have\n%s", wire)
	}
	if tables != 2 {
		t.Errorf("there are %d tables", tables)
	}
}
