package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name      string
		args      []string
		code      int
		out, errs string
	}{
		{"the tree", []string{"../../.."}, 0, "internal/layout/table", ""},
		{"another tree", []string{"."}, 1, "public packages", "registry is in the table and not in the tree"},
		{"no folder", []string{"none"}, 2, "", "none"},
		{"two folders", []string{".", "."}, 2, "", "one folder"},
	} {
		var out, errs strings.Builder
		code := run(tt.args, &out, &errs)
		if code != tt.code || !strings.Contains(out.String(), tt.out) || !strings.Contains(errs.String(), tt.errs) || tt.code == 0 && errs.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d\n%s%s", tt.name, code, tt.code, out.String(), errs.String())
		}
	}
}
