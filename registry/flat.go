package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

const (
	maxFlatName = 64 // characters that every client takes in the name of a tool
	maxFlatHash = 17 // of them for the hash that a long one ends with, and its hyphen
)

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
	end := "-" + hex.EncodeToString(hash[:maxFlatHash/2])
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
	if err == nil && f.FlatName() == name {
		return f, nil
	}
	if f := findLongFlat(ctx, src, name); f != nil {
		return f, nil
	}
	if err != nil && AsError(err).Kind == Unavailable {
		return nil, err
	}
	return nil, &Error{Kind: UnknownFunction, Message: "No function has the name " + quoteName(name) + ".", NotRun: true}
}

// findLongFlat looks for a name that has been cut: where the labels that are left
// of its path lead, and no further, for anybody can ask for such names. Nil is none.
func findLongFlat(ctx context.Context, src Source, name string) *Function {
	if len(name) != maxFlatName {
		return nil
	}
	begin, hash := name[:maxFlatName-maxFlatHash], name[maxFlatName-maxFlatHash:]
	if hash[0] != '-' || strings.Trim(hash[1:], "0123456789abcdef") != "" {
		return nil
	}
	var found *Function
	from := strings.ReplaceAll(begin[:max(0, strings.LastIndexByte(begin, '-'))], "-", ".")
	_ = Walk(ctx, src, from, func(l *Listing) error {
		for _, f := range l.Functions {
			if len(f.Path()) > maxFlatName && f.FlatName() == name {
				found = f
				return errFound
			}
		}
		leadsOn := func(c Child) bool {
			path := strings.ReplaceAll(c.Path, ".", "-") + "-"
			return strings.HasPrefix(path, begin) || strings.HasPrefix(begin, path)
		}
		if !slices.ContainsFunc(l.Namespaces, leadsOn) {
			return ErrSkipNamespace
		}
		return nil
	})
	return found
}

// Flat returns the functions of src that the caller in ctx sees, in order of
// their flat names, all of which are different.
func Flat(ctx context.Context, src Source) ([]*Function, error) {
	type named struct {
		name string
		*Function
	}
	var list []named
	err := Walk(ctx, src, "", func(l *Listing) error {
		for _, f := range l.Functions {
			list = append(list, named{f.FlatName(), f})
		}
		return ctx.Err()
	})
	slices.SortStableFunc(list, func(f, g named) int { return strings.Compare(f.name, g.name) })
	// Two of the same name take one that was called as the cut name of the other. The
	// walk has met it first, and FindFlat looks for it first.
	functions := make([]*Function, 0, len(list))
	for i, f := range list {
		if i == 0 || f.name != list[i-1].name {
			functions = append(functions, f.Function)
		}
	}
	return functions, err
}
