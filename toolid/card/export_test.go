package card

// ReadVocabulary does what the first count does.
func ReadVocabulary() { readVocabulary() }

// What the tests of encodings look at.
var (
	Breaks  = breaks
	PartEnd = partEnd
)

// UsesVocabulary calls f and reports whether it asked for the vocabulary.
func UsesVocabulary(f func()) (used bool) {
	whole := load
	defer func() { load = whole }()
	load = func() *vocabulary {
		used = true
		return whole()
	}
	f()
	return used
}
