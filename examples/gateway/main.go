// Command gateway keeps large results behind handles, on disk, and redacts secrets. It shows a model's conversation:
//
//	go run ./examples/gateway
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/registry"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

type logQuery struct {
	Service string `json:"service" jsonschema:"Whose log." cash:"enum=shop|mail"`
}

// readLog returns a log with more lines than a model wants to read. One of them has a secret.
func readLog(_ context.Context, in logQuery) (string, error) {
	var b strings.Builder
	for i := range 2000 {
		switch i + 1 {
		case 1200:
			fmt.Fprintln(&b, "ERROR connecting to the database with password=tr0ub4dor-and-3")
		default:
			fmt.Fprintf(&b, "INFO %s request %d\n", in.Service, i+1)
		}
	}
	return b.String(), nil
}

func newRegistry() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("logs", "What services have logged.").Add(
		registry.Func("read", "Read the log of a service.", readLog, registry.ReadOnly),
	)
	return reg
}

// newServer keeps what is too large in a folder. Whoever asks for it must be who has made it.
func newServer(store firewall.Store) *gateway.Server {
	return gateway.NewServer(newRegistry(), &gateway.Options{
		Name: "logs", Version: "1.0.0",
		Firewall: firewall.New(&firewall.Options{Store: store, Inline: 2000}),
		Serve:    serve.Options{Address: serve.RemoteAddress},
	})
}

func run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "gateway")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := disk.Open(dir, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	return walk(registry.WithCaller(ctx, &registry.Caller{ID: "ada"}), newServer(store), out)
}

// walk is what a model would do.
func walk(ctx context.Context, srv *gateway.Server, out io.Writer) error {
	cards, err := srv.Browse(ctx, &gateway.BrowseRequest{Query: "errors in the log"})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "tool_browse: errors in the log\n%s\n", cards[0].Line(1, len(cards)))

	res, err := srv.Execute(ctx, &gateway.ExecuteRequest{ID: cards[0].ID, Args: json.RawMessage(`{"service":"shop"}`)})
	if err != nil {
		return err
	}
	var envelope firewall.Envelope
	if err := json.Unmarshal([]byte(res.Text()), &envelope); err != nil {
		return err
	}
	handle := envelope.Artifacts[0].Handle
	summary, _, _ := strings.Cut(envelope.Summary, "\n")
	fmt.Fprintf(out, "tool_execute: %s\n%s\n", cards[0].ID, summary)

	for _, selector := range []string{
		`{"type":"search","query":"ERROR"}`,
		`{"type":"lines","start":1199,"end":1201}`,
	} {
		page, err := srv.View(ctx, &gateway.ViewRequest{Handle: handle, Selector: json.RawMessage(selector)})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "tool_view: %s\n%s\n%s", selector, page.View, page.Text)
	}

	other := registry.WithCaller(ctx, &registry.Caller{ID: "bob"})
	if _, err = srv.View(other, &gateway.ViewRequest{Handle: handle}); err == nil {
		return errors.New("somebody else sees it")
	}
	fmt.Fprintf(out, "tool_view by somebody else:\n%s\n", err)
	return nil
}
