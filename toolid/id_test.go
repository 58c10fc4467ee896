package toolid_test

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/toolid"
)

// TestParseVectors holds W4: what is accepted, its parts, and that it is
// written back byte for byte.
func TestParseVectors(t *testing.T) {
	for _, v := range vectors[struct {
		Input string
		Parts *parts
		Error bool
	}](t, "parse") {
		id, err := toolid.Parse(v.Input)
		if v.Error {
			if err == nil {
				t.Errorf("W4: Parse(%q) = %v; want an error", v.Input, id)
			}
			continue
		}
		if err != nil {
			t.Errorf("W4: %v", err)
			continue
		}
		want := toolid.ID{Namespace: v.Parts.Namespace, Name: v.Parts.Name, Version: text(v.Parts.Version), Hash: text(v.Parts.Hash8)}
		if id != want {
			t.Errorf("W4: Parse(%q) = %+v; want %+v", v.Input, id, want)
		}
		if id.String() != v.Input {
			t.Errorf("W4: %q is written back as %q", v.Input, id)
		}
	}
}

func TestParse(t *testing.T) {
	n64, n128, v32 := strings.Repeat("n", 64), strings.Repeat("b", 128), strings.Repeat("v", 32)
	for _, tt := range []struct{ input, problem string }{
		{n64 + ":" + n128 + "@" + v32 + "#00000000", ""},
		{"a:b", "neither version nor hash"},
		{n64 + "n:b@1", "namespace"},
		{"a:" + n128 + "b@1", "it has 129 bytes"},
		{"a:b@" + v32 + "v", "it has 33 bytes"},
		{"a:b#deadbee", "it has 7 bytes"},
		{"a:b#deadbeef0", "it has 9 bytes"},
		{"a:b@1\n", "at byte 1"},
		{"a:b@", "no version after '@'"},
		{"a:b#", "no hash after '#'"},
		{"a@1#deadbeef", "no ':' after the namespace"},
		{"a:b@1@2", `name "b@1"`},
		{"a:b#11111111#22222222", `name "b#11111111"`},
		{"a:b#deadbeef~2", `hash "deadbeef~2"`},
		{"A:b@1", `namespace "A" does not match [a-z][a-z0-9_-]{0,63} at byte 0`},
		{"a:\u212aey@1", "at byte 0"},
		{strings.Repeat("a", 241), "241 bytes; at most 240 are allowed"},
	} {
		_, err := toolid.Parse(tt.input)
		switch {
		case tt.problem == "" && err != nil:
			t.Errorf("W4: %v", err)
		case tt.problem != "" && (err == nil || !strings.Contains(err.Error(), tt.problem)):
			t.Errorf("W4: Parse(%q): %v; want it to say %q", tt.input, err, tt.problem)
		}
	}
}

// TestParseErrorIsBounded holds that an error is one short line of printable
// ASCII whatever was parsed.
func TestParseErrorIsBounded(t *testing.T) {
	for _, piece := range []string{"\x1b[31m", "\n", "\u202e", "\xff", "日", "a", "a:", "#", "\U000E0041"} {
		for _, prefix := range []string{"", "a:", "a:b@", "a:b#", "a:b@1#"} {
			for _, n := range []int{1, 20, 1_000_000} {
				_, err := toolid.Parse(prefix + strings.Repeat(piece, n))
				if err == nil {
					continue
				}
				if len(err.Error()) > 600 || strings.Trim(err.Error(), printable) != "" {
					t.Fatalf("W4: %d times %q after %q: error of %d bytes: %.200q", n, piece, prefix, len(err.Error()), err)
				}
			}
		}
	}
}

var printable = func() string {
	var b strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String()
}()

func TestValidate(t *testing.T) {
	for _, id := range []toolid.ID{
		{}, {Namespace: "a"}, {Namespace: "a", Name: "b"}, {Name: "b", Version: "1"}, {Namespace: "a", Version: "1"},
		{Namespace: "a", Name: "b", Version: "1\n"}, {Namespace: "a", Name: "b", Version: "1", Hash: "x"},
		{Namespace: "a", Name: "b#deadbeef", Version: "1"}, {Namespace: "a:", Name: "b", Version: "1"},
	} {
		if id.Validate() == nil {
			t.Errorf("W4: %+v is valid", id)
		}
		if again, err := toolid.Parse(id.String()); err == nil && again == id {
			t.Errorf("W4: %q is parsed, although not valid", id)
		}
	}
}

func TestFit(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, tt := range []struct{ id, want toolid.ID }{
		{toolid.ID{Namespace: "a", Name: "b", Version: "1"}, toolid.ID{Namespace: "a", Name: "b", Version: "1"}},
		{toolid.ID{Namespace: "GitHub", Name: "list repos"}, toolid.ID{Namespace: "github", Name: "list_repos"}},
		{toolid.ID{Namespace: "3d", Name: "2x"}, toolid.ID{Namespace: "n3d", Name: "_2x"}},
		{toolid.ID{Namespace: "検索", Name: "実行"}, toolid.ID{Namespace: "n__", Name: "__"}},
		{toolid.ID{Namespace: "_a", Name: ".a"}, toolid.ID{Namespace: "n_a", Name: "_.a"}},
		{toolid.ID{Namespace: "\u212aey", Name: "\xff\xfe"}, toolid.ID{Namespace: "n_ey", Name: "__"}},
		{toolid.ID{Version: "1.0+b 5"}, toolid.ID{Namespace: "n", Name: "_", Version: "1.0_b_5"}},
		{toolid.ID{Namespace: long, Name: long, Version: long}, toolid.ID{Namespace: long[:64], Name: long[:128], Version: long[:32]}},
		{toolid.ID{Namespace: "3" + long, Name: "3" + long}, toolid.ID{Namespace: "n3" + long[:62], Name: "_3" + long[:126]}},
	} {
		if got := tt.id.Fit(); got != tt.want {
			t.Errorf("W5: Fit of %+v = %+v; want %+v", tt.id, got, tt.want)
		}
	}
}

// FuzzParse holds that Parse and String are inverse to each other.
func FuzzParse(f *testing.F) {
	for _, v := range vectors[struct{ Input string }](f, "parse") {
		f.Add(v.Input)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := toolid.Parse(s)
		if err != nil {
			if id != (toolid.ID{}) || len(err.Error()) > 600 || strings.Trim(err.Error(), printable) != "" {
				t.Fatalf("Parse(%q) = %+v, %v", s, id, err)
			}
			return
		}
		if id.String() != s || id.Validate() != nil || id.Fit() != id {
			t.Fatalf("Parse(%q) = %+v, which is written %q, valid: %v, fits as %+v", s, id, id, id.Validate(), id.Fit())
		}
	})
}

// FuzzID holds the other direction: what is valid is parsed as it was, and
// everything can be made to fit.
func FuzzID(f *testing.F) {
	f.Add("github", "create_issue", "1.4.0", "")
	f.Add("a", "b", "", "deadbeef")
	f.Add("GitHub", "検索", "1+2", "DEADBEEF")
	f.Fuzz(func(t *testing.T, namespace, name, version, hash string) {
		id := toolid.ID{Namespace: namespace, Name: name, Version: version, Hash: hash}
		again, err := toolid.Parse(id.String())
		if valid := id.Validate() == nil; valid != (err == nil && again == id) {
			t.Fatalf("%+v: valid %t; parsed as %+v, %v", id, valid, again, err)
		}
		id.Hash = "00000000"
		if err := id.Fit().Validate(); err != nil {
			t.Fatalf("%+v fits as %+v: %v", id, id.Fit(), err)
		}
	})
}
