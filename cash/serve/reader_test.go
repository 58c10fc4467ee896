package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// TestResourceTexts holds that the address of an unknown resource is repeated as
// JSON, whatever is in it, and that the server goes on.
func TestResourceTexts(t *testing.T) {
	for link, c := range raws(t, cash.NewServer(whoami(), nil)) {
		t.Run(link, func(t *testing.T) {
			for _, text := range []string{
				"\x00", "\x07", "\x0b", "\x1b", "\x7f", "\u0085", "\u200b", "\ue000", "\U000e0041", "\U0010ffff",
				`"},"id":7,"x":{"`, "a\nb", "data: x\n\nid: 3", "file:///etc/passwd", "", "plain",
			} {
				spelt, _ := json.Marshal(text)
				_, answer := c.send(t, "1", "resources/read", fmt.Sprintf(`"uri":%s`, spelt))
				var got struct {
					ID    int
					Error struct {
						Message string
						Data    struct{ URI string }
					}
				}
				if err := json.Unmarshal([]byte(answer), &got); err != nil || got.ID != 1 || got.Error.Message == "" {
					t.Errorf("%q: %s, %v", text, answer, err)
				} else if got.Error.Message == "Resource not found" && got.Error.Data.URI != text {
					t.Errorf("%q is repeated as %q", text, got.Error.Data.URI)
				}
				c.alive(t)
			}
			if _, answer := c.send(t, "1", "resources/read", `"uri":"x:`+strings.Repeat("x", 1<<20)+`"`); len(answer) > 2_000 {
				t.Errorf("a long address is answered with %d bytes", len(answer))
			}
		})
	}
}

// TestExactIDs holds that an answer has the id of its call, exactly as it came, or
// that the call is refused.
func TestExactIDs(t *testing.T) {
	for link, c := range raws(t, cash.NewServer(whoami(), nil)) {
		t.Run(link, func(t *testing.T) {
			for _, id := range []string{"0", "-1", "9007199254740991", "-9007199254740991", `""`, `"a"`, `"\u0041"`, `"1"`, `"\u0000id:7"`, `"é\n"`} {
				_, answer := c.send(t, id, "tools/list", "")
				if got := member(t, answer, "id"); !sameString(got, id) || !strings.Contains(answer, `"result"`) {
					t.Errorf("%s is answered with %.200s", id, answer)
				}
			}
			for _, id := range []string{"9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1.5", "1.0", "1e3", "-0", "1e400", "123456789012345678901234567890"} {
				_, answer := c.send(t, id, "tools/list", "")
				switch {
				case link == "lines" && (member(t, answer, "id") != id || !strings.Contains(answer, `"result"`)):
					t.Errorf("%s is answered with %.200s", id, answer)
				case link != "lines" && (member(t, answer, "id") != "null" || !strings.Contains(answer, "-32600")):
					t.Errorf("%s is answered with %.200s", id, answer)
				}
			}
			for _, id := range []string{"null", "true", "{}", "[1]", `"` + strings.Repeat("x", 10_000) + `"`, `"\ud800"`} {
				if _, answer := c.send(t, id, "tools/list", ""); member(t, answer, "id") != "null" || !strings.Contains(answer, "-32600") {
					t.Errorf("%.40s is answered with %.200s", id, answer)
				}
			}
			c.alive(t)
		})
	}
}

// member returns a member of a JSON object as it is spelt.
func member(t *testing.T, object, key string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		t.Fatalf("%.200s: %v", object, err)
	}
	return string(members[key])
}

// sameString reports whether two spellings are of one JSON value.
func sameString(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && x == y
}

// TestStrictMessages holds that all links take the same messages, and say why not
// in the same words.
func TestStrictMessages(t *testing.T) {
	wide := func(n int) string { return "[" + strings.Repeat("{},", n) + "{}]" }
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for link, c := range raws(t, cash.NewServer(whoami(), nil)) {
		t.Run(link, func(t *testing.T) {
			for _, tt := range []struct{ name, message, id, code, words string }{
				{"trailing data", `{"jsonrpc":"2.0","id":1,"method":"ping"} x`, "null", "-32700", "data after the JSON document"},
				{"two messages", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, "null", "-32700", "data after the JSON document"},
				{"a byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "null", "-32700", "expected a JSON value"},
				{"cut off", `{"jsonrpc":"2.0","id":1,"method":"pi`, "null", "-32700", "unexpected end of input"},
				{"no object", `7`, "null", "-32600", "a JSON-RPC message is an object"},
				{"no version", `{"id":1,"method":"ping"}`, "1", "-32600", `must be \"2.0\"`},
				{"a version that is a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, "1", "-32600", `must be \"2.0\"`},
				{"two methods", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, "1", "-32600", `the message has \"method\" twice`},
				{"two methods in disguise", `{"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"tools/list"}`, "1", "-32600", `the message has \"method\" twice`},
				{"two ids", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, "1", "-32600", `the message has \"id\" twice`},
				{"bad UTF-8 in the method", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}", "1", "-32700", "invalid UTF-8"},
				{"bad UTF-8 in the params", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"\xff\"}}", "1", "-32700", "invalid UTF-8"},
				{"a key twice in the params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","name":"help"}}`, "1", "-32700", `duplicate key \"name\"`},
				{"a method that is a number", `{"jsonrpc":"2.0","id":1,"method":7}`, "1", "-32600", "the method must be a string"},
				{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such\u001b"}`, "1", "-32601", `method not found: \"no/such\"`},
				{"a long method", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 1<<20) + `"}`, "1", "-32601", "method not found"},
				{"a method and a result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, "1", "-32600", "a method and a result"},
				{"neither", `{"jsonrpc":"2.0","id":1}`, "null", "-32600", "the message has no method"},
				{"an answer to a list", `{"jsonrpc":"2.0","id":["a"],"result":{}}`, "null", "-32600", "an answer has the id of its request"},
				{"an answer to nobody", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`, "null", "-32600", "an answer has the id of its request"},
				{"an error that is a text", `{"jsonrpc":"2.0","id":1,"error":"m"}`, "null", "-32600", "an error has a code"},
				{"a notification with an id", `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, "1", "-32600", "is a notification, which has no id"},
				{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, "1", "-32602", "tools/call needs params"},
				{"a list of params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, "1", "-32602", "params must be an object, not of type array"},
				{"a name that is a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":9007199254740993}}`, "1", "-32602", "params.name must be a string, not of type number"},
				{"an address that is a list", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":["secret"]}}`, "1", "-32602", "params.uri must not be of type array"},
				{"a client without a name", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":7}}}`, "1", "-32602", "params.clientInfo.name must not be of type number"},
				{"an odd reference", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"secret"}}}`, "1", "-32602", "params are not what the method takes"},
				{"odd answers", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","inputResponses":7}}`, "1", "-32602", "params.inputResponses must not be of type number"},
				{"metadata that is a list", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}`, "1", "-32602", "params._meta must be an object, not of type array"},
				{"metadata beyond numbers", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":[1e400]}}}`, "1", "-32602", "a number that no float64 holds"},
				{"a progress token that would be rounded", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":9007199254740993}}}`, "1", "-32602", "progressToken must be"},
				{"many values in metadata", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":` + wide(13_000) + `}}}`, "1", "-32600", "more than 12000 values"},
				{"many values in arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","arguments":{"a":` + wide(120_000) + `}}}`, "1", "-32600", "values"},
				{"depth in metadata", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":` + deep(70) + `}}}`, "1", "-32600", "nested deeper than 64"},
				{"depth in arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","arguments":{"a":` + deep(2_000) + `}}}`, "1", "-32600", "nested deeper than 1000"},
				{"depth anywhere", deep(100_000), "null", "-32600", "nested deeper than 1000"},
				{"too many bytes", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("x", 5<<20) + `"}}`, "1", "-32600", "larger than 4456448 bytes"},
				{"too many bytes, id last", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"` + strings.Repeat("x", 5<<20) + `"},"id":1}`, "null", "-32600", "larger than 4456448 bytes"},
				{"an empty batch", `[]`, "null", "-32600", "the batch is empty"},
				{"a batch of many", "[" + strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/initialized"},`, 100) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", "-32600", "more than 100 messages"},
			} {
				status, answer := c.post(t, tt.message, http.Header{"Mcp-Protocol-Version": {c.version}})
				if member(t, answer, "id") != tt.id || !strings.Contains(answer, tt.code) || !strings.Contains(answer, tt.words) || len(answer) > 400 {
					t.Errorf("%s: %d %.400s", tt.name, status, answer)
				}
				for _, leak := range []string{"secret", "mcp.", "json:", "Go "} {
					if strings.Contains(answer, leak) {
						t.Errorf("%s: says %q: %s", tt.name, leak, answer)
					}
				}
				if status != 0 && (status < 400 || tt.id == "null") && !(c.version == "2025-11-25" && (tt.code == "-32601" || tt.code == "-32602")) && status < 400 {
					t.Errorf("%s: status %d", tt.name, status)
				}
			}
			c.alive(t)
		})
	}
}

// TestArgumentsAreTheTools holds that mistakes inside a tool's arguments are told
// by the tool, where a model reads them.
func TestArgumentsAreTheTools(t *testing.T) {
	for link, c := range raws(t, cash.NewServer(whoami(), nil)) {
		t.Run(link, func(t *testing.T) {
			for args, words := range map[string]string{
				`{"function":"whoami","function":"whoami"}`:                                 "duplicate key",
				"{\"function\":\"who\xffami\"}":                                             "invalid UTF-8",
				`{"function":"\ud800"}`:                                                     "lone surrogate",
				`{"kwargs":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`:    "nested deeper than",
				`{"kwargs":{"x":"` + strings.Repeat("x", 4<<20) + `"},"function":"whoami"}`: "at most 4194304 are taken",
			} {
				if _, answer := c.send(t, "1", "tools/call", `"name":"call","arguments":`+args); !strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, words) {
					t.Errorf("%.60s: %.300s", args, answer)
				}
			}
		})
	}
}

// TestSessionsBegin holds that what cannot begin a session does not.
func TestSessionsBegin(t *testing.T) {
	_, url := start(t, serve.Options{}, nil)
	post := poster(url, nil)
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `[` + initialize + `]`,
	} {
		if status, answer := post(t, message, nil); status != 400 || !strings.Contains(answer, "-32600") {
			t.Errorf("%s: %d %s", message, status, answer)
		}
	}
	if status, answer := post(t, initialize, nil); status != 200 || !strings.Contains(answer, `"serverInfo"`) {
		t.Errorf("initialize: %d %s", status, answer)
	}
}
