package main

import (
	"os"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

// What the shop costs behind each face is counted of a recording, which has to be
// what the shop has.
func TestRecordedCatalog(t *testing.T) {
	const recorded = "../../internal/bench/tokens/catalogs/shop.json"
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
