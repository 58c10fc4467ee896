package control

import "github.com/cash-mcp/go-sdk/registry"

// A Class is the effect of a function on the world, as the function declares it.
type Class string

// The classes. A function without a declaration is [Writes].
const (
	ReadOnly    Class = "read_only"   // changes nothing
	Writes      Class = "writes"      // may change something
	Destructive Class = "destructive" // may delete or overwrite
)

// ClassOf returns the declared class of a function, which cards show too (gateway surface, section 2.1). Tags declare
// nothing. For a function of another server it is an unverified hint of that server, unless that server is configured as
// read-only or its hints are ignored (see package cash/upstream).
func ClassOf(f *registry.Function) Class {
	switch {
	case f.Destructive():
		return Destructive
	case f.ReadOnly():
		return ReadOnly
	}
	return Writes
}
