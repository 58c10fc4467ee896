// Package observe tells an embedder what becomes of each request that a server gets, and of each request that the
// server sends to others.
//
// A [Hook] is set in two places, and may be the same value in both: Observe in serve.Options for what is served, and
// Observe in upstream.Options for what is sent to upstream servers. [Hooks] combines several. The requests that a call
// sends upstream begin and end within the context of that call.
package observe
