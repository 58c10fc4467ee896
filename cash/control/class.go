package control

import "github.com/cash-mcp/go-sdk/registry"

// A Class says what a function does to the world, by its own word.
type Class string

// The classes. A function that declares nothing is [Writes].
const (
	ReadOnly    Class = "read_only"   // changes nothing
	Writes      Class = "writes"      // may change something
	Destructive Class = "destructive" // may delete or overwrite
)

// ClassOf returns the class of a function. It is what the function declares. For
// one on another server, that is a hint of that server which nobody has
// verified, unless its operator is told to be read-only or hints are ignored
// (see package cash/upstream).
func ClassOf(f *registry.Function) Class {
	switch {
	case f.Destructive():
		return Destructive
	case f.ReadOnly():
		return ReadOnly
	}
	return Writes
}
