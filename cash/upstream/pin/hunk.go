package pin

import "slices"

// A hunk is a difference between two lists: x[h.x:h.endX] became y[h.y:h.endY].
type hunk struct{ x, endX, y, endY int }

// hunks returns the differences between two lists, in order, by patience diff: elements that occur once in each
// list and in the same order are anchors, extended by equal neighbours. It takes no more time than sorting.
func hunks(x, y []string) []hunk {
	var list []hunk
	done := anchor{}
	for _, a := range append(anchors(x, y), anchor{len(x), len(y)}) {
		for done.x < a.x && done.y < a.y && x[done.x] == y[done.y] {
			done = anchor{done.x + 1, done.y + 1}
		}
		start := a
		for start.x > done.x && start.y > done.y && x[start.x-1] == y[start.y-1] {
			start = anchor{start.x - 1, start.y - 1}
		}
		if done != start {
			list = append(list, hunk{done.x, start.x, done.y, start.y})
		}
		done = a
	}
	return list
}

// An anchor is an element that occurs once in each list, by its two indexes.
type anchor struct{ x, y int }

// anchors returns the longest sequence of anchors that is in the same order in both lists.
func anchors(x, y []string) []anchor {
	all := commonOnce(x, y)
	// Longest increasing subsequence: the last anchor of the best sequence of each length, and each anchor's
	// predecessor.
	var ends []int
	previous := make([]int, len(all))
	for i, a := range all {
		n, _ := slices.BinarySearchFunc(ends, a.y, func(end, y int) int { return all[end].y - y })
		if n > 0 {
			previous[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	list := make([]anchor, len(ends))
	i := ends[len(ends)-1]
	for n := range slices.Backward(list) {
		list[n] = all[i]
		i = previous[i]
	}
	return list
}

// commonOnce returns the elements that occur once in each list, in the order of x.
func commonOnce(x, y []string) []anchor {
	type seen struct{ inX, inY, at int }
	count := make(map[string]seen, len(x))
	for _, s := range x {
		c := count[s]
		c.inX++
		count[s] = c
	}
	for i, s := range y {
		if c, ok := count[s]; ok {
			c.inY, c.at = c.inY+1, i
			count[s] = c
		}
	}
	var list []anchor
	for i, s := range x {
		if c := count[s]; c.inX == 1 && c.inY == 1 {
			list = append(list, anchor{i, c.at})
		}
	}
	return list
}
