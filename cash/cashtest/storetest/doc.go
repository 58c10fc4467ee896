// Package storetest checks implementations of the stores that replicas of a server share: used plan tokens, counted
// calls, calls that wait for a person, results, accepted definitions, last-known catalogs, and artifacts.
//
//	func TestPlans(t *testing.T) {
//		storetest.Run(t, storetest.Plans(storetest.Subject[control.PlanStore]{
//			Open: func(n int) ([]control.PlanStore, error) { ... }, // n replicas of one empty store
//		}))
//	}
//
// Each row is a duty of the interface. An implementation that breaks one duty fails its row only, as far as the duties
// do not depend on each other.
//
// # How it works
//
// A row opens a store of its own, uses it through two or three replicas, and compares what they answer. Rows about time
// wait for some tenths of a second, or move the clock of the store ([Clock]). If such a row fails and the machine was
// too slow for its times, it is tried again with another store.
//
// # Limits
//
// A row that the subject cannot show is logged as "not checked: ...": a full store without its Room, and whole minutes
// in real time. No row shows what a crash, a lost connection or a failover leaves.
package storetest
