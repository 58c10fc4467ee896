// Package schema compiles JSON Schemas and validates raw JSON with them.
//
// One validator serves typed functions, whose schema is inferred from a Go type and its tags, and foreign functions,
// whose schema comes from another server and is not trusted.
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
// A schema is compiled like this:
//
//	Go type: infer.go, brought.go, tag.go -> shape.go -> JSON -+
//	                                                           +-> tree.go, resource.go -> compile*.go -> nodes
//	foreign schema: strictjson, limits.go ---------------------+
//
// Nodes check bytes in place (check.go and the files it uses), and describe themselves (describe.go, rules.go,
// message.go). Constraints of a Go type beyond its schema, such as the range of int64, are facts: a value that passes
// the check of a Go type also decodes into it with encoding/json.
//
// # Tags of Go types
//
// A json tag names a field, and omitempty or omitzero makes it optional; a pointer accepts null. A jsonschema tag
// describes the field. A cash tag constrains it with words separated by commas: enum=a|b, min=, max=, minLength=,
// maxLength=, pattern=, format=, minItems=, default=, example= and advanced. A value with a comma is in single quotes;
// two quotes inside mean one. On a slice, all words but minItems, default, example and advanced constrain each element.
// default and example of anything but a scalar are JSON.
//
// # Exactness
//
// Numbers are compared as exact decimals, so 9007199254740993 is above 9007199254740992 and an exponent of a billion
// costs nothing. Go integers must be written in range, without fraction or exponent. Keys are matched exactly. Errors
// have the path, the rule, and values and names of the schema, but never a value of the document.
//
// # Limits
//
// A foreign schema has at most 256 KiB, 64 levels, 10,000 reachable subschemas, 10,000 values in an enum, 256
// subschemas applied in a row to one value, and regular expressions of 5,000 instructions each and 100,000 in total.
// References must stay in the document. A check takes at most about a million steps plus two per byte; beyond that it
// fails with the rule "budget".
//
// format is an annotation in foreign schemas, and contentEncoding, contentMediaType and contentSchema everywhere, as in
// the specification. Patterns are ECMA-262 with the flag u, executed by RE2 (ecma.go): \s, \S and the dot cover all
// spaces and line ends of Unicode. Patterns that RE2 cannot express (look-around, back references, properties beyond
// general categories and scripts) are not enforced, and Notes lists them. A name that such a member of
// patternProperties may match counts as known.
//
// # Drafts
//
// $schema selects the draft of the document, and of each part with its own $id and $schema. The default is 2020-12. Up
// to draft-07 a $ref hides its siblings: they neither constrain nor name anything and give no default. Their title and
// description are still shown, and definitions among them can be referenced. Everything else is read as in 2020-12,
// together with older spellings; $recursiveRef of draft 2019-09 is treated as $ref.
//
// # Go types
//
// A type may bring its own schema, by a method JSONSchema or through ForArguments. The schema is checked like a foreign
// one and becomes part of the whole. References "#/..." are adjusted; $id, $anchor, $dynamicRef and older drafts are
// refused. Tags may add to it, but not repeat it. Each accepted value is also decoded, to be sure. Its default fills
// the field; defaults inside it are left to the type.
//
// Other types that decode themselves are described as any value (UnmarshalJSON) or as text (UnmarshalText), and each
// value is decoded as a check. A type that only encodes itself is described by its kind, because it decodes like that.
// Recursive Go types are in $defs; the type as a whole is "#". Interfaces with methods are refused.
//
// Some types accept another form than encoding/json decodes: a time.Duration, a url.URL, a time.Time with format=date,
// the Null types of database/sql, and integers with registered names. Schema.Native returns what encoding/json decodes.
// Integers as the keys of a map have one spelling, and keys that decode themselves must differ.
package schema
