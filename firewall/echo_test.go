package firewall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/firewall"
)

// TestShieldW31StructuredRepeats holds that what a server says twice is kept and
// shown once.
func TestShieldW31StructuredRepeats(t *testing.T) {
	for _, text := range []string{"three words here", strings.Repeat(`[{"name":"ä"}]`+"\n", 1000), `password: hunter2hunter2 "q"`} {
		wrapped, err := json.Marshal(map[string]string{"content": text})
		if err != nil {
			t.Fatal(err)
		}
		once := shield(t, firewall.New(nil), firewall.Result{Content: []mcp.Content{&mcp.TextContent{Text: text}}})
		twice := shield(t, firewall.New(nil), firewall.Result{Content: []mcp.Content{&mcp.TextContent{Text: text}}, Structured: wrapped})
		if twice.Envelope.Summary != once.Envelope.Summary || len(twice.Envelope.Artifacts) != len(once.Envelope.Artifacts) {
			t.Errorf("summary %.200q with %d artifacts; want %.200q with %d", twice.Envelope.Summary, len(twice.Envelope.Artifacts), once.Envelope.Summary, len(once.Envelope.Artifacts))
		}
	}
	for _, other := range []string{`{"content":"else"}`, `{"content":"a","more":1}`, `["a"]`, `{"content":{"x":"a"}}`} {
		got := shield(t, firewall.New(nil), firewall.Result{Content: []mcp.Content{&mcp.TextContent{Text: "a"}}, Structured: json.RawMessage(other)})
		if want := "a\n" + other; got.Envelope.Summary != want {
			t.Errorf("summary %q; want %q", got.Envelope.Summary, want)
		}
	}
}

// TestShieldW40Documents holds that the text of resources that were read stands
// in the summary (section 9.4), and that other resources stay what they are.
func TestShieldW40Documents(t *testing.T) {
	document := func(uri, text string) mcp.Content {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: text}}
	}
	one := shield(t, firewall.New(nil), firewall.Result{Content: []mcp.Content{document("file:///a", "Alpha\u200b.")}})
	if one.Envelope.Summary != "Alpha." || len(one.Content) != 0 {
		t.Errorf("summary %q with %d blocks beside", one.Envelope.Summary, len(one.Content))
	}
	two := shield(t, firewall.New(nil), firewall.Result{Content: []mcp.Content{document("file:///a", "Alpha."), document("file:///b", "Beta.")}})
	if want := "file:///a:\nAlpha.\nfile:///b:\nBeta."; two.Envelope.Summary != want {
		t.Errorf("summary %q; want %q", two.Envelope.Summary, want)
	}
	mixed := shield(t, firewall.New(nil), firewall.Result{Content: []mcp.Content{&mcp.TextContent{Text: "See:"}, document("ui://form", "<form>")}})
	if mixed.Envelope.Summary != "See:" || len(mixed.Content) != 1 {
		t.Errorf("summary %q with %d blocks beside", mixed.Envelope.Summary, len(mixed.Content))
	}
}

// TestShieldW33Prose holds that lines with commas are no table.
func TestShieldW33Prose(t *testing.T) {
	log := strings.Repeat("2026-01-02 started, waiting\n", 500)
	got := shield(t, firewall.New(nil), firewall.Result{Content: []mcp.Content{&mcp.TextContent{Text: log}}})
	if media := got.Envelope.Artifacts[0].MediaType; media != "text/plain; charset=utf-8" {
		t.Errorf("media type %s", media)
	}
	for _, v := range got.Envelope.Views {
		if strings.Contains(string(v.Selector), "rows") {
			t.Errorf("suggests %s", v.Selector)
		}
	}
	if n := len(got.Envelope.Summary); n > 1300 {
		t.Errorf("the summary has %d bytes", n)
	}
}
