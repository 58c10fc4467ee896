// Package skillmd reads skill texts in the style of Agent Skills (SKILL.md: YAML front matter, then markdown) and makes
// them safe to serve as text: a CaSH skill MUST NOT carry executable content (CaSH RFC section 4.3).
//
// A text goes through four steps, and the last two are always in this order:
//
//	doc, err := skillmd.Parse(data)                  // once, when a skill is loaded
//	inputs := skillmd.Inputs(doc.Body)               // what kwargs the text asks for
//	text := skillmd.Expand(doc.Body, value)          // on every request: {{customer}} becomes its value
//	text, removed := skillmd.Strip(text)             // after Expand, so that a value cannot bring in code (R65)
//
// [References] lists the call, help and skill invocations of a text, for checks at load time.
//
// # What Strip keeps and what it removes
//
//	keeps     prose, lists, tables, links, inline code, byte for byte       R78
//	          blocks that hold nothing but call(...), help(...), skill(...) R67 R70
//	          blocks tagged as data: text, json, yaml, toml, csv, ...       R71
//	          untagged blocks that are JSON, a YAML mapping, a directory
//	          tree or a table                                               R73
//	removes   every other fenced or indented block                          R72 R73 R79
//	          anything that starts with #! or holds a here-document         R74
//	          !`command` spans and ```! blocks                              R75
//	          script elements, javascript: and data: URLs, event handlers   R76
//
// A removed block leaves one line such as "[code block removed: bash, 3 lines]". Every removal leaves something, so
// that the texts on its two sides can never join into new markup.
//
// Strip repeats two passes, blocks then spans, until nothing changes. Ordinary texts settle in two rounds; a text that
// has not settled after a fixed number is withheld. So Strip is idempotent by construction. A fence counts wherever a
// reader might see one, even where CommonMark would not (in a lazy continuation, deep in a list, at the end of a line
// of prose), because the readers are models and not CommonMark parsers.
//
// # Limits
//
//   - Code written as prose, without a fence or an indent, is prose: only #! scripts and here-documents are seen.
//   - An exclamation mark directly before a code span is always taken for a command span and removed.
//   - A text that quotes raw HTML in inline code loses its script elements, iframes and event handlers like any other.
//   - Bundled files (scripts/, references/, assets/) are never opened; their names stay in the prose.
//   - Untagged YAML above 16 KiB is removed unread.
//
// All functions are pure, safe for concurrent use, and linear in the size of their input.
package skillmd
