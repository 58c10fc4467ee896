package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// A ran is what a run of the command has printed.
type ran struct {
	code     int
	out, err string
}

// cashCommand runs the command in this process.
func cashCommand(t *testing.T, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	env := &environment{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	code := run(context.Background(), env, args)
	return ran{code, out.String(), errs.String()}
}

// TestPages: all help fits a screen of 24 lines and 80 columns.
func TestPages(t *testing.T) {
	pages := map[string]ran{"": cashCommand(t), "help": cashCommand(t, "help"), "-h": cashCommand(t, "-h")}
	for _, v := range verbs() {
		if v.name != "help" {
			pages[v.name] = cashCommand(t, v.name, "-h")
		}
		if len(v.synopsis) > 80-14 {
			t.Errorf("the synopsis of %s is too long", v.name)
		}
	}
	for name, p := range pages {
		if p.code != 0 || p.err != "" {
			t.Errorf("%q: status %d, %s", name, p.code, p.err)
		}
		lines := strings.Split(strings.TrimSuffix(p.out, "\n"), "\n")
		if len(lines) > 23 || len(lines) < 2 {
			t.Errorf("%q has %d lines:\n%s", name, len(lines), p.out)
		}
		for _, line := range lines {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%q has a line of %d characters: %s", name, n, line)
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string // of standard error
	}{
		{[]string{"versoin"}, "cash versoin: there is no such verb (did you mean version?); cash help lists them\n"},
		{[]string{"frobnicate"}, "cash frobnicate: there is no such verb; cash help lists them\n"},
		{[]string{"version", "-x"}, "cash version: there is no flag -x; cash version -h lists the flags\n"},
		{[]string{"a\x1b[31mb"}, "cash ab: there is no such verb; cash help lists them\n"},
	} {
		if got := cashCommand(t, test.args...); got.code != 2 || got.err != test.want || got.out != "" {
			t.Errorf("%q: status %d, %q, %q, want %q", test.args, got.code, got.out, got.err, test.want)
		}
	}
}

func TestVersion(t *testing.T) {
	if got := cashCommand(t, "version"); got.code != 0 || !strings.HasPrefix(got.out, "cash ") {
		t.Errorf("%+v", got)
	}
}
