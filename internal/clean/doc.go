// Package clean removes from foreign text what should not reach a model or a terminal, in time linear in the text.
//
//	clean.Line("Lists\x1b[31m\nfiles.\u200b", 200) // "Lists files."
//
// There are three levels. Line and Text agree on what is visible.
//
//   - [Line] is for text within a line of other text. The result is one line and has no invisible characters.
//   - [Text], [Flow] and [FirstLine] are for written prose. They keep paragraphs and the joiners of emoji.
//   - [Content] is for data that a model may read and write back, such as results of tools. It removes characters that
//     control a terminal or deceive a reader invisibly, and keeps every other byte.
//
// # Limits
//
//   - Content keeps up to two adjacent invisible characters, because scripts and emoji need them. They can hide a text,
//     a few bits per visible character.
//   - A carriage return lets a terminal overwrite a line.
//   - The flags of England, Scotland and Wales use tag characters and become black flags.
//   - JSON keys that become equal by cleaning all stay.
//   - Visible characters that look like others stay, and so does any number of combining marks.
//   - Line removes the joiners of emoji and scripts, so a family becomes its members. Text keeps U+200D and U+FE0F, and
//     removes U+200C, the non-joiner.
//   - Line and Text drop private characters, and those newer than the Unicode tables of the Go release.
package clean
