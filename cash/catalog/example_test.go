package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/registry"
)

// A catalog is loaded, called and loaded again.
func Example() {
	c := catalog.New(nil)
	report, err := c.Load([]byte(`{"tools": [{
		"name": "weather.today",
		"inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
		"results": [
			{"arguments": {"city": "Oslo"}, "result": {"sky": "clear", "celsius": -4}},
			{"result": "No such city."}
		]
	}, {"name": "Read File"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report)

	p := registry.NewPipeline(c.Tools(), nil)
	for _, city := range []string{"Oslo", "Atlantis"} {
		args, _ := json.Marshal(map[string]string{"city": city})
		res, err := p.Call(context.Background(), &registry.Request{Namespace: "weather", Function: "today", Arguments: args})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Text())
	}

	report, err = c.Load([]byte(`[{"name": "read_file"}]`))
	fmt.Println(report, err)
	// Output:
	// 2 tools, 0 resources, 0 prompts; 2 added, 0 changed, 0 removed; 1 mapped
	// line 8: tool "Read File" is mapped: its id is mcp:Read_File#fb7fec55: name "Read File" does not match [A-Za-z_][A-Za-z0-9_.-]{0,127} at byte 4
	// {"sky":"clear","celsius":-4}
	// No such city.
	// 1 tools, 0 resources, 0 prompts; 1 added, 0 changed, 2 removed <nil>
}

// The catalog of any source is recorded as a document.
func ExampleExport() {
	type order struct {
		ID string `json:"id" jsonschema:"Which order."`
	}
	reg := registry.New(nil)
	ship := registry.Func("ship", "Ship an order.", func(context.Context, order) (string, error) { return "", nil }, registry.Destructive(true))
	reg.Namespace("orders", "").Add(ship)

	doc, err := catalog.Export(context.Background(), reg, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", doc)
	// Output:
	// {
	//   "tools": [
	//     {
	//       "name": "orders.ship",
	//       "description": "Ship an order.",
	//       "inputSchema": {
	//         "type": "object",
	//         "properties": {
	//           "id": {
	//             "type": "string",
	//             "description": "Which order."
	//           }
	//         },
	//         "required": [
	//           "id"
	//         ],
	//         "additionalProperties": false
	//       },
	//       "outputSchema": {
	//         "type": "object",
	//         "properties": {
	//           "text": {
	//             "type": "string"
	//           }
	//         },
	//         "required": [
	//           "text"
	//         ],
	//         "additionalProperties": false
	//       },
	//       "annotations": {
	//         "destructiveHint": true
	//       }
	//     }
	//   ]
	// }
}
