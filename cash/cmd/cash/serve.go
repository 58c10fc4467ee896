package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/config"
	"github.com/cash-mcp/go-sdk/firewall/redact"
)

var servePage = page{
	form: "serve [flags] -config FILE",
	about: `Serves the servers of a configuration file behind one face: MCP over standard
input and output, or over HTTP at /mcp, with /livez and /readyz. Over HTTP there
is no login: without -public, only this machine can reach it.
A signal HUP reads the file again: connections stay, and a file that is wrong
changes nothing. INT and TERM end it once the calls in flight are done, or after
10 seconds.`,
}

// Times of a server over HTTP.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute // of a connection without a request
	stopTimeout   = 10 * time.Second
)

// serve serves a configuration.
func serve(ctx context.Context, env *environment, args []string) error {
	flags := newFlags()
	file := flags.String("config", "", "the configuration `FILE`")
	stdio := flags.Bool("stdio", false, "serve over standard input and output (default)")
	addr := flags.String("http", "", "serve over HTTP on `ADDR`, such as 127.0.0.1:8080")
	public := flags.Bool("public", false, "with -http, let other machines call, without a login")
	show := flags.Bool("print-effective-config", false, "print the file with its defaults, no secrets, and end")
	verbose := flags.Bool("v", false, "log servers and calls to standard error")
	if err := env.parse(servePage, flags, args); err != nil {
		return err
	}
	switch {
	case *file == "":
		return usagef("name a file: cash serve -config FILE")
	case flags.NArg() > 0 || *stdio && *addr != "":
		return usagef("it takes at most one of -stdio and -http, and no arguments")
	case *public && *addr == "":
		return usagef("-public is for -http ADDR")
	}
	f, err := config.Load(*file)
	if err != nil {
		return usageError(err.Error())
	}
	if *show {
		_, err = env.stdout.Write(f.Effective())
		return err
	}
	if f.Face == "endpoint" && *addr != "" {
		return usagef("the face endpoint answers one request on standard input: leave out -http")
	}
	if *addr != "" {
		if *addr, err = listenAddress(*addr, *public); err != nil {
			return err
		}
	}
	reload := make(chan os.Signal, 1)
	notifyReload(reload) // from now on it ends nothing
	defer signal.Stop(reload)
	s := &serving{env: env, file: *file, log: logger(env.stderr, *verbose)}
	s.hint(f)
	if s.srv, err = config.Start(ctx, f, &config.Options{Logger: s.log}); err != nil {
		if ctx.Err() != nil {
			return nil // stopped by a signal, as intended
		}
		return fmt.Errorf("%w\ncash doctor -config %s says how to mend it", err, *file)
	}
	defer s.close()
	defer s.reloads(ctx, reload)()
	switch {
	case f.Face == "endpoint":
		code, err := s.srv.Answer(ctx, env.stdin, env.stdout)
		if err != nil || code == 0 {
			return err
		}
		return status(code)
	case *addr != "":
		return s.http(ctx, *addr)
	}
	if err := s.srv.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(env.stdin), Writer: nopCloser{env.stdout}}); ctx.Err() == nil {
		return err
	}
	return nil // stopped by a signal, as intended
}

// listenAddress returns an address with the IP of its host. It is an error if other machines can reach it, unless that
// is wanted.
func listenAddress(addr string, public bool) (string, error) {
	at, err := net.ResolveTCPAddr("tcp", addr)
	switch {
	case err != nil:
		return "", usagef("-http: %v", err)
	case !public && !at.IP.IsLoopback():
		return "", usagef("-http %s would let everyone who can reach it call the tools, for there is no login: "+
			"listen at 127.0.0.1:%d, behind a proxy with a login, or add -public", addr, at.Port)
	}
	return at.String(), nil
}

// logger returns a log without secrets, which servers may write to their standard error.
func logger(w io.Writer, verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelInfo
	}
	filter := redact.New(redact.DefaultRules()...)
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if k := a.Value.Kind(); k == slog.KindString || k == slog.KindAny { // such as an error
			text, _ := filter.Text(a.Value.String())
			a.Value = slog.StringValue(text)
		}
		return a
	}}))
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// serving is a server that runs.
type serving struct {
	env  *environment
	file string
	srv  *config.Server
	log  *slog.Logger
}

// close ends the servers. None is left when it returns.
func (s *serving) close() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	_ = s.srv.Close(ctx) // calls that take longer are cancelled
}

// http serves until ctx ends. Calls in flight may then finish.
func (s *serving) http(ctx context.Context, addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := webServer(s.srv.Handler())
	stopped := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		limit, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		// The face goes first: it ends streams that the HTTP server would wait for.
		stopped <- shut(limit, s.srv.Shutdown, server.Shutdown)
	})()
	fmt.Fprintf(s.env.stderr, "serving at http://%s/mcp\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// shut shuts the parts of a server down in order. Its error is for people.
func shut(ctx context.Context, parts ...func(context.Context) error) error {
	var errs []error
	for _, part := range parts {
		errs = append(errs, part(ctx))
	}
	err := errors.Join(errs...)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("calls were still in flight after %v, and were ended", stopTimeout)
	}
	return err
}

// webServer returns a server that gives up clients without a request. The handler bounds those who are slow with one.
func webServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout}
}

// hint says what cannot work here, though it is no mistake in the file.
func (s *serving) hint(f *config.File) {
	for _, h := range hints(f) {
		fmt.Fprintln(s.env.stderr, h)
	}
}

func hints(f *config.File) (list []string) {
	if f.Approval != nil && f.Approval.OperatorOnly {
		list = append(list, "approval.operator_only: cash serve has no page for the operator, so calls that need approval are never made: "+
			"leave it out, and callers are asked, or serve the file with package cash/config and settle them there")
	}
	return list
}

// reloads reads the file again at each signal, until the returned function is called.
func (s *serving) reloads(ctx context.Context, signals <-chan os.Signal) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-signals:
				s.reload(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// reload reads the file again and says what came of it.
func (s *serving) reload(ctx context.Context) {
	f, err := config.Load(s.file)
	if err == nil {
		err = s.srv.Reload(ctx, f)
	}
	if err != nil {
		fmt.Fprintf(s.env.stderr, "reloading the configuration: %v\n", err)
		return
	}
	s.hint(f)
	fmt.Fprintln(s.env.stderr, "the configuration is reloaded")
}
