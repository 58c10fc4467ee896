package search

import (
	"strings"
	"sync"
)

// An Effect says whether a thing changes anything.
type Effect uint8

const (
	Unknown Effect = iota // the verb at the beginning of its name says it, if anything
	Reads
	Writes
)

// otherEffect is what remains of the score of a text that does the opposite of what the query asks for. It decides
// between get, create and delete of the same thing, whose other words are the same.
const otherEffect = 0.7

// verbs has the commonest verbs, by themselves and by their stems.
var verbs = sync.OnceValue(func() map[string]Effect {
	s := newStemmer()
	m := make(map[string]Effect)
	for e, words := range map[Effect]string{
		Reads: "list enumerate show display browse get fetch retrieve read view search find lookup count",
		Writes: "create add make insert register generate post put set update edit modify change alter patch replace rename" +
			" delete remove erase drop destroy discard",
	} {
		for _, w := range strings.Fields(words) {
			m[w], m[s.stem(w)] = e, e
		}
	}
	return m
})

// effectOf returns the effect of the verb that a name begins with.
func effectOf(name string) Effect {
	for p := range pieces(name[strings.LastIndexByte(name, '.')+1:]) {
		return verbs()[p.word]
	}
	return Unknown
}

// questionWords begin a question, whose answer is read. "How" does so too, but not in "how do I delete".
var questionWords = set("who whom whose which what where when why is are was were does did has")

// wish returns the effect that the query asks for: that of its first word with a meaning. A question asks for reading,
// unless it has a verb for a change.
func (p *parser) wish() Effect {
	if len(p.words) == 0 {
		return Unknown
	}
	first, writes, found := Unknown, false, false
	for i, word := range p.words {
		if stopWords[word] {
			continue
		}
		e := verbs()[p.stems[i]]
		if !found {
			first, found = e, true
		}
		writes = writes || e == Writes
	}
	asked := questionWords[p.words[0]]
	if p.words[0] == "how" && len(p.words) > 1 {
		asked = p.words[1] == "many" || p.words[1] == "much" || p.words[1] == "often" || p.words[1] == "long"
	}
	switch {
	case asked && !writes:
		return Reads
	case asked || writes && first == Reads: // which was changed; find and delete
		return Unknown
	}
	return first
}
