// Package schema compiles JSON Schemas and validates raw JSON with them.
//
// One validator serves both kinds of function: typed ones, whose schema follows
// from a Go type and its tags, and foreign ones, whose schema came from another
// server and is as hostile as any input.
//
//	type Order struct {
//		Customer string `json:"customer" jsonschema:"Who orders."`
//		Priority string `json:"priority,omitempty" cash:"enum=low|normal|high,default=normal"`
//	}
//
//	s, err := schema.ForType(reflect.TypeFor[Order]())
//	...
//	err = s.Check(ctx, args)    // priority: must be one of low, normal, high
//	args = s.WithDefaults(args) // {"customer":"C-1","priority":"normal"}
//
// # Why not jsonschema-go
//
// jsonschema-go is the type of the API and the oracle of the tests. It does not
// validate here, because it trusts the schema:
//
//   - {"$ref":"#"} and other cycles overflow the stack, which ends the process;
//   - a diamond of anyOf with 22 levels takes 12 s and 2.8 GB, 5,000 nested not
//     take 14 s to read, 100,000 enum values for 1,000 items 30 s, and
//     validation takes no context;
//   - its errors show the values that they reject;
//   - a pattern outside of RE2, or a $schema of draft-07, makes every validation
//     fail, and numbers are compared as float64;
//   - validating through it alone takes 0.3 to 0.4 of a call's round trip.
//
// # How it works
//
// A document travels one way:
//
//	Go type: infer.go, brought.go, tag.go -> shape.go -> JSON -+
//	                                                           +-> tree.go, resource.go -> compile*.go -> nodes
//	foreign schema: strictjson, limits.go ---------------------+
//
// Nodes check bytes in place (check.go and the files it leads to), and speak to
// readers (describe.go, rules.go, message.go). What a Go type knows beyond its
// schema, such as the range of int64, rides along as facts: whatever passes the
// check of a Go type decodes into it with encoding/json.
//
// # Tags of Go types
//
// json names a field, and omitempty or omitzero makes it optional; a pointer
// accepts null. jsonschema describes it. cash constrains it with words between
// commas: enum=a|b, min=, max=, minLength=, maxLength=, pattern=, format=,
// minItems=, default=, example= and advanced. A value with a comma stands in
// single quotes, in which two quotes are one. On a slice, all words but
// minItems, default, example and advanced bound each element; default and
// example of anything but a scalar are JSON.
//
// # Exactness
//
// Numbers are compared as exact decimals, so 9007199254740993 is above
// 9007199254740992 and an exponent of a billion costs nothing. Go integers must
// be written as integers, in range, without fraction or exponent. Keys are
// matched exactly. Errors carry the path and the rule, the schema's own values
// and names, and never a value of the document.
//
// # Limits
//
// A foreign schema has at most 256 KiB, 64 levels, 10,000 subschemas that its
// root can reach, 10,000 values in an enum, 256 subschemas applied in a row to
// one value, and regular expressions of 5,000 instructions each and 100,000 in
// all. References stay in the document. A check takes about a million steps
// and two for every byte, then it gives up with the rule "budget".
//
// format is an annotation in foreign schemas, and contentEncoding,
// contentMediaType and contentSchema everywhere, as the specification has it.
// Patterns are ECMA-262 as with the flag u, run by RE2 (ecma.go): \s, \S and the
// dot count all of Unicode's spaces and line ends. What RE2 cannot express
// (look-around, back references, properties beyond general categories and
// scripts) is not enforced, and Notes says so; a name that such a member of
// patternProperties may match counts as known.
//
// # Drafts
//
// $schema chooses the draft, of the document and of each part that has an $id
// and a $schema of its own; without one it is 2020-12. Up to draft-07 a $ref
// hides its siblings: they neither constrain nor name anything and give no
// default. Their title and description are shown, and definitions among them can
// be referred to. All else is read as in 2020-12, with the older spellings
// beside it; $recursiveRef of draft 2019-09 is treated as $ref.
//
// # Go types
//
// A type may bring its own schema: by a method JSONSchema, or given to
// ForTypeWith. It is screened as a foreign one and moves into the schema of the
// whole. "#/..." in a $ref follows; $id, $anchor, $dynamicRef and older drafts are
// refused. Tags add to it, and may not say again what it says. Each value that
// passes is decoded to be sure. Its default fills the field; defaults inside of
// it are the type's own affair.
//
// Other types that decode themselves (UnmarshalJSON, UnmarshalText) are described
// as any value and as text, and are tried on each value. A type that only encodes
// itself is described by its kind, which is how it decodes. Recursive Go types and
// maps with keys other than plain strings are refused if they bring no schema.
// Interfaces with methods always are.
package schema
