package search

import "strings"

// stopWords carry no meaning of their own: the function words of English, and
// what people say to ask for something.
var stopWords = set(`
a about above after again all also am an and any are as at be because been
before being below both but by did do does doing don down during each either
else etc few for from further had has have having he her here hers him his how
i if in into is it its itself just ll me more most my myself neither no nor not
now of off on once only or other our ours out over own per re s same she so
some such t than that the their theirs them then there these they this those
through to too under until up upon us ve very via was we were what when where
whether which while who whom whose why will with within without would you your
yours
able can could help hey hi hello kindly let like may might must need needs
please should thank thanks tell try trying want wants wanted wish give
`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
