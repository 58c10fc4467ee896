package check_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash/check"
)

// struck is a method that nothing but the product sends, often enough.
const struck = "completion/complete"

// on returns a fault that strikes requests of a method which nothing but the
// product sends.
func on(method string, wrong func(data []byte, right []string) []string) func([]byte, string, []string) []string {
	return func(data []byte, m string, right []string) []string {
		if m != method || len(right) == 1 && right[0] == invalid {
			return right
		}
		return wrong(data, right)
	}
}

// says returns a fault that answers with a text in an error.
func says(text string) func([]byte, string, []string) []string {
	return on(struck, func(_ []byte, right []string) []string {
		for i := range right {
			right[i] = strings.Replace(right[i], `"there is no such method"`, toJSON(text), 1)
		}
		return right
	})
}

// first returns a fault that strikes the first time that it could.
func first(fault func([]byte, string, []string) []string) func([]byte, string, []string) []string {
	done := false
	return func(data []byte, method string, right []string) []string {
		if done {
			return right
		}
		wrong := fault(data, method, slices.Clone(right))
		done = !slices.Equal(wrong, right)
		return wrong
	}
}

func toJSON(text string) string {
	data, _ := json.Marshal(text) // a string can be encoded
	return string(data)
}

// TestHostileFaults: each fault fails the row that is about it, and no other.
func TestHostileFaults(t *testing.T) {
	again := ""
	notes := 0
	for _, tt := range []struct {
		row   string
		fault func(data []byte, method string, right []string) []string
	}{
		{"answered", first(on(struck, func([]byte, []string) []string { return nil }))},
		{"once", on(struck, func(_ []byte, right []string) []string { return append(right, right...) })},
		{"silent", on("notifications/message", func(_ []byte, right []string) []string {
			return []string{`{"jsonrpc":"2.0","id":"x","result":{}}`}
		})},
		{"id", on(struck, func([]byte, []string) []string { return []string{failed([]byte(`"other"`), -32601, "no")} })},
		{"odd-id", func(data []byte, method string, right []string) []string {
			if method != "ping" && method != "" && len(right) == 1 && right[0] == invalid {
				return []string{failed([]byte("1"), -32601, "no")}
			}
			return right
		}},
		{"unreadable", first(func(data []byte, method string, right []string) []string {
			if len(right) == 1 && right[0] == invalid && bytes.Contains(data, []byte(`,"params":{"uri"`)) {
				return nil
			}
			return right
		})},
		{"form", on(struck, func(_ []byte, right []string) []string { return append([]string{"a line of a log"}, right...) })},
		{"error", says("no\x1b[31m")},
		{"error", says(strings.Repeat("x", 2001))},
		{"error", on(struck, func(_ []byte, right []string) []string {
			for i := range right {
				right[i] = strings.Replace(right[i], "-32601", "0", 1)
			}
			return right
		})},
		{"inside", says("cannot unmarshal into *mcp.GetTaskParams")},
		{"inside", says("runtime error: invalid memory address or nil pointer dereference")},
		{"inside", says("bad value %!q(int=1)")},
		{"alive", first(func(data []byte, method string, right []string) []string {
			if method != "ping" && strings.Contains(string(data), `\u001b`) {
				return hang
			}
			return right
		})},
		{"up", on(struck, func([]byte, []string) []string { return exit })},
		{"broken", func(data []byte, _ string, right []string) []string {
			if string(data) == "{" {
				return nil
			}
			return right
		}},
		{"envelope", func(data []byte, _ string, right []string) []string {
			if string(data) == "null" {
				return nil
			}
			return right
		}},
		{"twice", func(data []byte, method string, right []string) []string {
			if strings.Contains(string(data), `"i\u0064":`) {
				return append(right, right...)
			}
			return right
		}},
		{"edge-ids", func(data []byte, method string, right []string) []string {
			if strings.Contains(string(data), `"id":9223372036854775807`) {
				return []string{`{"jsonrpc":"2.0","id":9223372036854775808,"result":{}}`}
			}
			return right
		}},
		{"reused-id", func(data []byte, method string, right []string) []string {
			if method == "tools/list" && len(right) == 1 && right[0] == again {
				return nil
			}
			if method != "" {
				again = ""
			}
			if method == "tools/list" && len(right) == 1 {
				again = right[0]
			}
			return right
		}},
		{"batch", func(data []byte, method string, right []string) []string {
			if n := bytes.Count(data, []byte("jsonrpc")); n == 1000 {
				return slices.Repeat([]string{`{"jsonrpc":"2.0","id":"s20","result":{}}`}, n)
			}
			return right
		}},
		{"flood", func(data []byte, method string, right []string) []string {
			if !strings.HasPrefix(method, "notifications/") && len(right) > 0 {
				notes = 0
			}
			if notes++; notes%100 == 0 {
				return []string{invalid}
			}
			return right
		}},
		{"deep", func(data []byte, _ string, right []string) []string {
			if strings.Contains(string(data), strings.Repeat("[", 50_000)) {
				return exit
			}
			return right
		}},
		{"large", func(data []byte, _ string, right []string) []string {
			if len(data) > 500_000 && data[0] == 'x' {
				return exit
			}
			return right
		}},
		{"wide", func(data []byte, _ string, right []string) []string {
			if strings.Contains(string(data), strings.Repeat("{},", 1000)) {
				return exit
			}
			return right
		}},
	} {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // what is not answered takes no time
				f := &fake{fault: tt.fault}
				got := attack(t, check.HostileTarget{Serve: f.serve, Versions: both[:1], Requests: 100, Seed: 3})
				if want := []string{tt.row}; !slices.Equal(got, want) {
					t.Errorf("failed rows %q, want %q", got, want)
				}
			})
		})
	}
}

// TestHostileWebFaults is the same over HTTP.
func TestHostileWebFaults(t *testing.T) {
	for _, tt := range []struct {
		row    string
		fault  func(data []byte, method string, right []string) []string
		status func(r *http.Request, method string) int
	}{
		{"answered", on(struck, func([]byte, []string) []string { return nil }), nil},
		{"once", on(struck, func(_ []byte, right []string) []string { return append(right, right...) }), nil},
		{"inside", says("http.Error"), nil},
		{"up", on(struck, func([]byte, []string) []string { return exit }), nil},
		{"answered", nil, func(_ *http.Request, method string) int {
			if method == struck {
				return http.StatusInternalServerError
			}
			return 0
		}},
		{"header", nil, func(r *http.Request, _ string) int {
			if r.Method == "BREW" {
				return http.StatusTeapot + 100
			}
			return 0
		}},
	} {
		t.Run(tt.row, func(t *testing.T) {
			web := httptest.NewServer(&fake{fault: tt.fault, status: tt.status})
			defer web.Close()
			got := attack(t, check.HostileTarget{URL: web.URL, Versions: both[1:], Requests: 100, Timeout: time.Minute})
			if want := []string{tt.row}; !slices.Equal(got, want) {
				t.Errorf("failed rows %q, want %q", got, want)
			}
		})
	}
}

// withSkills declares the skills extension with one skill, and applies a fault after that.
func withSkills(fault func([]byte, string, []string) []string) func([]byte, string, []string) []string {
	const skill = `{"uri":"skill://a/b/SKILL.md","frontmatter":{"name":"b","description":"B."},"resources":[{"uri":"skill://a/b/SKILL.md"}]}`
	return func(data []byte, method string, right []string) []string {
		for i, answer := range right {
			answer = strings.Replace(answer, `"capabilities":{`, `"capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}},`, 1)
			if before, _, ok := strings.Cut(answer, `"error":{"code":-32601`); ok && method == "skills/list" {
				answer = before + `"result":{"skills":[` + skill + `]}}`
			}
			right[i] = answer
		}
		return fault(data, method, right)
	}
}

// TestHostileSkills: a server with the skills extension is attacked with its methods, over both kinds of transports, and a
// fault in them fails the row that is about it. A server without the extension is not.
func TestHostileSkills(t *testing.T) {
	parts := []string{"skills/list", "skills/get", "resources/directory/read", `"skill://a/b/SKILL.md"`, `"skill://a/b"`}
	for _, declares := range []bool{true, false} {
		t.Run(fmt.Sprintf("declares=%t", declares), func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			came := make(map[string]int)
			f := &fake{fault: func(data []byte, method string, right []string) []string {
				mu.Lock()
				defer mu.Unlock()
				for _, part := range parts {
					if bytes.Contains(data, []byte(part)) {
						came[part]++
					}
				}
				if slices.Contains(parts, method) && bytes.Contains(data, []byte("example.com/key")) { // of the product
					return append([]string{"a line of a log"}, right...)
				}
				return right
			}}
			target := check.HostileTarget{Serve: f.serve, Versions: both[1:], Requests: 100, Timeout: time.Minute}
			var want []string
			if declares {
				f.fault = withSkills(f.fault)
				web := httptest.NewServer(f)
				defer web.Close()
				target.URL, target.Requests = web.URL, 200
				want = []string{"form", "form"}
			}
			if got := attack(t, target); !slices.Equal(got, want) {
				t.Errorf("failed rows %q, want %q", got, want)
			}
			for _, part := range parts {
				if n := came[part]; declares && n == 0 || !declares && n > 0 {
					t.Errorf("%d messages have %s", n, part)
				}
			}
		})
	}
}
