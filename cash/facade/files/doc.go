// Package files gives a model the files of a folder as functions: list, get, put and delete, and roundtrips that change
// several files atomically (domain facades, "Manifest-Based Roundtripping").
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
// # Roundtrips
//
//	roundtrip_start{paths}                        the contents, their SHA-256, and a manifestId
//	roundtrip_preview{manifestId, changes}        what a commit would do: diffs and conflicts
//	roundtrip_commit{manifestId, changes, mode}   does it: all of it or, on an error, nothing
//
// A manifest records what its caller has seen. A commit that would overwrite a file changed since then is a conflict
// and writes nothing. The modes:
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
// [Open]. Readers through this package see all of a commit or nothing.
//
// # Paths
//
// Paths are relative to the root, separated by slashes, without "..". Nothing outside of the root is ever opened: see
// [os.Root]. Reading (list, get) follows symbolic links within the root. Editing (put, delete, roundtrips) neither
// follows nor replaces links. Only regular files are opened. Names that are not UTF-8, or have invisible characters or
// backslashes, are not listed and not accepted.
//
// # Limits
//
//   - One process uses a root at a time. A root inside another root is not detected.
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
//   - A list looks at 50,000 names at most, and reports if there are more.
//   - Anonymous callers share their roundtrips: only those who know a manifestId can use it.
package files
