// Package discover finds MCP servers by their manifests (RFC 5.4.2): it fetches each
// manifest when its time has come, and chooses where in the tree its server stands.
// It connects to no server; Discover of upstream.Aggregator mounts what is found.
//
//	f, err := discover.Follow("https://shop.example/.well-known/cash-mcp.yaml", nil)
//	var labels discover.Labels
//	for {
//		f.Fetch(ctx)
//		if f.Err() == nil {
//			places := labels.Choose([]*discover.Follower{f}, taken)[f]
//			...
//		}
//		time.Sleep(f.Next())
//	}
//
// All that a manifest says is a stranger's word. Package manifest decides which
// endpoint it may name; [Labels] decides which labels it gets.
//
// # Limits
//
// At most 64 namespaces of a manifest are used.
package discover
