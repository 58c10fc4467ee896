//go:build realclients

package realclients

import "maps"

// revision is one run of the suite: which scenarios it has, and what is
// expected of each.
type revision struct {
	version, suite string
	scenarios      map[string]scenario
}

// scenario says what to expect. The zero scenario must pass as a whole.
type scenario struct {
	// needs is what the suite wants to find in a server made for it, and a
	// server of three tools does not have.
	needs string
	// excused are the checks that fail for want of it, and no others may.
	// Empty with needs set is a scenario that only warns.
	excused []string
	// partly says that other checks of the scenario need nothing.
	partly bool
}

// must reports whether at least one check has to succeed.
func (s scenario) must() bool { return s.needs == "" || s.partly }

func without(needs string, checks ...string) scenario {
	return scenario{needs: needs, excused: checks}
}

var revisions = []revision{
	{"2025-11-25", "active", merge(common, sessions)},
	{"2026-07-28", "all", merge(common, stateless)},
}

// common are the scenarios that both revisions have.
var common = map[string]scenario{
	"tools-list":                  {},
	"resources-list":              {},
	"prompts-list":                {},
	"dns-rebinding-protection":    {},
	"server-sse-multiple-streams": {},

	"completion-complete":           without("completions", "completion-complete"),
	"tools-call-simple-text":        without("tool test_simple_text", "tools-call-simple-text"),
	"tools-call-image":              without("tool test_image_content", "tools-call-image"),
	"tools-call-audio":              without("tool test_audio_content", "tools-call-audio"),
	"tools-call-embedded-resource":  without("tool test_embedded_resource", "tools-call-embedded-resource"),
	"tools-call-mixed-content":      without("tool test_multiple_content_types", "tools-call-mixed-content"),
	"tools-call-error":              without("tool test_error_handling", "tools-call-error"),
	"tools-call-with-progress":      without("tool test_tool_with_progress", "tools-call-with-progress"),
	"resources-read-text":           without("resource test://static-text", "resources-read-text"),
	"resources-read-binary":         without("resource test://static-binary", "resources-read-binary"),
	"resources-templates-read":      without("template test://template", "resources-templates-read"),
	"prompts-get-simple":            without("prompt test_simple_prompt", "prompts-get-simple"),
	"prompts-get-with-args":         without("prompt test_prompt_with_arguments", "prompts-get-with-args"),
	"prompts-get-embedded-resource": without("prompt test_prompt_with_embedded_resource", "prompts-get-embedded-resource"),
	"prompts-get-with-image":        without("prompt test_prompt_with_image", "prompts-get-with-image"),
}

// sessions are the scenarios that end with the session-based generation.
var sessions = map[string]scenario{
	"server-initialize":        {},
	"server-session-lifecycle": {},
	"ping":                     {},
	"logging-set-level":        {},

	"tools-call-with-logging":      without("tool test_tool_with_logging", "tools-call-with-logging"),
	"tools-call-sampling":          without("tool test_sampling", "tools-call-sampling"),
	"tools-call-elicitation":       without("tool test_elicitation", "tools-call-elicitation"),
	"elicitation-sep1034-defaults": without("tool test_elicitation_sep1034_defaults", "elicitation-sep1034-general"),
	"elicitation-sep1330-enums":    without("tool test_elicitation_sep1330_enums", "elicitation-sep1330-general"),
	"resources-subscribe":          without("subscriptions", "resources-subscribe"),
	"resources-unsubscribe":        without("subscriptions", "resources-unsubscribe"),
}

// stateless are the scenarios that begin with the stateless generation.
var stateless = map[string]scenario{
	"caching":                                   {},
	"http-header-validation":                    {},
	"sep-2164-resource-not-found":               {},
	"input-required-result-unsupported-methods": {},
	"input-required-result-validate-input":      {},

	"server-stateless": {
		needs:  "tools test_missing_capability, test_streaming_elicitation, test_logging_tool; prompts",
		partly: true,
		excused: []string{
			"sep-2575-server-rejects-undeclared-capability",
			"sep-2575-missing-capability-http-400",
			"sep-2575-http-server-no-independent-requests-on-stream",
			"sep-2575-server-no-log-without-loglevel",
			// The MCP SDK answers prompts/list of a server without prompts with
			// an empty list, which prompts-list wants, and declares no prompts,
			// which this check wants: no server without prompts passes both.
			"sep-2575-server-declares-prompts-in-discover",
		},
	},

	"json-schema-2020-12": without("tool json_schema_2020_12_tool", "json-schema-2020-12-tool-found"),
	"http-custom-header-server-validation": without("a tool with x-mcp-header",
		"sep-2243-server-no-xmcp-tool",
		"sep-2243-server-decode-base64",
		"sep-2243-server-validate-param-match",
		"sep-2243-server-reject-invalid-param-chars",
		"sep-2243-server-reject-param-mismatch"),

	"input-required-result-basic-elicitation":       without("tool test_input_required_result_elicitation", "sep-2322-elicitation-incomplete"),
	"input-required-result-basic-sampling":          without("tool test_input_required_result_sampling", "sep-2322-sampling-incomplete"),
	"input-required-result-basic-list-roots":        without("tool test_input_required_result_list_roots", "sep-2322-list-roots-incomplete"),
	"input-required-result-request-state":           without("tool test_input_required_result_request_state", "sep-2322-request-state-incomplete"),
	"input-required-result-multiple-input-requests": without("tool test_input_required_result_multiple_inputs", "sep-2322-multiple-inputs-incomplete"),
	"input-required-result-multi-round":             without("tool test_input_required_result_multi_round", "sep-2322-multi-round-r1"),
	"input-required-result-missing-input-response":  without("tool test_input_required_result_elicitation"),
	"input-required-result-non-tool-request":        without("prompt test_input_required_result_prompt", "sep-2322-non-tool-incomplete"),
	"input-required-result-result-type":             without("tool test_input_required_result_elicitation", "sep-2322-result-type-included"),
	"input-required-result-tampered-state":          without("tool test_input_required_result_tampered_state", "sep-2322-reject-tampered-state"),
	"input-required-result-capability-check":        without("tool test_input_required_result_capabilities", "sep-2322-respect-client-capabilities"),
	"input-required-result-ignore-extra-params":     without("tool test_input_required_result_elicitation"),
}

func merge(a, b map[string]scenario) map[string]scenario {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
