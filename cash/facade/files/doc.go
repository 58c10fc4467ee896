// Package files gives a model the files of a folder, as functions: list, get, put
// and delete, and roundtrips that change several files at once or none (domain
// facades, "Manifest-Based Roundtripping").
//
//	root, err := os.OpenRoot("project")
//	…
//	f, err := files.Open(root, nil)
//	…
//	defer f.Close()
//	reg.Namespace("files", "The files of the project.").Add(f.Functions()...)
//
// Every face can serve them; the one of domain facades shows them as the one tool
// FilesExecute.
//
// # Roundtrips
//
//	roundtrip_start{paths}                        the contents, their SHA-256, and a manifestId
//	roundtrip_preview{manifestId, changes}        what a commit would do: diffs and conflicts
//	roundtrip_commit{manifestId, changes, mode}   does it: all of it or, on an error, nothing
//
// A manifest remembers what its caller has seen. A commit that would write a file
// which is not any more as it was then is in conflict, and writes nothing. The mode
// says what is written: replace overwrites and creates, add_only skips the files
// that exist, update_only those that do not. No mode deletes. What is skipped is
// never in conflict. A file that is not in the manifest may only be created. The
// commit uses the manifest up; before, it serves for an hour.
//
// # Crashes
//
// A commit goes through a journal in the folder .cash-files of the root, which no
// function shows or takes as a path. New contents are written there and flushed,
// and links to the old ones are put beside them. Then a record says what is about to
// be done, and the new files are renamed into place. When the names are flushed too,
// the record is taken away: that is the moment of the commit. If anything fails before,
// or if the process ends, everything is put back from the record: at once, or by the
// next [Open]. Whoever reads through the functions of this package sees all of a
// commit or nothing.
//
// # Paths
//
// Paths are relative to the root, separated by slashes, without "..". Whatever they
// are, nothing outside of the root is opened: see [os.Root]. Reading (list, get)
// follows symbolic links that stay within the root. Editing (put, delete, roundtrips)
// follows none and replaces none. Only regular files are opened. Names that are not
// UTF-8, or have invisible characters or backslashes, are left out of lists and not
// taken.
//
// # Limits
//
// One process uses a root at a time; a root within another's root is not noticed. Other
// programs see a commit file by file. What they change is noticed until the moment before
// a file is renamed into place, and not between that look and the renaming. If they change
// a file after it was written, and the commit fails or its process ends, that file is left
// as they have it, unless it has the very content of the commit. An empty folder that they
// make just when a commit needs it counts as the commit's.
//
// A file that is written anew keeps its permissions, but not its owner, its extended
// attributes and its hard links. What is on another file system, mounted below the root,
// can be read and deleted, and not written. Files can be opened on Windows, Linux, macOS,
// the BSDs and illumos, whose locks end with their process; other programs must leave
// .cash-files alone. Windows does not let folders be flushed: there a loss of power may
// cost the last commit, or a part of it. Operations on a file system that hangs hang.
//
// Besides the bounds of [Options], faces bound the arguments of a call (MaxArguments), and
// so the changes of a commit.
//
// A list looks at 50,000 names at most, and says so if there are more. Anonymous callers
// share their roundtrips: there, nobody but who knows a manifestId can use it.
package files
