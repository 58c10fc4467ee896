package layout

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Size is what is counted of one package; its tests are left out.
type Size struct {
	Package string   // the path relative to the module
	Imports []string // packages of this module, in the same form
	Lines   int      // code lines
	Names   int      // exported package-level identifiers, without options
	Largest string   // the type with the most methods, the first by name of several
	Methods int      // of that type
	Public  bool     // can be imported from elsewhere, and has something to import
}

// Measure returns the sizes of the packages below root, the folder of the
// module, in the order of their paths.
func Measure(root string) ([]Size, error) {
	l := &loader{root: root, fset: token.NewFileSet(), packages: make(map[string]*types.Package)}
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != root && skipped(dir, d.Name()) {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, dir)
		if err == nil {
			_, err = l.Import(path.Join(Module, filepath.ToSlash(rel)))
		}
		return err
	})
	slices.SortFunc(l.sizes, func(a, b Size) int { return strings.Compare(a.Package, b.Package) })
	return l.sizes, err
}

// skipped reports whether a folder has no packages of the module.
func skipped(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".")
}

// A loader reads the packages of the module as their types are needed. Those of
// other modules stay unknown: nothing that is counted depends on them.
type loader struct {
	root     string
	fset     *token.FileSet
	packages map[string]*types.Package // by import path
	sizes    []Size
}

// Import implements [types.Importer]. It returns nil for a folder without a
// package.
func (l *loader) Import(name string) (*types.Package, error) {
	if name != Module && !strings.HasPrefix(name, Module+"/") {
		return nil, fmt.Errorf("%s is of another module", name)
	}
	if p, ok := l.packages[name]; ok {
		return p, nil
	}
	files, lines, err := l.parse(filepath.Join(l.root, filepath.FromSlash(strings.TrimPrefix(name, Module))))
	if err != nil || len(files) == 0 {
		return nil, err
	}
	l.packages[name] = nil // where a cycle of imports ends
	// Errors are expected: what is unknown, and one name for several systems.
	conf := types.Config{Importer: l, Error: func(error) {}, IgnoreFuncBodies: true}
	p, _ := conf.Check(name, l.fset, files, nil)
	l.packages[name] = p
	l.sizes = append(l.sizes, sizeOf(p, files, lines))
	return p, nil
}

// parse reads the files of a package, and counts their code lines.
func (l *loader) parse(dir string) (files []*ast.File, lines int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		f, err := parser.ParseFile(l.fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, 0, fmt.Errorf("parsing a file: %w", err)
		}
		files, lines = append(files, f), lines+codeLines(src)
	}
	return files, lines, err
}

// codeLines counts the lines that a token is on, comments left out.
func codeLines(src []byte) int {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	lines, last := 0, 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // not in the source
		}
		first := file.Line(pos)
		end := first + strings.Count(text, "\n") // of a raw string
		lines += end - max(first-1, last)
		last = end
	}
}

func sizeOf(p *types.Package, files []*ast.File, lines int) Size {
	rel := strings.TrimPrefix(strings.TrimPrefix(p.Path(), Module), "/")
	s := Size{Package: path.Join(".", rel), Imports: imports(files), Lines: lines}
	top, _, _ := strings.Cut(s.Package, "/")
	s.Public = p.Name() != "main" && top != "." && top != "examples" && !slices.Contains(strings.Split(s.Package, "/"), "internal")
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if obj.Exported() && !isOption(obj) {
			s.Names++
		}
		if n := methods(obj); n > s.Methods {
			s.Largest, s.Methods = name, n
		}
	}
	return s
}

// imports returns the imported packages of the module.
func imports(files []*ast.File) []string {
	var own []string
	for _, f := range files {
		for _, spec := range f.Imports {
			name := strings.Trim(spec.Path.Value, "\"`")
			if rest, ok := strings.CutPrefix(name+"/", Module+"/"); ok {
				own = append(own, path.Join(".", rest))
			}
		}
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// isOption reports whether obj is a function that returns an option, or a
// constant or variable that is one.
func isOption(obj types.Object) bool {
	if _, ok := obj.(*types.TypeName); ok {
		return false
	}
	named := func(t types.Type) bool {
		n, ok := types.Unalias(t).(*types.Named)
		return ok && strings.HasSuffix(n.Obj().Name(), "Option")
	}
	f, ok := obj.Type().(*types.Signature)
	if !ok {
		return named(obj.Type())
	}
	for v := range f.Results().Variables() {
		if named(v.Type()) {
			return true
		}
	}
	return false
}

// methods returns how many methods obj has if it is a type. A method with a body
// for each system is one.
func methods(obj types.Object) int {
	t, ok := obj.Type().(*types.Named)
	if _, isType := obj.(*types.TypeName); !ok || !isType {
		return 0
	}
	return t.NumMethods()
}
