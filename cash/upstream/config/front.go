package config

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// Front is what clients meet: the face and the controls of the gateway surface, section 4.5. The zero value is the face
// cash without controls. Package cash/config makes a server of it.
type Front struct {
	// Face is one of [Faces]. Empty is the first.
	Face string
	// TolerantArgs repairs arguments of the wrong type (section 4.4). CacheStable and TopK are for the gateway (section 5).
	TolerantArgs, CacheStable bool
	TopK                      int
	// Catalog is the absolute path of a file of package cash/catalog, whose tools are served too. Empty is none.
	Catalog string
	// Strict refuses to start while a server is down. False starts when those that are required are there.
	Strict bool
	// StartTimeout is the longest wait for the servers. Zero is 10 seconds.
	StartTimeout time.Duration

	// The controls. Nil is off.
	Policy     *control.PolicyOptions
	Approval   *control.ApprovalOptions
	RateLimits *control.QuotaOptions
	Cache      *control.CacheOptions
	Retry      *control.Retry
	// Results bound the memory of Cache.
	Results control.ResultOptions

	// Redact are the rules for secrets in results. Nil is redact.DefaultRules.
	Redact []redact.Rule
	// Artifacts bound what is kept of large results.
	Artifacts Artifacts
}

// Artifacts configure the store of large results. Zero fields have the defaults of package firewall.
type Artifacts struct {
	Dir                        string // absolute path; empty is the memory
	MaxBytes, MaxBytesPerOwner int64
	Max, MaxPerOwner           int
	MaxAge                     time.Duration
	Inline, MaxView            int // characters
}

// Faces are the names of faces.
var Faces = []string{"cash", "gateway", "proxy", "disclosure", "facade", "plain", "endpoint"}

// metaTools are the tools of faces that rate_limits.meta_tools may name. Those of facades depend on the namespaces.
var metaTools = map[string][]string{
	"cash":    {"call", "help", "skill"},
	"gateway": {"tool_browse", "tool_execute", "tool_view", "resource_browse", "resource_read", "prompt_browse", "prompt_get"},
	"proxy":   {"tool_hydrate", "tool_execute"},
}

// front reads the keys of a [Front].
func (m *mapping) front(f *File) {
	if i := m.choice("face", Faces...); m.has("face") {
		f.Face = Faces[i]
	}
	f.TolerantArgs = m.boolean("tolerant_args")
	f.CacheStable, f.TopK = m.boolean("cache_stable"), m.integer("top_k", 100)
	f.Catalog = m.path("catalog")
	f.Strict = m.choice("start", "degraded", "strict") == 1
	f.StartTimeout = m.duration("start_timeout")
	m.block("policy", func(b *mapping) { f.Policy = b.policy() })
	m.block("approval", func(b *mapping) {
		f.Approval = &control.ApprovalOptions{
			OperatorOnly: b.boolean("operator_only"), MaxAge: b.duration("max_age"),
			Max: b.integer("max_waiting", maxKept), MaxPerOwner: b.integer("max_per_caller", maxKept),
		}
	})
	m.block("rate_limits", func(b *mapping) { f.RateLimits = b.rateLimits(cmp.Or(f.Face, Faces[0])) })
	m.block("cache", func(b *mapping) { f.Cache, f.Results = b.cache() })
	m.block("retry", func(b *mapping) { f.Retry = b.retry() })
	m.block("redact", func(b *mapping) { f.Redact = b.redact() })
	m.block("artifacts", func(b *mapping) {
		f.Artifacts = Artifacts{
			Dir: b.path("dir"), MaxBytes: int64(b.size("max_bytes")), MaxBytesPerOwner: int64(b.size("max_bytes_per_caller")),
			Max: b.integer("max_artifacts", maxKept), MaxPerOwner: b.integer("max_per_caller", maxKept), MaxAge: b.duration("max_age"),
			Inline: b.integer("inline", maxKept), MaxView: b.integer("max_view", maxKept),
		}
	})
	m.misplaced(f)
}

// maxKept is the most of anything that a number of the file allows to keep.
const maxKept = 10_000_000

// misplaced notes the keys that the face has no use for.
func (m *mapping) misplaced(f *File) {
	face := cmp.Or(f.Face, Faces[0])
	if face != "gateway" {
		for _, key := range []string{"artifacts", "cache_stable", "top_k"} {
			m.unfit(key, "is for the face gateway: remove it")
		}
		if face != "proxy" {
			m.unfit("redact", "is for the faces gateway and proxy: remove it")
		}
	}
	if face != "cash" {
		m.unfit("sizelimit", "is for the face cash: remove it")
	}
	if face == "endpoint" {
		m.unfit("tolerant_args", "is not for the face endpoint: remove it")
		for _, key := range []string{"rate_limits", "cache", "approval"} {
			m.unfit(key, "is not for the face endpoint, whose process ends after one request: remove it")
		}
		if p := f.Policy; p != nil && (waits(p.Default) || slices.ContainsFunc(p.Rules, func(r control.Rule) bool { return waits(r.Decision) })) {
			m.unfit("policy", "require_approval is not for the face endpoint, whose process ends after one request: allow or deny")
		}
	}
	if f.Policy == nil {
		m.unfit("approval", "there is no policy that requires approval: add policy, or remove it")
	}
}

func waits(d control.Decision) bool { return d == control.RequireApproval }

// block reads the mapping of a key, if there is one.
func (m *mapping) block(key string, read func(b *mapping)) {
	if n, field := m.lookup(key); n != nil {
		b := m.asMapping(n, field)
		read(b)
		b.finish()
	}
}

// blocks reads a mapping from names to mappings.
func (m *mapping) blocks(key string, read func(name scalar, b *mapping)) {
	n, field := m.lookup(key)
	if n == nil {
		return
	}
	pairs := m.asMapping(n, field).node.Content
	if len(pairs) > 2*maxEntries {
		m.fail(n, field, "%d entries; at most %d are allowed", len(pairs)/2, maxEntries)
		return
	}
	for i := 0; i+1 < len(pairs) && !m.full(); i += 2 {
		at := field + "." + pairs[i].Value
		b := m.asMapping(pairs[i+1], at)
		read(scalar{pairs[i], at, pairs[i].Value}, b)
		b.finish()
	}
}

func (m *mapping) schemas(key string) (l registry.SchemaLimits) {
	m.block(key, func(b *mapping) {
		l = registry.SchemaLimits{Bytes: b.size("max_bytes"), Depth: b.integer("max_depth", 1000), Properties: b.integer("max_properties", 100_000)}
	})
	return l
}

func (m *mapping) policy() *control.PolicyOptions {
	o := &control.PolicyOptions{Default: m.decision("default")}
	for _, e := range m.mappings("rules", maxEntries) {
		o.Rules = append(o.Rules, e.rule())
		e.finish()
	}
	if len(o.Rules) == 0 && o.Default == "" {
		m.fail(m.node, m.field, "no rules and no default: it would decide nothing")
	}
	return o
}

func (m *mapping) decision(key string) control.Decision {
	decisions := []string{string(control.Allow), string(control.Deny), string(control.RequireApproval)}
	if i := m.choice(key, decisions...); m.has(key) {
		return control.Decision(decisions[i])
	}
	return ""
}

// rule reads a rule of the policy. Each of its parts is checked where it stands.
func (m *mapping) rule() control.Rule {
	noted := len(m.problems)
	r := control.Rule{Decision: m.decision("decision"), Reason: m.line("reason", maxDescriptionLine), Anonymous: m.boolean("anonymous")}
	if !m.has("decision") {
		m.missing("decision")
	}
	parts := func(key, what string, rule func(text string) control.Rule) []string {
		list := m.names(key, what)
		for _, s := range list {
			m.checkRule(s, rule(s.text))
		}
		return textsOf(list)
	}
	r.Namespaces = parts("namespaces", "a namespace", func(text string) control.Rule { return control.Rule{Namespaces: []string{text}} })
	r.Tools = parts("tools", "a tool", func(text string) control.Rule { return control.Rule{Tools: []string{text}} })
	r.IDs = parts("ids", "an id", func(text string) control.Rule { return control.Rule{IDs: []string{text}} })
	r.Tags = parts("tags", "a tag", func(text string) control.Rule { return control.Rule{Tags: []string{text}} })
	for _, text := range parts("classes", "a class", func(text string) control.Rule { return control.Rule{Classes: []control.Class{control.Class(text)}} }) {
		r.Classes = append(r.Classes, control.Class(text))
	}
	for _, text := range parts("kinds", "a kind", func(text string) control.Rule { return control.Rule{Kinds: []toolid.Kind{toolid.Kind(text)}} }) {
		r.Kinds = append(r.Kinds, toolid.Kind(text))
	}
	r.Roles, r.Callers = textsOf(m.names("roles", "a role")), textsOf(m.names("callers", "a caller"))
	if len(m.problems) == noted {
		m.checkRule(scalar{node: m.node, field: m.field}, r)
	}
	return r
}

// checkRule notes what is wrong with a rule, or with a part of one.
func (r *reader) checkRule(s scalar, rule control.Rule) {
	if rule.Decision == "" {
		rule.Decision = control.Allow
	}
	r.check(s, (&control.PolicyOptions{Rules: []control.Rule{rule}}).Check(), "policy: rule 0: ")
}

// check notes an error about a scalar, without the values of variables.
func (r *reader) check(s scalar, err error, prefix string) {
	switch {
	case err == nil:
	case s.node.Kind == yaml.ScalarNode && s.node.Value != s.text:
		r.refuse(s, "the value of the variable is not valid here")
	default:
		r.refuse(s, "%s", strings.TrimPrefix(err.Error(), prefix))
	}
}

func (m *mapping) rateLimits(face string) *control.QuotaOptions {
	o := &control.QuotaOptions{
		Meta: make(map[string]control.Limit), Tools: make(map[string]control.Limit),
		SessionIdle: m.duration("session_idle"), Max: m.integer("max_sessions", maxKept),
	}
	m.block("default", func(b *mapping) { o.Default = b.limit() })
	m.blocks("meta_tools", func(name scalar, b *mapping) {
		isFacade := face == "facade" && strings.HasSuffix(name.text, "Execute")
		known := slices.Compact(append(slices.Clone(metaTools[face]), "skill")) // as the skills extension counts, with every face
		if !isFacade && !slices.Contains(known, name.text) {
			m.refuse(name, "the face %s has no tool %s: it has %s", face, quoteSource(name.text), strings.Join(known, ", "))
		}
		o.Meta[name.text] = b.limit()
	})
	m.blocks("tools", func(name scalar, b *mapping) {
		o.Tools[name.text] = b.limit()
		m.named = append(m.named, name)
		m.check(name, (&control.QuotaOptions{Tools: map[string]control.Limit{name.text: {}}}).Check(), "quota: tools: ")
	})
	return o
}

// limit reads a limit of the gateway surface, section 4.5.
func (m *mapping) limit() control.Limit {
	l := control.Limit{
		PerMinute: m.integer("max_calls_per_minute", maxKept), PerSession: m.integer("max_calls_per_session", maxKept),
		Burst: m.integer("burst", maxKept),
	}
	if l.PerMinute == 0 {
		m.unfit("burst", "has no effect without max_calls_per_minute")
	}
	return l
}

func (m *mapping) cache() (*control.CacheOptions, control.ResultOptions) {
	o := &control.CacheOptions{ReadOnly: m.boolean("read_only"), TTL: m.duration("ttl"), MaxResult: m.size("max_result")}
	if !m.has("read_only") {
		m.fail(m.node, m.field+".read_only", "missing; only with true, results of read-only tools are cached")
	}
	for _, s := range m.names("allow", "a tool") {
		m.check(s, (&control.CacheOptions{Allow: []string{s.text}}).Check(), "cache: allow: ")
		o.Allow = append(o.Allow, s.text)
		m.named = append(m.named, s)
	}
	return o, control.ResultOptions{MaxBytes: m.size("max_bytes"), MaxEntries: m.integer("max_entries", maxKept)}
}

// retryable are the codes of errors that may pass, and their kinds.
var retryable = map[string]registry.Kind{
	"UPSTREAM_TIMEOUT": registry.TimedOut, "UPSTREAM_UNAVAILABLE": registry.Unavailable, "RATE_LIMITED": registry.RateLimited,
}

func (m *mapping) retry() *control.Retry {
	r := &control.Retry{MaxAttempts: m.integer("max_attempts", 100), BaseDelay: m.duration("base_delay"), MaxDelay: m.duration("max_delay")}
	if m.has("jitter") && !m.boolean("jitter") {
		r.Rand = func() float64 { return 1 }
	}
	for _, s := range m.names("retryable_codes", "a code") {
		kind, ok := retryable[s.text]
		if !ok {
			m.refuse(s, "%s is not one of %s", quoteSource(s.node.Value), strings.Join(slices.Sorted(maps.Keys(retryable)), ", "))
		}
		r.Kinds = append(r.Kinds, kind)
	}
	idempotent := make(map[string]bool)
	for _, s := range m.names("idempotent", "a tool") {
		path, ok := registry.CanonicalPath(s.text)
		if !ok || path == "" {
			m.refuse(s, "%s is not the path of a tool, such as orders.create", quoteSource(s.node.Value))
		}
		idempotent[path] = true
		m.named = append(m.named, s)
	}
	r.Idempotent = func(f *registry.Function) bool {
		path, _ := registry.CanonicalPath(f.Path())
		return idempotent[path]
	}
	return r
}

func (m *mapping) redact() []redact.Rule {
	rules := []redact.Rule{}
	if !m.has("defaults") || m.boolean("defaults") {
		rules = redact.DefaultRules()
	}
	for _, e := range m.mappings("rules", maxEntries) {
		rule := redact.Rule{Name: e.text("name"), Hint: e.text("hint"), Group: e.integer("group", math.MaxInt16)}
		s, ok := e.get("pattern")
		if !ok {
			e.missing("pattern")
		}
		pattern, err := regexp.Compile(s.text)
		switch rule.Pattern = pattern; {
		case !ok:
		case err != nil:
			e.refuse(s, "not a regular expression of Go, RE2")
		default:
			err := rule.Check()
			e.check(scalar{node: e.node, field: e.field}, err, "")
		}
		e.finish()
		rules = append(rules, rule)
	}
	return rules
}
