package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

// A File is the content of a configuration file: the servers to mount, and the manifests of servers to discover
// (RFC 5.4.1, 5.4.2). The file is YAML. An upstream requires label, and endpoint or command; a manifest requires
// url:
//
//	name: tools                           # of the aggregator; also version, instructions
//	# sizelimit: 20000                    # of the face cash
//	pins: {file: pins.json, mode: locked} # or first-use, or off, which is the default
//	face: gateway                         # or cash, the default, proxy, disclosure, facade, plain, endpoint
//	tolerant_args: true                   # with gateway also cache_stable, top_k
//	catalog: catalog.json                 # of package cash/catalog
//	start: strict                         # every server must be there; the default is degraded
//	start_timeout: 10s
//	schema_limits: {max_bytes: 64KiB, max_depth: 32, max_properties: 512} # also in an upstream
//	policy:
//	  default: allow                      # or deny, or require_approval
//	  rules:                              # the first that applies decides; the keys are those of control.Rule
//	    - {decision: deny, tools: ["**.drop_*"], reason: Nobody drops tables here.}
//	approval: {operator_only: true, max_age: 10m, max_waiting: 1000, max_per_caller: 16}
//	rate_limits:
//	  default: {max_calls_per_minute: 60}
//	  meta_tools: {tool_browse: {max_calls_per_session: 500}}
//	  tools: {shop.refund: {max_calls_per_minute: 4, burst: 1}} # by path or id; also session_idle, max_sessions
//	cache: {read_only: true, allow: [shop.list], ttl: 5m}       # also max_result, max_bytes, max_entries
//	retry: {max_attempts: 3, base_delay: 100ms, max_delay: 5s}  # also jitter, retryable_codes, idempotent
//	redact: {defaults: true, rules: [{name: badge, pattern: "B-[0-9]+"}]} # also hint, group
//	artifacts: {dir: kept, max_bytes: 256MiB, inline: 4000}     # also max_bytes_per_caller, max_artifacts,
//	                                                            # max_per_caller, max_age, max_view
//	upstreams:
//	  - label: shop
//	    description: Orders and stock.
//	    endpoint: https://mcp.shop.example/mcp
//	    transport: http                   # or sse
//	    headers: {Authorization: "Bearer ${env:SHOP_TOKEN}"}
//	    kind: auto                        # or plain, or cash
//	    namespace: orders                 # of the server: what stands at label
//	  - label: files
//	    command: [npx, -y, "@modelcontextprotocol/server-filesystem", .]
//	    dir: data
//	    env: {LOG_LEVEL: "${env:LOG_LEVEL:-warn}"}
//	    inherit: [HTTP_PROXY, NODE_OPTIONS] # handed on if they are set
//	    timeout: 30s
//	    connect_timeout: 10s
//	    lazy: true
//	    idle: 5m
//	    refresh: 1h                       # or never
//	    concurrency: 4
//	    max_message: 8MiB                 # B, KB, KiB, MB or MiB; without a unit bytes
//	    visible_to: [admin, ops]          # roles
//	    read_only: [list_directory]
//	    include_tools: ["list_*", "read_*"]
//	    exclude_tools: [read_media_file]
//	    required: true                    # without it nothing starts
//	    ignore_hints: true
//	    hold_identity: true
//	    disabled: false                   # true is not mounted, and only its keys are checked
//	manifests:
//	  - url: https://mcp.shop.example/.well-known/cash-mcp.yaml
//	    label: partner                    # also description, headers, disabled
//	    trust: [mcp.other.example]
//	    allow: [10.0.0.0/8]               # and from timeout to hold_identity as above
//
// The further keys of an upstream are the fields of [upstream.Server], those of a manifest the fields of
// [upstream.Discovery]. A key that is missing or null leaves its field zero. A list of names must not be empty or null:
// leave its key out. Labels are unique in their canonical form; none lies below another.
//
// In every value except labels, ${env:NAME} stands for an environment variable, ${env:NAME:-default} adds a default
// for one that is empty or not set, and $$ is a dollar. Values are inserted once, after the YAML has been parsed:
// they cannot change its structure.
//
// A relative dir or file, and a program with a slash in its name, are relative to the folder of the file.
type File struct {
	// Name, Version and Instructions describe the aggregator. Empty leaves them to the embedder.
	Name, Version, Instructions string
	// SizeLimit is the gate's threshold in characters (RFC 7.3). Zero leaves it to the embedder.
	SizeLimit int
	// Upstreams are the servers to mount, in the order of the file.
	Upstreams []upstream.Server
	// Manifests are the manifests to fetch, in the order of the file.
	Manifests []upstream.Discovery
	// Required are the labels of the upstreams without which the server must not start.
	Required []string
	// Pins configures the pin store.
	Pins Pins
	// Front is what clients meet: the face, and the controls before the functions.
	Front

	source func() *reader // what was read, for its places and defaults; a function, so that no print of a File shows it
}

// Pins says how definitions of tools, and of the functions of CaSH servers, are pinned.
type Pins struct {
	// File is the absolute path of the pin file. Empty pins in memory.
	File string
	// Mode is the pin mode. Zero is [pin.Off].
	Mode pin.Mode
}

// Options configure [Parse]. Nil is fine.
type Options struct {
	// File is the file's name in errors. Empty is "configuration".
	File string
	// Dir is the folder for relative paths. Empty is the working directory.
	Dir string
	// Getenv returns the value of an environment variable, and whether it is set.
	// Nil is [os.LookupEnv].
	Getenv func(name string) (string, bool)
}

// MaxBytes is the most bytes of a configuration file.
const MaxBytes = 1 << 20

// Load reads a configuration file; see [Parse] for its errors.
func Load(name string) (*File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO without a writer reads as empty
	if err != nil {
		return nil, fmt.Errorf("opening configuration: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading configuration: %w", err)
	}
	return Parse(data, &Options{File: name, Dir: filepath.Dir(name)})
}

// Parse reads the text of a configuration file. The error joins one [*Error] for each problem, in the order of
// lines, at most 20 ([errors.Join]).
func Parse(data []byte, opts *Options) (*File, error) {
	r, err := newReader(opts)
	if err != nil {
		return nil, err
	}
	f := &File{source: func() *reader { return r }}
	if top := r.document(data); top != nil {
		r.read(top, f)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return f, nil
}
