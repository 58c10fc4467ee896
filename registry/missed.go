package registry

import (
	"context"
	"strings"
)

// Missed sets the function that is called when someone looks up a name at or below the namespace
// that is not there, and returns n. It is for namespaces on other servers: the name may be new
// there. A name that the caller in ctx may not see counts as absent. A caller who may not enter the
// namespace does not cause a call. f must return at once. Nil is that of the parent.
func (n *Namespace) Missed(f func(ctx context.Context)) *Namespace {
	n.set(func(node *node) { node.missed = f })
	return n
}

// missed returns err, the outcome of a look-up at path. If it says that a name is unknown, missed
// calls the function of the nearest namespace that the caller may enter. A hidden name therefore
// has the same effect as an absent one.
func (s *snapshot) missed(ctx context.Context, path string, err error) error {
	if err == nil {
		return nil
	}
	switch AsError(err).Kind {
	case UnknownNamespace, UnknownFunction, UnknownSkill:
	default:
		return err
	}
	for canonical, _ := CanonicalPath(path); ; canonical = canonical[:max(0, strings.LastIndexByte(canonical, '.'))] {
		if v := s.views[canonical]; v != nil && allAllow(ctx, v.conditions) {
			if v.missed != nil {
				v.missed(ctx)
			}
			return err
		}
		if canonical == "" {
			return err
		}
	}
}

// seek reports a name as missing that was looked for in another way, such as a path or an id. The
// answer is known already.
func seek(ctx context.Context, src Source, path, name string) {
	_, _ = src.Function(ctx, path, name)
}
