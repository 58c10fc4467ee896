package schema

import (
	"strconv"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// array checks the array at i.
func (v *run) array(r *arrayRules, i int, ev *evaluated) (int, bool) {
	start, ok, count, contained := i, true, 0, 0
	for i = strictjson.SkipSpace(v.data, i+1); i < len(v.data) && v.data[i] != ']'; count++ {
		v.push(count, 0)
		end, good := v.element(r, i, count, ev)
		if good && r.contains != nil && v.probe(r.contains, i, nil) {
			contained++
			ev.mark(count)
		}
		v.pop()
		if !good {
			if ok = false; v.stopped() {
				v.spendBytes(i - start)
				return end, false
			}
		}
		i = strictjson.NextItem(v.data, end)
	}
	if !v.spendBytes(i - start) {
		return i, false
	}
	ok = v.counts(r, count, contained) && ok
	if r.unique && (ok || !v.stopped()) {
		ok = v.unique(start) && ok
	}
	return min(i+1, len(v.data)), ok
}

// element checks one element by its position.
func (v *run) element(r *arrayRules, i, index int, ev *evaluated) (int, bool) {
	n := r.items
	if index < len(r.prefix) {
		n = r.prefix[index]
	}
	if n == nil {
		return v.over(i), v.spend(1)
	}
	ev.mark(index)
	return v.value(n, i, nil)
}

// counts checks the number of items, and the number of items that match contains.
func (v *run) counts(r *arrayRules, count, contained int) bool {
	ok := true
	if count < r.min {
		ok = v.fail("minItems", func() string { return "must have at least " + plural(r.min, "item", "items") })
	}
	if r.max >= 0 && count > r.max {
		ok = v.fail("maxItems", func() string { return "must have at most " + plural(r.max, "item", "items") })
	}
	if r.contains != nil && contained < r.minContains {
		ok = v.fail("contains", func() string {
			return "must contain at least " + plural(r.minContains, "item", "items") + " of this sort: " + typeText(r.contains)
		})
	}
	if r.contains != nil && r.maxContains >= 0 && contained > r.maxContains {
		ok = v.fail("maxContains", func() string {
			return "must contain at most " + plural(r.maxContains, "item", "items") + " of this sort: " + typeText(r.contains)
		})
	}
	return ok
}

// unique checks that no two elements have the same canonical spelling.
func (v *run) unique(i int) bool {
	seen := map[string]int{}
	n := 0
	for i = strictjson.SkipSpace(v.data, i+1); i < len(v.data) && v.data[i] != ']'; n++ {
		end, ok := v.canonical(i)
		if !ok {
			return false
		}
		if first, found := seen[string(v.scratch)]; found {
			return v.fail("uniqueItems", func() string {
				return "items must differ, but [" + strconv.Itoa(first) + "] and [" + strconv.Itoa(n) + "] are equal"
			})
		}
		seen[string(v.scratch)] = n
		i = strictjson.NextItem(v.data, end)
	}
	return true
}
