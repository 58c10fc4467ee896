package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

const (
	maxFlatName = 64 // the most characters of a tool name that every client accepts
	maxFlatHash = 17 // of these, the hyphen and the hash at the end of a long name
)

// FlatName returns the function's name in a flat list such as tools/list: the labels of its path
// joined by hyphens. Labels contain no hyphens. The create of orders.retail is
// orders-retail-create. The name consists of [a-zA-Z0-9_-]. Beyond 64 characters it is cut and ends
// with a hash of the path.
func (f *Function) FlatName() string {
	path := f.Path()
	if len(path) <= maxFlatName {
		return strings.ReplaceAll(path, ".", "-")
	}
	hash := sha256.Sum256([]byte(path))
	end := "-" + hex.EncodeToString(hash[:maxFlatHash/2])
	return strings.ReplaceAll(path[:maxFlatName-len(end)], ".", "-") + end
}

// FindFlat returns the function of src with exactly this flat name ([Function.FlatName]), if the
// caller in ctx sees it. Otherwise the error is of kind [UnknownFunction], or it is that of the
// unavailable namespace of the function.
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

// findLongFlat returns the function with a cut name, or nil. It walks only the namespaces that the
// uncut labels lead to, because any caller can ask for such names.
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

// Flat returns the functions of src that the caller in ctx sees, sorted by flat name. All flat
// names are different.
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
	// Two functions have the same flat name only if one is named like the cut name of the other.
	// The first of the walk stays: FindFlat finds the same one.
	functions := make([]*Function, 0, len(list))
	for i, f := range list {
		if i == 0 || f.name != list[i-1].name {
			functions = append(functions, f.Function)
		}
	}
	return functions, err
}
