// Package cashtext parses the texts of CaSH servers, and rewrites the paths in them for a server that is mounted in
// a larger tree (RFC 5.4).
//
// A mounted server does not know its label. A [Mount] holds the label, and adds it to the server's texts:
//
//	m := cashtext.Mount{To: "shop"}
//	m.Text(`Use help(namespace="orders").`) // Use help(namespace="shop.orders").
//	m.Help("# orders\n", "orders")          // # shop.orders
//	m.JSON(`{"namespace":"orders"}`)        // {"namespace":"shop.orders"}
//
// The parsers read the lists of our own server, of the RFC's examples, and of others that put names into lists or
// tables:
//
//	ParseHelp      help() and help(namespace=...)             4.2
//	ParseFunction  help(namespace=..., function=...)          4.2
//	ParseSkills    skill() and skill(namespace=...)           4.3
//
// # What is rewritten
//
//	call(namespace="orders", ...)        namespaces, in any quotes, by name or by
//	help("orders")                       position, or as members of a map; unquoted
//	                                     ones only if Known has them
//	{"namespace": "orders",              JSON arguments that name a function or a
//	 "function": "create"}               skill, and are not among kwargs
//	skill(skillname="x"), help()         a missing namespace: namespace="shop" is added
//	namespace `orders`                   on lines about functions or skills, or about
//	                                     an unknown namespace
//	functions in `orders`                the same
//	Did you mean `orders.retail`?        paths, and names of namespaces
//	`namespace="orders", function="x"`   arguments without a tool, as in hints
//	# Skills in orders                   headings at the beginning of a text, and the
//	# Functions that fit, best first     namespaces listed below them
//	## orders                            headings of namespaces that Known has
//	if inventory.check fails             in prose, dotted paths of namespaces and functions
//	                                     that Known and Functions have
//
// All else stays byte for byte. Of a schema in a JSON page, only descriptions are rewritten.
//
// # Limits
//
//   - Rewriting knows no catalog. An invented namespace is rewritten like any other. So is a text about somebody
//     else's functions and namespaces in exactly these words.
//   - Invocations of more than 64 KiB stay as they are; so do invocations beyond a bound in texts built to be slow.
//   - Pages of more than 1 MiB or 10,000 entries are not parsed.
//   - Names that are not labels are dropped; see Page.Dropped.
//
// All functions are pure, safe for concurrent use, and linear in the text.
package cashtext
