// Package redact takes secrets out of text before a model reads it. It replaces keys, tokens and passwords by marks
// that name the kind of secret.
//
//	filter := redact.New(redact.DefaultRules()...)
//	text, n := filter.Text(`password=hunter2`) // password=[redacted: password], 1
//
// # How it works
//
// A [Filter] applies [Rule] values. Each rule of [DefaultRules] begins with a literal, such as ghp_ or password. One
// pass over the text finds all literals, and hand-written code reads the text there. Rules of your own use a regular
// expression.
//
// Text may be JSON, or have JSON in its strings, at any depth: escapes stay whole, and JSON stays JSON.
//
// # Limits
//
//   - A secret is recognized by its form, or by the name of its key. Other secrets stay.
//   - Images, audio and other bytes are not text.
package redact
