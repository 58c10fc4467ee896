// Package discover finds MCP servers by their manifests (RFC 5.4.2). It fetches each manifest when it expires, and
// chooses labels for its server. It connects to no server: Aggregator.Discover of package upstream mounts the
// servers.
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
// A manifest is untrusted. Package manifest decides which endpoints it may name; [Labels] decides which labels it
// gets.
//
// # Limits
//
// At most 64 namespaces of a manifest are used.
package discover
