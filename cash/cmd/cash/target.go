package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
)

// A target is a server that the command line names. One of url, command and file is set.
type target struct {
	env     *environment
	url     string
	header  http.Header
	command []string
	file    string // a configuration in YAML, or a catalog in JSON
	timeout time.Duration
	version string // of the protocol; empty is the newest

	mistake error // in a header
	mu      sync.Mutex
	wrote   []string // the last lines of the command's standard error
}

// single is the namespace of a server that is no CaSH server and that no file names.
const single = "server"

// forms ends the help of the verbs that take a target.
const forms = `URL is an endpoint of streamable HTTP. COMMAND is the rest of the line: a
program that speaks MCP on its standard input and output.`

// targetFlags adds the flags of targets. The result reads the words that name one.
func (env *environment) targetFlags(flags *flag.FlagSet) func(words []string) (*target, error) {
	t := &target{env: env, header: make(http.Header)}
	flags.Func("header", "a `NAME:VALUE` to send to URL; ${env:VAR} is a variable", func(line string) error {
		t.mistake = cmp.Or(t.mistake, t.addHeader(line)) // package flag would print the value
		return nil
	})
	flags.DurationVar(&t.timeout, "timeout", 30*time.Second, "the deadline of each request, a `DURATION` (30s)")
	flags.StringVar(&t.version, "protocol", "", "the `VERSION` of MCP, such as 2025-11-25 (newest)")
	return t.read
}

var variable = regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)

// addHeader reads a header. Its errors do not show the value.
func (t *target) addHeader(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return errors.New(`want NAME:VALUE, such as "Authorization: Bearer ${env:TOKEN}"`)
	}
	var missing string
	value = variable.ReplaceAllStringFunc(value, func(ref string) string {
		v := t.env.getenv(variable.FindStringSubmatch(ref)[1])
		if v == "" {
			missing = ref
		}
		return v
	})
	if missing != "" {
		return fmt.Errorf("%s is not set", missing)
	}
	t.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	return nil
}

// read reads the words that name a target.
func (t *target) read(words []string) (*target, error) {
	switch {
	case len(words) == 0:
		return nil, usagef("name a server: a URL, or a command after --")
	case t.mistake != nil:
		return nil, usagef("-header: %v", t.mistake)
	case t.timeout <= 0:
		return nil, usagef("-timeout must be positive")
	case isURL(words[0]):
		if len(words) > 1 {
			return nil, usagef("there are words after the URL; flags come first")
		}
		u, err := url.Parse(words[0])
		if err != nil || u.Host == "" {
			return nil, usagef("the URL is not valid")
		}
		if u.User != nil {
			return nil, usagef(`put the password into -header "Authorization: Basic ${env:VAR}", not into the URL`)
		}
		u.Fragment, u.RawFragment = "", ""
		t.url = u.String()
	case isFile(words[0]) && len(words) == 1:
		t.file = words[0]
	default:
		t.command = words
	}
	if len(t.header) > 0 && t.url == "" {
		return nil, usagef("-header is for a URL; a command has the environment of this process")
	}
	return t, nil
}

func isURL(word string) bool {
	scheme, _, ok := strings.Cut(word, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// isFile reports whether word has the extension of a file that lists servers or tools.
func isFile(word string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(word)))
}

// split separates the words of a verb from those of its target. A URL or file stands first, a command last, after --.
// A verb with required words of its own must have them. If it has none, all words after a command are the command's.
func split(words []string, required, most int) (own, rest []string, err error) {
	switch i := slices.Index(words, "--"); {
	case i > 0 && most == 0 && !isURL(words[0]) && !isFile(words[0]):
		rest = words
	case i >= 0:
		own, rest = words[:i], words[i+1:]
	case len(words) > 0 && (isURL(words[0]) || isFile(words[0])):
		own, rest = words[1:], words[:1]
	case required > 0:
		return nil, nil, usagef("name a server: its URL first, or its command last, after --")
	default:
		rest = words
	}
	if len(own) < required || len(own) > most {
		return nil, nil, usagef("there are %d words besides the server, want %d to %d", len(own), required, most)
	}
	return own, rest, nil
}

// String names the target without secrets.
func (t *target) String() string {
	switch {
	case t.url != "":
		return upstream.HTTP{URL: t.url}.String()
	case t.file != "":
		return clean.Line(t.file, 200)
	}
	return clean.Line(filepath.Base(t.command[0]), 100)
}

// transport returns a new transport for a URL or a command.
func (t *target) transport() mcp.Transport {
	if t.url != "" {
		return mcpclient.HTTP(t.url, t.client(), mcpclient.Options{})
	}
	return mcpclient.Stdio(t.exec, mcpclient.Options{Stderr: t.keep})
}

func (t *target) exec() *exec.Cmd { return exec.Command(t.command[0], t.command[1:]...) }

func (t *target) client() *http.Client {
	base := http.DefaultTransport.(*http.Transport).Clone()
	return &http.Client{Transport: &withHeader{t.header, base}}
}

// withHeader adds header to requests. Package mcpclient lets through those to the host of the URL only.
type withHeader struct {
	header http.Header
	base   *http.Transport
}

func (w *withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range w.header {
		r.Header[name] = values
	}
	return w.base.RoundTrip(r)
}

func (w *withHeader) CloseIdleConnections() { w.base.CloseIdleConnections() }

// keep keeps the last lines that the command wrote.
func (t *target) keep(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrote = append(t.wrote, line)
	if len(t.wrote) > 5 {
		t.wrote = t.wrote[1:]
	}
}

// failed words the failure to connect, with the next step.
func (t *target) failed(err error) error {
	if err == context.DeadlineExceeded {
		err = fmt.Errorf("no answer within %v", t.timeout)
	}
	if t.url != "" {
		return fmt.Errorf("connecting to %s: %w; check the address, and -header if it needs a login", t, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	text := fmt.Sprintf("; run it by itself to see whether %s starts and speaks MCP", t)
	if len(t.wrote) > 0 {
		wrote, _ := redact.New(redact.DefaultRules()...).Text(strings.Join(t.wrote, "\n  "))
		text = "; it wrote:\n  " + wrote
	}
	return fmt.Errorf("starting %s: %w%s", t, err, text)
}

// dial connects to a URL or a command, and lists its tools.
func (t *target) dial(ctx context.Context) (*client.Conn, []*mcp.Tool, error) {
	c, err := client.Dial(ctx, t.transport(), &client.Options{Version: t.version, Timeout: t.timeout})
	if err != nil {
		return nil, nil, t.failed(err)
	}
	if c.Session.InitializeResult().Capabilities.Tools == nil {
		return c, nil, nil
	}
	tools, _, err := c.Tools()
	if err != nil {
		return nil, nil, errors.Join(t.failed(err), c.Close())
	}
	return c, tools, nil
}

// isCaSH reports whether tools are, or include, the three of a CaSH server.
func isCaSH(tools []*mcp.Tool) bool {
	for _, name := range []string{"call", "help", "skill"} {
		if !slices.ContainsFunc(tools, func(t *mcp.Tool) bool { return t.Name == name }) {
			return false
		}
	}
	return true
}

// A session is a connection with the three tools of CaSH: those of the server, or of one in this process that mounts
// it.
type session struct {
	conn  *client.Conn
	label string // the namespace of the server; empty if paths are its own
	close func()
}

// session connects to a server of any kind.
func (t *target) session(ctx context.Context) (*session, error) {
	label := ""
	if t.file == "" {
		c, tools, err := t.dial(ctx)
		if err != nil {
			return nil, err
		}
		closeConn := func() { _ = c.Close() }
		if isCaSH(tools) {
			return &session{c, "", closeConn}, nil
		}
		closeConn()
		label = single
	}
	m, err := t.mount(ctx)
	if err != nil {
		return nil, err
	}
	c, err := client.Dial(ctx, client.InMemory(ctx, cash.NewServer(m.Registry, nil)), &client.Options{Timeout: t.timeout + time.Second})
	if err != nil {
		m.close()
		return nil, err
	}
	return &session{c, label, func() { _ = c.Close(); m.close() }}, nil
}

// mounted is a registry with the functions of the target.
type mounted struct {
	*registry.Registry
	agg   *upstream.Aggregator // nil for a catalog
	notes []string
}

// mount mounts the servers of the target. It fails if none of them answers.
func (t *target) mount(ctx context.Context) (*mounted, error) {
	if strings.EqualFold(filepath.Ext(t.file), ".json") {
		c := catalog.New(nil)
		if _, err := c.LoadFile(t.file); err != nil {
			return nil, fmt.Errorf("%w; want the result of tools/list, or run cash import for a client's configuration", err)
		}
		return &mounted{Registry: c.Tools()}, nil
	}
	cfg := &config.File{Upstreams: []upstream.Server{
		{Label: single, Description: "The server.", Endpoint: t.endpoint(), Timeout: t.timeout, ConnectTimeout: t.timeout},
	}}
	if t.file != "" {
		var err error
		if cfg, err = config.Load(t.file); err != nil {
			return nil, err
		}
	}
	m, err := start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	down, list := error(nil), m.agg.Status()
	alive := len(list) == 0
	for _, s := range list {
		if s.State == upstream.Down {
			down = errors.Join(down, fmt.Errorf("%s: %w", strings.Join(s.Labels, ", "), s.Err))
		} else {
			alive = true
		}
		m.notes = append(m.notes, s.Notes...)
	}
	if down == nil {
		return m, nil
	}
	if alive {
		fmt.Fprintf(t.env.stderr, "left out: %s\n", clean.Text(down.Error()))
		return m, nil
	}
	m.close()
	if t.file != "" {
		return nil, fmt.Errorf("no server of %s answers: %w", t, down)
	}
	return nil, t.failed(list[0].Err)
}

// start mounts the servers of a configuration, with its pins, and waits until each of them has been tried. It pins
// nothing.
func start(ctx context.Context, cfg *config.File) (*mounted, error) {
	reg, opts := registry.New(nil), &upstream.Options{Mode: cfg.Pins.Mode}
	if cfg.Pins.File != "" {
		pins, err := pin.OpenFile(cfg.Pins.File)
		if err != nil {
			return nil, err
		}
		opts.Pins = &unsaved{Memory: pin.NewMemory(), saved: pins, read: make(map[string]bool)}
	}
	m := &mounted{Registry: reg, agg: upstream.New(reg, opts)}
	var err error
	for _, s := range cfg.Upstreams {
		err = errors.Join(err, m.agg.Add(s))
	}
	if err = errors.Join(err, m.agg.Discover(cfg.Manifests...)); err == nil {
		err = m.agg.Wait(ctx)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// unsaved are the pins of a store, whose changes are kept in memory.
type unsaved struct {
	*pin.Memory
	saved pin.Store

	mu   sync.Mutex
	read map[string]bool // labels whose pins are in memory
}

// Load implements [pin.Store].
func (u *unsaved) Load(ctx context.Context, label string) (pin.Pins, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.read[label] {
		p, err := u.saved.Load(ctx, label)
		if err == nil && p.Definitions != nil {
			_, err = u.Memory.Swap(ctx, label, "", p.Definitions)
		}
		if err != nil {
			return pin.Pins{}, err
		}
		u.read[label] = true
	}
	return u.Memory.Load(ctx, label)
}

// endpoint returns the endpoint for mounting. A command has the environment of this process.
func (t *target) endpoint() upstream.Endpoint {
	switch {
	case t.url != "":
		return upstream.HTTP{URL: t.url, Header: t.header}
	case t.file != "":
		return nil
	}
	var names []string
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); variable.MatchString("${env:" + name + "}") {
			names = append(names, name)
		}
	}
	return upstream.Command{Path: t.command[0], Args: t.command[1:], Inherit: names}
}

// close ends the servers.
func (m *mounted) close() {
	if m.agg == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = m.agg.Close(ctx) // calls that take longer are cancelled
}
