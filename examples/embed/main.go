// Command embed is an existing HTTP service: a ticket desk with routes and a login of its own. The
// lines marked "new" add an MCP endpoint behind the same login, where each caller sees only the
// functions of their role. They also add a manifest outside the login, for clients that look for
// such servers.
//
//	go run ./examples/embed
//	curl -H 'X-Api-Key: clerk-key' http://127.0.0.1:8080/tickets
//	curl http://127.0.0.1:8080/.well-known/cash-mcp.yaml
//
// # Limits
//
// To keep it short, the keys are in the source, the tickets are in memory, and the service stops
// without waiting for calls in flight. Package shop, next door, shows how to wait.
package main

import (
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

func main() {
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: newService(), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func newService() http.Handler {
	d := newDesk()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tickets", func(w http.ResponseWriter, r *http.Request) {
		list, err := d.List(r.Context(), ListTickets{Status: r.FormValue("status")})
		reply(w, list, err)
	})
	mux.HandleFunc("POST /tickets/{id}/close", func(w http.ResponseWriter, r *http.Request) {
		t, err := d.Close(r.Context(), TicketRef{r.PathValue("id")})
		reply(w, t, err)
	})
	mux.HandleFunc("DELETE /tickets/{id}", func(w http.ResponseWriter, r *http.Request) {
		if !registry.CallerFrom(r.Context()).HasRole("admin") {
			http.Error(w, "for admins only", http.StatusForbidden)
			return
		}
		t, err := d.Delete(r.Context(), TicketRef{r.PathValue("id")})
		reply(w, t, err)
	})
	face := newFace(d)                 // new
	mux.Handle("/mcp", face.Handler()) // new

	open := http.NewServeMux()                                  // new: routes without a login
	open.Handle(manifest.WellKnownPath, face.ManifestHandler()) // new
	open.Handle("/", login(mux))                                // new
	return open
}

// newFace is new. It offers the methods that the routes already call.
func newFace(d *desk) *cash.Server {
	reg := registry.New(nil)
	admins := registry.VisibleTo(registry.Roles("admin"))

	reg.Namespace("tickets", "Questions that customers have sent.").Add(
		registry.Func("list", "List tickets, all or those with a status.", d.List, registry.ReadOnly),
		registry.Func("close", "Close a ticket in the name of the caller.", d.Close, registry.Idempotent(true)),
		registry.Func("delete", "Delete a ticket for good.", d.Delete, registry.Destructive(true), admins), // one function
	)
	reg.Namespace("staff", "How the desk is doing.", admins).Add( // a whole namespace
		registry.Func("workload", "Count the tickets that each clerk has closed.", d.Workload, registry.ReadOnly),
	)

	return cash.NewServer(reg, &cash.Options{Name: "desk", Version: "1.0.0", Manifest: &manifest.Manifest{
		Publisher:      "The ticket desk",
		Authentication: &manifest.Authentication{Scheme: manifest.SchemeAPIKey},
	}})
}

// users maps API keys to their users.
var users = map[string]struct {
	name  string
	roles []string
}{
	"clerk-key": {"carla", []string{"clerk"}},
	"admin-key": {"anton", []string{"clerk", "admin"}},
}

// login guards every route, including the MCP endpoint. The caller that it puts into the request's
// context reaches the methods of the desk both ways.
func login(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, ok := users[r.Header.Get("X-Api-Key")]
		if !ok {
			http.Error(w, "unknown API key", http.StatusUnauthorized)
			return
		}
		caller := &registry.Caller{ID: u.name, Roles: u.roles}                     // new
		next.ServeHTTP(w, r.WithContext(registry.WithCaller(r.Context(), caller))) // new
	})
}

func reply(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, errNoTicket):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
}
