package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"

	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/examples/embed/desk"
)

// serveDesk is the command of examples/embed with telemetry.
func serveDesk(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	cfg, err := desk.Configure(args, getenv, stderr)
	if err != nil {
		return err
	}
	stop, err := startTelemetry(ctx, "desk", stdout)
	if err != nil {
		return err
	}
	hook := cashotel.New(nil) // uses the global providers
	s, err := desk.New(cfg, stderr, &desk.Options{
		Observe:    hook,
		Middleware: spans,
		Store:      store{desk.NewMemory()},
	})
	if err == nil {
		hook.Watch("desk", s.Stats)
		err = s.Run(ctx, stdout)
	}
	return errors.Join(err, flush(stop)) // the calls have ended
}

// flushTimeout is the time to send what is left.
const flushTimeout = 5 * time.Second

func flush(stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	return stop(ctx)
}

// spans makes a span of each HTTP request, except for those of load balancers.
func spans(next http.Handler) http.Handler {
	return otelhttp.NewHandler(handOn(next), "desk",
		otelhttp.WithSpanNameFormatter(spanName),
		otelhttp.WithFilter(func(r *http.Request) bool { return r.URL.Path != "/livez" && r.URL.Path != "/readyz" }))
}

// handOn writes the context into the header traceparent, where the desk's own middleware finds the trace of its log.
func handOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		otel.GetTextMapPropagator().Inject(r.Context(), propagation.HeaderCarrier(r.Header))
		next.ServeHTTP(w, r)
	})
}

var (
	methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}
	routes  = []string{"/mcp", "/tickets", "/accounts"}
)

// spanName is the method and the route. What a client invents never becomes a name.
func spanName(_ string, r *http.Request) string {
	i := slices.IndexFunc(routes, func(route string) bool { return strings.HasPrefix(r.URL.Path, route) })
	if i < 0 || !slices.Contains(methods, r.Method) {
		return "HTTP"
	}
	return r.Method + " " + routes[i]
}

// store makes a span of each transaction, below that of the call or of the route.
type store struct{ desk.Store }

// InTx implements [desk.Store].
func (s store) InTx(ctx context.Context, f func(context.Context) error) error {
	ctx, span := otel.Tracer("desk").Start(ctx, "transaction")
	defer span.End()
	err := s.Store.InTx(ctx, f)
	if err != nil {
		span.SetStatus(codes.Error, "rolled back")
	}
	return err
}
