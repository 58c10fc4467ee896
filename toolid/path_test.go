package toolid_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/toolid"
)

func TestPathVectors(t *testing.T) {
	for _, v := range vectors[struct {
		Input string
		OK    []string
		Error bool
	}](t, "path") {
		got, err := toolid.ParsePath(v.Input)
		switch {
		case v.Error && err == nil:
			t.Errorf("W23: ParsePath(%q) = %q; want an error", v.Input, got)
		case !v.Error && (err != nil || got == nil || !slices.Equal(got, v.OK)):
			t.Errorf("W23: ParsePath(%q) = %q, %v; want %q", v.Input, got, err, v.OK)
		}
	}
}

func TestParsePath(t *testing.T) {
	s64 := strings.Repeat("s", 64)
	deep := strings.Repeat("/a", 2048)
	for _, tt := range []struct{ path, problem string }{
		{"/" + s64 + "/" + s64 + "/0-_/*", ""},
		{deep, ""},
		{deep + "/a", "4098 bytes; at most 4096 are allowed"},
		{"a", "no '/' at the beginning"},
		{"/a/", "at level 2: empty segment"},
		{"/*/*", "at level 1: '*' is allowed as the last segment only"},
		{"/a/*x", `at level 2: segment "*x"`},
		{"/0", `at level 1: root segment "0"`},
		{"/a/" + s64 + "s", "it has 65 bytes"},
		{"/a\x00", "at byte 1"},
		{"/\u212aey", "at byte 0"},
	} {
		_, err := toolid.ParsePath(tt.path)
		if tt.problem == "" && err != nil || tt.problem != "" && (err == nil || !strings.Contains(err.Error(), tt.problem)) {
			t.Errorf("W23: ParsePath(%.80q): %v; want it to say %q", tt.path, err, tt.problem)
		}
	}
}

// FuzzParsePath holds that a path is what its segments say, and nothing else.
func FuzzParsePath(f *testing.F) {
	for _, v := range vectors[struct{ Input string }](f, "path") {
		f.Add(v.Input)
	}
	f.Fuzz(func(t *testing.T, path string) {
		segments, err := toolid.ParsePath(path)
		if err != nil {
			if segments != nil || len(err.Error()) > 600 || strings.Trim(err.Error(), printable) != "" {
				t.Fatalf("ParsePath(%q) = %q, %v", path, segments, err)
			}
			return
		}
		if "/"+strings.Join(segments, "/") != path {
			t.Fatalf("ParsePath(%q) = %q", path, segments)
		}
		for i, s := range segments {
			last := i == len(segments)-1
			if s == toolid.Wildcard && last {
				continue
			}
			if len(s) > 64 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || strings.ContainsAny(s[:1], "_-") ||
				i == 0 && s[0] < 'a' {
				t.Fatalf("ParsePath(%q) has segment %q", path, s)
			}
		}
	})
}
