// Package card builds choice cards: the short lines from which a model chooses a tool (sections 2 and 5 of the gateway
// surface).
//
//	c, err := card.New(card.Facts{
//		ID:          "github:create_issue@1.4.0",
//		Name:        "create_issue",
//		Description: "Creates an issue in the given repository.",
//		Tags:        []string{"issues"},
//	})
//	fmt.Println(c.Line(1, 1))
//	// [1/1] github:create_issue@1.4.0 (tool) — Creates an issue in the given repository. [issues]
//
// A card costs a bounded number of tokens, whatever an upstream puts into its descriptions, and never has a schema:
//
//	facts ─► clean, disarm ─► bound names and tags ─► truncate the description ─► card ─► Line, Render, Marshal
//	                                                          ▲
//	                                         Counter (CL100K, or an Encoding)
//
// No text can imitate another part of a card. Brackets, card numbers and the markers of cost, side effects and safety
// in a description are respelled (list[int] stays).
//
// [New] makes one card. A [Builder] makes the cards of a catalog, and after a refresh only the changed ones. [Sort]
// ranks them. [Truncate] shortens a description by the same rule. [Select] finds the card that a model's answer means.
// [SelectionSchema] restricts the answer to the candidates.
//
// # Counting
//
// [CL100K] counts in cl100k_base, the default, with the package's own encoder over the vocabulary of tiktoken-go. The
// library takes time quadratic in the length of a run, which the author of a description controls: 80 ms for 10,000
// letters without a space, 9.5 s for 100,000. The own encoder is linear and exact on any text; the tests compare it
// with the library.
//
// [Encoding] counts in the other encodings of tiktoken-go, such as o200k_base, with the library itself. The library
// receives at most 512 bytes at a time, split where every encoding splits. For another tokenizer implement [Counter].
// [NewBy], [RenderBy], [TruncateBy], [Builder] and cash/gateway accept any Counter.
//
// # Limits
//
//   - A response has at most [MaxCards] cards. Up to there the number of a card does not change its cost.
//   - A card whose id and tags alone exceed [HardCap] tokens is refused. Only descriptions are shortened.
//   - Only the first 1,000 characters of a description count. Its claims are not judged, and look-alike letters stay.
//   - Importing the package adds the 7 MB of vocabularies of tiktoken-go-loader to a program, whatever [Counter] it
//     uses. tiktoken-go itself is small: 43 KB of a gateway. Nothing is downloaded.
package card
