package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

const introduction = `A model that knows three tools, call, help and skill, and the servers behind them.
What it sends (>), what it gets (<, or ! where it is an error), and progress on the way (~).
Sizes are in characters, [...] is cut on this page only.
`

// A turn is something that the model does with the server at a label.
type turn struct{ label, why, tool, arguments string }

// script are the turns that are for the servers of config.yaml, after help was
// read. Those of servers that are not there are left out.
var script = []turn{
	{"everything", "How is one of them called?", "help", `{"namespace":"everything","function":"get_sum"}`},
	{"everything", "Call it.", "call", `{"namespace":"everything","function":"get_sum","kwargs":{"a":2,"b":40}}`},
	{"everything", "Another.", "call", `{"namespace":"everything","function":"echo","kwargs":{"message":"hello"}}`},
	{"everything", "One that takes its time reports progress.", "call",
		`{"namespace":"everything","function":"trigger_long_running_operation","kwargs":{"duration":2,"steps":4}}`},
	{"files", "Which files are there?", "call", `{"namespace":"files","function":"list_directory","kwargs":{"path":"."}}`},
	{"files", "The server has its limits, and its errors arrive.", "call",
		`{"namespace":"files","function":"read_text_file","kwargs":{"path":"../config.yaml"}}`},
	{"memory", "Remember something.", "call", `{"namespace":"memory","function":"create_entities",` +
		`"kwargs":{"entities":[{"name":"C-42","entityType":"customer","observations":["likes P-7"]}]}}`},
	{"memory", "Is it remembered?", "call", `{"namespace":"memory","function":"open_nodes","kwargs":{"names":["C-42"]}}`},
	{"memory", "Forget it.", "call", `{"namespace":"memory","function":"delete_entities","kwargs":{"entityNames":["C-42"]}}`},
	{"shop", "A CaSH server has namespaces of its own.", "call", `{"namespace":"shop.orders","function":"create",` +
		`"kwargs":{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}}`},
	{"shop", "And skills, which name its functions as they are called here.", "skill",
		`{"namespace":"shop.orders","skillname":"createorderwithcheck"}`},
}

// walk holds the conversation of a model with the servers over a real MCP
// connection, and writes it down.
func walk(ctx context.Context, m *mounted, out io.Writer) error {
	fmt.Fprintln(out, "Starting the servers. The first time, they are downloaded and compiled.")
	if err := m.agg.Wait(ctx); err != nil {
		return err
	}
	t := &talk{ctx: ctx, out: out}
	if err := t.connect(m.srv); err != nil {
		return err
	}
	defer t.session.Close()

	fmt.Fprintf(out, "\n%s", introduction)
	t.say("What is there?", "help", `{}`)
	there := available(m.agg)
	for _, label := range slices.Sorted(maps.Keys(there)) {
		if there[label] {
			t.say("What is in "+label+"?", "help", fmt.Sprintf(`{"namespace":%q}`, label))
		} else {
			fmt.Fprintf(out, "\n   The server at %s is not available, see below. What is for it is left out.\n", label)
		}
	}
	t.say("Or straight to what is needed, wherever it is.", "help", `{"kwargs":{"search":"look for something by its name"}}`)
	for _, turn := range script {
		if there[turn.label] {
			t.say(turn.why, turn.tool, turn.arguments)
		}
	}
	t.say("Which longer tasks are there instructions for?", "skill", `{}`)
	if t.err != nil {
		return t.err
	}
	if err := t.compare(m.reg); err != nil {
		return err
	}
	report(out, m.agg.Status())
	return nil
}

// available says of every label whether its server is connected.
func available(agg *upstream.Aggregator) map[string]bool {
	there := make(map[string]bool)
	for _, s := range agg.Status() {
		for _, label := range s.Labels {
			there[label] = s.State == upstream.Connected
		}
	}
	return there
}

// report writes how the servers are.
func report(out io.Writer, list []upstream.Status) {
	fmt.Fprintln(out, "\nThe servers, as an operator sees them:")
	for _, s := range list {
		fmt.Fprintf(out, "   %s: %v since %s", strings.Join(s.Labels, ", "), s.State, s.Since.Format(time.TimeOnly))
		if s.State == upstream.Connected {
			fmt.Fprintf(out, ", %s (%v), %d functions, %d skills", s.Server, s.Kind, s.Functions, s.Skills)
		}
		fmt.Fprintf(out, "\n      %s\n", cut(s.Endpoint))
		if s.Err != nil {
			fmt.Fprintf(out, "      %s\n", cut(s.Err.Error()))
		}
		for _, q := range s.Quarantined {
			fmt.Fprintf(out, "      not served: %q: %v\n", q.Tool, q.Reason)
		}
		for _, note := range s.Notes {
			fmt.Fprintf(out, "      %s\n", cut(note))
		}
	}
}
