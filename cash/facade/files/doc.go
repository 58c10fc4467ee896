// Package files gives a model the files of a folder as functions: list, search, get, put, move and delete, and
// roundtrips that change several files atomically (domain facades, "Manifest-Based Roundtripping").
//
//	root, err := os.OpenRoot("project")
//	…
//	f, err := files.Open(root, nil)
//	…
//	defer f.Close()
//	reg.Namespace("files", "The files of the project.").Add(f.Functions()...)
//
// Every face can serve them. Domain facades show them as one tool, FilesExecute.
//
// # Lists, searches and parts
//
// A list is sorted by path over all pages. A search finds lines by a regular expression of RE2 or a text. Both take a
// glob, obey .gitignore files on wish, and return pages: next is the cursor of the next one. A page ends at its limit,
// or after some 400 ms; then it may be short or even empty, and next leads on. A count is exact, or there is none.
//
// Get reads any lines or bytes of a file of any size. At level standard, a long content is an excerpt, with next_line
// or next_offset to go on; a requested number of lines or bytes is kept.
//
// # Texts
//
// UTF-8, UTF-16 with a byte order mark, and Latin-1 are text for the model. A change of a text keeps its encoding,
// unless it names another one. All other contents are base64.
//
// # Roundtrips
//
//	roundtrip_start{paths}                        the contents, their SHA-256, and a manifestId
//	roundtrip_preview{manifestId, changes}        what a commit would do: diffs, conflicts, and a previewId
//	roundtrip_commit{previewId}                   does it: all of it or, on an error, nothing
//	roundtrip_commit{manifestId, changes, mode}   the same without a preview
//
// A change has the whole content of a file, edits or a unified diff. The text to replace in an edit must be there
// exactly once, unless all is set. A hunk of a diff must match exactly, at its line or, if lines have moved, at the
// only place where it matches. One that does not match fails the whole commit.
//
// A manifest records what its caller has seen. A commit that would overwrite a file changed since then is a conflict
// and writes nothing. Its error has a previewId under which all changes are kept. roundtrip_start with the manifestId
// and the paths in conflict takes note of their new contents. A commit with the previewId then needs no changes, or
// only those of these paths. The modes:
//
//   - replace overwrites and creates
//   - add_only skips existing files
//   - update_only skips missing files
//
// No mode deletes. A skipped file is never in conflict. A file that is not in the manifest may only be created. A
// commit uses up the manifest; otherwise it is valid for an hour.
//
// # Crashes
//
// A commit uses a journal in the folder .cash-files of the root. No function shows that folder or accepts it as a path.
//
//  1. New contents are written to the journal and synced. Links to the old files are put beside them.
//  2. The record is written. It lists the intended changes.
//  3. The new files are renamed into place, and their folders synced.
//  4. The record is removed: the commit is done.
//
// After a failure or a crash before step 4, the record is used to restore the old state: at once, or by the next
// operation, of any process. Readers through this package see all of a commit or nothing.
//
// # Processes
//
// Several processes may use a folder. Each operation locks it: reading operations together, changing ones alone. A
// process that ends loses its locks. Manifests and previews are of one process; a commit detects the changes of others.
//
// # Paths
//
// Paths are relative to the root, separated by slashes, without "..". Nothing outside of the root is ever opened: see
// [os.Root]. Reading (list, get) follows symbolic links within the root. Editing (put, delete, roundtrips) neither
// follows nor replaces links. Only regular files are opened. Names that are not UTF-8, or have invisible characters or
// backslashes, are not listed and not accepted.
//
// # Hidden and protected files
//
// What [Options] hide is absent: it is not listed, found or read. What they hide or protect is not changed, nor is a
// folder moved that has it. The default hides .git.
//
// # Limits
//
//   - A root inside another root is not detected.
//   - Other programs see a commit file by file. Their changes are detected until just before a file is renamed into
//     place, not between that check and the renaming.
//   - If another program changes a file after it was written, and the commit fails or crashes, that change stays,
//     unless the file has exactly the content of the commit. An empty folder that another program creates just when a
//     commit needs it counts as the commit's.
//   - A rewritten file keeps its permissions, but not its owner, extended attributes and hard links.
//   - Files on another file system, mounted below the root, can be read and deleted, but not written.
//   - Files run on Windows, Linux, macOS, the BSDs and illumos, whose locks end with their process. Other programs must
//     leave .cash-files alone.
//   - Windows cannot sync folders: a power loss there may cost the last commit or a part of it.
//   - Operations on a file system that hangs hang.
//   - Besides [Options], the faces' bound on arguments (MaxArguments) bounds the changes of a commit.
//   - Entries deeper than 64 folders, and in unreadable folders, are on no page: incomplete says so. A page reads each
//     folder on its way as a whole. Changes between two pages may show or not.
//   - Of .gitignore files, those of the root and below it count, with 1,000 patterns and 64 KiB each. Patterns are
//     those of git's manual. Git itself takes two asterisks directly behind a literal beginning for ones across
//     slashes.
//   - A search takes lines longer than 64 KiB in parts, and skips files that are not text and UTF-16 above
//     MaxFileBytes.
//   - A line far into a large file may take several calls, each of which goes on where the last one ended. The lines of
//     UTF-16 above MaxFileBytes cannot be found; its bytes can.
//   - A move is one renaming, and is not part of a roundtrip. A crash may leave empty folders that were made for it.
//     Another program may put a file at the new path just before; it is then replaced.
//   - On Windows, names that look like short ones (PROGRA~1) are not accepted.
//   - Anonymous callers share their roundtrips: only those who know a manifestId can use it.
package files
