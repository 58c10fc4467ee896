package card

// ReadVocabulary does what the first count does.
func ReadVocabulary() { readVocabulary() }
