package firewall_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestShieldW31Beside has small blocks with large things that only clients see:
// what passes beside an envelope is bounded whatever it is.
func TestShieldW31Beside(t *testing.T) {
	annotations := &mcp.Annotations{Audience: slices.Repeat([]mcp.Role{"user"}, 1000)}
	long := strings.Repeat("x", 5000)
	for name, block := range map[string]mcp.Content{
		"image":      &mcp.ImageContent{Data: []byte{1}, Annotations: annotations},
		"audio":      &mcp.AudioContent{Data: []byte{1}, Annotations: annotations},
		"resource":   &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{Text: "a"}, Annotations: annotations},
		"link":       &mcp.ResourceLink{URI: "a:b", Annotations: annotations},
		"icon sizes": &mcp.ResourceLink{URI: "a:b", Icons: []mcp.Icon{{Source: "a:i", Sizes: slices.Repeat([]string{"48x48"}, 1000)}}},
		"icon type":  &mcp.ResourceLink{URI: "a:b", Icons: []mcp.Icon{{Source: "a:i", MIMEType: long}}},
		"meta":       &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{Text: "a", Meta: mcp.Meta{"a": long}}},
	} {
		got := shield(t, firewall.New(nil), firewall.Result{Content: []mcp.Content{block}})
		if len(got.Content) != 0 || len(got.Envelope.Artifacts) != 1 {
			t.Errorf("%s: %d blocks beside the envelope, artifacts %v", name, len(got.Content), got.Envelope.Artifacts)
		}
	}
}

// TestShieldW32TextAndBlob has a resource with both, of which none may be lost.
func TestShieldW32TextAndBlob(t *testing.T) {
	store := &keeper{Store: firewall.NewMemory(nil)}
	long, blob := strings.Repeat("text ", 1000), []byte{0, 1, 2}
	r := firewall.Result{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", Text: long, Blob: blob}}}}
	shield(t, firewall.New(&firewall.Options{Store: store}), r)
	if len(store.parts) != 2 || string(store.parts[0].Data) != long || !bytes.Equal(store.parts[1].Data, blob) {
		t.Errorf("parts %.200q", store.parts)
	}
}

// TestShieldW31Addresses keeps the address of a resource, which stands nowhere
// but in its label, and the envelope within its bound when there are many.
func TestShieldW31Addresses(t *testing.T) {
	resource := func(uri, mime string) mcp.Content {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: mime, Text: strings.Repeat("text ", 1000)}}
	}
	uri := "https://example.com/" + strings.Repeat("folder/", 30) + "file.txt"
	got := shield(t, firewall.New(nil), firewall.Result{Content: []mcp.Content{resource(uri, "text/plain")}})
	if label := got.Envelope.Artifacts[0].Label; label != uri {
		t.Errorf("label %q, want %q", label, uri)
	}
	costly := slices.Repeat([]mcp.Content{resource("a:"+strings.Repeat("<&>", 300), "text/"+strings.Repeat("&", 90))}, 30)
	got = shield(t, firewall.New(nil), firewall.Result{Content: costly})
	raw, err := json.Marshal(got.Envelope)
	if err != nil || len([]rune(string(raw))) > firewall.DefaultInline {
		t.Errorf("envelope of %d characters, %v", len([]rune(string(raw))), err)
	}
}

// TestViewW33DuplicateKeys follows the views of a document with the same key more
// than once.
func TestViewW33DuplicateKeys(t *testing.T) {
	fw := firewall.New(&firewall.Options{MaxView: 1000})
	doc := `{"a":[1,2],"a":[` + strings.Repeat(`"a long element of a list",`, 300) + `3],"a":"text"}`
	e := shield(t, fw, firewall.Result{Content: []mcp.Content{text(doc)}}).Envelope
	if len(e.Views) == 0 {
		t.Fatal("no views")
	}
	for _, v := range e.Views {
		if _, err := fw.View(t.Context(), "me", v.Handle, v.Selector); err != nil {
			t.Errorf("%s: %v", v.Selector, err)
		}
	}
	rows := 0
	for next := json.RawMessage(`{"type":"rows"}`); next != nil; {
		p, err := fw.View(t.Context(), "me", e.Artifacts[0].Handle, next)
		if err != nil {
			t.Fatalf("%s: %v", next, err)
		}
		var list []json.RawMessage
		if err := json.Unmarshal(p.Data, &list); err != nil {
			t.Fatal(err)
		}
		rows += len(list)
		next = p.Next
	}
	if rows != 301 {
		t.Errorf("%d rows, want 301", rows)
	}
}

// TestViewW33TextHasNoData holds that exactly one of text and data is there.
func TestViewW33TextHasNoData(t *testing.T) {
	fw := firewall.New(nil)
	e := shield(t, fw, firewall.Result{Content: []mcp.Content{text(strings.Repeat("line\n", 2000))}}).Envelope
	p, err := fw.View(t.Context(), "me", e.Artifacts[0].Handle, json.RawMessage(`{"type":"lines"}`))
	if err != nil || p.Data != nil || p.Text == "" {
		t.Errorf("page %+v, %v", p, err)
	}
}

// TestViewW32BytesOfChance has bytes whose base64 looks like a key, and which are
// shown as they are.
func TestViewW32BytesOfChance(t *testing.T) {
	want := "AI" + "za" + letters(40)
	data, err := base64.StdEncoding.DecodeString(want)
	if err != nil {
		t.Fatal(err)
	}
	fw := firewall.New(nil)
	e := shield(t, fw, firewall.Result{Content: []mcp.Content{&mcp.ImageContent{Data: append(data, make([]byte, 5000)...)}}}).Envelope
	p, err := fw.View(t.Context(), "me", e.Artifacts[0].Handle, json.RawMessage(`{"type":"bytes","end":33}`))
	if err != nil || p.Text != want {
		t.Errorf("page %+v, %v, want %s", p, err, want)
	}
}
