// Package pin remembers which definitions of tools an operator has accepted, and
// keeps others from being served. A server cannot change what a model reads of a
// tool, or what a tool takes, until somebody has looked at the difference:
//
//	pins, err := pin.OpenFile("pins.json")
//	agg := upstream.New(reg, &upstream.Options{Pins: pins, Mode: pin.FirstUse})
//	for _, s := range agg.Status() {
//		for _, q := range s.Quarantined {
//			fmt.Println(q.Tool, q.Reason, q.Difference)
//		}
//	}
//
// # How it works
//
//	tools/list ──► ParseDefinitions ──► Keeper.Review ──► Served
//	                                      │       └─────► Quarantined: Tool, Hash, Difference
//	                        Store: Load, Swap              │
//	                                      └── Keeper.AcceptRead ◄── an operator
//
// A [Definition] has a hash, by which it is compared and accepted. A [Store] keeps the
// accepted ones of each upstream: [Memory] for the life of the process, [File] in a
// file that people can read. Changes are compare and swap, by revision, and are
// noticed by all who use the store.
//
// # Limits
//
// Pins cover what a server says of its tools, not what they do. Two processes may
// read one file; of what both write in the same moment, one change may be lost.
package pin
