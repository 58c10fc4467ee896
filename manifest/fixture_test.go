package manifest_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/manifest"
)

// shop returns a manifest with every field.
func shop() *manifest.Manifest {
	return &manifest.Manifest{
		Version:        manifest.SpecVersion,
		LastUpdated:    "2026-04-24",
		Publisher:      "Example Shop",
		Copyright:      "2026 Example Shop",
		Endpoint:       "https://mcp.shop.example/mcp",
		CacheTTL:       10 * time.Minute,
		Authentication: &manifest.Authentication{Scheme: manifest.SchemeBearer, DocsURL: "https://shop.example/docs"},
		Namespaces: []manifest.Namespace{
			{Suggested: "orders", Description: "Create and manage customer orders."},
			{Suggested: "stock-levels", Description: "Query and update stock levels."},
		},
		Skills: []manifest.Skill{{Name: "create-order-with-check", Description: "Check the stock, then create an order."}},
	}
}

// minimal is a document with what is required and nothing else; edits are pairs
// of what is replaced and its replacement.
func minimal(edits ...string) string {
	const doc = `cash_version: "0.1.1"
last_updated: "2026-04-24"
publisher: Shop
endpoint: https://mcp.shop.example/mcp
namespaces:
  - suggested: orders
    description: Create orders.
`
	return strings.NewReplacer(edits...).Replace(doc)
}

// mustParse reads what has to be a manifest.
func mustParse(t *testing.T, doc string) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse([]byte(doc))
	if err != nil {
		t.Fatalf("Parse(%.300s): %v", doc, err)
	}
	return m
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) // as a checkout may have made it
}
