package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Made functions imitate a large server: ten per kind of thing, such as list, get and create, in one namespace each.
// They are built from word lists and are always the same.

// areas and things are combined to names of namespaces.
var (
	areas = []string{
		"sales", "billing", "support", "stock", "shipping", "purchasing", "marketing", "hiring", "payroll", "legal",
		"travel", "training", "facilities", "security", "network", "hosting", "analytics", "quality", "research", "partners",
	}
	things = []string{
		"accounts", "contracts", "invoices", "tickets", "tasks", "projects", "documents", "meetings", "payments", "budgets",
		"reports", "assets", "incidents", "requests", "releases", "surveys", "campaigns", "suppliers", "orders", "policies",
		"teams", "licences", "forecasts", "audits", "templates",
	}
)

// A verb is an operation on things.
type verb struct {
	name, about string // %[1]s is one thing, %[2]s several things, %[3]s the area
	fields      []string
	required    int // the number of required parameters; they come first
}

var verbs = []verb{
	{"list", "List %[2]s of %[3]s, newest first, with filters for their state and the time of their last change.", []string{"state", "since", "limit", "cursor"}, 0},
	{"get", "Get one %[1]s by its id, with its history on request.", []string{"id", "fields", "history"}, 1},
	{"create", "Create a %[1]s. Returns it with the id that it was given.", []string{"title", "owner", "body", "labels", "due", "priority"}, 2},
	{"update", "Change some fields of a %[1]s and leave the others as they are.", []string{"id", "title", "owner", "body", "priority"}, 1},
	{"archive", "Move a %[1]s out of sight. It can be found and restored for 90 days.", []string{"id", "reason", "notify"}, 1},
	{"search", "Find %[2]s of %[3]s by words in their title and body.", []string{"query", "state", "limit"}, 1},
	{"assign", "Make somebody responsible for a %[1]s and tell them.", []string{"id", "owner", "notify", "due"}, 2},
	{"comment", "Add a comment to a %[1]s. Those who follow it are told.", []string{"id", "body", "notify"}, 2},
	{"export", "Write %[2]s to a file, and return a link to it that is good for a day.", []string{"format", "state", "since", "fields"}, 1},
	{"summarize", "Count %[2]s of %[3]s by state and by owner over a time.", []string{"since", "until", "group", "labels"}, 1},
}

// fields are the schemas of parameters. %s is one thing.
var fields = map[string]string{
	"id":       `{"type":"string","description":"Id of the %s, such as a list or a search returns."}`,
	"title":    `{"type":"string","description":"Title of the %s, in one line.","minLength":1,"maxLength":200}`,
	"body":     `{"type":"string","description":"Text in Markdown."}`,
	"owner":    `{"type":"string","description":"Login name of the person who is responsible for the %s."}`,
	"labels":   `{"type":"array","items":{"type":"string"},"description":"Labels to filter by or to set.","maxItems":20}`,
	"due":      `{"type":"string","format":"date","description":"Day on which it has to be done, in ISO 8601."}`,
	"priority": `{"type":"string","enum":["low","normal","high","urgent"],"default":"normal","description":"How soon the %s is looked at."}`,
	"state":    `{"type":"string","enum":["open","waiting","done","all"],"default":"open","description":"Only those in this state."}`,
	"since":    `{"type":"string","format":"date-time","description":"Only what was changed at this time or later, in ISO 8601."}`,
	"until":    `{"type":"string","format":"date-time","description":"Only what was changed before this time, in ISO 8601."}`,
	"limit":    `{"type":"integer","minimum":1,"maximum":200,"default":25,"description":"Most to return."}`,
	"cursor":   `{"type":"string","description":"Where to go on, from the end of an earlier answer."}`,
	"fields":   `{"type":"array","items":{"type":"string"},"description":"Names of the fields to return. Without it, all of them."}`,
	"history":  `{"type":"boolean","default":false,"description":"Also return who changed what and when."}`,
	"reason":   `{"type":"string","description":"Why, for those who look for the %s later.","maxLength":500}`,
	"notify":   `{"type":"array","items":{"type":"string"},"description":"Login names of those to tell, besides the ones who follow the %s."}`,
	"query":    `{"type":"string","description":"Words to look for; quotes keep a phrase together.","minLength":1}`,
	"format":   `{"type":"string","enum":["csv","json","xlsx"],"description":"Format of the file."}`,
	"group":    `{"type":"string","enum":["day","week","month"],"default":"week","description":"Length of a period."}`,
}

// madeTools returns n tools, at most 5,000. Each gives the same answer to any arguments.
func madeTools(n int) []tool {
	tools := make([]tool, n)
	for i := range tools {
		space, v := i/len(verbs), verbs[i%len(verbs)]
		area, several := areas[space%len(areas)], things[space/len(areas)]
		one := strings.TrimSuffix(several, "s")
		if one == "policie" {
			one = "policy"
		}
		tools[i] = tool{server: area + "_" + several, name: v.name}
		tools[i].recorded = asJSON(map[string]any{
			"description":  describe(v.about, one, several, area),
			"inputSchema":  v.schema(one),
			"name":         v.name,
			"outputSchema": json.RawMessage(madeResult),
			"result":       textResult(`{"ok":true,"id":"` + area + `-4711"}`),
		})
	}
	return tools
}

// madeResult is the schema of the answer.
const madeResult = `{"type":"object","properties":{"ok":{"type":"boolean"},"id":{"type":"string"}},"required":["ok","id"],"additionalProperties":false}`

// schema returns the schema of the arguments, in declared order.
func (v verb) schema(one string) json.RawMessage {
	members, required := make([]string, len(v.fields)), ""
	for i, field := range v.fields {
		members[i] = fmt.Sprintf("%q:%s", field, strings.ReplaceAll(fields[field], "%s", one))
	}
	if v.required > 0 {
		required = `,"required":["` + strings.Join(v.fields[:v.required], `","`) + `"]`
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(members, ",") + `}` + required + `,"additionalProperties":false}`)
}

// describe fills the words into a description, which may use any of them.
func describe(about, one, several, area string) string {
	return strings.NewReplacer("%[1]s", one, "%[2]s", several, "%[3]s", area).Replace(about)
}

// madeSpace returns the description of a namespace.
func madeSpace(server string) string {
	area, several, _ := strings.Cut(server, "_")
	return fmt.Sprintf("Everything about the %s of %s.", several, area)
}

// textResult returns a result of tools/call with one text.
func textResult(text string) any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
}
