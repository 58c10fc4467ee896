package search

import "strings"

// stopWords are words without a meaning of their own: English function words, phrases of requests, and the commonest
// function words of German, French, Spanish, Italian and Portuguese that are not English words.
var stopWords = set(`
a about above after again all also am an and any are aren as at be because been
before being below both but by couldn d did didn do does doesn doing don down
during each either else etc few for from further had has hasn have haven having
he her here hers him his how i if in into is isn it its itself just ll m me more
most my myself neither no nor not now of off on once only or other our ours out
over own per re s same she shouldn so some such t than that the their theirs them
then there these they this those through to too under until up upon us ve very
via was wasn we were weren what when where whether which while who whom whose why
will with within without won would wouldn you your yours
able can could give help hello hey hi kindly let like may might must need needs
please should tell thank thanks try trying use used using want wanted wants wish
auf aus avec das dans de del della dem den der des di die du ein eine einem einen
einer el et et fur gli ich il ist la las le les lo los mit nel oder os para pour
que qui sind um uma un una und une von vom wie wir y zum zur
`)

// impliedWeight is the weight of a word that a stop word implies.
const impliedWeight = 0.4

// implied maps stop words that stand for somebody to the words that texts have for them.
var implied = map[string][]string{
	"who": people, "whom": people, "whose": people,
	"i": caller, "my": caller, "mine": caller, "myself": caller,
}

var (
	people = []string{"user", "member", "people", "person", "account"}
	caller = []string{"authenticated", "current", "own"}
)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
