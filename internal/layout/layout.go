// Package layout holds the import order of the module as data. Its test fails
// when an import points up, when a package has no row, or when something
// stands at the top level that does not belong there.
package layout

import "strings"

// Module is the module's path.
const Module = "github.com/cash-mcp/go-sdk"

// A Row is a set of packages that may import from the rows before it only.
// A path that ends in /... stands for everything below, except for what a
// longer one stands for. What is below such a path may import among itself, and so
// may a package and what is below it: the compiler keeps them free of cycles.
type Row []string

// Rows is the import order, lowest first. Paths are relative to the module;
// the module's root, which only documents, is ".".
var Rows = []Row{
	{".", "internal/..."},
	{"gate", "manifest", "toolid"},
	{"firewall", "firewall/...", "registry", "toolid/card"},
	{"cash/catalog", "cash/control", "cash/endpoint", "cash/facade/files", "cash/serve", "cash/upstream"},
	{"cash", "cash/disclosure", "cash/facade", "cash/gateway", "cash/plain"},
	{"cash/cashtest"},
	{"examples/...", "internal/bench/..."},
}

// TopLevel is what the module's root may hold, besides names that begin with a
// dot.
var TopLevel = []string{
	"cash", "registry", "gate", "manifest", "toolid", "firewall", "examples", "internal",
	"go.mod", "go.sum", "doc.go", "README.md", "LICENSE",
}

// RowOf returns the index of the row that holds the package, and the entry of
// the row that does, the longest of those that fit; -1 if there is none.
func RowOf(pkg string) (row int, entry string) {
	row = -1
	for i, r := range Rows {
		for _, e := range r {
			prefix, all := strings.CutSuffix(e, "...")
			fits := e == pkg || all && strings.HasPrefix(pkg, prefix)
			if fits && len(e) > len(entry) {
				row, entry = i, e
			}
		}
	}
	return row, entry
}
