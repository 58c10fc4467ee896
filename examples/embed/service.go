package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// service is the ticket desk: routes for programs and pages, and an MCP endpoint for models.
type service struct {
	cfg   *config
	store Store
	desk  *desk
	login *login
	log   *slog.Logger

	face    *cash.Server         // the MCP endpoint
	servers *upstream.Aggregator // MCP servers behind it
}

func newService(cfg *config, store Store, log *slog.Logger) (*service, error) {
	s := &service{cfg: cfg, store: store, desk: &desk{store}, login: cfg.login(store, log), log: log}
	reg := s.newRegistry()
	s.face = s.newFace(reg)
	s.servers = upstream.New(reg, &upstream.Options{Name: "desk", Logger: log})
	if cfg.carrier == "" {
		return s, nil
	}
	return s, s.servers.Add(s.carrier())
}

// handler returns all that the service answers.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.login.require(s.routes()))
	s.mount(mux) // the MCP endpoint, with a login of its own
	return traced(s.log, mux)
}

// routes are the service without MCP.
func (s *service) routes() http.Handler {
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

func (s *service) reply(w http.ResponseWriter, r *http.Request, v any, err error) {
	switch {
	case errors.Is(err, errNoTicket):
		http.Error(w, err.Error(), http.StatusNotFound)
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

// serve serves until ctx ends. It then stops without losing a call.
func (s *service) serve(ctx context.Context, l net.Listener) error {
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
