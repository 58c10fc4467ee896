package cashotel_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/cash-mcp/go-sdk/cash"
	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// roleVariable makes the test binary one of the servers of a chain: its value is a role in JSON.
const roleVariable = "CASHOTEL_ROLE"

// A role is what one process of a chain does.
type role struct {
	Name     string `json:"name"`     // middle mounts last
	Link     string `json:"link"`     // the way by which all are reached: stdio, http or sessions
	Receiver string `json:"receiver"` // URL of the OTLP receiver
}

func TestMain(m *testing.M) {
	text := os.Getenv(roleVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var r role
	err := json.Unmarshal([]byte(text), &r)
	if err == nil {
		err = r.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// tracing returns a provider that exports each span over OTLP as soon as it has ended.
func tracing(service, receiver string) (*sdktrace.TracerProvider, error) {
	exporter, err := otlptracehttp.New(context.Background(), otlptracehttp.WithEndpointURL(receiver+"/v1/traces"))
	if err != nil {
		return nil, err
	}
	return sdktrace.NewTracerProvider(
		sdktrace.WithSyncer(exporter),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", service))),
	), nil
}

// run serves until standard input ends.
func (r role) run() error {
	provider, err := tracing(r.Name, r.Receiver)
	if err != nil {
		return err
	}
	hook := cashotel.New(&cashotel.Options{TracerProvider: provider})
	srv, stop, err := r.server(hook)
	if err != nil {
		return err
	}
	defer stop()
	if r.Link == "stdio" {
		return srv.Run(context.Background(), &mcp.StdioTransport{})
	}
	web := httptest.NewServer(srv.Handler())
	defer web.Close()
	fmt.Println(web.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	end, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return srv.Shutdown(end)
}

// server returns the server of a role, and what ends the servers behind it.
func (r role) server(hook *cashotel.Hook) (*cash.Server, func(), error) {
	opts := &cash.Options{Name: r.Name, Serve: serve.Options{Observe: hook}}
	if r.Link == "sessions" {
		opts.Serve.HTTP = serve.SessionsOnly
	}
	reg, stop := registry.New(nil), func() {}
	if r.Name == "last" {
		reg.Namespace("orders", "Orders of customers.").Add(registry.Func("create", "Create an order.", create))
	} else {
		var err error
		if stop, err = mount(reg, "last", role{"last", r.Link, r.Receiver}, hook); err != nil {
			return nil, nil, err
		}
	}
	return cash.NewServer(reg, opts), stop, nil
}

type order struct {
	Item string `json:"item" jsonschema:"What is ordered."`
}

// create makes no order.
func create(context.Context, order) (string, error) { return "created", nil }

// mount starts another process and mounts its server at a label. The returned function ends both.
func mount(reg *registry.Registry, label string, r role, hook *cashotel.Hook) (func(), error) {
	endpoint, end, err := r.start()
	if err != nil {
		return nil, err
	}
	agg := upstream.New(reg, &upstream.Options{Observe: hook})
	stop := func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = agg.Close(ctx)
		end()
	}
	if err = agg.Add(upstream.Server{Label: label, Endpoint: endpoint}); err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		err = agg.Wait(ctx)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// start returns the endpoint of a process with the role. A server over HTTP runs until end is called, or until this
// process ends.
func (r role) start() (_ upstream.Endpoint, end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, nil, err
	}
	env := []string{roleVariable + "=" + string(text), "GORACE=atexit_sleep_ms=0"}
	if r.Link == "stdio" {
		return upstream.Command{Path: self, Env: env}, func() {}, nil
	}
	cmd := exec.Command(self)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err = cmd.Start(); err != nil {
		return nil, nil, err
	}
	end = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("%s does not tell its URL: %w", r.Name, err)
	}
	return upstream.HTTP{URL: strings.TrimSpace(line), Client: http.DefaultClient}, end, nil
}
