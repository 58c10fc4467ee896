// Package layout has the table of the module's packages, with import order and size budgets.
//
//	go run ./internal/layout/table
//
// prints it with the measured sizes, and fails above a budget. The tests of this package also fail when an import
// points up, when a package is missing from the table, and when the top level holds anything unexpected.
//
// # What is counted
//
//	code lines  lines with a token that is not a comment, in all files but tests
//	names       exported package-level identifiers; of function options only the type counts
//	methods     of the type that has the most, exported or not
//
// # Limits
//
// Files of all systems and build tags count. An option is a value of a type of this module whose name ends in Option,
// or a function that returns one. Nested modules are left out.
package layout

import (
	"math"
	"slices"
	"strings"
)

// Module is the module's path.
const Module = "github.com/cash-mcp/go-sdk"

// Unbounded is the budget of packages of any size.
const Unbounded = math.MaxInt

// A Room is a set of packages with a common budget. Paths are relative to the module; its root, which only documents,
// is ".". A path that ends in /... includes everything below it.
type Room struct {
	// Row is the position in the import order: packages import lower rows only.
	Row int
	// Packages must exist.
	Packages []string
	// Pending are packages of the room that may be missing, because they are to be added or removed.
	Pending []string
	// Together means that the packages may import each other. The compiler prevents cycles.
	Together bool

	// Lines is the budget in code lines for all packages together. Zero is for packages that are to be removed.
	Lines int
	// Each, if not zero, bounds each package by itself.
	Each int
}

// Rooms is the table, lowest row first.
var Rooms = []Room{
	{Row: 0, Packages: []string{"."}, Lines: 1},
	// Schema takes 5,850 of these: 300 tell mistakes in Go types, all at once and with the way out, 200 know types of
	// the standard library and convert their texts, 140 find names of integers, 100 write recursive types; 600 translate
	// the regular expressions of ECMA-262, 280 put schemas that types bring into others, 40 read type words that are
	// none. Brief takes 300: it trims JSON to
	// levels of detail. Skillmd has front matter as JSON. Strings checked eight bytes at a time, and clean ones found
	// unchanged, take 47. Search weighs the terms of a caller when a query has them, in 125; words of one root, words
	// that pronouns imply and names that differ take 160, and what a query wants to happen 110. Types that a schema
	// defines once take 150, samples and promoted methods 50.
	{Row: 0, Together: true, Packages: below("internal", "strictjson strictyaml schema search skillmd clean spelling brief"), Lines: 11910},
	// The expiring store takes 350 of these. It has the order of expiry, of promises and of
	// use that its ten users had to keep for themselves, and the order of owners by size.
	// Durabletest takes 200: the rigs for crashes and faults of the four that write files.
	// Durable has shared locks, for readers in several processes, and waits for a lock in 15. Keys that rotate take 70.
	// Places for calls at a time, with shares and a queue, take 256. Backoff, circuit breaker and clock take 113. Mistakes
	// are placed outside of this module in 10.
	{Row: 0, Together: true, Packages: below("internal", "label bounded apart mistake keyring pace durable durable/durabletest"), Lines: 1578},
	// Rootfs has shared locks, and lists folders without asking for each entry. Commands that end with their starter
	// take 30, those whose path has arguments in it 3. Errors without the URL of a server take 10.
	{Row: 0, Together: true, Packages: below("internal", "mcpclient procgroup rootfs command layout layout/table"), Lines: 2728},
	// It goes through the guides of examples, for their tests. Variables that are not exported take 3.
	{Row: 0, Packages: []string{"internal/guidetest"}, Lines: 754},

	{Row: 1, Packages: []string{"gate"}, Lines: 520},
	{Row: 1, Packages: []string{"toolid"}, Lines: 850},
	{Row: 1, Together: true, Packages: []string{"manifest"}, Pending: []string{"manifest/fetch"}, Lines: 1600},
	// The registry has the record of a request in its calls, so the hook is below it.
	{Row: 1, Packages: []string{"registry/observe"}, Lines: 185},

	// Promises, shares of payers, and what is shown of a result without room take 180 of these,
	// usage 15, surveys and descents that read large documents once 61, blanks of paths 6.
	{Row: 2, Together: true, Packages: append(below("firewall", "redact view disk internal/ledger"), "firewall"), Lines: 6042},
	// Ids that two servers contest take 110 of these, exact spellings 120, the steps that faces word, reports of dry
	// runs and limits of schemas 200, arguments that are known in part or read later 100, unknown names 30, levels of
	// detail without tags 150. Skills as files take 410: front matter, the folder, those of other servers, also with
	// other paths, and what they record of functions. Summaries take 15. Output schemas and structured content of Go
	// types take 324, titles, icons and metadata 120, references in wrapped ones 5. Vectors made in the background take
	// 70, lint of them and of folders 15, outcomes and sizes of results 75, limits for calls at
	// a time 220, results for stores outside of the process 155. Claims, ids and searches whose work is that of a change,
	// and not of all functions, take 160. Definitions in the schemas of large results take 60, advice that
	// each kind of failure has 30.
	{Row: 2, Packages: []string{"registry"}, Lines: 7890},
	{Row: 2, Packages: []string{"toolid/card"}, Lines: 1150},

	{Row: 3, Packages: []string{"cash/control"}, Lines: 2700},
	// Names that nest take 50 of these, the facts that tools tell beyond MCP 70, functions of foreign schemas 15, hints
	// What foreign tools show takes 130.
	// on effects, in both directions and without contradictions, 85. The skills extension without transports takes 790:
	// 305 serve, 485 read and verify what other servers list, with the functions that have changed since.
	{Row: 3, Together: true, Packages: below("internal", "wire blocks skillext"), Lines: 1785},

	// Subscriptions to a resource take 130 of these, the skills extension 270, what requests bring 75, hosts and origins
	// 65, schemas for older clients 55, shares of sessions and unused ones 120, health 20, metadata for OAuth clients
	// 50, what embedders have beside a face 115, lint 20, what a hook is told of requests and refusals 320, counters 65,
	// requests in progress and slow readers 80, calls that wait 35, sessions of other processes and retiring 30.
	// Serve: 260 answer the most frequent requests without the SDK's connection.
	{Row: 4, Packages: []string{"cash/serve"}, Lines: 4710}, // what clients repeat, decoded once; one timer for all bodies 20
	// Upstream: 240 classify failures (what may pass, what was removed, what a mounted server has raised), 130 follow
	// changes of CaSH servers, 110 read identities. Cashsource: 390 make schemas of what pages of help tell, 200 read
	// arguments late and plan calls of mounted servers, 160 read lists in pages and only what has changed, 130 rewrite
	// paths in prose and split advice off. Pins and ids of live tools take 110, panics over what a server sent and the
	// lock of the pin file 50, skills of mounted servers 130, those of CaSH servers with their files 150, pins of skills
	// 60. Accounts of callers take 1,161: tokens 321, of which 51 await what was sent and authorize anew, users and their
	// sessions 260, the question for an account 90, the identity of each request 60, tokens with more scope 230. What a hook
	// is told of requests takes 80, the status as JSON 15. Last-known catalogs and one reading for all replicas take 890:
	// the transcript and its replay 280, the store in memory 110, the lease and who takes what 230, whose identity they
	// have 40. Tools that the operator selects take 70, swaps without a gap 75. The file has the face and the controls
	// (370), what of it matches nothing (65), its defaults (100), its secrets that are not shown (110), and its changes
	// (140).
	{
		Row: 4, Together: true, Lines: 14786, Each: 6300,
		Packages: append(below("cash/upstream", "pin lastknown config discover"), "cash/upstream", "internal/cashsource", "internal/cashsource/cashtext"),
	},
	// Files takes 3,630 of these: the crash-safe commit 700, search 340, parts of large files 400, patterns of
	// .gitignore files 300, locks between processes 200, edits and diffs 300. Endpoint passes on descriptors of others
	// (90), keeps standard output for its answer (130), and bounds what it sends, lists and looks up (110).
	{Row: 4, Packages: []string{"cash/endpoint", "cash/catalog", "cash/facade/files"}, Lines: 7060},

	// Pages of long lists and of functions within a budget take 200 of these, the guide 50, the revision of what a
	// caller sees 60, dry runs and schemas for servers that mount this one 60, the guide among skills and skills of
	// changed functions 50, what a hook is told 15, the table of state 50, widths of lines 5, arguments
	// under another name and skills called as functions 25.
	{Row: 5, Packages: []string{"cash"}, Lines: 2395},
	// The command help of facades takes 260 of these, what their descriptions tell of commands 90. Minimal descriptions
	// take 900: sentences and warnings in many languages 480, what is left out of them 420. The tool with the
	// descriptions takes 100, schemas in files 90, typed results of plain and what tools show 40, what a
	// hook is told 40, fetches of replicas that share a limit 30.
	{Row: 5, Packages: below("cash", "gateway disclosure facade plain"), Lines: 6400},

	// The attack on a server takes 2,300 of these, the 94 rows of compliance 2,100, the 15 of the skills extension 530,
	// those of facades and endpoints 260, the tool beside a resource 25, the suites of stores 1,675, the comparison of
	// long ids 3, a server that ends with its test 23, who dials 24.
	{Row: 6, Together: true, Packages: below("cash", "check cashtest cashtest/faulty cashtest/storetest internal/client"), Lines: 9420}, // rows that depend on time are tried again on a slow machine 20
	// Servers that are wrong in one row each, for tests.
	{Row: 6, Packages: []string{"cash/internal/wrong"}, Lines: 1230},
	// It has the models of six faces, of which internal/bench/tokens had 390. Names that a proxy lists take 5, layers
	// and the definitions of running servers 40, texts for those who show a bill 20.
	{Row: 6, Packages: []string{"cash/cost"}, Lines: 900},
	// The keys of its file are read in cash/upstream/config, by the one reader there. What commands wrote, and how long
	// they took, which a diagnosis shows, takes 90, the files that a start opens 45.
	{Row: 6, Packages: []string{"cash/config"}, Lines: 750},

	// The index of searches that is made apart from requests takes 20 of these, callers with one ID 15.
	{Row: 7, Packages: []string{"cash/explore"}, Lines: 1550},

	// Import takes 410 of these, with the formats of four clients, and servers that several have; check 380, with the
	// samples that its rows need; naming and mounting a server 320, the verbs that use one 270, tokens 150, the others
	// less. Variables and defaults that no secret may go by take 65 of import, addresses open to others and what cannot
	// work 40, looks that pin nothing 25.
	{Row: 8, Packages: []string{"cash/cmd/cash"}, Lines: 2510},
	{Row: 8, Together: true, Packages: []string{"examples/..."}, Lines: Unbounded},
	{Row: 8, Packages: []string{"internal/realclients"}, Lines: 1},
}

// TopLevel lists what the module's root may hold, besides names that begin with a dot.
var TopLevel = []string{
	"cash", "registry", "gate", "manifest", "toolid", "firewall", "examples", "internal",
	"go.mod", "go.sum", "doc.go", "README.md", "LICENSE",
}

// below returns the paths of the named folders of dir.
func below(dir, names string) []string {
	list := strings.Fields(names)
	for i, name := range list {
		list[i] = dir + "/" + name
	}
	return list
}

// RoomOf returns the room of the package, nil if it has none.
func RoomOf(pkg string) *Room {
	for i := range Rooms {
		if Rooms[i].holds(pkg) {
			return &Rooms[i]
		}
	}
	return nil
}

func (r *Room) holds(pkg string) bool {
	for _, entry := range slices.Concat(r.Packages, r.Pending) {
		prefix, all := strings.CutSuffix(entry, "...")
		if entry == pkg || all && strings.HasPrefix(pkg, prefix) {
			return true
		}
	}
	return false
}

// MayImport reports whether packages of r may import packages of dep: those in lower rows, those of the same room if it
// is Together, and within row 0 each other.
func (r *Room) MayImport(dep *Room) bool {
	if r.Row != dep.Row {
		return dep.Row < r.Row
	}
	return r.Together && dep.Together && (r == dep || r.Row == 0)
}
