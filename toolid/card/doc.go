// Package card builds choice cards: what a model sees of a tool when it
// chooses one, and all it sees (sections 2 and 5 of the gateway surface).
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
// A card costs a bounded number of tokens, whatever an upstream writes into its
// descriptions, and never carries a schema:
//
//	facts ─► clean, disarm ─► bound names and tags ─► truncate the description ─► card ─► Line, Render, Marshal
//	                                                          ▲
//	                                         Counter (CL100K, or an Encoding)
//
// Nor can one text pass for another's: brackets, card numbers and the markers
// of cost, side effects and safety in a description are respelled (list[int]
// stays), so that a line has the id, tags and markers of its own card only.
//
// [New] makes one card, a [Builder] those of a catalog, and again those that
// changed when the catalog is refreshed. [Sort] ranks them. [Truncate] is the
// rule for descriptions, on its own. Once the model has chosen,
// [Select] tells which card it meant; [SelectionSchema] keeps it from naming
// anything else in the first place.
//
// # Counting
//
// [CL100K] counts in cl100k_base, the default, with an encoder of the package's
// own over the vocabulary of tiktoken-go. The library takes time quadratic in
// the length of a run, which whoever writes a description chooses: 80 ms for
// 10,000 letters without a space, 9.5 s for 100,000. The own encoder is linear
// and exact on any text; the tests compare it with the library.
//
// [Encoding] counts in the other encodings of tiktoken-go, such as o200k_base,
// with the library itself. It gets at most 512 bytes of a text at a time,
// divided where every encoding breaks. Whoever wants another tokenizer
// implements [Counter]. [NewBy], [RenderBy], [TruncateBy] and [Builder] take
// any of them, and so does cash/gateway.
//
// # Limits
//
//   - A response has at most [MaxCards] cards: up to there the number of a card
//     does not change what it costs.
//   - A card whose id and tags alone take more than [HardCap] tokens is refused.
//     Nothing but the description is shortened to fit the budget.
//   - Of a description the first 1,000 characters count. What it claims in words
//     is not judged, and letters that look like others are kept.
//   - Importing the package adds the 7 MB of vocabularies of tiktoken-go-loader
//     to a program, whatever [Counter] it uses. Beside them tiktoken-go is small:
//     43 KB of a gateway. Nothing is downloaded.
package card
