package blocks_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/blocks"
)

// kinds has a block of each kind, with X in all of its texts.
const kinds = `{"content":[` +
	`{"type":"text","text":"aX\r\nb","_meta":{"keyX":["vX",{"innerX":"vX","n":1.5}],"other":null},"annotations":{"audience":["userX"],"lastModified":"2025X","priority":0.5}},` +
	`{"type":"image","data":"G1szMW0=","mimeType":"image/pngX","_meta":{"a":"bX"},"annotations":{"audience":["userX"]}},` +
	`{"type":"audio","data":"G1szMW0=","mimeType":"audio/wavX","_meta":{"a":"bX"}},` +
	`{"type":"resource_link","uri":"a:bX","name":"nX","title":"tX","description":"dX","mimeType":"mX","size":7,"_meta":{"a":"bX"},"annotations":{"lastModified":"2025X"},` +
	`"icons":[{"src":"a:bX","mimeType":"mX","sizes":["48x48X"],"theme":"darkX"}]},` +
	`{"type":"resource","resource":{"uri":"a:bX","mimeType":"mX","text":"aX\r\nb","_meta":{"a":"bX"}},"_meta":{"a":"bX"},"annotations":{"lastModified":"2025X"}},` +
	`{"type":"resource","resource":{"uri":"a:bX","blob":"G1szMW0="}},` +
	`{"type":"tool_use","id":"iX","name":"nX","input":{"aX":"bX"}},` +
	`{"type":"tool_result","toolUseId":"iX","content":[{"type":"text","text":"aX"}],"structuredContent":{"aX":"bX"}}` +
	`]}`

func read(t *testing.T, hidden string) []mcp.Content {
	t.Helper()
	quoted, err := json.Marshal(hidden)
	if err != nil {
		t.Fatal(err)
	}
	var r mcp.CallToolResult
	if err := json.Unmarshal([]byte(strings.ReplaceAll(kinds, "X", string(quoted[1:len(quoted)-1]))), &r); err != nil {
		t.Fatal(err)
	}
	return r.Content
}

func spelled(t *testing.T, list []mcp.Content) string {
	t.Helper()
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every text of every kind of block is cleaned, and nothing else of it changes.
func TestClean(t *testing.T) {
	want := spelled(t, read(t, ""))
	for _, hidden := range []string{"", "\x1b[31m", "\u202e", "\U000e0041", "\x07", "\x00", "\u009b1m"} {
		list := read(t, hidden)
		blocks.Clean(list)
		if got := spelled(t, list); got != want {
			t.Errorf("with %+q:\n%s\nwant\n%s", hidden, got, want)
		}
	}
	if n := strings.Count(want, "G1szMW0="); n != 3 {
		t.Errorf("%d blocks have their data: %s", n, want)
	}
}

// A text of JSON is cleaned string by string, and what is clean keeps its bytes.
func TestCleanJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"b": 9007199254740993, "a":"\u00e9"}`:          `{"b": 9007199254740993, "a":"\u00e9"}`,
		`{"b": 9007199254740993, "a":"\u001b[1m\u00e9"}`: `{"b": 9007199254740993, "a":"é"}`,
	} {
		list := []mcp.Content{&mcp.TextContent{Text: text}, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{Text: text}}, &mcp.EmbeddedResource{}, nil}
		blocks.Clean(list)
		if got := []string{list[0].(*mcp.TextContent).Text, list[1].(*mcp.EmbeddedResource).Resource.Text}; !slices.Equal(got, []string{want, want}) {
			t.Errorf("%s becomes %q", text, got)
		}
	}
}

// Keys that are alike once they are clean do not hide one another.
func TestMeta(t *testing.T) {
	meta := map[string]any{
		"a": "proper", "a\u202e": "forged", "b\x00": "first", "b\x01": "second",
		"raw": json.RawMessage(`{"n":9007199254740993,"s":"\u001b[1mx"}`),
	}
	blocks.Meta(meta)
	data, err := json.Marshal(meta)
	if want := `{"a":"proper","b":"first","raw":{"n":9007199254740993,"s":"x"}}`; err != nil || string(data) != want {
		t.Errorf("%s, want %s", data, want)
	}
	blocks.Meta(nil)
}

// What is clean costs no memory.
func TestCleanAllocates(t *testing.T) {
	list := read(t, "")[:6]
	if n := testing.AllocsPerRun(10, func() { blocks.Clean(list) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
