package config_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

func parseFront(doc string) (*config.File, error) {
	return config.Parse([]byte(doc), &config.Options{
		File: "f", Dir: "/etc", Getenv: func(name string) (string, bool) { return "s3cr3t", name == "SECRET" },
	})
}

// Every block of the file: a right value, and wrong ones with their places.
func TestBlocks(t *testing.T) {
	for _, tt := range []struct {
		doc  string
		want string // the error; empty for none
		ok   func(f *config.File) bool
	}{
		// face
		{doc: "face: proxy", ok: func(f *config.File) bool { return f.Face == "proxy" }},
		{doc: "face: cli", want: `f:1:7: face: "cli" is not one of cash, gateway, proxy, disclosure, facade, plain, endpoint`},
		{doc: "face: [cash]", want: "f:1:7: face: a list where one text is wanted"},
		{doc: "fase: cash", want: `f:1:1: unknown key "fase": did you mean face?`},
		{doc: "face: gateway\nsizelimit: 5", want: "f:2:12: sizelimit: is for the face cash: remove it"},
		{doc: "face: gateway\ncache_stable: true\ntop_k: 7\ntolerant_args: true", ok: func(f *config.File) bool { return f.CacheStable && f.TopK == 7 && f.TolerantArgs }},
		{doc: "cache_stable: true", want: "f:1:15: cache_stable: is for the face gateway: remove it"},
		{doc: "face: gateway\ntop_k: 101", want: `f:2:8: top_k: "101" is not a whole number from 1 to 100`},
		{doc: "face: endpoint\ntolerant_args: true", want: "f:2:16: tolerant_args: is not for the face endpoint: remove it"},
		{doc: "face: endpoint\nrate_limits: {default: {max_calls_per_minute: 60}}", want: "f:2:14: rate_limits: is not for the face endpoint, whose process ends"},
		{doc: "face: endpoint\ncache: {read_only: true}", want: "f:2:8: cache: is not for the face endpoint, whose process ends"},
		{doc: "face: endpoint\npolicy: {default: deny}\napproval: {max_age: 1m}", want: "f:3:11: approval: is not for the face endpoint, whose process ends"},
		{doc: "face: endpoint\npolicy: {default: require_approval}", want: "f:2:9: policy: require_approval is not for the face endpoint"},
		{doc: "face: endpoint\npolicy: {rules: [{decision: deny, tools: [a.b]}, {decision: require_approval, tools: [a.c]}]}", want: "f:2:9: policy: require_approval is not for the face endpoint"},

		// catalog
		{doc: "catalog: tools.json", ok: func(f *config.File) bool { return f.Catalog == "/etc/tools.json" }},
		{doc: "catalog: {file: x}", want: "f:1:10: catalog: keys with values where one text is wanted"},

		// start
		{doc: "start: strict\nstart_timeout: 3s", ok: func(f *config.File) bool { return f.Strict && f.StartTimeout == 3*time.Second }},
		{doc: "start: eager", want: `f:1:8: start: "eager" is not one of degraded, strict`},
		{doc: "start_timeout: soon", want: `f:1:16: start_timeout: "soon" is not a duration such as 30s or 5m`},

		// retry
		{
			doc: "retry: {max_attempts: 3, base_delay: 50ms, max_delay: 2s, jitter: false, retryable_codes: [UPSTREAM_TIMEOUT, RATE_LIMITED], idempotent: [a.put]}",
			ok: func(f *config.File) bool {
				r := f.Retry
				return r.MaxAttempts == 3 && r.BaseDelay == 50*time.Millisecond && r.MaxDelay == 2*time.Second && r.Rand() == 1 &&
					slices.Equal(r.Kinds, []registry.Kind{registry.TimedOut, registry.RateLimited})
			},
		},
		{doc: "retry:\n  max_attempts: many", want: `f:2:17: retry.max_attempts: "many" is not a whole number from 1 to 100`},
		{doc: "retry:\n  retryable_codes: [UPSTREAM_TIMEOUT, ARGS_INVALID]", want: `f:2:39: retry.retryable_codes[1]: "ARGS_INVALID" is not one of RATE_LIMITED, UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE`},
		{doc: "retry:\n  jitter: 0.5", want: `f:2:11: retry.jitter: "0.5" is neither true nor false`},
		{doc: "retry:\n  idempotent: ['a b']", want: `f:2:16: retry.idempotent[0]: "a b" is not the path of a tool, such as orders.create`},
		{doc: "retry:\n  attempts: 2", want: `f:2:3: retry: unknown key "attempts": the keys here are max_attempts, base_delay, max_delay, jitter, retryable_codes, idempotent`},
		{doc: "retry: 3", want: "f:1:8: retry: one text where keys with values are wanted"},

		// cache
		{
			doc: "cache: {read_only: true, allow: ['a:get#0011aabb', a.list], ttl: 1m, max_result: 1KiB, max_bytes: 2MiB, max_entries: 9}",
			ok: func(f *config.File) bool {
				return f.Cache.ReadOnly && len(f.Cache.Allow) == 2 && f.Cache.TTL == time.Minute && f.Cache.MaxResult == 1024 &&
					f.Results.MaxBytes == 2<<20 && f.Results.MaxEntries == 9
			},
		},
		{doc: "cache: {ttl: 1m}", want: "f:1:8: cache.read_only: missing; only with true, results of read-only tools are cached"},
		{doc: "cache:\n  read_only: true\n  allow: ['a:']", want: "f:3:11: cache.allow[0]: "},
		{doc: "cache:\n  read_only: true\n  allow: []", want: "f:3:10: cache.allow: the list is empty: name a tool, or leave it out"},
		{doc: "cache:\n  read_only: true\n  ttl: 0s", want: `f:3:8: cache.ttl: "0s" is not more than nothing: leave it out for the default`},

		// rate_limits
		{
			doc: "face: gateway\nrate_limits:\n  default: {max_calls_per_minute: 60}\n  meta_tools: {tool_browse: {max_calls_per_session: 9}}\n  tools: {'a:refund#0011aabb': {max_calls_per_minute: 4, burst: 2}}",
			ok: func(f *config.File) bool {
				q := f.RateLimits
				return q.Default == control.Limit{PerMinute: 60} && q.Meta["tool_browse"] == control.Limit{PerSession: 9} &&
					q.Tools["a:refund#0011aabb"] == control.Limit{PerMinute: 4, Burst: 2}
			},
		},
		{doc: "rate_limits:\n  meta_tools:\n    tool_browse: {max_calls_per_minute: 1}", want: `f:3:5: rate_limits.meta_tools.tool_browse: the face cash has no tool "tool_browse": it has call, help, skill`},
		{doc: "rate_limits:\n  tools:\n    'a b': {max_calls_per_minute: 1}", want: `f:3:5: rate_limits.tools.a b: "a b" is neither an id nor a dotted path`},
		{doc: "rate_limits:\n  tools:\n    a.b: {per_minute: 1}", want: `f:3:11: rate_limits.tools.a.b: unknown key "per_minute": the keys here are max_calls_per_minute, max_calls_per_session, burst`},
		{doc: "rate_limits:\n  default: {max_calls_per_minute: -1}", want: `f:2:35: rate_limits.default.max_calls_per_minute: "-1" is not a whole number from 1 to 10000000`},
		{doc: "rate_limits:\n  default: {burst: 1}", want: "f:2:20: rate_limits.default.burst: has no effect without max_calls_per_minute"},
		{doc: "rate_limits:\n  tools: [a]", want: "f:2:10: rate_limits.tools: a list where keys with values are wanted"},

		// policy
		{
			doc: "policy:\n  default: deny\n  rules:\n    - {decision: allow, tools: ['**.get_*'], classes: [read_only], kinds: [tool], namespaces: [a.b], ids: ['a:b#0011aabb'], tags: [x], roles: [r], callers: [c], reason: Why.}\n    - {decision: require_approval, anonymous: true}",
			ok: func(f *config.File) bool {
				r := f.Policy.Rules
				return f.Policy.Default == control.Deny && len(r) == 2 && r[0].Tools[0] == "**.get_*" && r[0].Classes[0] == control.ReadOnly &&
					r[0].Kinds[0] == toolid.Tool && r[0].Namespaces[0] == "a.b" && r[0].IDs[0] == "a:b#0011aabb" && r[0].Tags[0] == "x" && r[0].Roles[0] == "r" &&
					r[0].Callers[0] == "c" && r[0].Reason == "Why." && r[1].Anonymous && r[1].Decision == control.RequireApproval
			},
		},
		{doc: "policy: {}", want: "f:1:9: policy: no rules and no default: it would decide nothing"},
		{doc: "policy:\n  default: perhaps", want: `f:2:12: policy.default: "perhaps" is not one of allow, deny, require_approval`},
		{doc: "policy:\n  rules:\n    - {tools: [a.b]}", want: "f:3:7: policy.rules[0].decision: missing; it is required"},
		{doc: "policy:\n  rules:\n    - {decision: deny, tools: [a.b, 'a..b']}", want: `f:3:37: policy.rules[0].tools[1]: tools: glob "a..b": a label is empty`},
		{doc: "policy:\n  rules:\n    - {decision: deny, tools: ['${env:SECRET}!']}", want: "f:3:32: policy.rules[0].tools[0]: the value of the variable is not valid here"},
		{doc: "policy:\n  rules:\n    - {decision: deny, classes: [evil]}", want: `f:3:34: policy.rules[0].classes[0]: classes: unknown class "evil"`},
		{doc: "policy:\n  rules:\n    - {decision: deny, kinds: [skill]}", want: `f:3:32: policy.rules[0].kinds[0]: kinds: unknown kind "skill"`},
		{doc: "policy:\n  rules:\n    - {decision: deny, ids: [nonsense]}", want: "f:3:30: policy.rules[0].ids[0]: ids: "},
		{doc: "policy:\n  rules:\n    - {decision: deny, anonymous: true, callers: [c]}", want: "f:3:7: policy.rules[0]: it wants an anonymous caller with an id"},
		{doc: "policy:\n  rules:\n    - {decision: deny, tools: []}", want: "f:3:31: policy.rules[0].tools: the list is empty: name a tool, or leave it out"},
		{doc: "policy:\n  rules:\n    - {decision: deny, tool: a}", want: `f:3:24: policy.rules[0]: unknown key "tool": did you mean tools?`},

		// approval
		{
			doc: "policy: {default: allow}\napproval: {operator_only: true, max_age: 5m, max_waiting: 10, max_per_caller: 2}",
			ok: func(f *config.File) bool {
				return f.Approval.OperatorOnly && f.Approval.MaxAge == 5*time.Minute && f.Approval.Max == 10 && f.Approval.MaxPerOwner == 2
			},
		},
		{doc: "approval: {max_age: 5m}", want: "f:1:11: approval: there is no policy that requires approval: add policy, or remove it"},
		{doc: "policy: {default: allow}\napproval: {operators: x}", want: `f:2:12: approval: unknown key "operators"`},

		// redact
		{
			doc: "face: gateway\nredact: {defaults: false, rules: [{name: badge, pattern: 'B-(\\d+)', group: 1, hint: B-}]}",
			ok:  func(f *config.File) bool { return len(f.Redact) == 1 && f.Redact[0].Group == 1 },
		},
		{doc: "face: gateway\nredact: {}", ok: func(f *config.File) bool { return len(f.Redact) > 1 }},
		{doc: "redact: {}", want: "f:1:9: redact: is for the faces gateway and proxy: remove it"},
		{doc: "face: gateway\nredact:\n  rules:\n    - {name: badge, pattern: '('}", want: "f:4:30: redact.rules[0].pattern: not a regular expression of Go, RE2"},
		{doc: "face: gateway\nredact:\n  rules:\n    - {name: badge}", want: "f:4:7: redact.rules[0].pattern: missing; it is required"},
		{doc: "face: gateway\nredact:\n  rules:\n    - {name: badge, pattern: x, group: 2}", want: "f:4:7: redact.rules[0]: the pattern has no group 2"},

		// artifacts
		{
			doc: "face: gateway\nartifacts: {dir: kept, max_bytes: 1MiB, max_bytes_per_caller: 64KiB, max_artifacts: 8, max_per_caller: 4, max_age: 1h, inline: 500, max_view: 900}",
			ok: func(f *config.File) bool {
				return f.Artifacts == config.Artifacts{Dir: "/etc/kept", MaxBytes: 1 << 20, MaxBytesPerOwner: 64 << 10, Max: 8, MaxPerOwner: 4, MaxAge: time.Hour, Inline: 500, MaxView: 900}
			},
		},
		{doc: "face: gateway\nartifacts: {max_bytes: 1GB2}", want: `f:2:24: artifacts.max_bytes: "1GB2" is not a size such as 8MiB, 500KB or 65536`},
		{doc: "face: proxy\nartifacts: {dir: x}", want: "f:2:12: artifacts: is for the face gateway: remove it"},

		// pins and schema limits
		{doc: "schema_limits: {max_bytes: 1KiB, max_depth: 4, max_properties: 9}\nupstreams: [{label: a, command: [x]}, {label: b, command: [x], schema_limits: {max_depth: 2}}]\nmanifests: [{url: 'https://mcp.example/m'}]", ok: func(f *config.File) bool {
			all := registry.SchemaLimits{Bytes: 1024, Depth: 4, Properties: 9}
			return f.Upstreams[0].Schemas == all && f.Upstreams[1].Schemas == registry.SchemaLimits{Depth: 2} && f.Manifests[0].Server.Schemas == all
		}},
		{doc: "schema_limits: {depth: 4}", want: `f:1:17: schema_limits: unknown key "depth"`},

		// of an upstream
		{doc: "upstreams: [{label: a, command: [x], include_tools: [get_*], exclude_tools: [get_all], required: true}, {label: b, command: [x]}]", ok: func(f *config.File) bool {
			u := f.Upstreams[0]
			return slices.Equal(u.Include, []string{"get_*"}) && slices.Equal(u.Exclude, []string{"get_all"}) && slices.Equal(f.Required, []string{"a"})
		}},
		{doc: "upstreams:\n  - label: a\n    command: [x]\n    include_tools: get", want: "f:4:20: upstreams[0].include_tools: one text where a list is wanted"},
		{doc: "upstreams:\n  - label: a\n    command: [x]\n    exclude_tools: []", want: "f:4:20: upstreams[0].exclude_tools: the list is empty: name a tool, or leave it out"},
		{doc: "upstreams:\n  - label: a\n    command: [x]\n    required: very", want: `f:4:15: upstreams[0].required: "very" is neither true nor false`},
	} {
		f, err := parseFront(tt.doc)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s\nis refused: %v", tt.doc, err)
		case tt.want == "" && !tt.ok(f):
			t.Errorf("%s\ngives %+v", tt.doc, f)
		case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s\ngot  %v\nwant %s", tt.doc, err, tt.want)
		case err != nil && strings.Contains(err.Error(), "s3cr3t"):
			t.Errorf("%v tells a secret", err)
		}
	}
}

// What a file names and nothing is has its place.
func TestUnmatched(t *testing.T) {
	f, err := parseFront(`
policy:
  rules:
    - {decision: deny, tools: [a.drop]}
    - {decision: deny, tools: [a.get, "a.dorp*"]}
rate_limits:
  tools:
    a.get: {max_calls_per_minute: 1}
    a.gte: {max_calls_per_minute: 1}
cache:
  read_only: true
  allow: [a.drop, "a:nothing#0011aabb"]
retry:
  idempotent: [A.Get, a.put]
upstreams:
  - {label: off, command: [x], disabled: true}
  - label: a
    command: [x]
    include_tools: [drop, get, put]
`)
	if err != nil {
		t.Fatal(err)
	}
	srv := mcp.NewServer(&mcp.Implementation{Name: "a"}, nil)
	for _, name := range []string{"get", "drop"} {
		mcp.AddTool(srv, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return new(mcp.CallToolResult), nil, nil
		})
	}
	reg := registry.New(nil)
	agg := upstream.New(reg, nil)
	u := f.Upstreams[0]
	u.Endpoint = upstream.InMemory{Server: srv}
	if err := errors.Join(agg.Add(u), agg.Wait(t.Context())); err != nil {
		t.Fatal(err)
	}
	defer agg.Close(t.Context())
	var got []string
	for _, e := range f.Unmatched(agg.Status(), reg) {
		got = append(got, e.Error())
	}
	want := []string{
		`f:5:7: policy.rules[1]: no function matches the tool "a.dorp*"`,
		"f:9:5: rate_limits.tools.a.gte: there is no such function: look it up with help, tool_browse or cash doctor",
		"f:12:19: cache.allow[1]: there is no such function: look it up with help, tool_browse or cash doctor",
		"f:14:23: retry.idempotent[1]: there is no such function: look it up with help, tool_browse or cash doctor",
		"f:19:32: upstreams[1].include_tools[2]: the server has no such tool",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The effective configuration has the defaults and no secret, and means the same.
func TestEffective(t *testing.T) {
	f, err := parseFront(`
name: tools # of everything
face: gateway
start: strict
retry: {max_attempts: 2}
cache: {read_only: true, allow: [a.b]}
rate_limits:
  tools: {a.b: {max_calls_per_minute: 3}}
policy:
  rules:
    - {decision: deny, tools: [a.b]}
artifacts: {}
upstreams:
  - label: a
    endpoint: https://mcp.example/mcp?token=abc
    headers: {Authorization: "Bearer ${env:SECRET}", X-Key: plain-secret}
  - label: b
    command: [npx, --token, ghp_0123456789abcdefghijABCDEFGHIJ012345, "${env:SECRET}"]
    env: {KEY: plain-secret}
`)
	if err != nil {
		t.Fatal(err)
	}
	const want = `name: tools
face: gateway
start: strict
start_timeout: 10s
policy:
  default: allow
  rules:
    - decision: deny
      tools: [a.b]
rate_limits:
  session_idle: 1h
  max_sessions: 100000
  tools:
    a.b:
      max_calls_per_minute: 3
cache:
  read_only: true
  ttl: 5m
  max_result: 1MiB
  allow: [a.b]
  max_bytes: 64MiB
  max_entries: 10000
retry:
  max_attempts: 2
  base_delay: 100ms
  max_delay: 5s
  jitter: true
artifacts:
  max_bytes: 256MiB
  max_bytes_per_caller: 64MiB
  max_artifacts: 10000
  max_per_caller: 1000
  max_age: 30m
  inline: 4000
upstreams:
  - label: a
    description: x
`
	got := string(f.Effective())
	if i := strings.Index(want, "  - label: a"); !strings.HasPrefix(got, want[:i]) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, secret := range []string{"s3cr3t", "plain-secret", "ghp_", "abc"} {
		if strings.Contains(got, secret) {
			t.Errorf("it shows %s:\n%s", secret, got)
		}
	}
	for _, shown := range []string{"Authorization: \"Bearer ${env:SECRET}\"\n", "timeout: 1m\n", "concurrency: 16\n", "endpoint: https://mcp.example/mcp?(hidden)\n"} {
		if !strings.Contains(got, shown) {
			t.Errorf("it does not show %q:\n%s", shown, got)
		}
	}
	again, err := parseFront(got)
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if twice := string(again.Effective()); twice != got {
		t.Errorf("it changes when it is read again:\n%s\n%s", got, twice)
	}
}

// Secrets beside variables, in their defaults and after names of secrets are hidden. What is no secret is shown.
func TestEffectiveHides(t *testing.T) {
	const ghp = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	for _, tt := range []struct{ line, want string }{
		{`headers: {Authorization: "Bearer ${env:SECRET:-sk-live-hunter2hunter2}"}`, `Authorization: Bearer ${env:SECRET:-(hidden)}`},
		{`headers: {Authorization: "Bearer ${env:SECRET:-}"}`, `Authorization: Bearer ${env:SECRET:-}`},
		{`headers: {Authorization: "Bearer hunter2"}`, `Authorization: Bearer (hidden)`},
		{`headers: {X-Key: "hunter2${env:EMPTY:-}"}`, `X-Key: (hidden)${env:EMPTY:-}`},
		{`headers: {X-Key: "$$${env:SECRET}hunter2"}`, `X-Key: (hidden)${env:SECRET}(hidden)`},
		{`headers: {X-Key: "hunter2$${env:SECRET}"}`, `X-Key: (hidden)`},
		{`env: {K: "${env:SECRET:-hunter2}"}`, `K: ${env:SECRET:-(hidden)}`},
		{`command: [srv, "--token=${env:SECRET:-` + ghp + `}"]`, `command: [srv, '--token=${env:SECRET:-(hidden)}']`},
		{`command: [srv, --password, hunter2, --port, "80"]`, `command: [srv, --password, (hidden), --port, "80"]`},
		{`command: [srv, --password, a=hunter2]`, `command: [srv, --password, (hidden)]`},
		{`command: [srv, --password, 'hunter2${env:EMPTY:-}']`, `command: [srv, --password, '(hidden)${env:EMPTY:-}']`},
		{`command: [srv, -e, API_KEY=hunter2, LEVEL=warn]`, `command: [srv, -e, API_KEY=(hidden), LEVEL=warn]`},
		{`command: [srv, '${env:PORT:-80}', '${env:EMPTY:-}` + ghp + `']`, `command: [srv, '${env:PORT:-80}', '${env:EMPTY:-}(hidden)']`},
		{`endpoint: https://h.example/` + ghp + `/mcp?q=hunter2`, `/mcp?(hidden)`},
		{`endpoint: "https://h.example/${env:SECRET:-path}/mcp?q=${env:SECRET:-hunter2}"`, `endpoint: https://h.example/${env:SECRET:-path}/mcp?(hidden)`},
		{`endpoint: "${env:URL:-https://h.example/mcp?q=hunter2}&r=hunter2"`, `endpoint: ${env:URL:-https://h.example/mcp?(hidden)}`},
		{`endpoint: "${env:URL:-https://me:hunter2@h.example/mcp}"`, `endpoint: ${env:URL:-(hidden)}`},
		{`description: "${env:EMPTY:-` + ghp + `}"`, `description: ${env:EMPTY:-(hidden)}`},
		{`description: "${env:EMPTY:-Orders} and stock"`, `description: ${env:EMPTY:-Orders} and stock`},
		{`timeout: "${env:EMPTY:-5s}"`, `timeout: ${env:EMPTY:-5s}`},
		{"disabled: true\n    endpoint: https://me:hunter2@h.example/", `endpoint: (hidden)`},
		{"disabled: true\n    description: " + ghp + " ${oops", `description: (hidden)`},
	} {
		doc := "upstreams:\n  - label: a\n    " + tt.line + "\n"
		switch {
		case strings.Contains(tt.line, "endpoint:"), strings.Contains(tt.line, "command:"):
		case strings.HasPrefix(tt.line, "env:"):
			doc += "    command: [srv]\n"
		default:
			doc += "    endpoint: https://h.example/mcp\n"
		}
		f, err := config.Parse([]byte(doc), &config.Options{Getenv: func(name string) (string, bool) {
			value, ok := map[string]string{"SECRET": "s3cr3t", "EMPTY": "", "URL": "https://h.example/"}[name]
			return value, ok
		}})
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		got := strings.ReplaceAll(string(f.Effective()), `"`, "'")
		if want := strings.ReplaceAll(tt.want, `"`, "'"); !strings.Contains(strings.ReplaceAll(got, "'", ""), strings.ReplaceAll(want, "'", "")+"\n") {
			t.Errorf("%s: no %s in\n%s", tt.line, tt.want, got)
		}
		for _, secret := range []string{"hunter2", "s3cr3t", ghp} {
			if strings.Contains(got, secret) {
				t.Errorf("%s: %s is shown:\n%s", tt.line, secret, got)
			}
		}
		if again, err := config.Parse(f.Effective(), &config.Options{Getenv: func(string) (string, bool) { return "https://h.example/", true }}); err == nil {
			if twice := again.Effective(); string(twice) != string(f.Effective()) {
				t.Errorf("%s: it changes when it is read again:\n%s", tt.line, twice)
			}
		} else if !strings.Contains(tt.line, "timeout") {
			t.Errorf("%s: it cannot be read again: %v", tt.line, err)
		}
	}
}

// A list of names that is null restricts nothing, and is refused as an empty one is.
func TestNullLists(t *testing.T) {
	const command = "upstreams:\n  - label: a\n    command: [x]\n    "
	for _, doc := range []string{
		command + "visible_to:", command + "include_tools: ~", command + "exclude_tools: null", command + "read_only:", command + "inherit:",
		"policy:\n  default: deny\n  rules:\n    - decision: allow\n      tools:",
		"policy: {rules: [{decision: allow, roles: }]}", "policy: {rules: [{decision: deny, kinds: ~}]}",
		"cache: {read_only: true, allow: }", "retry: {max_attempts: 2, idempotent: ~}",
		"manifests: [{url: 'https://m.example/a', allow: ~}]", "manifests: [{url: 'https://m.example/a', visible_to: }]",
	} {
		if _, err := parseFront(doc); err == nil || !strings.Contains(err.Error(), ": the list is empty: name ") {
			t.Errorf("%s: got %v", doc, err)
		}
	}
}

// A later file differs in what it says with its variables, not in its form.
func TestChanges(t *testing.T) {
	const before = "upstreams:\n  - {label: a, command: [x], visible_to: [r]}\n  - {label: b, command: [y], timeout: 5s}\n  - {label: c, endpoint: 'http://x/${env:SECRET}'}\nmanifests: [{url: 'https://m.example/a'}]\n"
	for _, tt := range []struct {
		name, after                       string
		added, changed, removed, manifest int
		fixed                             string
	}{
		{"same", before, 0, 0, 0, 0, ""},
		{"other form", "manifests:\n  - url: https://m.example/a\nupstreams:\n  - timeout: '5s'\n    label: b\n    command: [y]\n  - {label: a, command: [x], visible_to: [r]}\n  - {label: c, endpoint: 'http://x/s3cr3t'}\n", 0, 0, 0, 0, ""},
		{"roles", strings.Replace(before, "[r]", "[r, s]", 1), 0, 1, 0, 0, ""},
		{"command", strings.Replace(before, "[x]", "[x, z]", 1), 0, 1, 0, 0, ""},
		{"limits of all", before + "schema_limits: {max_depth: 3}\n", 0, 3, 0, 0, "manifests"},
		{"limits of each", strings.NewReplacer("[x]", "[x], schema_limits: {max_depth: 3}").Replace(before), 0, 1, 0, 0, ""},
		{"roles of a manifest", strings.Replace(before, "m.example/a'", "m.example/a', visible_to: [r]", 1), 0, 0, 0, 0, "manifests"},
		{"required", strings.Replace(before, "timeout: 5s", "timeout: 5s, required: true", 1), 0, 0, 0, 0, ""},
		{"default face", before + "face: cash\n", 0, 0, 0, 0, ""},
		{"added and removed", strings.Replace(before, "label: a", "label: d", 1), 1, 0, 1, 0, ""},
		{"manifest added", strings.Replace(before, "manifests: [", "manifests: [{url: 'https://m.example/b'}, ", 1), 0, 0, 0, 1, ""},
		{"manifest gone", strings.Replace(before, "m.example/a", "m.example/b", 1), 0, 0, 0, 1, "manifests"},
		{"fixed", before + "name: n\nface: plain\npins: {mode: first-use}\n", 0, 0, 0, 0, "face name pins"},
		{"controls", before + "policy: {default: deny}\nretry: {max_attempts: 2}\nrate_limits: {default: {burst: 1, max_calls_per_minute: 2}}\n", 0, 0, 0, 0, ""},
	} {
		old, err := parseFront(before)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parseFront(tt.after)
		if err != nil {
			t.Fatal(err)
		}
		c := old.Changes(f)
		if len(c.Added) != tt.added || len(c.Changed) != tt.changed || len(c.Removed) != tt.removed || len(c.Manifests) != tt.manifest || strings.Join(c.Fixed, " ") != tt.fixed {
			t.Errorf("%s: %d added, %d changed, %v removed, %d manifests, fixed %v", tt.name, len(c.Added), len(c.Changed), c.Removed, len(c.Manifests), c.Fixed)
		}
	}
}

// Files that are made or edited in Go are compared by their values.
func TestChangesInGo(t *testing.T) {
	base := func() *config.File {
		return &config.File{
			Name:      "n",
			Upstreams: []upstream.Server{{Label: "a", Endpoint: upstream.HTTP{URL: "http://x/", Header: http.Header{"K": {"v"}}}, VisibleTo: registry.Roles("r")}, {Label: "b", Endpoint: upstream.Command{Path: "x"}}},
			Manifests: []upstream.Discovery{{URL: "https://m.example/a"}},
			Front:     config.Front{Approval: &control.ApprovalOptions{Approve: func(context.Context, *control.ApprovalRequest) (control.Decision, error) { return "", nil }}},
		}
	}
	read := func() *config.File {
		f, err := parseFront("name: n\nface: gateway\nredact: {rules: [{name: badge, pattern: 'B-[0-9]+'}]}\nupstreams:\n  - {label: a, command: [x], visible_to: [r]}\n  - {label: b, command: [y]}\nmanifests: [{url: 'https://m.example/a', visible_to: [r]}]\n")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, tt := range []struct {
		name    string
		make    func() *config.File
		edit    func(f *config.File)
		changed string
		fixed   string
	}{
		{"roles that cannot be compared", base, func(*config.File) {}, "a", ""},
		{"nothing", read, func(*config.File) {}, "", ""},
		{"exclude", read, func(f *config.File) { f.Upstreams[1].Exclude = []string{"drop"} }, "b", ""},
		{"visible to roles of Go", read, func(f *config.File) { f.Upstreams[1].VisibleTo = registry.Roles("r") }, "b", ""},
		{"visible to all", read, func(f *config.File) { f.Upstreams[0].VisibleTo = nil }, "a", ""},
		{"schemas", read, func(f *config.File) { f.Upstreams[0].Schemas.Depth = 3 }, "a", ""},
		{"schemas of a manifest", read, func(f *config.File) { f.Manifests[0].Server.Schemas.Depth = 3 }, "", "manifests"},
		{"trust of a manifest", read, func(f *config.File) { f.Manifests[0].Trust = []string{"h"} }, "", "manifests"},
		{"fixed", read, func(f *config.File) {
			f.Name, f.Face, f.Pins.Mode, f.TopK, f.Redact = "m", "plain", 1, 3, nil
		}, "", "face name pins redact top_k"},
		{"exclude in Go", base, func(f *config.File) { f.Upstreams[1].Exclude = []string{"drop"} }, "a b", ""},
		{"fixed in Go", base, func(f *config.File) { f.Version, f.Approval.Max = "2", 7 }, "a", "approval version"},
	} {
		before, after := tt.make(), tt.make()
		tt.edit(after)
		c := before.Changes(after)
		var changed []string
		for _, s := range c.Changed {
			changed = append(changed, s.Label)
		}
		if strings.Join(changed, " ") != tt.changed || strings.Join(c.Fixed, " ") != tt.fixed || len(c.Added)+len(c.Removed)+len(c.Manifests) > 0 {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}
