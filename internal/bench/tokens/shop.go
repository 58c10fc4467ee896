package main

import (
	"encoding/json"
	"strings"
)

// The shop is the smallest catalog of the second table (size.go): the 14 functions of examples/shop. Their definitions
// are recorded in catalogs/shop.json.

// shopSpaces are the descriptions of the shop's namespaces, by their paths.
var shopSpaces = map[string]string{
	"orders": "Create and manage customer orders.", "orders.retail": "Retail channel orders.", "orders.wholesale": "Wholesale and bulk orders.",
	"inventory": "Query and update stock levels.", "crm": "Manage contacts and accounts.",
}

// shopTools returns the functions of the shop. It changes the recording in two ways:
//   - A name such as orders.get is split into namespace and function.
//   - The function that the model calls gets an answer, because the recording has definitions only.
func shopTools() ([]tool, error) {
	tools, err := recordedTools("shop")
	for i := range tools {
		path := tools[i].name
		dot := strings.LastIndexByte(path, '.')
		tools[i].server, tools[i].name = path[:dot], path[dot+1:]
		if path == "orders.get" {
			members := make(map[string]json.RawMessage)
			if err := json.Unmarshal(tools[i].recorded, &members); err != nil {
				return nil, err
			}
			members["result"] = asJSON(textResult(shopOrder))
			tools[i].recorded = asJSON(members)
		}
	}
	return tools, err
}

// shopOrder is the answer of orders.get.
const shopOrder = `{"order_id":"ORD-1001","status":"shipped","customer_id":"C-17","channel":"retail","date":"2026-01-02",` +
	`"items":[{"product_id":"P-3","quantity":2,"unit_price":8.90}],"total":17.80}`
