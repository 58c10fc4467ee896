package config_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
)

// variables is what variables are in these tests.
var variables = map[string]string{
	"TOKEN": "s3cr3t", "EMPTY": "", "DOLLAR": "${env:TOKEN} $$", "LINE": "s3cr3t\r\nX-Evil: 1", "ZERO": "a\x00b",
	"YAML": "x\nsizelimit: 5", "URL": "https://user:s3cr3t@shop.example/", "PORT": "8080", "YES": "true",
	"HTTP_PROXY": "http://proxy.example:3128", "LARGE": strings.Repeat("x", 1<<20), "BLANK": "s3cr3t s3cr3t",
}

func getenv(name string) (string, bool) {
	value, set := variables[name]
	return value, set
}

// folder is the folder of the configurations in these tests.
var folder, _ = filepath.Abs("conf")

func parse(doc string) (*config.File, error) {
	return config.Parse([]byte(doc), &config.Options{File: "tools.yaml", Dir: folder, Getenv: getenv})
}

func mustParse(t *testing.T, doc string) *config.File {
	t.Helper()
	c, err := parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const full = `
name: tools
version: 1.10
instructions: |
  Shop and files.
  Ask first.
sizelimit: 20000
pins: { file: pins.json, mode: first-use }
upstreams:
  - label: Shop_Orders
    description: >
      Orders and
      stock.
    endpoint: https://mcp.shop.example/mcp?tenant=7
    headers: { authorization: "Bearer ${env:TOKEN}", X-Retry: 3 }
    kind: cash
    namespace: orders.retail
    visible_to: [admin, "${env:TOKEN}"]
    refresh: never
  - label: old.events
    endpoint: "http://[::1]:${env:PORT}/sse"
    transport: sse
    kind: plain
  - label: files
    command: [npx, -y, "@modelcontextprotocol/server-filesystem", ., --port, 8080, ""]
    dir: data
    env: { KEY: "${env:TOKEN}", DEBUG: true, NONE: "" }
    inherit: [HTTP_PROXY, NODE_OPTIONS]
    lazy: true
    idle: 5m
    timeout: 30s
    connect_timeout: 10s
    refresh: 1h30m
    concurrency: 4
    max_message: 8MiB
    read_only: [list_directory]
    ignore_hints: true
    hold_identity: true
  - label: shop_orders # replaced by the first
    endpoint: ${env:NOT_SET}
    timeout: never
    disabled: true
manifests:
  - url: https://mcp.shop.example/.well-known/cash-mcp.yaml
  - url: https://mcp.other.example:8443/cash.yaml?key=${env:TOKEN}
    label: partner
    description: Partner.
    trust: [mcp.other.example, "https://mcp.third.example/mcp"]
    allow: [10.1.2.3/8, fd00::/8]
    headers: { X-Key: "${env:TOKEN}" }
    timeout: 5s
    lazy: ${env:YES}
    visible_to: [admin]
`

func TestR127File(t *testing.T) {
	got := mustParse(t, full)
	want := &config.File{
		Name: "tools", Version: "1.10", Instructions: "Shop and files.\nAsk first.", SizeLimit: 20000,
		Pins: config.Pins{File: filepath.Join(folder, "pins.json"), Mode: pin.FirstUse},
		Upstreams: []upstream.Server{
			{
				Label: "Shop_Orders", Description: "Orders and stock.", Kind: upstream.CaSH, Namespace: "orders.retail", Refresh: -1,
				Endpoint: upstream.HTTP{URL: "https://mcp.shop.example/mcp?tenant=7", Header: http.Header{"Authorization": {"Bearer s3cr3t"}, "X-Retry": {"3"}}},
			},
			{Label: "old.events", Endpoint: upstream.SSE{URL: "http://[::1]:8080/sse"}, Kind: upstream.Plain},
			{
				Label: "files",
				Endpoint: upstream.Command{
					Path: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", ".", "--port", "8080", ""}, Dir: filepath.Join(folder, "data"),
					Env: []string{"KEY=s3cr3t", "DEBUG=true", "NONE=", "HTTP_PROXY=http://proxy.example:3128"},
				},
				Lazy: true, Idle: 5 * time.Minute, Timeout: 30 * time.Second, ConnectTimeout: 10 * time.Second, Refresh: 90 * time.Minute,
				Concurrency: 4, MaxMessage: 8 << 20, ReadOnly: []string{"list_directory"}, IgnoreHints: true, HoldIdentity: true,
			},
		},
		Manifests: []upstream.Discovery{
			{URL: "https://mcp.shop.example/.well-known/cash-mcp.yaml"},
			{
				URL: "https://mcp.other.example:8443/cash.yaml?key=s3cr3t", Label: "partner", Description: "Partner.",
				Trust:  []string{"mcp.other.example", "https://mcp.third.example/mcp"},
				Allow:  []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")},
				Header: http.Header{"X-Key": {"s3cr3t"}},
				Server: upstream.Server{Timeout: 5 * time.Second, Lazy: true},
			},
		},
	}
	wantVisibleTo(t, &got.Upstreams[0], "admin", "s3cr3t")
	wantVisibleTo(t, &got.Manifests[1].Server, "admin")
	if !reflect.DeepEqual(config.Values(got), want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
}

// TestDoc holds that the file in the comment of File is one.
func TestDoc(t *testing.T) {
	source, err := os.ReadFile("file.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(source), "type File struct")
	var doc strings.Builder
	for line := range strings.Lines(comment) {
		if text, ok := strings.CutPrefix(line, "//\t"); ok {
			doc.WriteString(text)
		}
	}
	environment := func(name string) (string, bool) { return "x", name == "SHOP_TOKEN" }
	c, err := config.Parse([]byte(doc.String()), &config.Options{File: "file.go", Getenv: environment})
	if err != nil || len(c.Upstreams) != 2 || len(c.Manifests) != 1 {
		t.Errorf("got %+v, %v of\n%s", c, err, doc.String())
	}
}

// wantVisibleTo checks who sees a server, and takes that out of it for comparing.
func wantVisibleTo(t *testing.T, s *upstream.Server, roles ...string) {
	t.Helper()
	visible := s.VisibleTo
	s.VisibleTo = nil
	for _, role := range roles {
		if !visible(context.Background(), &registry.Caller{ID: "a", Roles: []string{role}}) {
			t.Errorf("%s: not visible to the role %s", s.Label, role)
		}
	}
	if visible(context.Background(), &registry.Caller{ID: "b", Roles: []string{"guest"}}) {
		t.Errorf("%s: visible to other roles", s.Label)
	}
}

func TestIsSmall(t *testing.T) {
	for _, doc := range []string{
		"upstreams:\n", "upstreams: []\nmanifests: null\npins: ~\n", "{}", "\ufeffname:\n", "name: ''\n", `{"upstreams": []}`,
	} {
		if got := mustParse(t, doc); !reflect.DeepEqual(config.Values(got), new(config.File)) {
			t.Errorf("%q: got %+v", doc, got)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int{
		"1": 1, "65536": 65536, "7B": 7, "2KiB": 2048, "2KB": 2000, "3MiB": 3 << 20, "3 MB": 3e6, "1024MiB": 1 << 30, `"${env:PORT}KB"`: 8_080_000,
	} {
		if got := mustParse(t, upstreamWith("max_message: "+text)).Upstreams[0].MaxMessage; got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

// upstreamWith is a configuration with one upstream that has the given line, the fourth,
// in it.
func upstreamWith(line string) string {
	return "upstreams:\n  - label: a\n    endpoint: https://a.example/\n    " + line + "\n"
}

// commandWith is upstreamWith for a command.
func commandWith(line string) string {
	return "upstreams:\n  - label: a\n    command: [a]\n    " + line + "\n"
}

// manifestWith is upstreamWith for a manifest.
func manifestWith(line string) string {
	return "manifests:\n  - label: a\n    url: https://a.example/\n    " + line + "\n"
}

func TestPaths(t *testing.T) {
	absolute := filepath.Join(folder, "abs")
	for _, tt := range []struct{ program, want string }{
		{"server", "server"},
		{"./server", filepath.Join(folder, "server")},
		{"../bin/server", filepath.Join(filepath.Dir(folder), "bin", "server")},
		{absolute, absolute},
	} {
		doc := fmt.Sprintf("upstreams:\n  - label: a\n    command: [%q]\n    dir: %q\n", tt.program, absolute)
		got := mustParse(t, doc).Upstreams[0].Endpoint.(upstream.Command)
		if got.Path != tt.want || got.Dir != absolute {
			t.Errorf("%s: got %s in %s, want %s", tt.program, got.Path, got.Dir, tt.want)
		}
	}
}

func TestExpand(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain", "plain"},
		{"${env:TOKEN}", "s3cr3t"},
		{"a${env:TOKEN}b${env:PORT}c", "as3cr3tb8080c"},
		{"${env:MISSING:-there}", "there"},
		{"${env:EMPTY:-there}", "there"},
		{"${env:TOKEN:-there}", "s3cr3t"},
		{"${env:MISSING:-}", ""},
		{"${env:EMPTY}", ""},
		{"${env:MISSING:-a:-b$$c}", "a:-b$c"},
		{"$$", "$"},
		{"$${env:TOKEN}", "${env:TOKEN}"},
		{"$$$${env:TOKEN}", "$${env:TOKEN}"},
		{"$$${env:TOKEN}", "$s3cr3t"},
		{"$HOME $5 $", "$HOME $5 $"},
		{"${env:DOLLAR}", "${env:TOKEN} $$"}, // once
		{"${env:YAML}", "x\nsizelimit: 5"},   // after the YAML has been read
		{"}{", "}{"},
	} {
		c := mustParse(t, fmt.Sprintf("upstreams:\n  - label: a\n    command: [a, %q]\n", tt.text))
		if got := c.Upstreams[0].Endpoint.(upstream.Command).Args[0]; got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.text, got, tt.want)
		}
		if c.SizeLimit != 0 {
			t.Errorf("%s: a value became a key", tt.text)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		// the file
		{"empty", "", "tools.yaml: the file is empty: begin with upstreams: or manifests:"},
		{"comment", "# nothing\n", "tools.yaml: the file is empty: begin with upstreams: or manifests:"},
		{"text", "hello", "tools.yaml:1:1: one text where keys with values are wanted"},
		{"list", "- a\n", "tools.yaml:1:1: a list where keys with values are wanted"},
		{"not UTF-8", "name: \xff", "tools.yaml: not valid UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "tools.yaml: not valid UTF-8"},
		{"too large", "#" + strings.Repeat("x", config.MaxBytes), "tools.yaml: more than 1048576 bytes: shorten it"},
		{"bad syntax", "name: [1\n", "tools.yaml:1: not valid YAML: did not find expected ',' or ']'"},
		{"two documents", "name: a\n---\nname: b\n", "tools.yaml:2: a second document begins: keep the first only"},
		{"duplicate key", "name: a\nname: b\n", "tools.yaml:2:1: the key is given twice: remove one"},
		{"duplicate key below", upstreamWith("label: b"), "tools.yaml:4:5: the key is given twice: remove one"},
		{"anchor", "name: &a b\nversion: *a\n", "tools.yaml:1:7: anchors and aliases are not allowed: write the value out"},
		{"merge key", "<<: {name: a}\n", "tools.yaml:1:1: merge keys (<<) are not supported: write the values out"},
		{"too deep", "name: " + strings.Repeat("[", 9) + strings.Repeat("]", 9), "tools.yaml:1:14: nested deeper than 8 levels: flatten it"},
		{"tag", "name: !!int 1", `tools.yaml:1:7: name: the tag "!!int" means nothing here: remove it`},

		// keys
		{"unknown key", "upstream: []", `tools.yaml:1:1: unknown key "upstream": did you mean upstreams?`},
		{"strange key", "servers: []", `tools.yaml:1:1: unknown key "servers": the keys here are name, version, instructions, sizelimit, pins, face, tolerant_args, cache_stable, top_k, catalog, start, start_timeout, policy, approval, rate_limits, cache, retry, redact, artifacts, schema_limits, upstreams, manifests`},
		{"hyphens", upstreamWith("connect-timeout: 1s"), `tools.yaml:4:5: upstreams[0]: unknown key "connect-timeout": did you mean connect_timeout?`},
		{"camels", upstreamWith("maxMessage: 1"), `tools.yaml:4:5: upstreams[0]: unknown key "maxMessage": did you mean max_message?`},
		{"hostile key", `"a\e[31m\u202e\n` + strings.Repeat("x", 500) + `": 1`, `tools.yaml:1:1: unknown key "a ` + strings.Repeat("x", 45) + `…": the keys here are name, version, instructions, sizelimit, pins, face, tolerant_args, cache_stable, top_k, catalog, start, start_timeout, policy, approval, rate_limits, cache, retry, redact, artifacts, schema_limits, upstreams, manifests`},
		{"key of upstreams", manifestWith("kind: cash"), `tools.yaml:4:5: manifests[0]: unknown key "kind": the keys here are label, description, url, trust, allow, headers, visible_to, read_only, include_tools, exclude_tools, schema_limits, ignore_hints, hold_identity, lazy, idle, timeout, connect_timeout, concurrency, max_message, refresh, disabled`},
		{"key of pins", "pins: {path: a}", `tools.yaml:1:8: pins: unknown key "path": the keys here are file, mode`},
		{"key of disabled", upstreamWith("disabled: true\n    urll: x"), `tools.yaml:5:5: upstreams[0]: unknown key "urll": the keys here are label, description, endpoint, headers, transport, dir, env, inherit, command, kind, namespace, visible_to, read_only, include_tools, exclude_tools, schema_limits, ignore_hints, hold_identity, lazy, idle, timeout, connect_timeout, concurrency, max_message, refresh, required, disabled`},

		// shapes
		{"list for text", "name: [a]", "tools.yaml:1:7: name: a list where one text is wanted"},
		{"mapping for text", "name: {a: b}", "tools.yaml:1:7: name: keys with values where one text is wanted"},
		{"text for list", "upstreams: shop", "tools.yaml:1:12: upstreams: one text where a list is wanted"},
		{"text for upstream", "upstreams: [shop]", "tools.yaml:1:13: upstreams[0]: one text where keys with values are wanted"},
		{"text for roles", upstreamWith("visible_to: admin"), "tools.yaml:4:17: upstreams[0].visible_to: one text where a list is wanted"},
		{"no roles", upstreamWith("visible_to: []"), "tools.yaml:4:17: upstreams[0].visible_to: the list is empty: name a role, or leave it out"},
		{"empty role", upstreamWith("visible_to: ['']"), "tools.yaml:4:18: upstreams[0].visible_to[0]: empty: name a role, or remove it"},
		{"null role", upstreamWith("visible_to: [~]"), `tools.yaml:4:18: upstreams[0].visible_to[0]: no value: write one, or "" for an empty text`},
		{"yes", upstreamWith("lazy: yes"), `tools.yaml:4:11: upstreams[0].lazy: "yes" is neither true nor false`},
		{"kind", upstreamWith("kind: mcp"), `tools.yaml:4:11: upstreams[0].kind: "mcp" is not one of auto, plain, cash`},
		{"no unit", upstreamWith("timeout: 30"), `tools.yaml:4:14: upstreams[0].timeout: "30" is not a duration such as 30s or 5m`},
		{"no time", upstreamWith("idle: 0s"), `tools.yaml:4:11: upstreams[0].idle: "0s" is not more than nothing: leave it out for the default`},
		{"negative", upstreamWith("refresh: -1s"), `tools.yaml:4:14: upstreams[0].refresh: "-1s" is not more than nothing: leave it out for the default`},
		{"never", upstreamWith("timeout: never"), `tools.yaml:4:14: upstreams[0].timeout: "never" is not a duration such as 30s or 5m`},
		{"concurrency", upstreamWith("concurrency: 0"), `tools.yaml:4:18: upstreams[0].concurrency: "0" is not a whole number from 1 to 10000`},
		{"octal", upstreamWith("concurrency: 010"), `tools.yaml:4:18: upstreams[0].concurrency: "010" is not a whole number from 1 to 10000`},
		{"large limit", "sizelimit: 99999999999999999999", `tools.yaml:1:12: sizelimit: "99999999999999999999" is not a whole number from 1 to 2147483647`},
		{"size", upstreamWith("max_message: 8 megs"), `tools.yaml:4:18: upstreams[0].max_message: "8 megs" is not a size such as 8MiB, 500KB or 65536`},
		{"fraction", upstreamWith("max_message: 1.5MiB"), `tools.yaml:4:18: upstreams[0].max_message: "1.5MiB" is not a size such as 8MiB, 500KB or 65536`},
		{"large size", upstreamWith("max_message: 1025MiB"), `tools.yaml:4:18: upstreams[0].max_message: "1025MiB" is not a size from 1B to 1024MiB`},
		{"no size", upstreamWith("max_message: 0B"), `tools.yaml:4:18: upstreams[0].max_message: "0B" is not a size from 1B to 1024MiB`},
		{"mode", "pins: {mode: on}", `tools.yaml:1:14: pins.mode: "on" is not one of off, first-use, locked`},
		{"locked in memory", "pins: {mode: locked}", "tools.yaml:1:7: pins.file: missing; without it nothing is pinned, and locked would serve nothing"},

		// upstreams
		{"no label", "upstreams:\n  - endpoint: https://a.example\n", "tools.yaml:2:5: upstreams[0].label: missing; it is required"},
		{"empty label", "upstreams:\n  - label: ''\n    command: [a]\n", `tools.yaml:2:12: upstreams[0].label: "" is not a label: labels are one or more ASCII letters, digits and underscores, joined by dots`},
		{"hyphen in label", "upstreams:\n  - label: shop-orders\n    command: [a]\n", `tools.yaml:2:12: upstreams[0].label: "shop-orders" is not a label: labels are one or more ASCII letters, digits and underscores, joined by dots`},
		{"variable in label", "upstreams:\n  - label: ${env:PORT}\n    command: [a]\n", `tools.yaml:2:12: upstreams[0].label: "${env:PORT}" is not a label: labels are one or more ASCII letters, digits and underscores, joined by dots`},
		{"neither", "upstreams:\n  - label: a\n", "tools.yaml:2:5: upstreams[0]: neither endpoint nor command: give the URL of the server, or the program to start"},
		{"both", upstreamWith("command: [a]"), "tools.yaml:4:14: upstreams[0].command: the upstream has an endpoint already: remove one of them"},
		{"dir", upstreamWith("dir: a"), "tools.yaml:4:10: upstreams[0].dir: is for a command, and the upstream has an endpoint: remove it"},
		{"env", upstreamWith("env: {A: b}"), "tools.yaml:4:10: upstreams[0].env: is for a command, and the upstream has an endpoint: remove it"},
		{"inherit", upstreamWith("inherit: [A]"), "tools.yaml:4:14: upstreams[0].inherit: is for a command, and the upstream has an endpoint: remove it"},
		{"headers", commandWith("headers: {A: b}"), "tools.yaml:4:14: upstreams[0].headers: is for an endpoint, and the upstream has a command: remove it"},
		{"transport", commandWith("transport: http"), "tools.yaml:4:16: upstreams[0].transport: is for an endpoint, and the upstream has a command: remove it"},
		{"namespace of plain", upstreamWith("kind: plain\n    namespace: b"), "tools.yaml:5:16: upstreams[0].namespace: a server of kind plain has no namespaces: remove it, or the kind"},
		{"bad namespace", upstreamWith("namespace: a..b"), `tools.yaml:4:16: upstreams[0].namespace: "a..b" is not a path: labels are one or more ASCII letters, digits and underscores, joined by dots`},
		{"text for command", "upstreams:\n  - label: a\n    command: npx -y a\n", "tools.yaml:3:14: upstreams[0].command: one text where a list is wanted, such as [npx, -y, server]: there is no shell that would split it"},
		{"empty command", "upstreams:\n  - label: a\n    command: []\n", "tools.yaml:3:14: upstreams[0].command: the list is empty: name the program"},
		{"empty program", "upstreams:\n  - label: a\n    command: ['', a]\n", "tools.yaml:3:15: upstreams[0].command[0]: empty: name the program"},
		{"null argument", "upstreams:\n  - label: a\n    command: [a, ~]\n", `tools.yaml:3:18: upstreams[0].command[1]: no value: write one, or "" for an empty text`},
		{"zero in argument", "upstreams:\n  - label: a\n    command: [a, \"\\0\"]\n", "tools.yaml:3:18: upstreams[0].command[1]: the value has a character of code zero: remove it"},
		{"zero in variable", commandWith("env: {A: '${env:ZERO}'}"), "tools.yaml:4:14: upstreams[0].env.A: the value has a character of code zero: remove it"},
		{"name of variable", commandWith("env: {A=B: c}"), "tools.yaml:4:11: upstreams[0].env.A=B: not the name of a variable: letters, digits and underscores, of which a digit is not the first"},
		{"inherited name", commandWith("inherit: [A=B]"), "tools.yaml:4:15: upstreams[0].inherit[0]: not the name of a variable: letters, digits and underscores, of which a digit is not the first"},
		{"inherited twice", commandWith("inherit: [PORT, PORT]"), `tools.yaml:4:21: upstreams[0].inherit[1]: the variable "PORT" is given already: remove one`},
		{"given and inherited", commandWith("env: {PORT: 1}\n    inherit: [PORT]"), `tools.yaml:5:15: upstreams[0].inherit[0]: the variable "PORT" is given already: remove one`},
		{"null in env", commandWith("env: {A: }"), `tools.yaml:4:14: upstreams[0].env.A: no value: write one, or "" for an empty text`},

		// URLs
		{"no scheme", "upstreams:\n  - label: a\n    endpoint: a.example/mcp\n", "tools.yaml:3:15: upstreams[0].endpoint: not a URL such as https://mcp.example/mcp"},
		{"other scheme", "upstreams:\n  - label: a\n    endpoint: ftp://a.example/mcp\n", "tools.yaml:3:15: upstreams[0].endpoint: not a URL such as https://mcp.example/mcp"},
		{"no host", "upstreams:\n  - label: a\n    endpoint: https:///mcp\n", "tools.yaml:3:15: upstreams[0].endpoint: the URL names no host"},
		{"opaque", "upstreams:\n  - label: a\n    endpoint: https:mcp\n", "tools.yaml:3:15: upstreams[0].endpoint: the URL names no host"},
		{"port only", "upstreams:\n  - label: a\n    endpoint: https://:443/\n", "tools.yaml:3:15: upstreams[0].endpoint: the URL names no host"},
		{"bad port", "upstreams:\n  - label: a\n    endpoint: https://a:65536/\n", "tools.yaml:3:15: upstreams[0].endpoint: the port of the URL is not between 1 and 65535"},
		{"user", "upstreams:\n  - label: a\n    endpoint: https://u:s3cr3t@a.example/\n", "tools.yaml:3:15: upstreams[0].endpoint: the URL has a user name or password: send credentials in headers, with ${env:NAME} for their values"},
		{"user in variable", "upstreams:\n  - label: a\n    endpoint: ${env:URL}\n", "tools.yaml:3:15: upstreams[0].endpoint: the URL has a user name or password: send credentials in headers, with ${env:NAME} for their values"},
		{"line end in URL", "upstreams:\n  - label: a\n    endpoint: https://a.example/${env:LINE}\n", "tools.yaml:3:15: upstreams[0].endpoint: not a URL such as https://mcp.example/mcp"},
		{"R128 http", "manifests:\n  - url: http://a.example/cash-mcp.yaml\n", "tools.yaml:2:10: manifests[0].url: manifests are fetched over https only: make it an https URL"},
		{"R128 host", "manifests:\n  - url: https://127.1/cash-mcp.yaml\n", "tools.yaml:2:10: manifests[0].url: the host of the URL is not one that manifests are fetched from: write a plain host name or IP address"},
		{"no URL", "manifests:\n  - label: a\n", "tools.yaml:2:5: manifests[0].url: missing; it is required"},
		{"same URL", "manifests:\n  - url: https://a.example/x\n  - url: https://A.example:443/x\n", "tools.yaml:3:10: manifests[1].url: the same manifest as in line 2: remove one"},
		{"trust", manifestWith("trust: [u@b.example]"), "tools.yaml:4:13: manifests[0].trust[0]: not a host such as mcp.example or mcp.example:8443, nor a whole URL without user name and password"},
		{"allow", manifestWith("allow: [10.0.0.1]"), `tools.yaml:4:13: manifests[0].allow[0]: "10.0.0.1" is not a network such as 10.0.0.0/8 or fd00::/8`},
		{"mapped", manifestWith("allow: ['::ffff:10.0.0.0/104']"), `tools.yaml:4:13: manifests[0].allow[0]: "::ffff:10.0.0.0/104" is not a network such as 10.0.0.0/8 or fd00::/8`},

		// headers
		{"name of header", upstreamWith("headers: {A B: c}"), "tools.yaml:4:15: upstreams[0].headers.A B: not the name of a header"},
		{"empty name", upstreamWith("headers: {'': c}"), "tools.yaml:4:15: upstreams[0].headers.: not the name of a header"},
		{"line end in header", upstreamWith(`headers: {A: "s3cr3t\nB: c"}`), "tools.yaml:4:18: upstreams[0].headers.A: the value has a line end or another control character, which headers cannot have: remove it from the value or its variable"},
		{"line end in variable", upstreamWith("headers: {A: '${env:LINE}'}"), "tools.yaml:4:18: upstreams[0].headers.A: the value has a line end or another control character, which headers cannot have: remove it from the value or its variable"},
		{"other letters", upstreamWith("headers: {x-key: s3cr3t, X-Key: s3cr3t}"), "tools.yaml:4:30: upstreams[0].headers.X-Key: the header is given twice, in other letters: remove one"},
		{"session", upstreamWith("headers: {mcp-session-id: a}"), "tools.yaml:4:15: upstreams[0].headers.mcp-session-id: the connection sets this header itself: remove it"},
		{"host", manifestWith("headers: {Host: b.example}"), "tools.yaml:4:15: manifests[0].headers.Host: the connection sets this header itself: remove it"},
		{"list as label", "upstreams:\n  - label: [a]\n    command: [a]\n", "tools.yaml:2:12: upstreams[0].label: a list where one text is wanted"},
		{"list as value", upstreamWith("headers: {A: [s3cr3t]}"), "tools.yaml:4:18: upstreams[0].headers.A: a list where one text is wanted"},

		// variables
		{"not set", upstreamWith("headers: {A: 'Bearer ${env:MISSING}'}"), "tools.yaml:4:18: upstreams[0].headers.A: the variable MISSING is not set: set it, or write ${env:MISSING:-default}"},
		{"not closed", upstreamWith("description: ${env:TOKEN"), "tools.yaml:4:18: upstreams[0].description: a ${ that is neither ${env:NAME} nor ${env:NAME:-default}: complete it, or write $${ for the characters themselves"},
		{"no env", upstreamWith("description: ${TOKEN}"), "tools.yaml:4:18: upstreams[0].description: a ${ that is neither ${env:NAME} nor ${env:NAME:-default}: complete it, or write $${ for the characters themselves"},
		{"no name", upstreamWith("description: ${env:}"), "tools.yaml:4:18: upstreams[0].description: a ${ that is neither ${env:NAME} nor ${env:NAME:-default}: complete it, or write $${ for the characters themselves"},
		{"strange name", upstreamWith("description: ${env:A-B}"), "tools.yaml:4:18: upstreams[0].description: a ${ that is neither ${env:NAME} nor ${env:NAME:-default}: complete it, or write $${ for the characters themselves"},
		{"nested", upstreamWith("description: ${env:A:-${env:TOKEN}}"), "tools.yaml:4:18: upstreams[0].description: a default with a variable in it: variables cannot be nested"},
		{"shown as in the file", upstreamWith("timeout: ${env:TOKEN}"), `tools.yaml:4:14: upstreams[0].timeout: "${env:TOKEN}" is not a duration such as 30s or 5m`},
		{"too much inherited", commandWith("dir: '" + strings.Repeat("${env:LARGE}", 4) + "'\n    inherit: [PORT]"), "tools.yaml:5:15: upstreams[0].inherit[0]: the variables bring in more than 4 MiB: shorten their values"},
		{"too much", "instructions: " + strings.Repeat("${env:LARGE}", 5), "tools.yaml:1:15: instructions: the variables bring in more than 4 MiB: shorten their values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse(tt.doc)
			if err == nil || err.Error() != tt.want {
				t.Fatalf("got  %v\nwant %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "s3cr3t") {
				t.Error("the error shows a secret")
			}
			var e *config.Error
			if !errors.As(err, &e) || e.File != "tools.yaml" {
				t.Errorf("%T is no *Error of the file", err)
			}
		})
	}
}

func TestR124Labels(t *testing.T) {
	for _, tt := range []struct {
		labels []string // from line 2, every second one; a leading ! is disabled, a leading @ is a manifest
		want   string
	}{
		{[]string{"shop", "shop2", "sho", "s_hop_s"}, ""},
		{[]string{"a.b", "a.c", "ab", "a1.b"}, ""},
		{[]string{"shop", "!SHOP", "!shop"}, ""},
		{[]string{"Shop_Orders", "other", "shoporders"}, `tools.yaml:6:12: upstreams[2].label: "shoporders" is the same label as "Shop_Orders" in line 2: give each its own`},
		{[]string{"shop", "x", "Shop.orders"}, `tools.yaml:6:12: upstreams[2].label: "Shop.orders" and "shop" in line 2 overlap, as one stands below the other: move one`},
		{[]string{"shop.a.b", "shop1", "SHOP"}, `tools.yaml:6:12: upstreams[2].label: "SHOP" and "shop.a.b" in line 2 overlap, as one stands below the other: move one`},
		{[]string{"shop", "@Shop"}, `tools.yaml:5:12: manifests[0].label: "Shop" is the same label as "shop" in line 2: give each its own`},
		{[]string{"a", "A", "a.b"}, "tools.yaml:4:12: upstreams[1].label: \"A\" is the same label as \"a\" in line 2: give each its own\n" +
			`tools.yaml:6:12: upstreams[2].label: "a.b" and "a" in line 2 overlap, as one stands below the other: move one`},
	} {
		doc := "upstreams:\n"
		for i, label := range tt.labels {
			switch label[0] {
			case '!':
				doc += "  - label: " + label[1:] + "\n    disabled: true\n"
			case '@':
				doc += "manifests:\n  - label: " + label[1:] + fmt.Sprintf("\n    url: https://m%d.example/\n", i)
			default:
				doc += "  - label: " + label + "\n    command: [a]\n"
			}
		}
		_, err := parse(doc)
		if got := fmt.Sprint(err); got != tt.want && (err != nil || tt.want != "") {
			t.Errorf("%v:\ngot  %s\nwant %s", tt.labels, got, tt.want)
		}
	}
}

// TestManyProblems holds that all is told at once, in order and within
// bounds.
func TestManyProblems(t *testing.T) {
	doc := "manifests:\n  - url: http://a.example\n  - urll: x\n" + upstreamWith("timeout: x\n    idle: y\n    lazy: z") + "sizelimit: many\n"
	_, err := parse(doc)
	var places []string
	for line := range strings.Lines(fmt.Sprint(err)) {
		place, _, _ := strings.Cut(line, ": ")
		places = append(places, strings.TrimPrefix(place, "tools.yaml:"))
	}
	if got, want := strings.Join(places, " "), "2:10 3:5 3:5 7:14 8:11 9:11 10:12"; got != want {
		t.Errorf("problems at %s, want %s:\n%v", got, want, err)
	}

	_, err = parse(manyKeys(5000))
	all, ok := err.(interface{ Unwrap() []error })
	if !ok || len(all.Unwrap()) != 21 || all.Unwrap()[20].Error() != "tools.yaml: there are more problems: fix these first" {
		t.Errorf("5,000 problems: %v", err)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}

// TestSecrets holds that what is printed of a configuration shows no value
// of headers and environment.
func TestSecrets(t *testing.T) {
	c := mustParse(t, full)
	for _, v := range []any{c, *c, c.Upstreams, c.Upstreams[0], c.Upstreams[2].Endpoint, c.Manifests, c.Manifests[1], &c.Manifests[1]} {
		for _, format := range []string{"%v", "%+v", "%s"} {
			if text := fmt.Sprintf(format, v); strings.Contains(text, "s3cr3t") {
				t.Errorf("%s of %T shows a secret: %s", format, v, text)
			}
		}
	}
	if got, want := c.Manifests[1].String(), "manifest https://mcp.other.example:8443/cash.yaml"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHostile(t *testing.T) {
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, doc := range map[string]string{
		"many upstreams":   "upstreams:\n" + list(1001, "- {label: a%d, command: [a]}\n"),
		"many labels":      "upstreams:\n" + list(1000, "- {label: "+strings.Repeat("a.", 400)+"a%d, command: [a], x: 1}\n"),
		"many variables":   commandWith("inherit: [" + list(100_000, "A%d,") + "A1]"),
		"many headers":     upstreamWith("headers: {" + list(50_000, "a%d: b,") + "A1: b}"),
		"many bad headers": upstreamWith("headers: {" + list(50_000, "\"%d:\": b,") + "}"),
		"many references":  "instructions: " + strings.Repeat("${env:PORT:-", 80_000),
		"many values":      "instructions: " + strings.Repeat("${env:LARGE}", 80_000),
		"many networks":    manifestWith("allow: [" + strings.Repeat("x,", 500_000) + "]"),
		"deep":             strings.Repeat("[", 500_000),
		"deep mapping":     strings.Repeat("a: {", 200_000),
		"deep label":       "upstreams:\n- {label: " + strings.Repeat("a.", 500_000) + "a, command: [a]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(doc)
			if err == nil {
				t.Fatal("accepted")
			}
			if text := err.Error(); len(text) > 21*1000 {
				t.Errorf("%d bytes of error", len(text))
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tools.yaml")
	write := func(doc string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("UPSTREAM_CONFIG_TEST", "from-the-environment")
	write("name: ${env:UPSTREAM_CONFIG_TEST}\npins: {file: p/pins.json}\n")
	c, err := config.Load(file)
	if err != nil || c.Name != "from-the-environment" || c.Pins.File != filepath.Join(dir, "p", "pins.json") {
		t.Errorf("got %+v, %v", c, err)
	}
	write("sizelimit: x\n")
	if _, err := config.Load(file); err == nil || !strings.HasPrefix(err.Error(), file+":1:12: sizelimit: ") {
		t.Errorf("bad file: %v", err)
	}
	write(strings.Repeat("#", config.MaxBytes+10))
	if _, err := config.Load(file); err == nil || err.Error() != file+": more than 1048576 bytes: shorten it" {
		t.Errorf("large file: %v", err)
	}
	if _, err := config.Load(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := config.Load(dir); err == nil {
		t.Error("a folder was read")
	}
	t.Chdir(dir)
	write("upstreams: [{label: a, command: [./a]}]\n")
	c, err = config.Load("tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Upstreams[0].Endpoint.(upstream.Command).Path; !filepath.IsAbs(got) {
		t.Errorf("relative program %s", got)
	}
}

// TestDisabled holds that of what is not mounted only the keys are checked.
func TestDisabled(t *testing.T) {
	c := mustParse(t, upstreamWith("disabled: true\n    timeout: x\n    description: ${env:MISSING}")+
		"manifests:\n  - url: http://a.example\n    disabled: ${env:YES}\n  - url: https://b.example/x\n    disabled: false\n  - url: https://b.example/x\n    disabled: true\n")
	if len(c.Upstreams) != 0 || len(c.Manifests) != 1 || c.Manifests[0].URL != "https://b.example/x" {
		t.Errorf("got %+v", c)
	}
}

func TestNilOptions(t *testing.T) {
	t.Setenv("UPSTREAM_CONFIG_TEST", "b")
	if c, err := config.Parse([]byte("name: ${env:UPSTREAM_CONFIG_TEST}"), nil); err != nil || c.Name != "b" {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := config.Parse([]byte("nam: a"), nil); err == nil || err.Error() != `configuration:1:1: unknown key "nam": did you mean name?` {
		t.Errorf("got %v", err)
	}
}
