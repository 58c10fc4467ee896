package check

import (
	"iter"
	"net/http"
	"slices"
	"strings"
)

// headers are requests of HTTP that are odd where their bodies are not.
func headers(b *maker) iter.Seq[*message] {
	var list []*message
	add := func(about string, status func(int) bool, header http.Header) *message {
		id := b.id()
		m := newBroken(b.ping(id), about, id)
		m.header, m.status = header, status
		list = append(list, m)
		return m
	}
	odd := []payload{{"none", ""}, {"text/plain", "text/plain"}, {"a form", "application/x-www-form-urlencoded"},
		{"UTF-16", "application/json; charset=utf-16"}, {"a byte 80", "application/json\x80"}, {"a long one", strings.Repeat("a/", 2000)},
		{"no type", ";;;,"}, {"anything", "*/*"}, {"a quality", "application/json;q=0, text/event-stream;q=0"}}
	for _, name := range []string{"Content-Type", "Accept", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Content-Encoding", "Last-Event-Id", "Origin"} {
		for _, p := range odd {
			h := http.Header{name: {p.raw}}
			if p.raw == "" {
				h[name] = nil
			}
			add(p.name+" as "+name, okOrRefused, h)
		}
	}
	add("another version", okOrRefused, http.Header{"Mcp-Protocol-Version": {"2024-11-05"}})
	add("a version to come", okOrRefused, http.Header{"Mcp-Protocol-Version": {"9999-12-31"}})
	add("two versions", okOrRefused, http.Header{"Mcp-Protocol-Version": {"2025-11-25", "2026-07-28"}})
	add("another origin", okOrRefused, http.Header{"Origin": {"http://evil.example"}, "Sec-Fetch-Site": {"cross-site"}})
	add("another host", okOrRefused, http.Header{"Host": {"evil.example"}})
	if b.version < sessionless {
		add("a session that is none", isRefused, http.Header{"Mcp-Session-Id": {"no-such-session"}})
		add("a session like a path", isRefused, http.Header{"Mcp-Session-Id": {"../../x"}})
	}
	for _, verb := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
		m := add(verb, okOrRefused, http.Header{"Mcp-Session-Id": nil, "Accept": {"application/json"}})
		m.verb = verb
	}
	return slices.Values(list)
}

func isRefused(status int) bool { return status >= 400 && status < 500 }

func okOrRefused(status int) bool { return status >= 200 && status < 300 || isRefused(status) }
