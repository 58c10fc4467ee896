package faulty_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest/faulty"
)

// A faultCase says how a fault looks from outside. The checks get the wire, "http" or
// "stdio", where that makes a difference.
type faultCase struct {
	at    faulty.Stage // 0 for AtCall
	hangs bool
	until string // over stdio, what is awaited before the input ends; the answer's id if empty
	ran   int    // tools that have run
	check func(t *testing.T, wire string, a rawAnswer)
}

// has checks that an answer has all of some pieces.
func has(pieces ...string) func(*testing.T, string, rawAnswer) {
	return func(t *testing.T, _ string, a rawAnswer) {
		t.Helper()
		for _, p := range pieces {
			if !strings.Contains(a.body, p) {
				t.Errorf("%q is not in %.500q", p, a.body)
			}
		}
		if a.err != nil {
			t.Errorf("error %v", a.err)
		}
	}
}

// hasStatus checks a status and headers as pairs.
func hasStatus(code int, header ...string) func(*testing.T, string, rawAnswer) {
	return func(t *testing.T, _ string, a rawAnswer) {
		t.Helper()
		if a.status != code {
			t.Errorf("status %d, want %d (error %v)", a.status, code, a.err)
		}
		for i := 0; i < len(header); i += 2 {
			if got := a.header.Get(header[i]); got != header[i+1] {
				t.Errorf("%s is %q, want %q", header[i], got, header[i+1])
			}
		}
	}
}

// counts checks how often a piece is in an answer.
func counts(piece string, want int) func(*testing.T, string, rawAnswer) {
	return func(t *testing.T, _ string, a rawAnswer) {
		t.Helper()
		if n := strings.Count(a.body, piece); n != want {
			t.Errorf("%q comes %d times, want %d: %.300q", piece, n, want, a.body)
		}
	}
}

// silence checks that nothing has come, and that it was not refused either.
func silence(t *testing.T, wire string, a rawAnswer) {
	t.Helper()
	if a.body != "" || a.status != 0 || wire == "http" && !givenUp(a.err) || wire == "stdio" && a.err != nil {
		t.Errorf("status %d, body %.100q, error %v, want none within the time", a.status, a.body, a.err)
	}
}

// cutOff checks for a reset connection, or a process with status 1.
func cutOff(t *testing.T, wire string, a rawAnswer) {
	t.Helper()
	var exit *exec.ExitError
	if wire == "stdio" && (!errors.As(a.err, &exit) || exit.ExitCode() != 1) {
		t.Errorf("the process ended with %v, want status 1", a.err)
	}
	if wire == "http" && !errors.Is(a.err, syscall.ECONNRESET) && !errors.Is(a.err, io.EOF) && !errors.Is(a.err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want a connection reset", a.err)
	}
}

func cutOffEarly(t *testing.T, wire string, a rawAnswer) {
	t.Helper()
	cutOff(t, wire, a)
	if a.body != "" {
		t.Errorf("body %q", a.body)
	}
}

// listed checks the tools that a list has besides the sound ones.
func listed(want int, check func(t *testing.T, extra []map[string]any)) func(*testing.T, string, rawAnswer) {
	return func(t *testing.T, _ string, a rawAnswer) {
		t.Helper()
		list := tools(t, a)
		if len(list) != 7+want {
			t.Errorf("%d tools, want %d", len(list), 7+want)
		}
		check(t, list[7:])
	}
}

// asJSON is a value of a tool as JSON.
func asJSON(t *testing.T, tool map[string]any, key string) string {
	t.Helper()
	data, err := json.Marshal(tool[key])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// depth is how deep JSON nests.
func depth(s string) int {
	deepest, now := 0, 0
	for _, r := range s {
		switch r {
		case '[', '{':
			now++
			deepest = max(deepest, now)
		case ']', '}':
			now--
		}
	}
	return deepest
}

var faultCases = map[faulty.Fault]faultCase{
	"refused": {check: func(t *testing.T, wire string, a rawAnswer) {
		if wire == "http" && !errors.Is(a.err, syscall.ECONNREFUSED) {
			t.Errorf("error %v, want connection refused", a.err)
		}
		if wire == "stdio" {
			cutOffEarly(t, wire, a)
		}
	}},
	"certificate": {check: func(t *testing.T, _ string, a rawAnswer) {
		if a.err == nil || !strings.Contains(a.err.Error(), "certificate") {
			t.Errorf("error %v, want one about the certificate", a.err)
		}
	}},
	"hang-before": {hangs: true, check: silence},
	"hang-after":  {hangs: true, ran: 1, check: silence},
	"drip": {hangs: true, ran: 1, check: func(t *testing.T, wire string, a rawAnswer) {
		if wire == "http" && !givenUp(a.err) || !strings.Contains(a.body, `"padding":"x`) || strings.Contains(a.body, "content") {
			t.Errorf("body %.100q, error %v", a.body, a.err)
		}
	}},
	"crash": {ran: 1, until: "the process ends before", check: func(t *testing.T, wire string, a rawAnswer) {
		cutOff(t, wire, a)
		if json.Valid([]byte(a.body)) || wire == "stdio" && a.body == "" {
			t.Errorf("body %q, want half of the answer", a.body)
		}
	}},
	"exit":     {ran: 1, check: cutOffEarly},
	"flapping": {check: cutOffEarly},

	"html": {until: "</html>", check: func(t *testing.T, wire string, a rawAnswer) {
		has("<!DOCTYPE html>")(t, wire, a)
		if wire == "http" {
			hasStatus(200, "Content-Type", "text/html; charset=utf-8")(t, wire, a)
		}
	}},
	"unauthorized":      {check: hasStatus(401, "WWW-Authenticate", `Bearer realm="faulty"`)},
	"forbidden":         {check: hasStatus(403)},
	"not-found":         {check: hasStatus(404)},
	"too-many-requests": {check: hasStatus(429, "Retry-After", "7")},
	"internal-error":    {check: hasStatus(500)},
	"unavailable":       {check: hasStatus(503)},
	"redirect-307":      {ran: 1, check: has("hello")}, // the client follows
	"redirect-308":      {ran: 1, check: has("hello")},
	"redirect-loop": {check: func(t *testing.T, _ string, a rawAnswer) {
		if a.err == nil || !strings.Contains(a.err.Error(), "redirects") {
			t.Errorf("error %v, want one about redirects", a.err)
		}
	}},

	"wrong-id":    {ran: 1, until: "hello", check: has(`"id":"nobody"`, "hello")},
	"no-id":       {ran: 1, until: "hello", check: func(t *testing.T, wire string, a rawAnswer) { has(`{"jsonrpc":"2.0","result":`)(t, wire, a) }},
	"negative-id": {ran: 1, until: "hello", check: has(`"id":-7`)},
	"fraction-id": {ran: 1, until: "hello", check: has(`"id":1.5`)},
	"duplicate":   {ran: 1, until: "\n{", check: counts(`"id":1,"result"`, 2)},
	"truncated": {ran: 1, until: "\n", check: func(t *testing.T, wire string, a rawAnswer) {
		has(`{"jsonrpc":"2.0","id":1,"result":{`)(t, wire, a)
		if json.Valid([]byte(a.body)) {
			t.Errorf("body %q is whole", a.body)
		}
	}},
	"deep": {ran: 1, until: "hello", check: func(t *testing.T, _ string, a rawAnswer) {
		if n := depth(a.body); n != 100_002 {
			t.Errorf("%d levels", n)
		}
		if !strings.HasSuffix(strings.TrimSpace(a.body), "}}") {
			t.Errorf("the end is %q", a.body[len(a.body)-100:])
		}
	}},
	"huge": {ran: 1, until: "it is killed before", check: func(t *testing.T, wire string, a rawAnswer) {
		if len(a.body) < 64<<20 {
			t.Errorf("%d bytes, error %v", len(a.body), a.err)
		}
	}},
	"not-rpc": {ran: 1, until: "}", check: has(`{"ok":true`)},
	"noise": {ran: 1, until: "Done in", check: func(t *testing.T, wire string, a rawAnswer) {
		has("npm WARN", "hello", "Done in")(t, wire, a)
		if wire == "stdio" && !strings.HasPrefix(a.body, "npm WARN") || wire == "http" && !strings.Contains(a.body, "event: noise\n") {
			t.Errorf("body %q", a.body)
		}
	}},
	"null-result":        {ran: 1, check: has(`"result":null`)},
	"duplicate-keys":     {ran: 1, check: has(`"id":"nobody","id":1,"result":{"content":[{"type":"text","text":"first"}]},"result":{"content"`, "hello")},
	"invalid-utf8":       {ran: 1, check: notUTF8},
	"notification-flood": {ran: 1, check: counts("notifications/message", 10_000)},
	"request-flood": {ran: 1, check: func(t *testing.T, wire string, a rawAnswer) {
		counts(`"method":"ping"`, 500)(t, wire, a)
		counts(`"method":"elicitation/create"`, 500)(t, wire, a)
		has("hello")(t, wire, a)
	}},

	"unknown-content": {ran: 1, check: has("hologram", "null", "sound")},
	"broken-structured": {ran: 1, check: func(t *testing.T, wire string, a rawAnswer) {
		has(`"structuredContent":{"count":"many"`)(t, wire, a)
	}},
	"wrong-progress": {ran: 1, check: func(t *testing.T, wire string, a rawAnswer) {
		counts("notifications/progress", 7)(t, wire, a)
		counts(`"progressToken":"mine"`, 3)(t, wire, a)
	}},

	"duplicate-tools": {at: faulty.AtList, check: listed(2, func(t *testing.T, extra []map[string]any) {
		if extra[0]["name"] != "echo" || extra[1]["name"] != "echo" || extra[0]["description"] == extra[1]["description"] {
			t.Errorf("tools %v", extra)
		}
	})},
	"hostile-names": {at: faulty.AtList, check: listed(15, func(t *testing.T, extra []map[string]any) {
		all := ""
		for _, tool := range extra {
			all += tool["name"].(string)
		}
		for _, r := range "\x1b\u202e\u200b\U000e0069\n\u0435\x00" {
			if !strings.ContainsRune(all, r) {
				t.Errorf("no name has %U", r)
			}
		}
	})},
	"hostile-descriptions": {at: faulty.AtList, check: listed(17, func(t *testing.T, extra []map[string]any) {
		for _, tool := range extra {
			if d, name := tool["description"], tool["name"].(string); d != tool["title"] || !strings.HasPrefix(name, "described_") {
				t.Errorf("tool %q is described as %q", name, d)
			}
		}
	})},
	"long-names": {at: faulty.AtList, check: listed(2, func(t *testing.T, extra []map[string]any) {
		if n, d := extra[0]["name"].(string), extra[1]["description"].(string); len(n) != 1_000_000 || len(d) != 1_000_000 {
			t.Errorf("lengths %d, %d", len(n), len(d))
		}
	})},
	"colliding-names": {at: faulty.AtList, check: listed(7, func(t *testing.T, extra []map[string]any) {
		if extra[0]["name"] != "getUser" || extra[1]["name"] != "get_user" {
			t.Errorf("tools %v", extra)
		}
	})},
	"cyclic-schema": {at: faulty.AtList, check: listed(6, func(t *testing.T, extra []map[string]any) {
		for i, want := range []string{`"$ref":"#"`, `#/$defs/b`, `$dynamicRef`, `"allOf":[{"$ref":"#"}]`, `"not":{"$ref":"#"}`, `"anyOf"`} {
			if s := asJSON(t, extra[i], "inputSchema"); !strings.Contains(s, want) {
				t.Errorf("schema %d is %s", i, s)
			}
		}
	})},
	"diamond-schema": {at: faulty.AtList, check: listed(1, func(t *testing.T, extra []map[string]any) {
		s := asJSON(t, extra[0], "inputSchema")
		if n := strings.Count(s, "anyOf"); n != 22 || len(s) > 2_000 {
			t.Errorf("%d levels in %d bytes", n, len(s))
		}
	})},
	"not-schema": {at: faulty.AtList, check: listed(1, func(t *testing.T, extra []map[string]any) {
		if n := depth(asJSON(t, extra[0], "inputSchema")); n != 5_001 {
			t.Errorf("%d levels", n)
		}
	})},
	"enum-schema": {at: faulty.AtList, check: listed(1, func(t *testing.T, extra []map[string]any) {
		if n := strings.Count(asJSON(t, extra[0], "inputSchema"), `"value `); n != 100_000 {
			t.Errorf("%d values", n)
		}
	})},
	"deep-schema": {at: faulty.AtList, check: listed(1, func(t *testing.T, extra []map[string]any) {
		if n := depth(asJSON(t, extra[0], "inputSchema")); n != 401 {
			t.Errorf("%d levels", n)
		}
	})},
	"no-object-schema": {at: faulty.AtList, check: listed(11, func(t *testing.T, extra []map[string]any) {
		for _, tool := range extra {
			if s := asJSON(t, tool, "inputSchema"); strings.Contains(s, `"type":"object"`) {
				t.Errorf("schema %s", s)
			}
		}
	})},
	"output-schema": {at: faulty.AtList, check: listed(9, func(t *testing.T, extra []map[string]any) {
		if s := asJSON(t, extra[0], "outputSchema"); !strings.Contains(s, `"$ref":"#"`) {
			t.Errorf("schema %s", s)
		}
	})},
	"list-changing": {at: faulty.AtList, check: listed(1, func(t *testing.T, extra []map[string]any) {
		if extra[0]["name"] != "edition_1" {
			t.Errorf("tool %v", extra[0])
		}
	})},
	"same-cursor":     {at: faulty.AtList, check: has(`"nextCursor":"again"`, `"echo"`)},
	"endless-cursors": {at: faulty.AtList, check: has(`"nextCursor":"page-2"`, `"echo"`)},
	"huge-instructions": {at: faulty.AtConnect, check: func(t *testing.T, _ string, a rawAnswer) {
		if len(a.body) < 3_900_000 {
			t.Errorf("%d bytes", len(a.body))
		}
	}},
}

func notUTF8(t *testing.T, wire string, a rawAnswer) {
	t.Helper()
	if utf8.ValidString(a.body) || !strings.Contains(a.body, "ken") {
		t.Errorf("body %q", a.body)
	}
}

// TestFaults: each fault is there, on each wire, does what it should and no
// more, and ends when the server is healed.
func TestFaults(t *testing.T) {
	if len(faultCases) != len(faulty.Faults()) {
		t.Errorf("%d cases for %d faults", len(faultCases), len(faulty.Faults()))
	}
	for _, fault := range faulty.Faults() {
		c, ok := faultCases[fault]
		if !ok {
			t.Errorf("no case for %q", fault)
			continue
		}
		if c.at == 0 {
			c.at = faulty.AtCall
		}
		t.Run(string(fault)+"/http", func(t *testing.T) {
			t.Parallel()
			f := &faulty.Server{Fault: fault, At: c.at}
			url := f.HTTP(t)
			client := f.Client(t)
			defer sound(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client})
			defer f.Heal()
			var met func() bool
			if c.hangs {
				met = func() bool { return f.Calls() == 1 && f.Ran() == c.ran }
			}
			c.check(t, "http", overHTTPRaw(t, client, url, c.at, met))
			c.counts(t, f, fault)
		})
		if fault.HTTPOnly() {
			continue
		}
		t.Run(string(fault)+"/stdio", func(t *testing.T) {
			t.Parallel()
			f := &faulty.Server{Fault: fault, At: c.at}
			cmd := f.Command(t)
			until := c.until
			if until == "" && !c.hangs {
				until = `"id":1,"result"`
			}
			met := func() bool { return f.Calls() == 1 && f.Ran() == c.ran }
			c.check(t, "stdio", overStdioRaw(t, cmd, c.at, until, met))
			c.counts(t, f, fault)
			f.Heal()
			sound(t, &mcp.CommandTransport{Command: f.Command(t)})
		})
	}
}

// counts checks what has arrived and what has run.
func (c faultCase) counts(t *testing.T, f *faulty.Server, fault faulty.Fault) {
	t.Helper()
	calls := 0
	switch {
	case c.at != faulty.AtCall, fault == "refused", fault == "certificate":
	case fault == "redirect-loop":
		calls = 10
	default:
		calls = 1
	}
	if f.Calls() != calls || f.Ran() != c.ran {
		t.Errorf("%d calls, %d have run, want %d and %d", f.Calls(), f.Ran(), calls, c.ran)
	}
}
