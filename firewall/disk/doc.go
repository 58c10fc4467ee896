// Package disk keeps artifacts in a directory: a [firewall.Store] whose contents
// survive the end of the process and of the machine.
//
//	store, err := disk.Open("/var/lib/shop/artifacts", nil)
//	defer store.Close()
//	fw := firewall.New(&firewall.Options{Store: store})
//
// # How it works
//
// The directory holds one file per content, one record per Keep that describes its artifacts, and one file per
// reservation that takes its disk space. The quota is counted in memory. A reservation that is not used leaves its file
// to the next call, so that a call with a small result touches no file. File names and records hold digests of handles
// and owners, never the values.
//
// Keep first writes every content to a file of its own, then the record. The record turns all of them into artifacts at
// once. Open reads the records and removes the files that no record refers to.
//
// The store leaves foreign files in the directory alone. It follows no links, opens regular files only, and never
// leaves the directory. Expired artifacts are removed at the next use of the store, and by Open.
//
// If the limits or the disk leave no room, artifacts whose promise has ended are removed.
//
// # Limits
//
//   - One process uses the directory at a time.
//   - Files are readable by the user of the process only, and not encrypted.
//   - A part has at most 1 GiB. All media types and labels of a Keep have about 4 MiB
//     together. Keep returns an error beyond.
//   - On Linux a reservation also allocates disk space, for the first part of a result. Elsewhere the disk may be full
//     when the result arrives; Keep then returns an error. The directory is probed once a second at most, so a disk
//     that became unwritable is noticed up to a second later.
//   - Up to 8 spare files of up to 4 MiB each wait for later calls. No other bound counts them.
//   - Windows cannot sync a directory: a power loss may cost the latest artifacts.
//   - It runs where files can be locked: Windows, Linux, macOS, the BSDs and illumos.
//   - If the directory is moved or removed, the store keeps nothing until it is opened again. Operations on a file
//     system that hangs hang.
//   - An artifact whose promise has ended does not survive the end of the process if another part of its result has
//     given way.
package disk
