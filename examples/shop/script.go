package main

import (
	"fmt"
	"regexp"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
)

// A script is the model's conversation through a face, with the shop or with an unknown catalog.
type script struct {
	knows         string // the model's knowledge of the tools at the start
	learns, reads string // the tool that lists the contents, and the result; may be empty
	costs         string // the fixed cost of every conversation; %s is the name of the goods
	shop, catalog func(*talk, *goods)
}

// scripts are the scripts by face.
var scripts = map[string]script{
	"cash": {
		knows:  "three tools: call, help and skill",
		learns: "help", reads: "help", costs: "call, help and skill, and no more when the %s grows",
		shop: byHelp, catalog: lookByHelp,
	},
	"gateway": {
		knows:  "how to browse, execute and view",
		learns: "tool_browse", reads: "cards", costs: "the tools of the gateway, and no more when the %s grows",
		shop: byCards, catalog: lookAtCards,
	},
	"proxy": {
		knows:  "the names of all of them",
		learns: "tool_hydrate", reads: "definitions", costs: "two tools, and names and a few words of all that the %s has",
		shop: byHydration, catalog: lookAtList,
	},
	"disclosure": {
		knows:  "a line of each, and where the rest is",
		learns: readResource, reads: "descriptions", costs: "a line for each tool that the %s has, and the resource with the rest",
		shop: byDescription, catalog: lookAtLines,
	},
	"facade": {
		knows:  "the commands of each domain",
		learns: "ToolsExecute", reads: "definitions", costs: "a tool for each domain of the %s, and one about all tools",
		shop: byCommands, catalog: lookAtDomains,
	},
	"plain": {
		knows: "all of them",
		costs: "all tools of the %s with their schemas",
		shop:  byTools, catalog: func(t *talk, _ *goods) { t.list("The client lists the tools, and that is all there is.") },
	},
}

func byHelp(t *talk, _ *goods) {
	t.say("What is there?", "help", `{}`)
	t.say("What is in there?", "help", `{"namespace":"orders"}`)
	t.say("Or straight to what is needed.", "help", `{"kwargs":{"search":"receive a delivery"}}`)
	t.say("How is it called?", "help", `{"namespace":"orders","function":"create"}`)
	t.say("Call it.", "call", `{"namespace":"orders","function":"create",`+
		`"kwargs":{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}}`)
	gated := t.say("Ask for too much, and the gate says how to go on.", "call", `{"namespace":"orders","function":"list"}`)
	t.say("Ask for less.", "call", `{"namespace":"orders","function":"list",`+
		`"kwargs":{"customer_id":"C-42","status":"confirmed"}}`)
	t.say("Or insist.", "call", `{"namespace":"orders","function":"list","sizelimit":`+suggested(gated)+`}`)
	t.say("Which longer tasks are there instructions for?", "skill", `{"namespace":"orders"}`)
	t.say("Read one.", "skill", `{"namespace":"orders","skillname":"createorderwithcheck"}`)
}

func byCards(t *talk, _ *goods) {
	t.say("What is there?", "tool_browse", `{"path":"/"}`)
	orders := t.say("What is in there?", "tool_browse", `{"path":"/orders"}`)
	t.say("Or straight to what is needed.", "tool_browse", `{"query":"receive a delivery"}`)
	create := found(orders, `(orders:create\S*) `)
	t.say("Call it without knowing how: the answer has its schema.", "tool_execute",
		execution(create, `{"customer":"C-42"}`, ""))
	order := `{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}`
	t.say("Would that do? Nothing is run.", "tool_execute", execution(create, order, `,"dry_run":true`))
	t.say("Call it.", "tool_execute", execution(create, order, ""))
	large := t.say("A large result stays behind a handle.", "tool_execute",
		execution(found(orders, `(orders:list\S*) `), `{"limit":300}`, ""))
	view := func(why, selector string) {
		t.say(why, "tool_view", fmt.Sprintf(`{"handle":%q,"selector":%s}`, found(large, `"handle":"([^"]+)"`), selector))
	}
	view("Some rows of it.", `{"type":"rows","start":0,"end":2}`)
	view("Its shape.", `{"type":"json_keys"}`)
	view("What is looked for in it.", `{"type":"search","query":"ORD-5800"}`)
}

func byHydration(t *talk, _ *goods) {
	list := t.list("The client lists the tools, without their schemas.")
	create := found(list, `(orders_create\S*) `)
	t.say("They are names to go by, and are not called themselves.", create, `{"customer_id":"C-42"}`)
	t.say("How is it called?", "tool_hydrate", fmt.Sprintf(`{"tool_id":%q}`, create))
	t.say("Call it.", "tool_execute", execution(create, `{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}`, ""))
	t.say("Guess, and the answer has the schema.", "tool_execute", execution(found(list, `(inventory_restock\S*) `), `{"product":"P-7"}`, ""))
	t.say("Results are delivered as they are.", "tool_execute", execution(found(list, `(orders_list\S*) `), `{"limit":300}`, ""))
}

func byDescription(t *talk, _ *goods) {
	t.list("The client lists the tools, with a line each.")
	order := `{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}`
	refused := t.say("They are not called before they are known.", "orders-create", order)
	t.fetch("The answer says where to read.", found(refused, `"resource_uri":"([^"]+)"`))
	t.say("Call it.", "orders-create", order)
	t.fetch("Several at once, one of which is not there.", disclosure.DefaultURI+"?tools=orders-get,inventory-restok")
	t.say("What was read is known for the session.", "orders-get", `{"order_id":"ORD-1001"}`)
	t.fetch("Not all at once.", disclosure.DefaultURI)
}

func byCommands(t *talk, _ *goods) {
	t.list("The client lists the tools: one for each domain.")
	t.say("Which command is it?", "OrdersExecute", `{"cmd":"help","params":{"query":"revenue by month"}}`)
	t.say("How is a command called?", "OrdersExecute", `{"cmd":"help","params":{"command":"create"}}`)
	t.say("Call it.", "OrdersExecute", `{"cmd":"create","params":{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}}`)
	for _, level := range []string{"minimal", "standard", "full"} {
		t.say("An order, "+level+".", "OrdersExecute", fmt.Sprintf(`{"cmd":"get","detail":%q,"params":{"order_id":"ORD-1001"}}`, level))
	}
	t.say("What is below has dots.", "OrdersExecute", `{"cmd":"retail.summary","params":{"groupby":"month","since":"2026-02-01"}}`)
	t.say("Guess, and the answer has the commands.", "OrdersExecute", `{"cmd":"refund"}`)
	t.say("Which command takes a delivery?", "ToolsExecute", `{"cmd":"list","detail":"minimal","params":{"query":"receive a delivery"}}`)
	t.say("Check a call, without running it.", "ToolsExecute", `{"cmd":"validate","params":{"name":"inventory.restock","arguments":{"product_id":"P-7"}}}`)
}

func byTools(t *talk, _ *goods) {
	t.list("The client lists the tools, with their schemas.")
	t.say("Call one.", "orders-create", `{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}`)
	t.say("Guess, and the answer says what is wrong.", "inventory-restock", `{"product":"P-7"}`)
	t.say("What the shop refuses has a next step.", "orders-get", `{"order_id":"ORD-1"}`)
	t.say("Results are delivered as they are.", "orders-list", `{"limit":300}`)
}

func lookByHelp(t *talk, _ *goods) {
	for _, name := range some(t.say("What is there?", "help", `{}`), `- \*\*(\w+)\*\*`) {
		t.say("What is in "+name+"?", "help", fmt.Sprintf(`{"namespace":%q}`, name))
	}
}

func lookAtCards(t *talk, g *goods) {
	look := func(what, tool string) {
		for _, path := range some(t.say("Which "+what+" are there?", tool, `{"path":"/"}`), `(/\S+) \(internal\)`) {
			t.say("What is at "+path+"?", tool, fmt.Sprintf(`{"path":%q}`, path))
		}
	}
	look("tools", "tool_browse")
	if g.resources != nil {
		look("resources", "resource_browse")
	}
	if g.prompts != nil {
		look("prompts", "prompt_browse")
	}
}

func lookAtList(t *talk, _ *goods) {
	list := t.list("The client lists the tools, without their schemas.")
	t.say("How is one of them called?", "tool_hydrate", fmt.Sprintf(`{"tool_id":%q}`, found(list, `(?m)^(\S+_[0-9a-f]{8}) `)))
}

func lookAtLines(t *talk, _ *goods) {
	list := t.list("The client lists the tools, with a line each.")
	t.fetch("How is one of them called?", disclosure.DefaultURI+"?tools="+found(list, `(?m)^([\w-]+) `))
}

func lookAtDomains(t *talk, _ *goods) {
	t.list("The client lists the tools: one for each domain.")
	tools := t.say("Which tools are there?", "ToolsExecute", `{"cmd":"list","detail":"minimal"}`)
	t.say("How is one of them called?", "ToolsExecute", fmt.Sprintf(`{"cmd":"get","params":{"name":%q}}`, found(tools, `"name":"([^"]+)"`)))
}

// execution returns the arguments of tool_execute.
func execution(id, args, more string) string {
	return fmt.Sprintf(`{"tool_id":%q,"args":%s%s}`, id, args, more)
}

// found returns the first submatch in a reply, or "".
func found(reply, pattern string) string {
	for _, one := range some(reply, pattern) {
		return one
	}
	return ""
}

// some returns the first submatches, at most five.
func some(reply, pattern string) []string {
	var list []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(reply, 5) {
		list = append(list, m[1])
	}
	return list
}

// suggested returns the limit proposed by a gated reply.
func suggested(reply string) string {
	if limit := found(reply, "sizelimit=([0-9]+)"); limit != "" {
		return limit
	}
	return "null" // keeps the server's limit
}
