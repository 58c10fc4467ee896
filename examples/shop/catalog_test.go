package main

import (
	"os"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

// The recording is what the shop has. internal/bench/tokens, a module of its own,
// has a copy and counts what it costs behind each face.
func TestRecordedCatalog(t *testing.T) {
	const recorded = "testdata/catalog.json"
	data, err := catalog.Export(t.Context(), newRegistry(store.New()), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(recorded, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != string(want) {
		t.Errorf("%s is not what the shop has (run with -update to record it)", recorded)
	}
}
