// Package clean takes out of text from outside what a model or a terminal
// should not be fed, in time linear in the text.
//
//	clean.Line("Lists\x1b[31m\nfiles.\u200b", 200) // "Lists files."
//
// There are three degrees. [Line] is for text that stands in a line among the
// lines of others: nothing in it ends the line, and nothing in it is invisible.
// [Text] and what builds on it ([Flow], [FirstLine]) keep the paragraphs of a page
// that somebody wrote for it, and the joiners of its pictures. [Content] is for
// data that a model may read and write back, such as what tools answer: it takes
// out what steers a terminal or a reader unseen, and keeps all else to the byte.
// Line and Text agree on what is visible.
//
// # Limits
//
// Content keeps up to two invisible characters side by side, because scripts and
// pictures need them: texts can be hidden in those, a few bits for each character
// that shows. A carriage return lets a terminal write over a line. The flags of
// England, Scotland and Wales are spelled with tag characters and become black.
// Keys of JSON that are alike once they are clean stay, both of them.
//
// Visible characters that merely look like others are kept, and so are any
// number of combining marks. Line takes the joiners out of emoji and of the
// scripts that shape letters with them, so a family becomes its members; Text
// keeps U+200D and U+FE0F, and takes out U+200C, the non-joiner. Both drop
// private characters, and those younger than the Unicode tables of the Go
// release.
package clean
