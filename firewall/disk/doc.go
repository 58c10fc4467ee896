// Package disk keeps artifacts in a directory: a [firewall.Store] whose contents
// survive the end of the process and of the machine.
//
//	store, err := disk.Open("/var/lib/shop/artifacts", nil)
//	defer store.Close()
//	fw := firewall.New(&firewall.Options{Store: store})
//
// # How it works
//
// The directory holds a file for each content, one for each Keep that describes its
// artifacts, and one for each reservation, which takes the space. The room itself is
// counted in memory. A call whose result is not kept leaves its file to the next
// call, so that it touches no file. Files hold digests of handles and owners,
// never those themselves. A Keep writes every content to a file of its own, then the
// record that makes all of them artifacts at once. Opening the store reads the
// records, and removes what no record refers to.
//
// Other names in the directory are left alone. The store follows no links, opens
// nothing but regular files, and never leaves the directory. What has expired is
// removed at the next use of the store, and when it is opened.
//
// # Limits
//
//   - One process uses the directory at a time.
//   - Files are readable by the user of the process only, and not encrypted.
//   - A part has at most 1 GiB. All media types and labels of a Keep have about 4 MiB
//     together. Keep returns an error beyond.
//   - On Linux a reservation takes the space of the disk too, for the first part of a
//     result. Elsewhere a disk may be full when the result is there, and Keep says so.
//     The directory is tried again once a second: a disk that cannot be written any
//     more is noticed that late.
//   - Up to 8 files of up to 4 MiB wait for the next calls, beyond all other bounds.
//   - Windows cannot flush a directory: a loss of power may cost what was kept last.
//   - It runs where files can be locked: Windows, Linux, macOS, the BSDs and illumos.
//   - A store whose directory has been moved or removed keeps nothing until it is
//     opened again. Operations on a file system that hangs hang.
package disk
