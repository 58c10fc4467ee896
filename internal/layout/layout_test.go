package layout_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/layout"
)

const root = "../.."

// imports returns, for each package of the module, the packages of the module
// that its files import, tests left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	pkgs := make(map[string][]string)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && name != "." && name != ".." {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && filepath.Clean(file) != filepath.Clean(root) {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkgs[pkg] = append(pkgs[pkg], []string{}...)
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if p == layout.Module {
				p = layout.Module + "/."
			}
			if own, ok := strings.CutPrefix(p, layout.Module+"/"); ok {
				pkgs[pkg] = append(pkgs[pkg], own)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

func TestImportOrder(t *testing.T) {
	pkgs := imports(t)
	if len(pkgs) < len(layout.Rows) {
		t.Fatalf("found %d packages only", len(pkgs))
	}
	for pkg, deps := range pkgs {
		row, entry := layout.RowOf(pkg)
		if row < 0 {
			t.Errorf("package %s has no row", pkg)
			continue
		}
		for _, dep := range deps {
			depRow, depEntry := layout.RowOf(dep)
			among := strings.TrimSuffix(entry, "/...") == strings.TrimSuffix(depEntry, "/...")
			if depRow >= row && !among {
				t.Errorf("package %s (row %d) imports %s (row %d)", pkg, row, dep, depRow)
			}
		}
	}
}

// TestRowOf holds that the longest entry counts, wherever it stands.
func TestRowOf(t *testing.T) {
	last := len(layout.Rows) - 1
	for _, tt := range []struct {
		pkg   string
		row   int
		entry string
	}{
		{".", 0, "."},
		{"internal/layout", 0, "internal/..."},
		{"internal/benches", 0, "internal/..."},
		{"internal/bench/recall", last, "internal/bench/..."},
		{"examples/shop/store", last, "examples/..."},
		{"examples", -1, ""},
		{"nowhere", -1, ""},
	} {
		if row, entry := layout.RowOf(tt.pkg); row != tt.row || entry != tt.entry {
			t.Errorf("%s is in row %d by %q, want %d by %q", tt.pkg, row, entry, tt.row, tt.entry)
		}
	}
}

func TestRowsExist(t *testing.T) {
	for _, r := range layout.Rows {
		for _, e := range r {
			dir := path.Join(root, strings.TrimSuffix(e, "/..."))
			if _, err := os.Stat(filepath.FromSlash(dir)); err != nil {
				t.Errorf("row entry %s: %v", e, err)
			}
		}
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
