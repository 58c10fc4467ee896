package search

import (
	"math"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A Document is the searchable text of one thing.
type Document struct {
	Namespace   string   // what it belongs to
	Name        string   // counts most; the last label of a dotted name is a name too
	Aliases     []string // other names
	Description string
	ParamNames  []string
	ParamTexts  []string // descriptions of parameters, allowed values
	Effect      Effect
	Deprecated  bool // others are rather what is searched
}

// field is a part of a document.
type field uint8

const (
	inName field = iota
	inAlias
	inNamespace
	inSummary // the first sentence of the description
	inBody    // the rest of it
	inParamName
	inParamText
	inJoined // words split by case, from any field
	numFields
)

// fieldWeight is the weight of a word by field.
var fieldWeight = [numFields]float32{
	inName: 2, inAlias: 2, inNamespace: 1, inSummary: 1, inBody: 0.6, inParamName: 1, inParamText: 0.3, inJoined: 1,
}

// Limits of a document; text beyond them is ignored.
const (
	maxText  = 32 << 10 // bytes of all its texts
	maxWords = 500      // different ones
)

// A Text is a document split into words, which is the costly part of an index. It is immutable, and can be in any
// number of indexes.
type Text struct {
	path    string // orders equal scores
	effect  Effect
	old     bool // deprecated
	names   []string
	letters string // of all words, concatenated
	words   []word
	lengths fieldLengths
}

// fieldLengths is the number of words in each field.
type fieldLengths [numFields]uint16

// word is a word of a document: its end in letters, and its count in each field.
type word struct {
	end uint32
	in  fieldCounts
}

func (t *Text) word(i int) string {
	start := uint32(0)
	if i > 0 {
		start = t.words[i-1].end
	}
	return t.letters[start:t.words[i].end]
}

// Read reads a document.
func Read(d Document) *Text {
	r := reader{text: &Text{path: d.Name, old: d.Deprecated}, at: make(map[string]int), left: maxText}
	if d.Namespace != "" {
		r.text.path = d.Namespace + "." + d.Name
	}
	if r.text.effect = d.Effect; d.Effect == Unknown {
		r.text.effect = effectOf(d.Name)
	}
	r.names(d)
	r.read(inName, d.Name)
	r.read(inAlias, d.Aliases...)
	r.read(inNamespace, d.Namespace)
	summary, body := summary(d.Description)
	r.read(inSummary, summary)
	r.read(inBody, body)
	r.read(inParamName, d.ParamNames...)
	r.read(inParamText, d.ParamTexts...)
	r.text.letters = r.letters.String()
	r.text.words = slices.Clip(r.text.words)
	return r.text
}

// summary returns the first sentence of a description, and the rest.
func summary(description string) (first, rest string) {
	description = strings.TrimSpace(description)
	end := len(description)
	if i := strings.IndexByte(description, '\n'); i >= 0 {
		end = i
	}
	if i := strings.Index(description[:end], ". "); i >= 0 {
		end = i + 1
	}
	return description[:end], description[end:]
}

type reader struct {
	text    *Text
	letters strings.Builder
	at      map[string]int // index in text.words
	left    int            // bytes
}

// names sets the names that are compared with the whole query.
func (r *reader) names(d Document) {
	names := []string{r.text.path, d.Name, d.Name[strings.LastIndexByte(d.Name, '.')+1:]}
	for _, name := range append(names, d.Aliases...) {
		if key := letterKey(clean.Beginning(name, maxQuery)); key != "" {
			r.text.names = append(r.text.names, key)
		}
	}
}

func (r *reader) read(f field, texts ...string) {
	for _, s := range texts {
		s = clean.Beginning(s, r.left)
		r.left -= len(s)
		for p := range pieces(s) {
			r.add(f, p)
		}
	}
}

func (r *reader) add(f field, p piece) {
	if f >= inSummary && stopWords[p.word] {
		return
	}
	if p.kind == joined {
		f = inJoined
	}
	i, known := r.at[p.word]
	if !known {
		if i = len(r.text.words); i == maxWords {
			return
		}
		r.at[p.word] = i
		r.letters.WriteString(p.word)
		r.text.words = append(r.text.words, word{end: uint32(r.letters.Len())})
	}
	if n := &r.text.words[i].in[f]; *n < 255 {
		*n++
	}
	if n := &r.text.lengths[f]; *n < math.MaxUint16 {
		*n++
	}
}

// letterKey returns the letters and digits of a name. Case and separators make no difference.
func letterKey(name string) string {
	return fold(strings.Map(func(r rune) rune {
		if classOf(r) == separator {
			return -1
		}
		return r
	}, normalize(name)))
}

// pathKey returns a name with its levels. Case and underscores make no difference, and any usual separator works.
func pathKey(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_':
			return -1
		case '/', ':', ' ':
			return '.'
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}
