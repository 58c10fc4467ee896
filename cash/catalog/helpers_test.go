package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// load returns a catalog that has loaded the document.
func load(t testing.TB, opts *catalog.Options, doc string) (*catalog.Catalog, *catalog.Report) {
	t.Helper()
	c := catalog.New(opts)
	report, err := c.Load([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return c, report
}

// call calls the function that has the id.
func call(t testing.TB, src registry.Source, id, args string) (*registry.Result, error) {
	t.Helper()
	p, err := toolid.ParsePrimitive(id)
	if err != nil {
		t.Fatal(err)
	}
	f, err := registry.Find(t.Context(), src, p)
	if err != nil {
		return nil, err
	}
	return registry.NewPipeline(src, &registry.PipelineOptions{ExactKeys: true}).
		Call(t.Context(), &registry.Request{Find: registry.Found(f), Arguments: json.RawMessage(args)})
}

// said calls the function that has the id, which must succeed.
func said(t testing.TB, src registry.Source, id, args string) string {
	t.Helper()
	r, err := call(t, src, id, args)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return r.Text()
}

// ids returns the ids of all functions, by the name that the document has.
func ids(reg *registry.Registry) map[string]string {
	all := make(map[string]string)
	for f := range reg.All() {
		all[f.Tool()] = f.Primitive().String()
	}
	return all
}

// id returns the id of the only function with that name in the document.
func id(t testing.TB, reg *registry.Registry, name string) string {
	t.Helper()
	id := ids(reg)[name]
	if id == "" {
		t.Fatalf("there is no %q, only %v", name, ids(reg))
	}
	return id
}

// quote is JSON.
func quote(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// tools is a document of n tools, in namespaces of a hundred.
func tools(n int) string {
	var b strings.Builder
	b.WriteString("[")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(tool(i, "Reads record"))
	}
	return b.String() + "]"
}

func tool(i int, what string) string {
	return fmt.Sprintf(`{"name":"store%d.read_record_%d","description":"%s number %d of the store, with all of its fields.",`+
		`"inputSchema":{"type":"object","properties":{"key":{"type":"string","description":"Key of the record."},`+
		`"fields":{"type":"array","items":{"type":"string"},"description":"Which fields; all of them by default."},`+
		`"limit":{"type":"integer","minimum":1,"maximum":100,"default":10}},"required":["key"]},`+
		`"annotations":{"readOnlyHint":true},"result":{"record":%d}}`, i/100, i, what, i, i)
}
