// Package config makes a whole server of a configuration file: the servers behind it, the face before it, and the
// controls of the gateway surface, section 4.5, between them. It is what "cash serve" runs:
//
//	file, err := config.Load("tools.yaml")
//	if err != nil {
//		log.Fatal(err) // tools.yaml:7:14: retry.base_delay: "soon" is not a duration ...
//	}
//	srv, err := config.Start(ctx, file, nil)
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer srv.Close(context.Background())
//	http.ListenAndServe("127.0.0.1:8080", srv.Handler())
//
// Package cash/upstream/config reads the file; its [File] lists all keys.
//
//	file ─► File ─► Start ─► aggregator ─► registry ─► controls ─► face ─► Handler, Run
//	                            ▲                          ▲
//	later file ─► Reload ───────┴── servers that differ ───┴── rules and limits
//
// A reload keeps connections of clients, and of servers whose entries are the same. The controls stay in place, with
// their counts, cached results and open questions. A file that is refused changes nothing. While servers are swapped,
// the strictest of the former and the new rules decides.
//
// # Limits
//
//   - The face, its name and texts, pins, artifacts, secrets, the catalog and manifests that are gone need a new start:
//     [Server.Reload] says which key it is.
//   - Before a reload, the servers that are new or differ are connected on trial, so that two of a command run for
//     a moment.
//   - There are no accounts of callers: set serve.Options.Identify by [Options].Serve. Without it, over HTTP everyone is
//     anonymous, and entries for roles are visible to nobody.
//   - State is in memory and on disk. For replicas, build a server in Go with package cash/redis.
package config
