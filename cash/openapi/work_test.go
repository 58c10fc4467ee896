package openapi_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// shared returns a document with n paths that are all one item.
func shared(n int, item, more string) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"/p%d":{"$ref":"#/x"},`, i)
	}
	return fmt.Appendf(nil, `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{%s},"x":%s%s}`,
		strings.TrimSuffix(b.String(), ","), item, more)
}

// repeated returns n texts of a format of one number, separated by commas.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+",", i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// A document costs time and memory by its own size, however often its parts are referred to.
func TestSharedParts(t *testing.T) {
	if testing.Short() {
		t.Skip("in full without -short")
	}
	const text = 256 << 10
	for name, doc := range map[string][]byte{
		"extension":    shared(400, `{"get":{"operationId":"a","x-foo":"`+strings.Repeat("y", text)+`"}}`, ""),
		"operationId":  shared(4000, `{"get":{"operationId":"`+strings.Repeat("y", text)+`"}}`, ""),
		"description":  shared(4000, `{"get":{"operationId":"a","description":"`+strings.Repeat("word ", text/5)+`"}}`, ""),
		"summary":      shared(4000, `{"get":{"operationId":"a","summary":"`+strings.Repeat("word ", text/5)+`"}}`, ""),
		"media type":   shared(4000, `{"get":{"responses":{"200":{"content":{"a/`+strings.Repeat("y", text)+`":{}}}}}}`, ""),
		"of responses": shared(4000, `{"get":{"responses":{"200":{"description":"`+strings.Repeat("y", text)+`"}}}}`, ""),
		"required": shared(400, `{"post":{"requestBody":{"required":true,"content":{"application/json":{"schema":
			{"type":"object","properties":{"a":{"$ref":"#/r/0"}},"required":[`+strings.TrimSuffix(strings.Repeat(`"a",`, 20_000), ",")+`]}}}}}}`,
			`,"r":[`+repeated(30, `{"$ref":"#/r/%d"}`)+`,{}]`),
		"parameters": shared(10_000, `{"parameters":[`+repeated(1000, `{"name":"n%d","in":"path"}`)+`],"get":{},"put":{}}`, ""),
		"too many":   shared(10_000, `{"parameters":[`+repeated(20_000, `{"name":"n%d","in":"path"}`)+`],"get":{},"put":{}}`, ""),
		"enum":       shared(200, `{"post":{"requestBody":{"content":{"application/json":{"schema":{"enum":["`+strings.Repeat("y", text)+`"]}}}}}}`, ""),
		"headers":    shared(4000, `{"get":{"parameters":[{"in":"header","name":"`+strings.Repeat("y", text)+`"}]}}`, ""),
		"tags":       shared(4000, `{"get":{"tags":[`+repeated(30_000, `"t%d"`)+`]}}`, ""),
		"members":    shared(10_000, `{"get":{`+repeated(30_000, `"m%d":1`)+`}}`, ""),
		"variables": document(`{"/` + strings.Repeat("{a}", 20_000) + `":{"get":{"parameters":[` +
			repeated(999, `{"name":"n%d","in":"query"}`) + `,{"name":"a","in":"path"}]}}}`),
		"discriminator": shared(1, `{"post":{"requestBody":{"content":{"application/json":{"schema":{"oneOf":[`+
			repeated(3000, `{"$ref":"#/components/schemas/S","x-n":%d}`)+`],"discriminator":{"propertyName":"k","mapping":{`+
			repeated(3000, `"v%d":"S"`)+`}}}}}}}}`, `,"components":{"schemas":{"S":{}}}`),
		"segments":                    document("{" + repeated(20_000, `"/p%d`+strings.Repeat("/a", 99)+`":{"get":{}}`) + "}"),
		"nothing is read of the rest": shared(20_000, `{"get":{"description":"`+strings.Repeat("y", text)+`"},"put":{},"post":{},"delete":{}}`, ""),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			reg := registry.New(nil)
			m, err := openapi.Mount(reg, "s", doc, openapi.Handler(http.NotFoundHandler()))
			if err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			kept := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20
			r := m.Report()
			t.Logf("%d bytes: %d operations, %d left out, %d MiB kept", len(doc), r.Operations, r.Left, kept)
			if kept > 40 {
				t.Errorf("%d bytes keep %d MiB", len(doc), kept)
			}
			if whole := slices.Contains([]string{"enum", "discriminator", "extension"}, name); whole != (r.Left == 0) {
				t.Errorf("%d left out", r.Left)
			}
			runtime.KeepAlive(reg)
		})
	}
}

// A plain document with as many operations as are read is served as a whole.
func TestManyOperations(t *testing.T) {
	if testing.Short() {
		t.Skip("in full without -short")
	}
	_, m := mount(t, document("{"+repeated(20_000, `"/service%d/things/{id}/actions":{"get":{"parameters":[{"name":"id","in":"path"}]}}`)+"}"), openapi.Handler(http.NotFoundHandler()))
	if r := m.Report(); r.Operations != 20_000 {
		t.Errorf("%d operations, %d left out", r.Operations, r.Left)
	}
	servers := repeated(10_000, `{"url":"/v%d"}`) // which would take hours, one by one for each operation
	_, m = mount(t, []byte(`{"openapi":"3.1.0","info":{},"servers":[`+servers+`],"paths":{`+repeated(2_000, `"/p%d":{"get":{}}`)+`}}`), openapi.Handler(http.NotFoundHandler()))
	if r := m.Report(); r.Operations != 2_000 {
		t.Errorf("%d operations, %d left out", r.Operations, r.Left)
	}
}
