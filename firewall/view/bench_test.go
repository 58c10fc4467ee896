package view_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/cash-mcp/go-sdk/firewall/view"
)

const tenMB = 10 << 20

// manyItems is a JSON array of objects of about size bytes.
func manyItems(size int) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"Item number %d","tags":["red","blue"],"at":{"x":1.5,"y":null},"note":"Some longer text that goes on for a while, as notes do."}`, i, i)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// manyLines is a log of about size bytes.
func manyLines(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "2030-01-02T03:04:05Z INFO request %d served to somebody in %d ms\n", i, i%97)
	}
	return b.Bytes()
}

// manyRecords is a table of about size bytes.
func manyRecords(size int) []byte {
	var b bytes.Buffer
	b.WriteString("id,name,note\n")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d,\"Item, number %d\",Some longer text that goes on for a while\n", i, i)
	}
	return b.Bytes()
}

func BenchmarkView(b *testing.B) {
	items, log, records := manyItems(tenMB), manyLines(tenMB), manyRecords(tenMB)
	for _, bench := range []struct {
		name     string
		data     []byte
		media    string
		selector string
	}{
		{"head", log, "text/plain", `{"type":"head","start":5000000}`},
		{"tail", log, "text/plain", `{"type":"tail"}`},
		{"lines", log, "text/plain", `{"type":"lines","start":80000,"end":80050}`},
		{"rows", items, "application/json", `{"type":"rows","start":30000,"end":30020}`},
		{"rows-csv", records, "text/csv", `{"type":"rows","start":80000,"end":80020}`},
		{"path", items, "application/json", `{"type":"path","path":"$[*].name"}`},
		{"path-filter", items, "application/json", `{"type":"path","path":"$[?@.id==40000].name"}`},
		{"path-descend", items, "application/json", `{"type":"path","path":"$..x"}`},
		{"search", log, "text/plain", `{"type":"search","query":"request 70000 ","context":2}`},
		{"search-regexp", log, "text/plain", `{"type":"search","query":"request 7[05]+ ","regexp":true}`},
		{"search-json", items, "application/json", `{"type":"search","query":"number 40000"}`},
		{"json_keys", items, "application/json", `{"type":"json_keys"}`},
		{"bytes", log, "text/plain", `{"type":"bytes","start":5000000}`},
	} {
		b.Run(bench.name+"-10MB", func(b *testing.B) {
			b.SetBytes(int64(len(bench.data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := view.Look(context.Background(), bench.data, bench.media, json.RawMessage(bench.selector), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("shape-10MB", func(b *testing.B) {
		b.SetBytes(int64(len(items)))
		for b.Loop() {
			view.NewSurvey(items, "").Outline(2000)
		}
	})
	b.Run("suggest-10MB", func(b *testing.B) {
		b.SetBytes(int64(len(items)))
		for b.Loop() {
			view.NewSurvey(items, "application/json").Suggest()
		}
	})
}
