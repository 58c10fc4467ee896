// Package redis shares the state of a server's replicas over Redis or Valkey: a plan token runs a function once on
// whichever replica it arrives, a quota counts for all of them, an approval is asked on one and settled on another, and
// results, accepted definitions and artifacts are the same everywhere.
//
//	shared, err := redis.New(ctx, &redis.Options{Addresses: []string{"10.0.0.7:6379"}, Password: password, Key: key})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer shared.Close()
//	for _, lost := range shared.Forgets() {
//		log.Print("redis: ", lost)
//	}
//	plans := control.NewPlans(&control.PlanOptions{Keys: [][]byte{planKey}, Store: shared.Plans()})
//	quota := control.NewQuota(&control.QuotaOptions{Store: shared.Quota(), Default: control.Limit{PerMinute: 60}})
//	approvals := control.NewApprovals(&control.ApprovalOptions{Store: shared.Approvals()})
//	cache := control.NewCache(&control.CacheOptions{ReadOnly: true, Store: shared.Results()})
//	fw := firewall.New(&firewall.Options{Store: shared.Artifacts()})
//	agg := upstream.New(reg, &upstream.Options{Pins: shared.Pins(), Catalogs: shared.Catalogs()})
//
// # How it works
//
// Each decision is one Lua script with the clock of the server, and one round trip. Room for an artifact is reserved
// before, written, listed, and given back. Nothing else is asked for in advance, and nothing is cached here, so that a
// call without controls does not need the server.
//
//	store      keys with one hash tag             without the server
//	Plans      each token                         calls with a token are refused
//	Quota      each owner                         calls are refused, or pass with Options.QuotaOpen
//	Approvals  all                                calls that need a person are refused
//	Pins       all                                nothing new of an upstream is served
//	Results    all                                nothing is found or kept
//	Catalogs   all                                each replica reads upstreams itself
//	Artifacts  all for the index, each content    large results are described, and not kept
//
// A script runs on the node of its tag, which sees all that its limits are about. So a cluster spreads tokens, counts
// and contents of artifacts. What has the tag {all} is on one node.
//
// An operation is bounded by the deadline of its call and by [Options.Timeout]. After five failures in a row, a circuit
// breaker refuses operations for a second, and then tries one. No operation is repeated: if an answer is lost, a claimed
// token stays used.
//
// Decisions of people, changed pins and catalogs of upstreams are published to all replicas, which tell their clients.
// Messages may be lost, so that each replica also asks once a second what it waits for. What a registry holds of its own
// is the code of each process: changes of that are not published.
//
// A reservation of room for a result is a lease. A replica renews it as long as it lives; that of a killed one lapses
// within half a minute. A content is written in chunks of 512 KiB before it is listed, and expires by itself.
//
// # Restarts and failover
//
// With appendonly yes and appendfsync always, a server that is killed forgets nothing that it has confirmed. Clients
// use it again within two seconds. [Client.Forgets] tells what another configuration may lose. Until then, tool_execute
// refuses functions with effects before they run, because their results might be lost.
//
// Replication is asynchronous. Without [Options.Replicas], a failover forgets what the new server had not received:
// used tokens may run once more, approvals may be used again, results and artifacts are lost. With it, used tokens and
// approvals, definitions and kept results count once the replicas have them, by WAIT. Quotas do not wait.
//
// README.md has the keys, what fails how, the measured losses of a failover, and the round trips and costs of calls.
//
// # What the operator of the server sees
//
// Keys have hashes of owners, tokens, handles, labels and functions. Without [Options.Key], names that can be guessed
// can be found by their hash, and values are readable. With it, names are HMAC-SHA256 and values are sealed with
// AES-256-GCM, each for its place. Sizes, times, limits and how often something happens stay visible, and the operator
// can delete.
//
// # Limits
//
//   - The server is Redis 6.2, Valkey 7.2 or later, alone or as a cluster. Scripts, INFO, TIME, PUBLISH and SUBSCRIBE
//     must be allowed.
//   - Its maxmemory bounds plan tokens and counts of owners. At the limit, new ones are refused with
//     [control.ErrNoRoom] and none is forgotten. A count of an owner takes some 200 bytes and 20 for each call of the
//     last minute.
//   - A server that restarts without an append-only file has forgotten used tokens: each may run once more within its
//     life.
//   - Times are those of the server. If its clock is set forward, promises end early; if it is set back, calls wait for
//     a minute at most.
//   - All replicas have the same prefix, key and limits.
package redis
