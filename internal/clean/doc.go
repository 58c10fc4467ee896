// Package clean takes out of text from outside what a model or a terminal
// should not be fed, in time linear in the text.
//
//	clean.Line("Lists\x1b[31m\nfiles.\u200b", 200) // "Lists files."
//
// There are two degrees, which agree on what is visible. [Text] and what builds
// on it ([Flow], [FirstLine]) keep the paragraphs of a page that somebody wrote
// for it, and the joiners of its pictures. [Line] is for text that stands in a
// line among the lines of others: nothing in it ends the line, and nothing in it
// is invisible.
//
// # Limits
//
// Visible characters that merely look like others are kept, and so are any
// number of combining marks. Line takes the joiners out of emoji and of the
// scripts that shape letters with them, so a family becomes its members; Text
// keeps U+200D and U+FE0F, and takes out U+200C, the non-joiner. Both drop
// private characters, and those younger than the Unicode tables of the Go
// release.
package clean
