package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A turn is a step of the model with the server at a label: it asks how to call a function, calls
// it, or reads a skill.
type turn struct {
	label, why      string
	does            deed
	namespace, name string
	kwargs          string
}

type deed int

const (
	calls deed = iota
	asks
	reads
)

// script has the turns with the servers of config.yaml, after the overview. Turns of unavailable
// servers are skipped.
var script = []turn{
	{"everything", "How is one of them called?", asks, "everything", "get_sum", ""},
	{"everything", "Call it.", calls, "everything", "get_sum", `{"a":2,"b":40}`},
	{"everything", "Another.", calls, "everything", "echo", `{"message":"hello"}`},
	{"everything", "One that takes its time reports progress.", calls, "everything", "trigger_long_running_operation", `{"duration":2,"steps":4}`},
	{"files", "Which files are there?", calls, "files", "list_directory", `{"path":"."}`},
	{"files", "The server has its limits, and its errors arrive.", calls, "files", "read_text_file", `{"path":"../config.yaml"}`},
	{"memory", "Remember something.", calls, "memory", "create_entities",
		`{"entities":[{"name":"C-42","entityType":"customer","observations":["likes P-7"]}]}`},
	{"memory", "Is it remembered?", calls, "memory", "open_nodes", `{"names":["C-42"]}`},
	{"memory", "Forget it.", calls, "memory", "delete_entities", `{"entityNames":["C-42"]}`},
	{"shop", "A CaSH server has namespaces of its own.", calls, "shop.orders", "create",
		`{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}`},
	{"shop", "And skills, which name its functions as they are called here.", reads, "shop.orders", "createorderwithcheck", ""},
}

// A manner is the model's way to use one face.
type manner struct {
	knows  string // the knowledge of the model at the start
	learns string // the tool that lists the contents of the server
	reads  string // the model's knowledge from that tool
	costs  string // the fixed cost of every conversation
	model
}

type model interface {
	open(t *talk, labels []string)          // looks at the top level
	take(t *talk, u turn)                   // one turn of the script
	end(t *talk, available map[string]bool) // shows the special abilities of the face
}

// manners are the manners by face.
var manners = map[string]manner{
	"cash": {
		knows: "three tools, call, help and skill", learns: "help", reads: "help on top, because it looked at everything",
		costs: "call, help and skill, and no more when servers are added", model: byName{},
	},
	"gateway": {
		knows: "how to browse, execute and view", learns: "tool_browse", reads: "cards on top, because it looked at everything",
		costs: "the tools of the gateway, and no more when servers are added", model: byCard{},
	},
	"proxy": {
		knows: "all tools by their names", learns: "tool_hydrate", reads: "definitions on top, because it needed them",
		costs: "two tools, and names and a few words of all others", model: byDefinition{},
	},
	"disclosure": {
		knows: "a line of each tool, and where the rest is", learns: readResource, reads: "descriptions on top, because it needed them",
		costs: "a line for each tool, and the resource with the rest", model: byDescription{},
	},
	"facade": {
		knows: "the commands of each server", learns: "ToolsExecute", reads: "definitions on top, because it needed them",
		costs: "a tool for each server, and one about all tools", model: byCommand{},
	},
	"plain": {
		knows: "all tools", reads: "anything on top",
		costs: "all tools with their schemas", model: byTool{},
	},
}

type byName struct{}

func (byName) open(t *talk, labels []string) {
	t.say("What is there?", "help", `{}`)
	for _, label := range labels {
		t.say("What is in "+label+"?", "help", fmt.Sprintf(`{"namespace":%q}`, label))
	}
	t.say("Or straight to what is needed, wherever it is.", "help", `{"kwargs":{"search":"look for something by its name"}}`)
}

func (byName) take(t *talk, u turn) {
	switch u.does {
	case asks:
		t.say(u.why, "help", fmt.Sprintf(`{"namespace":%q,"function":%q}`, u.namespace, u.name))
	case reads:
		t.say(u.why, "skill", fmt.Sprintf(`{"namespace":%q,"skillname":%q}`, u.namespace, u.name))
	case calls:
		t.say(u.why, "call", fmt.Sprintf(`{"namespace":%q,"function":%q,"kwargs":%s}`, u.namespace, u.name, u.kwargs))
	}
}

func (byName) end(t *talk, _ map[string]bool) {
	t.say("Which longer tasks are there instructions for?", "skill", `{}`)
}

type byCard struct{}

func (byCard) open(t *talk, labels []string) {
	t.say("What is there?", "tool_browse", `{"path":"/"}`)
	for _, label := range labels {
		t.say("What is in "+label+"?", "tool_browse", fmt.Sprintf(`{"path":"/%s"}`, label))
	}
	t.say("Or straight to what is needed, wherever it is.", "tool_browse", `{"query":"look for something by its name"}`)
}

func (byCard) take(t *talk, u turn) {
	switch u.does {
	case asks:
		t.say(u.why+" Without arguments, the answer is its schema.", "tool_execute", execution(t.id(u.namespace, u.name), `{}`))
	case calls:
		t.say(u.why, "tool_execute", execution(t.id(u.namespace, u.name), u.kwargs))
	}
}

func (byCard) end(t *talk, available map[string]bool) {
	if available["shop"] {
		large := t.say("A large result stays behind a handle.", "tool_execute", execution(t.id("shop.orders", "list"), `{"limit":300}`))
		handle := found(large, `"handle":"([^"]+)"`)
		t.say("Some rows of it.", "tool_view", fmt.Sprintf(`{"handle":%q,"selector":{"type":"rows","start":0,"end":2}}`, handle))
		t.say("What is looked for in it.", "tool_view", fmt.Sprintf(`{"handle":%q,"selector":{"type":"search","query":"ORD-5800"}}`, handle))
	}
	cards := t.say("Which documents are there?", "resource_browse", `{"query":"architecture"}`)
	if id := found(cards, `(resource::\S+)`); id != "" {
		t.say("Read one.", "resource_read", fmt.Sprintf(`{"resource_id":%q}`, id))
	}
	cards = t.say("Which prompts are there?", "prompt_browse", `{"query":"simple prompt"}`)
	if id := found(cards, `(prompt::\S+)`); id != "" {
		t.say("Get one.", "prompt_get", fmt.Sprintf(`{"prompt_id":%q}`, id))
	}
}

type byDefinition struct{}

func (byDefinition) open(t *talk, _ []string) {
	t.list("The client lists the tools, without their schemas.")
}

func (byDefinition) take(t *talk, u turn) {
	switch u.does {
	case asks:
		t.say(u.why, "tool_hydrate", fmt.Sprintf(`{"tool_id":%q}`, t.wireName(u.namespace, u.name)))
	case calls:
		t.say(u.why, "tool_execute", execution(t.wireName(u.namespace, u.name), u.kwargs))
	}
}

func (byDefinition) end(*talk, map[string]bool) {}

type byDescription struct{}

func (byDescription) open(t *talk, _ []string) {
	t.list("The client lists the tools, with a line each.")
}

func (byDescription) take(t *talk, u turn) {
	tool := t.flatName(u.namespace, u.name)
	uri := disclosure.DefaultURI + "?tools=" + tool
	switch {
	case u.does == asks:
		t.fetch(u.why, uri)
	case u.does == calls && !t.fetched[uri]:
		t.fetch("The next one has to be read of first.", uri)
		fallthrough
	case u.does == calls:
		t.say(u.why, tool, u.kwargs)
	}
}

func (byDescription) end(*talk, map[string]bool) {}

type byCommand struct{}

func (byCommand) open(t *talk, _ []string) {
	t.list("The client lists the tools: one for each server.")
	t.say("What is there for this?", "ToolsExecute", `{"cmd":"list","params":{"query":"look for something by its name","limit":3}}`)
}

func (byCommand) take(t *talk, u turn) {
	path := u.namespace + "." + u.name
	server, cmd, _ := strings.Cut(path, ".")
	switch u.does {
	case asks:
		t.say(u.why, "ToolsExecute", fmt.Sprintf(`{"cmd":"get","params":{"name":%q}}`, path))
	case calls:
		t.say(u.why, strings.ToUpper(server[:1])+server[1:]+"Execute", fmt.Sprintf(`{"cmd":%q,"params":%s}`, cmd, u.kwargs))
	}
}

func (byCommand) end(*talk, map[string]bool) {}

type byTool struct{}

func (byTool) open(t *talk, _ []string) {
	t.list("The client lists the tools, with their schemas.")
}

func (byTool) take(t *talk, u turn) {
	if u.does == calls {
		t.say(u.why, t.flatName(u.namespace, u.name), u.kwargs)
	}
}

func (byTool) end(*talk, map[string]bool) {}

// execution returns the arguments of tool_execute.
func execution(id, args string) string {
	return fmt.Sprintf(`{"tool_id":%q,"args":%s}`, id, args)
}

// id returns the id on the card of a function.
func (t *talk) id(namespace, name string) string {
	f, err := t.tools.Function(t.ctx, namespace, name)
	if err != nil {
		return name
	}
	return f.ID().String()
}

// wireName returns the name of a function that a proxy lists.
func (t *talk) wireName(namespace, name string) string {
	id := t.id(namespace, name)
	spelled, _ := toolid.NewWireNames([]string{id}).Name(id)
	return spelled
}

// flatName returns the tool name of a function, for faces with a tool per function.
func (t *talk) flatName(namespace, name string) string {
	f, err := t.tools.Function(t.ctx, namespace, name)
	if err != nil {
		return name
	}
	return f.FlatName()
}

// found returns the first submatch in a reply, or "".
func found(reply, pattern string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(reply); m != nil {
		return m[1]
	}
	return ""
}
