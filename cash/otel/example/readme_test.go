package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/otel/internal/otlptest"
	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

func TestMain(m *testing.M) { guidetest.Main(m, main) }

func TestReadme(t *testing.T) {
	receiver := otlptest.New(t)
	g := &guidetest.Guide{Addresses: map[string]string{"127.0.0.1:4318": strings.TrimPrefix(receiver.URL, "http://")}}
	g.Args = func(args []string) []string {
		switch {
		case args[0] == "carrier":
			return append(args, "-addr", "127.0.0.1:8081")
		case args[0] == "-token":
			return args
		case args[0] == "call":
			g.Job(t, 2).Log.WaitFor(t, `"msg":"connected"`) // a reader takes longer than that
			return append([]string{"call", "-url", "http://127.0.0.1:8080/mcp"}, args[1:]...)
		}
		return append(args, "-addr", "127.0.0.1:8080", "-url", "http://127.0.0.1:8080")
	}
	g.Output = func(block, printed string) string {
		switch block {
		case "text %2":
			return sorted(printed)
		case "text trace":
			if len(receiver.Points("desk", "mcp.server.operation.duration")) == 0 || len(receiver.Points("carrier", "")) == 0 {
				t.Error("the collector has no metrics")
			}
			return traceOf(t, receiver)
		}
		return printed
	}
	g.Test(t)
}

// sorted returns a text with its trees in order: a span may end after the next request has begun.
func sorted(text string) string {
	var trees []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, " ") && len(trees) > 0 {
			trees[len(trees)-1] += "\n" + line
		} else {
			trees = append(trees, line)
		}
	}
	slices.Sort(trees)
	return strings.Join(trees, "\n")
}

// traceOf returns the tree of the agent's trace at the collector, whose senders have ended.
func traceOf(t *testing.T, receiver *otlptest.Receiver) string {
	t.Helper()
	all := receiver.Spans(t, func(all []otlptest.Span) bool {
		return slices.ContainsFunc(all, func(s otlptest.Span) bool { return s.Service == "agent" })
	})
	agent := slices.IndexFunc(all, func(s otlptest.Span) bool { return s.Service == "agent" })
	return otlptest.Tree(slices.DeleteFunc(slices.Clone(all), func(s otlptest.Span) bool { return s.Trace != all[agent].Trace }))
}
