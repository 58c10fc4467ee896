package layout_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/layout"
)

const root = "../.."

func measure(t *testing.T, dir string) []layout.Size {
	t.Helper()
	sizes, err := layout.Measure(dir)
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// TestTable holds the tree to the table, which -v prints.
func TestTable(t *testing.T) {
	sizes := measure(t, root)
	for _, p := range layout.Problems(sizes) {
		t.Error(p)
	}
	var table strings.Builder
	if err := layout.Write(&table, sizes); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
}

func TestImportOrder(t *testing.T) {
	sizes, arrows := measure(t, root), 0
	for _, s := range sizes {
		for _, dep := range s.Imports {
			arrows++
			from, to := layout.RoomOf(s.Package), layout.RoomOf(dep)
			if from == nil || to == nil {
				continue // which TestTable reports
			}
			if !from.MayImport(to) {
				t.Errorf("package %s (row %d) imports %s (row %d)", s.Package, from.Row, dep, to.Row)
			}
		}
	}
	if len(sizes) < len(layout.Rooms) || arrows < len(sizes) {
		t.Fatalf("found %d packages and %d imports only", len(sizes), arrows)
	}
}

func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(layout.TopLevel, e.Name()) {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
}

// TestRooms: rows ascend, and no package has two rooms.
func TestRooms(t *testing.T) {
	row, seen := 0, make(map[string]bool)
	for _, r := range layout.Rooms {
		names := slices.Concat(r.Packages, r.Pending)
		for _, name := range names {
			if seen[name] {
				t.Errorf("%s stands twice", name)
			}
			seen[name] = true
		}
		if r.Row < row {
			t.Errorf("%v: row %d after row %d", names, r.Row, row)
		}
		row = r.Row
	}
}

func TestRoomOf(t *testing.T) {
	for pkg, row := range map[string]int{
		".": 0, "internal/layout": 0, "internal/layout/table": 0, "cash/facade/files": 4, "cash/facade": 5, "examples/shop/store": 8,
		"examples": -1, "internal": -1, "internal/bench/tokens": -1, "nowhere": -1, "": -1,
	} {
		got := -1
		if r := layout.RoomOf(pkg); r != nil {
			got = r.Row
		}
		if got != row {
			t.Errorf("%q is in row %d, want %d", pkg, got, row)
		}
	}
}

func TestMayImport(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"cash", "registry", true},
		{"registry", "cash", false},
		{"cash/gateway", "cash", false},        // one row
		{"cash/gateway", "cash/plain", false},  // one room
		{"cash/upstream", "cash/serve", false}, // one row
		{"firewall/disk", "firewall", true},    // a package and what is below it
		{"firewall", "firewall/view", true},    // and the other way
		{"firewall", "registry", false},        // one row
		{"internal/mcpclient", "internal/clean", true},
		{"internal/clean", "gate", false},
		{"examples/shop", "examples/shop/store", true},
	} {
		if got := layout.RoomOf(tt.from).MayImport(layout.RoomOf(tt.to)); got != tt.want {
			t.Errorf("%s imports %s: %t, want %t", tt.from, tt.to, got, tt.want)
		}
	}
}

// TestProblems: what is too large by one line, unknown or missing is reported, and
// nothing else.
func TestProblems(t *testing.T) {
	var full []layout.Size // as large as is allowed
	for _, r := range layout.Rooms {
		most := r.Lines
		for _, p := range r.Packages {
			s := layout.Size{Package: strings.Replace(p, "...", "one", 1), Lines: most}
			if each := r.Each; each > 0 {
				s.Lines = min(each, most)
			}
			most -= s.Lines
			full = append(full, s)
		}
	}
	if p := layout.Problems(full); len(p) > 0 {
		t.Fatalf("%q", p)
	}
	change := func(pkg string, f func(*layout.Size)) []layout.Size {
		list := slices.Clone(full)
		i := slices.IndexFunc(list, func(s layout.Size) bool { return s.Package == pkg })
		f(&list[i])
		return list
	}
	larger := func(s *layout.Size) { s.Lines++ }
	upstream := layout.RoomOf("cash/upstream")
	for _, tt := range []struct {
		name  string
		sizes []layout.Size
		want  []string
	}{
		{"a package", change("registry", larger), []string{"registry: "}},
		{"one of several", change("cash/plain", larger), []string{"cash/gateway, cash/disclosure, cash/facade, cash/plain: "}},
		{"one by itself", []layout.Size{{Package: "cash/upstream", Lines: upstream.Each + 1}}, []string{"cash/upstream has"}},
		{"one of the pending by itself", []layout.Size{{Package: "cash/upstream/pin", Lines: upstream.Each + 1}}, []string{"cash/upstream/pin has"}},
		{"renamed", change("gate", func(s *layout.Size) { s.Package, s.Lines = "gates", 0 }), []string{"gates is not in the table", "gate is in the table"}},
		{"examples may be any size", change("examples/one", func(s *layout.Size) { s.Lines = 1 << 30 }), nil},
	} {
		got := layout.Problems(tt.sizes)
		if len(tt.sizes) == 1 {
			got = got[:1] // everything else is missing
		}
		if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// tree is a module in the form file name, content.
var tree = map[string]string{
	"go.mod": "module github.com/cash-mcp/go-sdk\n",
	"doc.go": "// Package sdk is text.\n\n/* and\n\nmore */\npackage sdk // which counts\n",
	"registry/registry.go": `package registry

import "errors"

// A FuncOption is counted as a type, and no option is.
type FuncOption func(*Func)

type Func struct{ Name string }

func ReadOnly() FuncOption { return nil } // not counted
func Both() (error, FuncOption) { return nil, nil } // neither
func New(...FuncOption) *Func { return nil }
func local() {}

func (f *Func) A() {}
func (f *Func) a() {}
func (Func) Option() FuncOption { return nil }

var Sure, Unsure FuncOption
var Err, OptionText = errors.New("\n"), ` + "`\n\n`" + `

const (
	X = iota
	Y
	z
)
`,
	"registry/on_linux.go":    "package registry\n\nfunc (f *Func) A() {}\nfunc New(...FuncOption) *Func { return nil }\n",
	"registry/export_test.go": "package registry\n\nfunc (f *Func) B() {}\nvar Test = 1\n",
	"cash/cash.go": `package cash

import (
	"context"

	. "github.com/cash-mcp/go-sdk"
	"github.com/cash-mcp/go-sdk/registry"
)

type Alias = registry.FuncOption

type Pair[T any] struct{}

func (*Pair[T]) One() {}

func Foreign() registry.FuncOption { return nil }
func Aliased(context.Context) Alias { return nil }

var Given = registry.ReadOnly()
`,
	"cash/cmd/cash/main.go":       "package main\n\nfunc Main() {}\n",
	"internal/x/x.go":             "package x\n\nvar X int\n",
	"internal/bench/go.mod":       "module elsewhere\n",
	"internal/bench/bench.go":     "package bench\n",
	"registry/testdata/broken.go": "nonsense",
	".hidden/hidden.go":           "nonsense",
	"empty/README.md":             "",
}

func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	for name, text := range tree {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	want := []layout.Size{
		{Package: ".", Lines: 1},
		{Package: "cash", Imports: []string{".", "registry"}, Lines: 12, Names: 2, Largest: "Pair", Methods: 1, Public: true},
		{Package: "cash/cmd/cash", Lines: 2, Names: 1},
		{Package: "internal/x", Lines: 2, Names: 1},
		{Package: "registry", Lines: 20 + 3, Names: 7, Largest: "Func", Methods: 3, Public: true},
	}
	if got := measure(t, dir); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestMeasureFails: a file that cannot be read is an error, also where another
// package imports it.
func TestMeasureFails(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a", "a.go"), "package a\n\nimport _ \""+layout.Module+"/z\"\n")
	write(t, filepath.Join(dir, "z", "z.go"), "package\n")
	if sizes, err := layout.Measure(dir); err == nil {
		t.Errorf("%+v", sizes)
	}
	if sizes, err := layout.Measure(filepath.Join(dir, "none")); err == nil {
		t.Errorf("%+v", sizes)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
