package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A Config is what a configuration file says: the servers to mount, and the
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
// The keys of an upstream are the fields of [Server], those of a manifest the
// fields of [Discovery]; what is left out, empty or null leaves the field zero.
// Labels are unique in their canonical form, and none stands below another.
//
// In every value but labels, ${env:NAME} is the value of an environment
// variable, ${env:NAME:-default} has a default for one that is empty or not set,
// and $$ is a dollar. Values are put in after the YAML has been read, once, so
// that none can change what the file says.
//
// A relative dir or file, and a program with a slash in its name, are relative to
// the folder of the file.
type Config struct {
	// Name, Version and Instructions are of the aggregator. Empty leaves them to
	// the embedder.
	Name, Version, Instructions string
	// SizeLimit is the gate's threshold in characters (RFC 7.3). Zero leaves it
	// to the embedder.
	SizeLimit int
	// Upstreams are mounted as they are, in the order of the file.
	Upstreams []Server
	// Manifests are fetched to find servers by, in the order of the file.
	Manifests []Discovery
	// Pins says where accepted definitions are remembered.
	Pins PinConfig
}

// A PinConfig says how definitions of tools, and of the functions of CaSH servers,
// are pinned.
type PinConfig struct {
	// File is the absolute path of the file of pins. Empty is in memory.
	File string
	// Mode says what is accepted. Zero is [PinOff].
	Mode PinMode
}

// A Discovery is a manifest by which a server is found (RFC 5.4.2).
type Discovery struct {
	// URL is where the manifest is, an https URL. Required.
	URL string
	// Label is the operator's own label for what is found. Empty is what the
	// manifest suggests.
	Label string
	// Description says in a line what is there. Empty is what the manifest says.
	Description string
	// Trust lists endpoints on other hosts that the manifest may name, as the
	// Trusted of manifest.FetchOptions. Nil is none.
	Trust []string
	// Allow lists addresses that may be dialled although they are not public.
	// Nil is none.
	Allow []netip.Prefix
	// Header is sent to the host of URL, and to no other. Nil is nothing.
	Header http.Header
	// Server has the settings of the server that is found, from VisibleTo to
	// Refresh. Its label, description, endpoint, kind and namespace are empty:
	// they are found as well.
	Server Server
}

// String names the manifest for logs and operators, by its URL without the
// query, which may hold secrets.
func (d Discovery) String() string { return "manifest " + HTTP{URL: d.URL}.String() }

// ConfigOptions configure [ParseConfig]. Nil is fine.
type ConfigOptions struct {
	// File is the name of the file in errors. Empty is "configuration".
	File string
	// Dir is the folder that paths are relative to. Empty is the working
	// directory.
	Dir string
	// Getenv returns the value of an environment variable, and whether it is set.
	// Nil is [os.LookupEnv].
	Getenv func(name string) (string, bool)
}

// MaxConfig is the most bytes of a configuration file.
const MaxConfig = 1 << 20

// ReadConfig reads a configuration file; see [ParseConfig] for its errors.
func ReadConfig(file string) (*Config, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that nobody writes to is empty
	if err != nil {
		return nil, fmt.Errorf("opening configuration: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("reading configuration: %w", err)
	}
	return ParseConfig(data, &ConfigOptions{File: file, Dir: filepath.Dir(file)})
}

// ParseConfig reads the text of a configuration file. An error holds all that is
// wrong, in the order of lines, as [errors.Join] does: one [*ConfigError] for
// each problem, of which at most 20 are told at a time.
func ParseConfig(data []byte, opts *ConfigOptions) (*Config, error) {
	r, err := newConfigReader(opts)
	if err != nil {
		return nil, err
	}
	c := new(Config)
	if top := r.document(data); top != nil {
		r.config(top, c)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// A ConfigError is one problem of a configuration. Its text shows neither values
// of variables, headers and environments, nor URLs.
type ConfigError struct {
	File         string
	Line, Column int    // counted from 1; 0 if there is none, or none is known
	Field        string // such as upstreams[0].timeout; empty if it is about none
	Reason       string
}

// Error returns place, field and reason, as in:
//
//	tools.yaml:7:14: upstreams[0].timeout: "soon" is not a duration such as 30s or 5m
func (e *ConfigError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	for _, n := range []int{e.Line, e.Column} {
		if n > 0 {
			fmt.Fprintf(&b, ":%d", n)
		}
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	return b.String() + e.Reason
}

// Bounds of what is told of a file that has little right in it.
const (
	maxNoted = 200 // problems that are noted; then reading is of no more use
	maxTold  = 20
)

// err returns the problems that were noted.
func (r *configReader) err() error {
	slices.SortStableFunc(r.problems, func(a, b *ConfigError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var list []error
	for _, p := range r.problems[:min(len(r.problems), maxTold)] {
		list = append(list, p)
	}
	if len(r.problems) > maxTold {
		list = append(list, errors.New(r.file+": there are more problems: fix these first"))
	}
	return errors.Join(list...)
}
