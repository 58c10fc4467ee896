package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A Service is the ticket desk: routes for programs and pages, and an MCP endpoint for models.
type Service struct {
	cfg   *Config
	opts  Options
	store Store
	desk  *desk
	login *login
	log   *slog.Logger

	face    *cash.Server         // the MCP endpoint
	servers *upstream.Aggregator // MCP servers behind it
}

// Options are what a program may replace or add.
type Options struct {
	// Store is the database. Nil is one in memory.
	Store Store
	// Middleware is around all that the service answers. Nil is none.
	Middleware func(http.Handler) http.Handler
	// Observe is told of each request to the MCP endpoint, and to the servers behind it. Nil is nobody.
	Observe observe.Hook
}

// New returns a service that logs lines of JSON. Nil options are those of the zero value.
func New(cfg *Config, log io.Writer, opts *Options) (*Service, error) {
	s := &Service{cfg: cfg, log: slog.New(traceHandler{slog.NewJSONHandler(log, nil)})}
	if opts != nil {
		s.opts = *opts
	}
	if s.store = s.opts.Store; s.store == nil {
		s.store = NewMemory()
	}
	s.desk, s.login = &desk{s.store}, cfg.login(s.store, s.log)
	reg := s.newRegistry()
	s.face = s.newFace(reg)
	s.servers = upstream.New(reg, &upstream.Options{Name: "desk", Logger: s.log, Observe: s.opts.Observe})
	if cfg.carrier == "" {
		return s, nil
	}
	return s, s.servers.Add(s.carrier())
}

// Stats are the counters of the MCP endpoint.
func (s *Service) Stats() serve.Stats { return s.face.Stats() }

// handler returns all that the service answers.
func (s *Service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.login.require(s.routes()))
	s.mount(mux) // the MCP endpoint, with a login of its own
	all := traced(s.log, mux)
	if s.opts.Middleware != nil {
		all = s.opts.Middleware(all)
	}
	return all
}

// routes are the service without MCP.
func (s *Service) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tickets", func(w http.ResponseWriter, r *http.Request) {
		list, err := s.desk.List(r.Context(), ListTickets{Status: r.FormValue("status")})
		s.reply(w, r, list, err)
	})
	mux.HandleFunc("POST /tickets/{id}/close", func(w http.ResponseWriter, r *http.Request) {
		t, err := inTx(s.store, s.desk.Close)(r.Context(), TicketRef{r.PathValue("id")})
		s.reply(w, r, t, err)
	})
	mux.HandleFunc("DELETE /tickets/{id}", func(w http.ResponseWriter, r *http.Request) {
		if !registry.CallerFrom(r.Context()).HasRole("admin") {
			http.Error(w, "for admins only", http.StatusForbidden)
			return
		}
		t, err := inTx(s.store, s.desk.Delete)(r.Context(), TicketRef{r.PathValue("id")})
		s.reply(w, r, t, err)
	})
	mux.HandleFunc("PUT /accounts/carrier", func(w http.ResponseWriter, r *http.Request) {
		token, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<10))
		if err == nil {
			err = s.store.SetCarrierToken(r.Context(), registry.CallerFrom(r.Context()).ID, string(token))
		}
		s.reply(w, r, struct{}{}, err)
	})
	return mux
}

func (s *Service) reply(w http.ResponseWriter, r *http.Request, v any, err error) {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, ErrNoTicket):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.As(err, &large):
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
	case err != nil:
		s.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
		http.Error(w, errStore.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // the client may have gone
	}
}

const (
	callTimeout    = 20 * time.Second // of a call
	stopTimeout    = 30 * time.Second // for calls in flight; longer than callTimeout, so that none is lost
	maxConnections = 10_000           // a client with a session holds one open
)

// Run serves until ctx ends, or prints a token.
func (s *Service) Run(ctx context.Context, out io.Writer) error {
	if user := s.cfg.tokenFor; user != "" {
		fmt.Fprintln(out, s.login.token(user, time.Now().Add(8*time.Hour)))
		return s.servers.Close(ctx)
	}
	listener, err := net.Listen("tcp", s.cfg.addr)
	if err != nil {
		return errors.Join(err, s.servers.Close(ctx))
	}
	fmt.Fprintf(out, "listening on http://%s\n", listener.Addr())
	return s.serve(ctx, listener)
}

// serve serves until ctx ends. It then stops: calls in flight finish, and new ones are refused. For restarts without a
// refused call, see Retire of the face.
func (s *Service) serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(l, maxConnections)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.log.InfoContext(ctx, "stopping", "within", stopTimeout)
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	// The face goes first: /readyz answers 503, new calls are refused, those in flight finish, streams end. The HTTP
	// server would wait for the streams.
	return errors.Join(s.face.Shutdown(limit), s.servers.Close(limit), server.Shutdown(limit))
}
