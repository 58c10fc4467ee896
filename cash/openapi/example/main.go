// Command example is an HTTP service that has an OpenAPI document, and offers its operations to models behind three
// tools. README.md goes through it step by step.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

//go:embed openapi.yaml
var document []byte

const usage = `example serve
example as USER call NAMESPACE FUNCTION ARGUMENTS
example help [NAMESPACE [FUNCTION]]
example call NAMESPACE FUNCTION ARGUMENTS
example report [FILE]
example cost [FILE]`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// mount offers the operations of a document, which service serves.
func mount(doc []byte, service http.Handler) (*registry.Registry, *openapi.Mounted, error) {
	reg := registry.New(nil)
	m, err := openapi.Mount(reg, "", doc, openapi.Handler(service), openapi.Login(login), openapi.Identity("header", "X-User"))
	return reg, m, err
}

// login tells the service who calls, as it expects it.
func login(r *http.Request, c *registry.Caller) error {
	r.Header.Del("X-User")
	if !c.Anonymous() {
		r.Header.Set("X-User", c.ID)
	}
	return nil
}

// users are those of the tokens that this example takes. A service of your own verifies tokens as it does elsewhere.
var users = map[string]string{"token-of-ada": "ada", "token-of-bob": "bob"}

// verify returns the user of a token.
func verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	if users[token] == "" {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: users[token], Expiration: time.Now().Add(time.Hour)}, nil
}

// newServer returns the three tools, for users with a token.
func newServer(reg *registry.Registry) *cash.Server {
	return cash.NewServer(reg, &cash.Options{Name: "shop", Version: "1.0.0", Serve: serve.Options{VerifyToken: verify}})
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 2 && args[0] == "as" {
		ctx, args = registry.WithCaller(ctx, &registry.Caller{ID: args[1]}), args[2:]
	}
	verb, args := append(args, "")[0], args[min(1, len(args)):]
	doc := document
	if (verb == "report" || verb == "cost") && len(args) == 1 {
		var err error
		if doc, err = os.ReadFile(args[0]); err != nil {
			return err
		}
	}
	service := newService()
	reg, m, err := mount(doc, service)
	if err != nil {
		return err
	}
	srv := newServer(reg)
	args = append(args, "", "", "")
	var text string
	switch verb {
	case "serve":
		return listen(ctx, routes(service, srv), out)
	case "help":
		text, err = srv.Help(ctx, &cash.HelpRequest{Namespace: args[0], Function: args[1]})
	case "call":
		var res *registry.Result
		res, err = srv.Call(ctx, &cash.CallRequest{Namespace: args[0], Function: args[1], Kwargs: json.RawMessage(cmp.Or(args[2], "{}"))})
		if err == nil {
			text = res.Text()
		}
	case "report":
		text = m.Report().String()
	case "cost":
		var r *cost.Report
		if r, err = cost.Measure(ctx, reg, &cost.Client{Calls: 3}); err == nil {
			text = r.String()
		}
	default:
		return errors.New(usage)
	}
	if err == nil {
		_, err = fmt.Fprintln(out, strings.TrimRight(text, "\n"))
	}
	return err
}

// routes are the service as before, and the three tools at /mcp.
func routes(service http.Handler, srv *cash.Server) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", service)
	mux.Handle("/mcp", srv.Handler())
	return mux
}

func listen(ctx context.Context, h http.Handler, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The tools are at http://127.0.0.1:8080/mcp")
	web := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = web.Close() })()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
