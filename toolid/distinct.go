package toolid

import "strconv"

// Distinct returns keys for ids in the order of a catalog, all different: the
// id itself where it comes first, then id~2, id~3 and so on (section 9.3). A key
// with a number is for one listing; it is no id, and [Parse] refuses it. A
// number is left out where the key with it stands in ids already.
func Distinct(ids []string) []string {
	next := make(map[string]int, len(ids)) // the number to try next
	for _, id := range ids {
		next[id] = 1
	}
	keys := make([]string, len(ids))
	for i, id := range ids {
		key, n := id, next[id]
		for ; n > 1; n++ {
			key = id + "~" + strconv.Itoa(n)
			if _, taken := next[key]; !taken {
				break
			}
		}
		keys[i], next[id] = key, n+1
	}
	return keys
}
