// Package search finds tools by text: words of a request in any language, a name, a misspelled name. It is lexical: no
// model, no network.
//
//	texts := []*search.Text{
//		search.Read(search.Document{Namespace: "orders", Name: "create", Description: "Create a new order."}),
//		search.Read(search.Document{Namespace: "orders", Name: "refund", Description: "Pay back an order."}),
//	}
//	ix := search.Build(texts, nil)
//	hits := ix.Search(search.Query{Text: "give the customer their money back", Limit: 5})
//
// # How it works
//
// [Read] splits a document into words: runs of letters and digits, split where the case changes, and folded. Scripts
// without spaces between words give pairs of characters. [Build] reduces words to stems, English ones with Porter2, and
// makes the postings of each stem.
//
// The score of a text is BM25F over its fields; the name counts twice the description. A query that covers more of the
// name scores higher. A share of the score of the namespace's own text is added to its texts. A query word that is
// missing in a text may match as a synonym, for less; a word that no text has counts as misspelled. Stop words are
// dropped. A query that asks to read scores texts that change something lower, and the other way around. A text whose
// whole name is the query comes first.
//
// # Who sees what
//
// One index serves all callers. A [Query] has the set of texts that its caller sees. Other texts are not found, and do
// not affect order, scores or the correction of misspelled words. A new set is counted in one pass over the texts; the
// terms of a query are weighed for it from the shared postings. This is cached for recent sets, in some 32 MB, and in as
// much for all texts.
//
// # Limits
//
//   - Of a query 4 KiB and 64 words count, of a document 32 KiB and 500 different words, of a word 64 bytes.
//   - A different word takes some 150 bytes of an index. The user bounds texts from untrusted sources.
//   - Stems and synonyms are English. Inflected words of other languages are found if they are a typo or two apart.
package search
