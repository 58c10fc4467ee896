package view

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// MediaType guesses the media type of a text from its form.
func MediaType(text []byte) string {
	switch {
	case IsJSON(text), len(text) > 0 && text[0] == '"' && strictjson.Valid(text):
		return "application/json"
	case looksLikeTable(text, ','):
		return "text/csv; charset=utf-8"
	case looksLikeTable(text, '\t'):
		return "text/tab-separated-values; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// IsJSON reports whether text is a JSON object or array.
func IsJSON(text []byte) bool {
	kind := strictjson.KindOf(text)
	return (kind == strictjson.Object || kind == strictjson.Array) && strictjson.Valid(text)
}

// notText describes an artifact that is not text: "an image (image/png, 5120 bytes)". It is empty for text, SVG
// included. An image counts as one by its media type, or by its first bytes if it has none.
func notText(data []byte, media string) string {
	kind, _, _ := strings.Cut(media, "/")
	if kind == "image" && strings.HasPrefix(media, "image/svg") || kind != "image" && kind != "audio" && !Binary(data) {
		return ""
	}
	if kind != "image" && kind != "audio" {
		if media = sniffed(data); media == "" {
			return fmt.Sprintf("data of %d bytes", len(data))
		}
		kind = "image"
	}
	article := map[string]string{"image": "an image", "audio": "audio"}[kind]
	return fmt.Sprintf("%s (%s, %d bytes)", article, clean.Line(media, 64), len(data))
}

// magic maps the first bytes of images to their media types.
var magic = []struct{ start, media string }{
	{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF8", "image/gif"}, {"BM", "image/bmp"},
}

// sniffed returns the media type of an image; empty if data is none that it knows.
func sniffed(data []byte) string {
	for _, m := range magic {
		if bytes.HasPrefix(data, []byte(m.start)) {
			return m.media
		}
	}
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}
