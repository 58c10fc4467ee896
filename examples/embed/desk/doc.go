// Package desk is an HTTP service with routes, a login and a database of its own, a ticket desk, that also has an MCP
// endpoint at /mcp. README.md of examples/embed, whose command runs it, is a guide to it.
//
//	cfg, err := desk.Configure(os.Args[1:], os.Getenv, os.Stderr)
//	s, err := desk.New(cfg, os.Stderr, nil)
//	err = s.Run(ctx, os.Stdout)
//
// The service: config.go, service.go, login.go, token.go, trace.go, address.go, desk.go, store.go. What MCP adds:
// mcp.go, carrier.go.
//
// # Limits
//
// The database is in memory (memory.go), with three users and their tickets.
package desk
