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

// A File is what a configuration file says: the servers to mount, and the
// manifests to discover others by (RFC 5.4.1, 5.4.2). The file is YAML; only
// label and one of endpoint and command are required of an upstream, and url of
// a manifest:
//
//	name: tools                           # of the aggregator; also version, instructions
//	sizelimit: 20000
//	pins: {file: pins.json, mode: locked} # or first-use, or off, which is the default
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
//	    ignore_hints: true
//	    disabled: false                   # true is not mounted, and only its keys are checked
//	manifests:
//	  - url: https://mcp.shop.example/.well-known/cash-mcp.yaml
//	    label: partner                    # also description, headers, disabled
//	    trust: [mcp.other.example]
//	    allow: [10.0.0.0/8]               # and from timeout to ignore_hints as above
//
// The keys of an upstream are the fields of [upstream.Server], those of a manifest the
// fields of [upstream.Discovery]; what is left out, empty or null leaves the field zero.
// Labels are unique in their canonical form, and none stands below another.
//
// In every value but labels, ${env:NAME} is the value of an environment
// variable, ${env:NAME:-default} has a default for one that is empty or not set,
// and $$ is a dollar. Values are put in after the YAML has been read, once, so
// that none can change what the file says.
//
// A relative dir or file, and a program with a slash in its name, are relative to
// the folder of the file.
type File struct {
	// Name, Version and Instructions are of the aggregator. Empty leaves them to
	// the embedder.
	Name, Version, Instructions string
	// SizeLimit is the gate's threshold in characters (RFC 7.3). Zero leaves it
	// to the embedder.
	SizeLimit int
	// Upstreams are mounted as they are, in the order of the file.
	Upstreams []upstream.Server
	// Manifests are fetched to find servers by, in the order of the file.
	Manifests []upstream.Discovery
	// Pins says where accepted definitions are remembered.
	Pins Pins
}

// Pins says how definitions of tools, and of the functions of CaSH servers,
// are pinned.
type Pins struct {
	// File is the absolute path of the file of pins. Empty is in memory.
	File string
	// Mode says what is accepted. Zero is [pin.Off].
	Mode pin.Mode
}

// Options configure [Parse]. Nil is fine.
type Options struct {
	// File is the name of the file in errors. Empty is "configuration".
	File string
	// Dir is the folder that paths are relative to. Empty is the working
	// directory.
	Dir string
	// Getenv returns the value of an environment variable, and whether it is set.
	// Nil is [os.LookupEnv].
	Getenv func(name string) (string, bool)
}

// MaxBytes is the most bytes of a configuration file.
const MaxBytes = 1 << 20

// Load reads a configuration file; see [Parse] for its errors.
func Load(name string) (*File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that nobody writes to is empty
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

// Parse reads the text of a configuration file. An error holds all that is
// wrong, in the order of lines, as [errors.Join] does: one [*Error] for
// each problem, of which at most 20 are told at a time.
func Parse(data []byte, opts *Options) (*File, error) {
	r, err := newReader(opts)
	if err != nil {
		return nil, err
	}
	f := new(File)
	if top := r.document(data); top != nil {
		r.read(top, f)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return f, nil
}
