// Package search finds tools by what people and models say: words of a request
// in any language, a name, a name with a typo in it. It is lexical: no model, no
// network.
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
// [Read] makes words of a document: runs of letters and digits, split where the
// case changes, folded, and for scripts that do not space their words pairs of
// characters. [Build] reduces words to stems, English ones by Porter2, and lists
// the texts that each stem stands in.
//
// What a text is worth to a query is BM25F over its fields, a name counting
// twice a description. It is more the larger the share of the name is that the
// query hits, and a share of what the query finds in the namespace's own text
// is added to all that is in it. A word of the query that the text does not
// have may be there as a synonym, for less; one that no text has is taken as
// misspelt. Words that carry no meaning are dropped. A text whose whole name is
// the query comes first.
//
// # Who sees what
//
// One index serves all callers. A [Query] names the texts that its caller sees:
// the others are not found, and have no influence on the order, the scores and
// the words that are taken as misspelt. The statistics that this takes are
// kept for the last sets of texts, as many as take some 32 MB; for a new set
// they are made in a few passes over the postings.
//
// # Limits
//
// Of a query the first 4 KiB and 64 words count, of a document 32 KiB and 500
// different words, of a word 64 bytes. A different word takes some 150 bytes of an
// index: whoever takes texts from strangers bounds them. Stems and synonyms are English; forms of words in
// other languages are found when they are a typo or two apart.
package search
