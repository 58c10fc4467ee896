package main

import (
	"encoding/json"
	"strings"
)

// shopSpaces are the namespaces of the shop.
var shopSpaces = map[string]string{
	"orders": "Create and manage customer orders.", "orders.retail": "Retail channel orders.", "orders.wholesale": "Wholesale and bulk orders.",
	"inventory": "Query and update stock levels.", "crm": "Manage contacts and accounts.",
}

// shopTools returns the functions of the shop. Only the called one has an answer.
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

// shopOrder is the answer of the shop.
const shopOrder = `{"order_id":"ORD-1001","status":"shipped","customer_id":"C-17","channel":"retail","date":"2026-01-02",` +
	`"items":[{"product_id":"P-3","quantity":2,"unit_price":8.90}],"total":17.80}`
