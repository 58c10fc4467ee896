package openapi_test

import (
	"testing"

	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// No document ends the process, and what is served of it can be called.
func FuzzMount(f *testing.F) {
	for _, seed := range [][]byte{
		get, operation("", `{"content":{"application/json":{"schema":{"$ref":"#/x"}}}}`),
		[]byte("openapi: 3.0.0\npaths: {/a/{b}: {put: {parameters: [{name: b, in: path, style: matrix}]}}}"),
		[]byte(`{"swagger":"2.0","paths":{"/a":{"get":{"parameters":[{"$ref":"#/parameters/x"}]}}},"parameters":{"x":{"in":"body","name":"b","schema":{"$ref":"#/definitions/y"}}},"definitions":{"y":{"allOf":[{"$ref":"#/definitions/y"}]}}}`),
		document(`{"/a":{"post":{"requestBody":{"content":{"multipart/form-data":{"schema":{"properties":{"f":{"format":"binary"}}}}}}}}}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if len(doc) > 64<<10 {
			return
		}
		reg := registry.New(nil)
		if _, err := openapi.Mount(reg, "", doc, openapi.Handler(new(recorder))); err != nil {
			return
		}
		n := 0
		for f := range reg.All() {
			args := f.Example(true)
			if n++; args == nil || n > 5 {
				continue
			}
			_, err := call(t.Context(), reg, f.Namespace(), f.Name(), string(args))
			if e := registry.AsError(err); err != nil && e.Kind == registry.Internal {
				t.Errorf("%s with %s: %v", f.Path(), args, err)
			}
		}
	})
}
