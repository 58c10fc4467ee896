// Package cashtext reads and rewrites the texts of CaSH servers, for those who
// show them as a part of something larger (RFC 5.4).
//
// A server that is mounted below a label keeps speaking of itself as if it stood
// alone. A [Mount] says where it is, and rewrites what it says:
//
//	m := cashtext.Mount{To: "shop"}
//	m.Text(`Use help(namespace="orders").`) // Use help(namespace="shop.orders").
//	m.Help("# orders\n", "orders")          // # shop.orders
//	m.JSON(`{"namespace":"orders"}`)        // {"namespace":"shop.orders"}
//
// The parsers read what a server lists, in the words of the RFC's examples, of
// our own server, and of others that put names into lists or tables:
//
//	ParseHelp      help() and help(namespace=...)             4.2
//	ParseFunction  help(namespace=..., function=...)          4.2
//	ParseSkills    skill() and skill(namespace=...)           4.3
//
// # What is rewritten
//
//	call(namespace="orders", ...)        namespaces, with all kinds of quotes, named or
//	help("orders")                       by position, as members of a map; without quotes
//	                                     where Known has them
//	{"namespace": "orders",              arguments as JSON, of what names a function or a
//	 "function": "create"}               skill, and is not among kwargs
//	skill(skillname="x"), help()         where it is missing: namespace="shop" comes first
//	namespace `orders`                   on lines that speak of functions or skills, or
//	                                     that say that there is no such namespace
//	functions in `orders`                likewise
//	Did you mean `orders.retail`?        paths, and names of namespaces
//	`namespace="orders", function="x"`   arguments alone, as in hints
//	# Skills in orders                   and the namespaces listed below, at the
//	# Functions that fit, best first     beginning of a text
//	## orders                            headings of namespaces that Known has
//
// All else comes out byte for byte.
//
// # Limits
//
// Rewriting knows no catalog: a namespace that a text makes up is rewritten like
// any other, and a text that speaks of functions and of a namespace of something
// else, in exactly these words, is rewritten too. In a text built to make
// reading slow, invocations beyond a bound are left as they are; so are those of
// more than 64 KiB. Pages of more than 1 MiB or 10,000 entries are not parsed.
// What is not a label is not taken for a name; see Page.Dropped.
//
// All functions are pure, safe for concurrent use, and take time linear in the
// text.
package cashtext
