package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

type greeting struct {
	Name string `json:"name" jsonschema:"Who is greeted."`
}

// greeter is a registry of two functions.
func greeter() *registry.Registry {
	reg := registry.New(nil)
	hello := registry.Func("hello", "Greet somebody.", func(_ context.Context, in greeting) (string, error) {
		return "Hello, " + in.Name + "!", nil
	}, registry.ReadOnly)
	book := registry.Func("book", "Get the book of all guests.", func(context.Context, struct{}) (string, error) {
		return strings.Repeat("A guest signed here.\n", 1000), nil
	}, registry.ReadOnly)
	reg.Namespace("guests", "Those who visit.").Add(hello, book)
	return reg
}

// A model browses, and runs what it has found.
func Example() {
	srv := gateway.NewServer(greeter(), nil)
	ctx := context.Background()
	cards, err := srv.Browse(ctx, &gateway.BrowseRequest{Query: "greet somebody"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cards[0].Line(1, len(cards)))
	res, err := srv.Execute(ctx, &gateway.ExecuteRequest{ID: cards[0].ID, Args: json.RawMessage(`{"name":"Ada"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	// Output:
	// [1/1] guests:hello#1503e8cb (tool) — Greet somebody. [read-only] safety=read_only
	// {"status":"ok","summary":"Hello, Ada!","artifacts":[],"provenance":{"safety":"read_only","tool_id":"guests:hello#1503e8cb"}}
}

// A path leads through the tree.
func ExampleServer_Browse() {
	srv := gateway.NewServer(greeter(), nil)
	for _, path := range []string{"/", "/guests", "/nowhere"} {
		cards, err := srv.Browse(context.Background(), &gateway.BrowseRequest{Path: path})
		for i, c := range cards {
			fmt.Println(c.Line(i+1, len(cards)))
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// [1/1] /guests (internal) — Those who visit.
	// [1/2] guests:book#94d6896c (tool) — Get the book of all guests. [read-only] safety=read_only
	// [2/2] guests:hello#1503e8cb (tool) — Greet somebody. [read-only] safety=read_only
	// PATH_NOT_FOUND: Nothing at path `/nowhere`. Browse `/` to see what is there.
}

// What is large stays behind a handle, and is looked at in parts.
func ExampleServer_View() {
	srv := gateway.NewServer(greeter(), nil)
	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "ada"})
	cards, err := srv.Browse(ctx, &gateway.BrowseRequest{Query: "book"})
	if err != nil {
		log.Fatal(err)
	}
	res, err := srv.Execute(ctx, &gateway.ExecuteRequest{ID: cards[0].ID})
	if err != nil {
		log.Fatal(err)
	}
	var envelope firewall.Envelope
	if err := json.Unmarshal([]byte(res.Text()), &envelope); err != nil {
		log.Fatal(err)
	}
	page, err := srv.View(ctx, &gateway.ViewRequest{
		Handle:   envelope.Artifacts[0].Handle,
		Selector: json.RawMessage(`{"type":"lines","start":998,"end":1000}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%s", page.View, page.Text)
	// Output:
	// lines 998-1000 of 1000
	// A guest signed here.
	// A guest signed here.
}

// A dry run says what a call would meet.
func ExampleExecuteRequest_dryRun() {
	quota := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 10}})
	srv := gateway.NewServer(greeter(), &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Quota: quota}}})
	res, err := srv.Execute(context.Background(), &gateway.ExecuteRequest{
		ID: "guests:hello#1503e8cb", Args: json.RawMessage(`{"name":"Ada"}`), DryRun: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	var report struct {
		DryRun bool `json:"dry_run"`
		Checks []registry.PlanCheck
	}
	if err := json.Unmarshal([]byte(res.Text()), &report); err != nil {
		log.Fatal(err)
	}
	for _, check := range report.Checks {
		fmt.Println(check.Name, check.Status)
	}
	// Output:
	// schema_validation pass
	// rate_limit pass
}

// A proxy lists everything, stripped, and shows the whole of one on request.
func ExampleServer_Hydrate() {
	srv := gateway.NewServer(greeter(), &gateway.Options{Mode: gateway.Proxy})
	h, err := srv.Hydrate(context.Background(), "guests:hello#1503e8cb")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Description, h.Safety)
	// Output: Greet somebody. read_only
}

// A report says beforehand what is wrong.
func ExampleServer_Refresh() {
	report, err := gateway.NewServer(greeter(), nil).Refresh(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(report)
	// Output: 2 tools, 0 resources, 0 prompts
}
