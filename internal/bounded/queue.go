package bounded

import "time"

// A queue holds the items of a share ordered by a time of each item, and for equal times by last use.
type queue[K comparable, V any] struct {
	id   shareID // zero for the queue of all items by expiry
	by   func(*Item[K, V]) time.Time
	used Amount // the sum of the items
	born uint64 // when the share was opened; orders equal ones
	tree[*Item[K, V]]
}

func newQueue[K comparable, V any](by func(*Item[K, V]) time.Time) *queue[K, V] {
	return &queue[K, V]{by: by, tree: tree[*Item[K, V]]{before: func(a, b *Item[K, V]) bool {
		c := by(a).Compare(by(b))
		return c < 0 || c == 0 && a.used < b.used
	}}}
}

// sum returns the amount of all items. It is zero for a nil queue.
func (q *queue[K, V]) sum() Amount {
	if q == nil {
		return Amount{}
	}
	return q.used
}

// items yields the items. A nil queue has none.
func (q *queue[K, V]) items(yield func(*Item[K, V]) bool) {
	if q != nil {
		q.all(yield)
	}
}

// first returns the first item that is not other; nil if there is none.
func (q *queue[K, V]) first(other *Item[K, V]) *Item[K, V] {
	for it := range q.items {
		if it != other {
			return it
		}
	}
	return nil
}
