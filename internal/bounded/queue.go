package bounded

import (
	"math/rand/v2"
	"time"
)

// A queue holds items ordered by a time of each item, and for equal times by last use. It is a treap: a search tree
// balanced by random priorities. The order of an item must not change while it is in the queue.
type queue[K comparable, V any] struct {
	id   shareID // zero for the queue of all items by expiry
	by   func(*Item[K, V]) time.Time
	used Amount // the sum of the items
	root *node[K, V]
}

// A node has a priority no lower than those of its descendants.
type node[K comparable, V any] struct {
	item        *Item[K, V]
	priority    uint32
	left, right *node[K, V]
}

func (q *queue[K, V]) before(a, b *Item[K, V]) bool {
	c := q.by(a).Compare(q.by(b))
	return c < 0 || c == 0 && a.used < b.used
}

func (q *queue[K, V]) insert(it *Item[K, V]) {
	before, rest := q.split(q.root, it)
	q.root = join(join(before, &node[K, V]{item: it, priority: rand.Uint32()}), rest)
	q.used = q.used.plus(it.Takes)
}

func (q *queue[K, V]) remove(it *Item[K, V]) {
	q.root = q.without(q.root, it)
	q.used = q.used.minus(it.Takes)
}

// split splits a tree into the items before an item and the rest.
func (q *queue[K, V]) split(n *node[K, V], at *Item[K, V]) (before, rest *node[K, V]) {
	switch {
	case n == nil:
		return nil, nil
	case q.before(n.item, at):
		n.right, rest = q.split(n.right, at)
		return n, rest
	default:
		before, n.left = q.split(n.left, at)
		return before, n
	}
}

// without returns the tree n without an item, which must be in it.
func (q *queue[K, V]) without(n *node[K, V], it *Item[K, V]) *node[K, V] {
	switch {
	case n.item == it:
		return join(n.left, n.right)
	case q.before(it, n.item):
		n.left = q.without(n.left, it)
	default:
		n.right = q.without(n.right, it)
	}
	return n
}

// join joins two trees. All items of one are before those of the other.
func join[K comparable, V any](a, b *node[K, V]) *node[K, V] {
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

// sum returns the amount of all items. It is zero for a nil queue.
func (q *queue[K, V]) sum() Amount {
	if q == nil {
		return Amount{}
	}
	return q.used
}

// all yields the items.
func (q *queue[K, V]) all(yield func(*Item[K, V]) bool) {
	if q != nil {
		q.root.each(yield)
	}
}

func (n *node[K, V]) each(yield func(*Item[K, V]) bool) bool {
	return n == nil || n.left.each(yield) && yield(n.item) && n.right.each(yield)
}

// first returns the first item that is not other; nil if there is none.
func (q *queue[K, V]) first(other *Item[K, V]) *Item[K, V] {
	for it := range q.all {
		if it != other {
			return it
		}
	}
	return nil
}
