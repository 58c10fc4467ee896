package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		text string
	}{
		{nil, 2, "takes -tools and -queries"},
		{[]string{"-tools", "x"}, 2, "takes -tools and -queries"},
		{[]string{"-k", "0", "testdata"}, 2, "a positive -k"},
		{[]string{"-nonsense"}, 2, "Usage of recall"},
		{[]string{"-h"}, 0, "Usage of recall"},
		{[]string{"nowhere"}, 1, "recall: open nowhere"},
		{[]string{"testdata/town"}, 0, ""},
		{[]string{"."}, 1, "recall: .: no folder with tools.jsonl and queries.jsonl"},
		{[]string{"-tools", "nowhere", "-queries", "nowhere"}, 1, "recall: open nowhere"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(tt.args, &out, &errs)
			if code != tt.code || !strings.Contains(errs.String(), tt.text) || (code == 0 && tt.text == "") == (out.Len() == 0) {
				t.Errorf("exit code %d, out %q, errors %q; want %d, %q", code, out.String(), errs.String(), tt.code, tt.text)
			}
		})
	}
}

// TestFloors holds that search finds what is in our own set: it has typing
// errors, several scripts and names that are no labels.
func TestFloors(t *testing.T) {
	row := onlyRow(t, "testdata")
	for column, floor := range map[string]float64{"R@1": 85, "R@5": 95, "R@10": 95, "nDCG@10": 90} {
		if got, err := strconv.ParseFloat(row[column], 64); err != nil || got < floor || got > 100 {
			t.Errorf("%s is %q, want %.0f to 100", column, row[column], floor)
		}
	}
	if row["set"] != "town" || row["tools"] != "32" || row["queries"] != "40" {
		t.Errorf("got %v", row)
	}
}

// onlyRow runs the program and returns the cells of the only row by column.
func onlyRow(t *testing.T, args ...string) map[string]string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(args, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	head, rest, _ := strings.Cut(strings.ReplaceAll(out.String(), " ms", "ms"), "\n")
	line, _, _ := strings.Cut(strings.ReplaceAll(rest, " MB", "MB"), "\n")
	columns, cells := strings.Fields(head), strings.Fields(line)
	if len(columns) != len(cells) {
		t.Fatalf("the row does not fit its columns:\n%s", out.String())
	}
	row := make(map[string]string)
	for i, c := range columns {
		row[c] = cells[i]
	}
	return row
}

// write makes a folder with a set.
func write(t *testing.T, tools, queries string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{toolsFile: tools, queriesFile: queries} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestNotes holds that nothing is left out or replaced in silence.
func TestNotes(t *testing.T) {
	dir := write(t, `{"name":"a/read","description":"Read a letter."}
{"name":"a/read","description":"A second one."}

{"name":"b/send","description":"Send a letter.","inputSchema":{"type":"array"}}
{"name":"b/odd","description":null,"inputSchema":7,"more":[1]}
{"name":"b/fine","inputSchema":null}
`, `{"query":"read","gold":["a/read","a/read"]}
{"query":"write","gold":["nobody","a/read"]}
`)
	var out, errs bytes.Buffer
	args := []string{"-tools", filepath.Join(dir, toolsFile), "-queries", filepath.Join(dir, queriesFile), "testdata", dir}
	if code := run(args, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, want := range []string{
		": 1 tools left out", ": 1 gold names that no tool has", ": 1 input schemas refused", "\n  mean ", " town ",
	} {
		if !strings.Contains(squeeze(out.String()), squeeze(want)) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// squeeze makes one blank of several.
func squeeze(text string) string {
	for strings.Contains(text, "  ") {
		text = strings.ReplaceAll(text, "  ", " ")
	}
	return text
}

func TestBadLines(t *testing.T) {
	const tool, query = `{"name":"a"}` + "\n", `{"query":"a","gold":["a"]}` + "\n"
	for _, tt := range []struct{ name, tools, queries, want string }{
		{"not JSON", tool + "\n{", query, "tools.jsonl:3: unexpected end"},
		{"more than JSON", tool + `{"name":"b"} x`, query, "tools.jsonl:2: invalid character"},
		{"no name", `{"description":"x"}`, query, "tools.jsonl:1: the tool has no name"},
		{"name of a wrong type", `{"name":7}`, query, "tools.jsonl:1: json: cannot unmarshal number"},
		{"no gold", tool, query + `{"query":"x","gold":[]}`, "queries.jsonl:2: the query has no text, or no gold"},
		{"no text", tool, `{"gold":["a"]}`, "queries.jsonl:1: the query has no text"},
		{"gold of a wrong type", tool, `{"query":"x","gold":"a"}`, "queries.jsonl:1: json: cannot unmarshal string"},
		{"no queries", tool, "\n", "queries.jsonl: no queries"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run([]string{write(t, tt.tools, tt.queries)}, &out, &errs)
			if code != 1 || out.Len() > 0 || !strings.Contains(errs.String(), tt.want) {
				t.Errorf("exit code %d, out %q, errors %q; want %q", code, out.String(), errs.String(), tt.want)
			}
		})
	}
}

// TestLongLines: a schema may take megabytes.
func TestLongLines(t *testing.T) {
	dir := write(t, `{"name":"a/read","description":"`+strings.Repeat("word ", 1<<20)+`"}`, `{"query":"read","gold":["a/read"]}`)
	if row := onlyRow(t, dir); row["tools"] != "1" {
		t.Errorf("got %v", row)
	}
}
