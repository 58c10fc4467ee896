package bounded

import "math/rand/v2"

// A tree holds values in an order. It is a treap: a search tree balanced by random priorities. The order of a value
// must not change while it is in the tree.
type tree[T comparable] struct {
	before func(a, b T) bool
	root   *node[T]
}

// A node has a priority no lower than those of its descendants.
type node[T comparable] struct {
	value       T
	priority    uint32
	left, right *node[T]
}

func (t *tree[T]) insert(v T) {
	before, rest := t.split(t.root, v)
	t.root = join(join(before, &node[T]{value: v, priority: rand.Uint32()}), rest)
}

func (t *tree[T]) remove(v T) { t.root = t.without(t.root, v) }

// split splits a tree into the values before a value and the rest.
func (t *tree[T]) split(n *node[T], at T) (before, rest *node[T]) {
	switch {
	case n == nil:
		return nil, nil
	case t.before(n.value, at):
		n.right, rest = t.split(n.right, at)
		return n, rest
	default:
		before, n.left = t.split(n.left, at)
		return before, n
	}
}

// without returns the tree n without a value, which must be in it.
func (t *tree[T]) without(n *node[T], v T) *node[T] {
	switch {
	case n.value == v:
		return join(n.left, n.right)
	case t.before(v, n.value):
		n.left = t.without(n.left, v)
	default:
		n.right = t.without(n.right, v)
	}
	return n
}

// join joins two trees. All values of one are before those of the other.
func join[T comparable](a, b *node[T]) *node[T] {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority > b.priority:
		a.right = join(a.right, b)
		return a
	default:
		b.left = join(a, b.left)
		return b
	}
}

// all yields the values.
func (t *tree[T]) all(yield func(T) bool) { t.root.each(yield) }

func (n *node[T]) each(yield func(T) bool) bool {
	return n == nil || n.left.each(yield) && yield(n.value) && n.right.each(yield)
}
