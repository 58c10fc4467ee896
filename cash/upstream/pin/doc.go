// Package pin stores the definitions of tools and skills that an operator has accepted, and quarantines all others. A
// server cannot change what a model reads about a tool, what a tool takes, or a skill, until an operator has reviewed
// the difference:
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
//	tools/list ──► ParseDefinitions ─┐
//	skills/list ─────────────────────┴► Keeper.Review ──► Served
//	                                      │       └─────► Quarantined: Tool, Hash, Difference
//	                        Store: Load, Swap              │
//	                                      └── Keeper.AcceptRead ◄── an operator
//
// A [Definition] is compared and accepted by its hash. A [Store] keeps the accepted ones of each upstream: [Memory]
// in the process, [File] in a file that people can read. Changes are compare-and-swap by revision. All users of the
// store are notified of them.
//
// # Limits
//
// Pins cover what a server says about its tools, not what they do, and the text of a skill if the server lists digests
// of its files. Two processes may use one file; if both write at the same moment, one change may be lost.
package pin
