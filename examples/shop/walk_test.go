package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// The page that a newcomer sees, word for word.
func TestWalk(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), nil, &out, &errs); code != 0 || errs.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	const golden = "testdata/walk.txt"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != string(want) {
		t.Errorf("the walk differs from %s (run with -update to accept it):\n%s", golden, got)
	}
	page := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(page) > 85 {
		t.Errorf("%d lines do not fit a screen", len(page))
	}
	for _, line := range page {
		if n := utf8.RuneCountInString(line); n > width {
			t.Errorf("%d characters in the line %q", n, line)
		}
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
