// Package redact takes secrets out of text before a model reads it: keys, tokens
// and passwords go, and a mark that says what they were stands in their place.
//
//	filter := redact.New(redact.DefaultRules()...)
//	text, n := filter.Text(`password=hunter2`) // password=[redacted: password], 1
//
// # How it works
//
// A [Filter] has [Rule] values. Those of [DefaultRules] begin with a literal, such
// as ghp_ or password, and all literals are looked for in one pass over the text.
// What stands there is read by hand. Rules of your own have a regular expression.
//
// Text may be JSON, or have JSON in its strings, at any depth: an escape is never
// torn, and JSON stays JSON.
//
// # Limits
//
//   - A secret is known by how it looks, or by the name of what it is assigned to.
//     One that looks like nothing stays.
//   - Images, audio and other bytes are not text.
package redact
