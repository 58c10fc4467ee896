package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Error is one problem of a configuration file. Its text shows no values of variables, headers and environments,
// and no URLs.
type Error struct {
	File         string
	Line, Column int    // counted from 1; 0 if unknown
	Field        string // such as upstreams[0].timeout; empty for the whole file
	Reason       string
}

// Error returns place, field and reason, as in:
//
//	tools.yaml:7:14: upstreams[0].timeout: "soon" is not a duration such as 30s or 5m
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	for _, n := range []int{e.Line, e.Column} {
		if n > 0 {
			fmt.Fprintf(&b, ":%d", n)
		}
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	return b.String() + e.Reason
}

// Bounds of the reported problems.
const (
	maxNoted = 200 // reading stops after so many problems
	maxTold  = 20
)

// err returns the problems noted so far, as one error.
func (r *reader) err() error {
	slices.SortStableFunc(r.problems, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var list []error
	for _, p := range r.problems[:min(len(r.problems), maxTold)] {
		list = append(list, p)
	}
	if len(r.problems) > maxTold {
		list = append(list, errors.New(r.file+": there are more problems: fix these first"))
	}
	return errors.Join(list...)
}
