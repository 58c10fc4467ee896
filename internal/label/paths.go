package label

import "strings"

// Paths is a set of dotted paths of canonical labels. It also knows their parents.
type Paths struct{ at, above map[string]bool }

// NewPaths returns an empty set.
func NewPaths() Paths { return Paths{make(map[string]bool), make(map[string]bool)} }

// Add adds a path.
func (p Paths) Add(path string) {
	p.at[path] = true
	for above := parent(path); above != "" && !p.above[above]; above = parent(above) {
		p.above[above] = true
	}
}

// Overlap reports whether path is in the set, or above or below a path of the set.
func (p Paths) Overlap(path string) bool { return p.at[path] || p.above[path] || p.Below(path) }

// Above reports whether path is above a path of the set.
func (p Paths) Above(path string) bool { return p.above[path] }

// Below reports whether path is below a path of the set.
func (p Paths) Below(path string) bool {
	for above := parent(path); above != ""; above = parent(above) {
		if p.at[above] {
			return true
		}
	}
	return false
}

func parent(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }
