package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/serve"
)

// TestStandardHeaders holds that headers which repeat parts of a message are
// compared with it, and what is told of those that do not.
func TestStandardHeaders(t *testing.T) {
	_, url := start(t, serve.Options{}, nil)
	post := poster(url, nil)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + requestMeta + `,"name":"call","arguments":{"function":"whoami"}}}`
	read := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{` + requestMeta + `,"uri":"x:é\u001b"}}`
	long := strings.Repeat("x", 4_000)
	for _, tt := range []struct{ name, message, version, method, named, want string }{
		{"all is well", call, "2026-07-28", "tools/call", "call", "nobody"},
		{"an encoded name", call, "2026-07-28", "tools/call", "=?base64?Y2FsbA==?=", "nobody"},
		{"an encoded address", read, "2026-07-28", "resources/read", "=?base64?eDrDqRs=?=", "Resource not found"},
		{"no version", call, "", "tools/call", "call", "Mcp-Protocol-Version is missing"},
		{"no method", call, "2026-07-28", "", "call", "Mcp-Method is missing"},
		{"no name", call, "2026-07-28", "tools/call", "", "Mcp-Name is missing"},
		{"another version", call, "2026-07-29", "tools/call", "call", "Mcp-Protocol-Version is not the version in params._meta"},
		{"another method", call, "2026-07-28", long, "call", "Mcp-Method is not the message's method"},
		{"another name", call, "2026-07-28", "tools/call", long, "Mcp-Name is not the name in the message's params"},
		{"half an encoding", call, "2026-07-28", "tools/call", "=?base64?Y2Fs?=", "Mcp-Name is not"},
		{"no encoding", call, "2026-07-28", "tools/call", "=?base64?!?=", "Mcp-Name is not"},
	} {
		header := http.Header{}
		for key, value := range map[string]string{"Mcp-Protocol-Version": tt.version, "Mcp-Method": tt.method, "Mcp-Name": tt.named} {
			if value != "" {
				header[key] = []string{value}
			}
		}
		status, answer := post(t, tt.message, header)
		if member(t, answer, "id") != "1" || !strings.Contains(answer, tt.want) || len(answer) > 500 || (status == 200) == strings.Contains(answer, `"error"`) {
			t.Errorf("%s: %d %.300s", tt.name, status, answer)
		}
	}
}
