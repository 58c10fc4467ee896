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

// A Size is the measured size of one package without its tests.
type Size struct {
	Package string   // the path relative to the module
	Imports []string // packages of this module, in the same form
	Lines   int      // code lines
	Names   int      // exported package-level identifiers, without options
	Largest string   // the type with the most methods, the first by name of several
	Methods int      // of Largest
	Public  bool     // importable from outside, and not empty
}

// Measure returns the sizes of the packages below root, the folder of the module, sorted by path.
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

// skipped reports whether a folder holds no packages of the module.
func skipped(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".")
}

// A loader parses and type-checks the packages of the module on demand. Packages of other modules stay unknown, because
// no measure depends on them.
type loader struct {
	root     string
	fset     *token.FileSet
	packages map[string]*types.Package // by import path
	sizes    []Size
}

// Import implements [types.Importer]. It returns nil for a folder without a package.
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
	l.packages[name] = nil // ends an import cycle
	// Errors are expected: unknown packages, and duplicate names for several systems.
	conf := types.Config{Importer: l, Error: func(error) {}, IgnoreFuncBodies: true}
	p, _ := conf.Check(name, l.fset, files, nil)
	l.packages[name] = p
	l.sizes = append(l.sizes, sizeOf(p, files, lines))
	return p, nil
}

// parse parses the files of a package and counts their code lines.
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

// codeLines counts the lines with a token that is not a comment.
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
			continue // an automatic semicolon
		}
		first := file.Line(pos)
		end := first + strings.Count(text, "\n") // the last line of a raw string
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

// isOption reports whether obj is a function that returns an option, or a constant or variable of an option type.
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

// methods returns the number of methods of obj if it is a type. A method with one body per system counts once.
func methods(obj types.Object) int {
	t, ok := obj.Type().(*types.Named)
	if _, isType := obj.(*types.TypeName); !ok || !isType {
		return 0
	}
	return t.NumMethods()
}
