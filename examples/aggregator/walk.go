package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/cash/config"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

const introduction = `A model that knows %s, and the servers behind them.
What it sends (>), what it gets (<, or ! where it is an error), and progress on the way (~).
Sizes are in characters, [...] is cut on this page only.
`

// maxLabels is the most top-level namespaces that the walk enters.
const maxLabels = 20

// walk holds a model's conversation with the servers over a real MCP connection, and prints it.
func walk(ctx context.Context, srv *config.Server, name string, out io.Writer) error {
	if err := srv.Wait(ctx); err != nil {
		return err
	}
	way := manners[name]
	t := &talk{ctx: ctx, out: out, tools: srv.Registry(), learns: way.learns, fetched: make(map[string]bool)}
	if err := t.connect(srv); err != nil {
		return err
	}
	defer t.session.Close()

	fmt.Fprintf(out, "\n"+introduction, way.knows)
	there, err := available(ctx, srv)
	if err != nil {
		return err
	}
	var labels []string
	for _, label := range slices.Sorted(maps.Keys(there)) {
		if there[label] {
			labels = append(labels, label)
		} else {
			fmt.Fprintf(out, "\n   The server at %s is not available, see below. What is for it is left out.\n", label)
		}
	}
	way.open(t, labels[:min(len(labels), maxLabels)])
	for _, turn := range script {
		if _, err := t.tools.Function(ctx, turn.namespace, turn.name); there[turn.label] && (err == nil || turn.does == reads) {
			way.take(t, turn)
		}
	}
	way.end(t, there)
	if t.err != nil {
		return t.err
	}
	if err := t.compare(way); err != nil {
		return err
	}
	report(out, srv.Status())
	return nil
}

// available maps the top-level namespaces to true if they can be used: a server must be connected;
// entries of a catalog always can.
func available(ctx context.Context, srv *config.Server) (map[string]bool, error) {
	there := make(map[string]bool)
	list, err := srv.Registry().List(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, c := range list.Namespaces {
		there[c.Path] = true
	}
	for _, s := range srv.Status() {
		for _, label := range s.Labels {
			there[label] = s.State == upstream.Connected
		}
	}
	return there, nil
}

// report prints the states of the servers.
func report(out io.Writer, list []upstream.Status) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(out, "\nThe servers, as an operator sees them:")
	for _, s := range list {
		fmt.Fprintf(out, "   %s: %v since %s", strings.Join(s.Labels, ", "), s.State, s.Since.Format(time.TimeOnly))
		if s.State == upstream.Connected {
			fmt.Fprintf(out, ", %s (%v), %d functions, %d skills", s.Server, s.Kind, s.Functions, s.Skills)
			if s.Resources+s.Prompts > 0 {
				fmt.Fprintf(out, ", %d resources, %d prompts", s.Resources, s.Prompts)
			}
		}
		fmt.Fprintf(out, "\n      %s\n", cut(s.Endpoint))
		if s.Err != nil {
			fmt.Fprintf(out, "      %s\n", cut(s.Err.Error()))
		}
		for _, q := range s.Quarantined {
			fmt.Fprintf(out, "      not served: %q: %v, hash %s\n", q.Tool, q.Reason, cmp.Or(q.Hash, "none"))
			for line := range strings.Lines(q.Difference) {
				fmt.Fprintf(out, "         %s\n", cut(strings.TrimRight(line, "\n")))
			}
		}
		for _, note := range s.Notes {
			fmt.Fprintf(out, "      %s\n", cut(note))
		}
	}
}
