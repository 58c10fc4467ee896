package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// maxFlatName is the number of characters that every client takes in the name of
// a tool.
const maxFlatName = 64

// FlatName returns the name by which a function is known where all stand side
// by side, as in tools/list: the labels of its path, joined by hyphens, which
// labels have none of. The create of orders.retail is orders-retail-create. It
// is made of [a-zA-Z0-9_-]; beyond 64 characters it is cut, and ends with a hash of
// the path.
func (f *Function) FlatName() string {
	path := f.Path()
	if len(path) <= maxFlatName {
		return strings.ReplaceAll(path, ".", "-")
	}
	hash := sha256.Sum256([]byte(path))
	end := "-" + hex.EncodeToString(hash[:8])
	return strings.ReplaceAll(path[:maxFlatName-len(end)], ".", "-") + end
}

// FindFlat returns the function of src that has the name ([Function.FlatName]),
// to the letter, if the caller in ctx sees it; otherwise the error is of kind
// [UnknownFunction], or says that what it would be in is unavailable.
func FindFlat(ctx context.Context, src Source, name string) (*Function, error) {
	path, last := "", name
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		path, last = strings.ReplaceAll(name[:i], "-", "."), name[i+1:]
	}
	f, err := src.Function(ctx, path, last)
	switch {
	case err == nil && f.FlatName() == name:
		return f, nil
	case len(name) == maxFlatName:
		return findLongFlat(ctx, src, name)
	case err == nil || AsError(err).Kind != Unavailable:
		err = &Error{Kind: UnknownFunction, Message: "No function has the name " + quoteName(name) + ".", NotRun: true}
	}
	return nil, err
}

// findLongFlat looks for a name that has been cut, which says nothing of its
// path.
func findLongFlat(ctx context.Context, src Source, name string) (*Function, error) {
	list, err := Flat(ctx, src)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if len(f.Path()) > maxFlatName && f.FlatName() == name {
			return f, nil
		}
	}
	return nil, &Error{Kind: UnknownFunction, Message: "No function has the name " + quoteName(name) + ".", NotRun: true}
}

// Flat returns the functions of src that the caller in ctx sees, in order of
// their flat names, all of which are different.
func Flat(ctx context.Context, src Source) ([]*Function, error) {
	var list []*Function
	err := Walk(ctx, src, "", func(l *Listing) error {
		list = append(list, l.Functions...)
		return ctx.Err()
	})
	slices.SortStableFunc(list, func(f, g *Function) int { return strings.Compare(f.FlatName(), g.FlatName()) })
	// Two of the same name take a forged hash.
	return slices.CompactFunc(list, func(f, g *Function) bool { return f.FlatName() == g.FlatName() }), err
}
