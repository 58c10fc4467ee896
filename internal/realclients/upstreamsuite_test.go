//go:build realclients

package realclients

import (
	"testing"

	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// The MCP SDK's server for the suite has what the suite looks for. Its tools, by
// their own names, are to pass as well through an aggregator and the plain face.
func TestConformanceOfUpstream(t *testing.T) {
	m := mount(t, upstream.Server{Label: "suite", Endpoint: upstream.Command{Path: suiteServer}})
	l, err := m.reg.List(t.Context(), "suite")
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(l.Functions...)
	url := serveInProcess(t, plain.NewServer(reg, nil))
	for _, rev := range revisions {
		t.Run(rev.version, func(t *testing.T) {
			rev.scenarios = merge(rev.scenarios, throughPlain[rev.version])
			report := runSuite(t, url, rev)
			t.Log("\n" + table(rev, report))
			for _, problem := range judge(rev, report) {
				t.Error(problem)
			}
		})
	}
}

// throughPlain are the scenarios for which the tools are there.
var throughPlain = map[string]map[string]scenario{
	"2025-11-25": merge(anyContent, map[string]scenario{
		"tools-call-with-logging": {},
		// The aggregator speaks 2026-07-28 with the server, where these are not left.
		"tools-call-elicitation":       without("requests of the server", "tools-call-elicitation"),
		"elicitation-sep1034-defaults": without("requests of the server", "elicitation-sep1034-general"),
		"elicitation-sep1330-enums":    without("requests of the server", "elicitation-sep1330-general"),
	}),
	"2026-07-28": merge(anyContent, map[string]scenario{
		"json-schema-2020-12":                          {},
		"input-required-result-basic-elicitation":      {},
		"input-required-result-ignore-extra-params":    {},
		"input-required-result-missing-input-response": {},
		"input-required-result-multi-round":            {},
		"input-required-result-request-state":          {},
		"input-required-result-result-type":            {},

		// What a server behind refuses as an error of the protocol is a result here.
		"input-required-result-tampered-state": without("an error that is none of a tool", "sep-2322-reject-tampered-state"),
		"server-stateless": {
			needs:  "an error that is none of a tool; prompts",
			partly: true,
			excused: []string{
				"sep-2575-server-rejects-undeclared-capability",
				"sep-2575-missing-capability-http-400",
				"sep-2575-server-declares-prompts-in-discover",
			},
		},
	}),
}

// anyContent are the calls that both revisions have.
var anyContent = map[string]scenario{
	"tools-call-simple-text":       {},
	"tools-call-image":             {},
	"tools-call-audio":             {},
	"tools-call-embedded-resource": {},
	"tools-call-mixed-content":     {},
	"tools-call-error":             {},
	"tools-call-with-progress":     {},
}
