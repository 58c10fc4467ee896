package view_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/firewall/view"
)

// look applies a selector with the default bound.
func look(t *testing.T, data, media, selector string) *view.Page {
	t.Helper()
	return lookWithin(t, data, media, selector, view.DefaultLimit)
}

// lookWithin is look with a bound, to which it holds the page.
func lookWithin(t *testing.T, data, media, selector string, limit int) *view.Page {
	t.Helper()
	p, err := view.Look(context.Background(), []byte(data), media, json.RawMessage(selector), &view.Options{Limit: limit})
	if err != nil {
		t.Fatalf("Look(%.60q, %s): %v", data, selector, err)
	}
	checkPage(t, p, limit)
	return p
}

// checkPage holds what is true of every page.
func checkPage(t *testing.T, p *view.Page, limit int) {
	t.Helper()
	all, err := json.Marshal(p)
	if err != nil {
		t.Fatalf("the page has no JSON form: %v: %+v", err, p)
	}
	if n := utf8.RuneCount(all); n > max(limit, 1000) {
		t.Errorf("the page has %d characters, want at most %d: %.300s", n, limit, all)
	}
	for _, s := range []string{p.View, p.Note, p.Text, string(p.Data), string(p.Next)} {
		if strings.ContainsAny(s, "\x1b\u200b\u202e\ufeff\u0000\r\U000e0041") || !utf8.ValidString(s) {
			t.Errorf("the page is not clean: %.300q", s)
		}
	}
	if strings.ContainsAny(p.View+p.Note, "\n\t") {
		t.Errorf("view %q or note %q is more than a line", p.View, p.Note)
	}
}

// pages follows Next from selector to the end.
func pages(t *testing.T, data, media, selector string, limit int) []*view.Page {
	t.Helper()
	var all []*view.Page
	for selector != "" {
		p := lookWithin(t, data, media, selector, limit)
		all = append(all, p)
		if len(all) > 20_000 {
			t.Fatalf("no end: %s", selector)
		}
		selector = string(p.Next)
	}
	return all
}

// refused returns the message of a selector that shows nothing.
func refused(t *testing.T, data, media, selector string) string {
	t.Helper()
	p, err := view.Look(context.Background(), []byte(data), media, json.RawMessage(selector), nil)
	wrong, ok := err.(*view.SelectorError)
	if !ok || p != nil {
		t.Fatalf("Look(%.60q, %.200s) = %+v, %v, want a *SelectorError", data, selector, p, err)
	}
	checkMessage(t, wrong.Message)
	return wrong.Message
}

// checkMessage holds that a message is one short clean line.
func checkMessage(t *testing.T, message string) {
	t.Helper()
	if message == "" || len(message) > 300 || strings.ContainsAny(message, "\n\r\t\x1b\u200b\u202e") {
		t.Errorf("message of %d bytes: %.400q", len(message), message)
	}
}

// elements returns the elements of the data of a page.
func elements(t *testing.T, data json.RawMessage) []json.RawMessage {
	t.Helper()
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatalf("%.200s: %v", data, err)
	}
	return list
}
