package firewall

import (
	"bytes"
	"encoding/json"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/firewall/view"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A washer redacts and cleans one result, and counts the secrets.
type washer struct {
	filter  *redact.Filter
	counts  map[string]int // secrets by name of their rule
	cleaned bool
}

// text redacts text.
func (w *washer) text(text string) string { return w.filter.Count(text, w.counts) }

// page cleans and redacts text. JSON is cleaned string by string, because a terminal escape sequence may swallow the
// end of a string. Redaction comes last: cleaning may join the letters of a secret.
func (w *washer) page(text string) string {
	cleaned := ""
	if raw := []byte(text); view.IsJSON(raw) {
		cleaned = string(clean.JSON(raw))
	} else {
		cleaned = clean.Text(text)
	}
	w.cleaned = w.cleaned || cleaned != text
	return w.text(cleaned)
}

// line works like page for one line of at most most characters.
func (w *washer) line(text string, most int) string {
	line := clean.Line(text, most)
	w.cleaned = w.cleaned || line != text
	return clean.Cut(w.text(line), most)
}

// label works like line for at most most characters of JSON.
func (w *washer) label(text string, most int) string { return view.Excerpt(w.line(text, most), most) }

// address works like line for a text of any length.
func (w *washer) address(text string) string { return w.line(text, max(1, len(text)*2)) }

// mime returns mediaType if it is valid, and otherwise the type of unknown bytes. Empty stays empty.
func (w *washer) mime(mediaType string) string {
	if mediaType == "" {
		return ""
	}
	if len(mediaType) <= 100 {
		if base, params, err := mime.ParseMediaType(mediaType); err == nil && strings.Contains(base, "/") {
			only := map[string]string{}
			if charset, ok := params["charset"]; ok {
				only["charset"] = w.line(charset, 20)
			}
			formatted := w.text(mime.FormatMediaType(base, only))
			if formatted != "" && view.Excerpt(formatted, 100) == formatted {
				return formatted
			}
		}
	}
	w.cleaned = true
	return "application/octet-stream"
}

// washed returns a washed copy of client metadata such as _meta, or v itself if there is nothing to wash. It returns
// the zero value if v has no JSON form.
func washed[T any](w *washer, v T) T {
	var none, out T
	raw, err := rescue(func() ([]byte, error) { return json.Marshal(v) })
	if err != nil || string(raw) == "null" {
		return none
	}
	text := w.page(w.text(string(raw)))
	if text == string(raw) {
		return v
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&out) != nil {
		return none
	}
	return out
}

// block returns a redacted copy of a block that is not text. Its short texts are cleaned too, and its data is shared.
// It returns nil for an empty block.
func (w *washer) block(block mcp.Content) mcp.Content {
	switch c := block.(type) {
	case *mcp.ImageContent:
		return &mcp.ImageContent{Meta: washed(w, c.Meta), Annotations: washed(w, c.Annotations), Data: c.Data, MIMEType: w.mime(c.MIMEType)}
	case *mcp.AudioContent:
		return &mcp.AudioContent{Meta: washed(w, c.Meta), Annotations: washed(w, c.Annotations), Data: c.Data, MIMEType: w.mime(c.MIMEType)}
	case *mcp.ResourceLink:
		return w.link(c)
	case *mcp.EmbeddedResource:
		if c.Resource != nil {
			return &mcp.EmbeddedResource{Meta: washed(w, c.Meta), Annotations: washed(w, c.Annotations), Resource: w.resource(c.Resource)}
		}
	}
	return nil
}

func (w *washer) link(c *mcp.ResourceLink) *mcp.ResourceLink {
	return &mcp.ResourceLink{
		URI:         w.address(c.URI),
		Name:        w.address(c.Name),
		Title:       w.address(c.Title),
		Description: w.page(w.text(c.Description)),
		MIMEType:    w.mime(c.MIMEType),
		Size:        c.Size,
		Meta:        washed(w, c.Meta),
		Annotations: washed(w, c.Annotations),
		Icons:       washed(w, c.Icons),
	}
}

func (w *washer) resource(r *mcp.ResourceContents) *mcp.ResourceContents {
	out := &mcp.ResourceContents{
		URI: w.address(r.URI), MIMEType: w.mime(r.MIMEType), Text: w.text(r.Text), Blob: r.Blob, Meta: washed(w, r.Meta),
	}
	if textual(out.MIMEType) && utf8.Valid(r.Blob) {
		if text := w.text(string(r.Blob)); text != string(r.Blob) {
			out.Blob = []byte(text)
		}
	}
	return out
}

// textual reports whether a media type is text.
func textual(mediaType string) bool {
	base, _, _ := strings.Cut(mediaType, ";")
	kind, sub, _ := strings.Cut(strings.ToLower(strings.TrimSpace(base)), "/")
	if kind == "text" {
		return true
	}
	for _, s := range []string{"json", "xml", "yaml", "javascript", "toml", "sql", "x-sh", "x-ndjson", "x-www-form-urlencoded", "x-pem-file"} {
		if sub == s || strings.HasSuffix(sub, "+"+s) || sub == "x-"+s {
			return true
		}
	}
	return false
}

// jsonLength returns the characters of a value as encoding/json writes it, which escapes more than other encoders.
func jsonLength(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return utf8.RuneCount(bytes.TrimSpace(raw))
}
