package toolid

import "strconv"

// Distinct returns distinct keys for ids, in the order of a catalog: the id itself at its first occurrence, then id~2,
// id~3 and so on (section 9.3). A key with a number is valid for one listing. It is not an id, and [Parse] rejects it.
// A number is skipped if the key with it is already in ids.
func Distinct(ids []string) []string {
	next := make(map[string]int, len(ids)) // the next number to try
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
