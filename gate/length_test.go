package gate_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/gate"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func text(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

func TestLength(t *testing.T) {
	tests := []struct {
		name       string
		content    []mcp.Content
		structured string
		want       int
	}{
		{"R90 nothing", nil, "", 0},
		{"R90 code points, not bytes", []mcp.Content{text(strings.Repeat("\u00e9", 10_000))}, "", 10_000},
		{"R90 outside the basic plane", []mcp.Content{text("\U0001F600\U0001F600")}, "", 2},
		{"R90 invalid UTF-8 counts each byte", []mcp.Content{text("a\xff\xfe")}, "", 3},
		{"R90 sums blocks", []mcp.Content{text("abc"), text("de")}, "", 5},
		{"R92 longer structured content", []mcp.Content{text("abc")}, `{"a":"\u00e9"}`, 14},
		{"R92 structured content in code points", nil, "\"\u00e9\u00e9\"", 4},
		{"R92 longer content", []mcp.Content{text("abcdefghi")}, `{"a":1}`, 9},
		{"R106 image as base64", []mcp.Content{&mcp.ImageContent{Data: make([]byte, 15_000)}}, "", 20_000},
		{"R106 audio with padding", []mcp.Content{&mcp.AudioContent{Data: make([]byte, 4)}}, "", 8},
		{"R106 embedded text", []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", MIMEType: "c/d", Text: "\u00e9\u00e9"}}}, "", 8},
		{"R106 embedded blob", []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", Blob: make([]byte, 3)}}}, "", 7},
		{"R106 link", []mcp.Content{&mcp.ResourceLink{URI: "a:b", Name: "n", Title: "ti", Description: "des", MIMEType: "c/d"}}, "", 12},
		{"R106 icons of a link", []mcp.Content{&mcp.ResourceLink{URI: "a:b", Icons: []mcp.Icon{{Source: "data:xyz"}}}}, "", 11},
		{"nil blocks", []mcp.Content{nil, (*mcp.TextContent)(nil), (*mcp.ImageContent)(nil), (*mcp.AudioContent)(nil), (*mcp.EmbeddedResource)(nil), &mcp.EmbeddedResource{}, (*mcp.ResourceLink)(nil), (*other)(nil), text("x")}, "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := gate.Length(tt.content, json.RawMessage(tt.structured)); got != tt.want {
				t.Errorf("Length = %d, want %d", got, tt.want)
			}
		})
	}
}

// other stands for a kind of content that the package does not know.
type other struct {
	mcp.Content
	wire string
	err  error
}

func (o *other) MarshalJSON() ([]byte, error) { return []byte(o.wire), o.err }

// Kinds of content that nobody thought of must not slip past the gate.
func TestLengthOfOtherContent(t *testing.T) {
	tests := []struct {
		name  string
		block mcp.Content
		want  int
	}{
		{"its wire form", &other{wire: "{\"a\":\"\u00e9\"}"}, 9},
		{"a value that wraps a known kind", struct{ mcp.Content }{text("abc")}, len(`{"type":"text","text":"abc"}`)},
		{"without a wire form", &other{wire: "abc", err: errors.New("cannot be sent")}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := gate.Length([]mcp.Content{tt.block}, nil); got != tt.want {
				t.Errorf("Length = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestLengthAllocatesNothing(t *testing.T) {
	content := []mcp.Content{
		text(strings.Repeat("\u00e9", 1000)),
		&mcp.ImageContent{Data: make([]byte, 1000)},
		&mcp.AudioContent{Data: make([]byte, 1000)},
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", Text: "abc"}},
		&mcp.ResourceLink{URI: "a:b", Icons: []mcp.Icon{{Source: "a:c"}}},
	}
	structured := json.RawMessage(strings.Repeat("1é", 1000))
	if n := testing.AllocsPerRun(10, func() { gate.Length(content, structured) }); n != 0 {
		t.Errorf("Length made %v allocations, want none", n)
	}
}

func TestSuggest(t *testing.T) {
	tests := []struct{ length, want int }{
		{math.MinInt, 0}, {-1, 0}, {0, 0},
		{1, 1}, {7, 7}, {20, 21}, {99, 103}, {100, 104}, {909, 950}, {10_001, 10_500},
		{48_000, 50_000}, {50_000, 52_000}, {50_001, 52_100}, {5_000_400, 5_210_000},
		{math.MaxInt, math.MaxInt}, {math.MaxInt - 1000, math.MaxInt},
	}
	for _, tt := range tests {
		if got := gate.Suggest(tt.length); got != tt.want {
			t.Errorf("R94 Suggest(%d) = %d, want %d", tt.length, got, tt.want)
		}
	}
}

func FuzzSuggest(f *testing.F) {
	for _, n := range []int{0, 1, 909, 910, 48_000, math.MaxInt / 11 * 10, math.MaxInt} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n int) {
		got := gate.Suggest(n)
		switch {
		case n <= 0:
			if got != 0 {
				t.Errorf("Suggest(%d) = %d, want 0", n, got)
			}
		case got == math.MaxInt: // as far as an int goes
			if n < math.MaxInt/100*95 {
				t.Errorf("Suggest(%d) gave up early", n)
			}
		case got < n, float64(got) > 1.05*float64(n):
			t.Errorf("R94 Suggest(%d) = %d, want at most 5 %% more", n, got)
		case n >= 100 && float64(got) < 1.0399*float64(n):
			t.Errorf("R94 Suggest(%d) = %d, less than the data may grow", n, got)
		}
	})
}
