package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// keyVariable is the environment variable with the secret that all replicas share: 64 random bytes in hexadecimal.
const keyVariable = "EXAMPLE_KEY"

// A replica is one of several processes that serve the same functions. Two faces show two kinds of large results.
type replica struct {
	orders    *orders
	cash      *cash.Server    // at /mcp
	gateway   *gateway.Server // at /gateway
	approvals *control.Approvals

	leaving atomic.Bool   // it says that it is not ready
	told    chan struct{} // how often it has said so
}

// newReplica returns a replica whose state is in shared. key signs the tokens of plans.
func newReplica(name string, shared *redis.Client, key []byte) *replica {
	r := &replica{orders: &orders{replica: name}, told: make(chan struct{}, 2)}
	r.approvals = control.NewApprovals(&control.ApprovalOptions{Store: shared.Approvals(), OperatorOnly: true})
	opts := serve.Options{
		HTTP:        serve.NoSessions, // a session would live in one process
		VerifyToken: verify,
		Controls: &control.Controls{
			Policy: control.NewPolicy(&control.PolicyOptions{
				Rules:     []control.Rule{{Decision: control.RequireApproval, Tags: []string{"money"}}},
				Approvals: r.approvals,
			}),
			Quota: control.NewQuota(&control.QuotaOptions{
				Tools: map[string]control.Limit{"orders.get": {PerMinute: 5}},
				Store: shared.Quota(),
			}),
			Plans: control.NewPlans(&control.PlanOptions{
				Require: func(c *registry.Call) bool { return control.ClassOf(c.Function) == control.Destructive },
				Keys:    [][]byte{key},
				Store:   shared.Plans(),
			}),
		},
	}
	reg := r.orders.registry()
	o := &cash.Options{Name: "orders", Serve: opts, Replays: shared.Results()}
	o.Manifest = &manifest.Manifest{State: append(o.State(), manifest.State{
		Name: "artifacts", Kept: manifest.KeptShared, Description: "One for all replicas, at /gateway.",
	})}
	r.cash = cash.NewServer(reg, o)
	r.gateway = gateway.NewServer(reg, &gateway.Options{
		Name: "orders", Serve: opts, Firewall: firewall.New(&firewall.Options{Store: shared.Artifacts()}),
	})
	return r
}

func (r *replica) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", r.cash.Handler())
	mux.Handle("/gateway", r.gateway.Handler())
	mux.Handle(manifest.WellKnownPath, r.cash.ManifestHandler())
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, req *http.Request) {
		leaving := r.leaving.Load()
		r.cash.ReadyHandler().ServeHTTP(w, req)
		if leaving {
			select {
			case r.told <- struct{}{}:
			default:
			}
		}
	})
	mux.Handle("GET /approvals", operatorOnly(func(w http.ResponseWriter, req *http.Request) {
		list, err := r.approvals.Pending(req.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		var ids []string
		for _, a := range list {
			ids = append(ids, a.ID)
		}
		_ = json.NewEncoder(w).Encode(ids) // the client may be gone
	}))
	mux.Handle("POST /approvals/{id}", operatorOnly(func(w http.ResponseWriter, req *http.Request) {
		switch settled, err := r.approvals.Approve(req.Context(), req.PathValue("id")); {
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case !settled:
			http.Error(w, "nobody waits for it", http.StatusNotFound)
		}
	}))
	return mux
}

// operatorOnly wraps the operator's page: who asks for an approval must not give it.
func operatorOnly(page http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token-of-operator" { // in your service, the login of operators
			http.Error(w, "operators only", http.StatusForbidden)
			return
		}
		page(w, r)
	})
}

// verify knows the users by their tokens. In your service, it verifies a signature.
func verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	user, ok := map[string]string{"token-of-ada": "ada", "token-of-bob": "bob"}[token]
	if !ok {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: user, Expiration: time.Now().Add(time.Hour)}, nil
}

const (
	noticeTimeout = 10 * time.Second       // for the load balancer to ask
	onTheirWay    = 500 * time.Millisecond // for requests that it has sent before
	stopTimeout   = 30 * time.Second       // for calls in flight
)

// retire says that the replica is not ready, and waits until the load balancer knows. Requests are served meanwhile.
func (r *replica) retire() {
	r.cash.Retire()
	r.leaving.Store(true)
	late := time.After(noticeTimeout)
	for range cap(r.told) { // when it asks again, it knows the first answer
		select {
		case <-r.told:
		case <-late:
			return
		}
	}
	time.Sleep(onTheirWay)
}

// serveReplica serves until ctx or the input ends. It then stops without refusing a call.
func serveReplica(ctx context.Context, address, name, secret string, in io.Reader, out io.Writer) error {
	keys, err := hex.DecodeString(secret)
	if err != nil || len(keys) != 64 {
		return errors.New(keyVariable + " is not 64 bytes in hexadecimal: openssl rand -hex 64")
	}
	opts := redis.Options{Prefix: "example:", Key: keys[:32]}
	if address != "" {
		opts.Addresses = []string{address}
	}
	shared, err := redis.New(ctx, &opts)
	if err != nil {
		return err
	}
	defer shared.Close()
	r := newReplica(name, shared, keys[32:])
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: r.handler(), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Fprintf(out, "http://%s\n", listener.Addr())

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // ends with the input, which is that of the process
		_, _ = io.Copy(io.Discard, in)
		stop()
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	r.retire()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	err = errors.Join(r.cash.Shutdown(limit), r.gateway.Shutdown(limit), server.Shutdown(limit))
	fmt.Fprintf(out, "%d\n", r.orders.notes.Load())
	return err
}
