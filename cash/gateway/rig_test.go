package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

var links = cashtest.Links()

// overAll runs a test over all links, with a server of its own for each.
func overAll(t *testing.T, serve func() *gateway.Server, test func(t *testing.T, c *cashtest.Client)) {
	t.Helper()
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) { test(t, l.Connect(t, serve(), nil, nil)) })
	}
}

// inMemory connects a client in memory, for what does not depend on the link.
func inMemory(t testing.TB, srv *gateway.Server, c *registry.Caller) *cashtest.Client {
	t.Helper()
	return links[1].Connect(t, srv, c, nil)
}

func named(id string, roles ...string) *registry.Caller {
	return &registry.Caller{ID: id, Roles: roles}
}

func as(id string) context.Context { return registry.WithCaller(context.Background(), named(id)) }

// object is the arguments of a tool.
type object map[string]any

// wireError is an error as it is on the wire.
type wireError struct {
	Code      gateway.Code    `json:"error"`
	Message   string          `json:"message"`
	Path      string          `json:"path"`
	Retryable bool            `json:"retryable"`
	Details   json.RawMessage `json:"details"`
}

// codes are all codes of sections 3.4 and 9.4.
var codes = map[gateway.Code]bool{
	"PATH_INVALID": true, "PATH_NOT_FOUND": true, "ARGS_INVALID": true, "SCHEMA_INVALID": true,
	"UPSTREAM_ERROR": true, "UPSTREAM_TIMEOUT": true, "UPSTREAM_UNAVAILABLE": true,
	"AUTH_FAILED": true, "PERMISSION_DENIED": true, "RATE_LIMITED": true,
	"HYDRATE_FAILED": true, "VIEW_FAILED": true, "RESOURCE_NOT_FOUND": true, "PROMPT_NOT_FOUND": true,
}

// checkError returns what a text of an error is on the wire, or what is wrong with its
// shape (sections 3.4 and W35).
func checkError(text string) (e wireError, err error) {
	var members map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(text), &e), json.Unmarshal([]byte(text), &members)); err != nil {
		return e, err
	}
	for _, name := range []string{"error", "message", "path", "retryable"} {
		if _, ok := members[name]; !ok {
			return e, fmt.Errorf("there is no member %q", name)
		}
		delete(members, name)
	}
	delete(members, "details")
	switch {
	case len(members) > 0:
		return e, fmt.Errorf("there are more members: %v", members)
	case !codes[e.Code]:
		return e, fmt.Errorf("unknown code %q", e.Code)
	case e.Message == "" || utf8.RuneCountInString(e.Message) > 600:
		return e, fmt.Errorf("the message has %d characters", utf8.RuneCountInString(e.Message))
	case strings.ContainsFunc(e.Message, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }):
		return e, fmt.Errorf("the message is not clean: %q", e.Message)
	}
	return e, nil
}

// errorOf returns the error of a reply, which must be one of the right shape.
func errorOf(t testing.TB, r *cashtest.Reply) wireError {
	t.Helper()
	if !r.IsError {
		t.Fatalf("the reply is no error: %.300s", r.Text)
	}
	e, err := checkError(r.Text)
	if err != nil {
		t.Fatalf("%v in %s", err, r.Text)
	}
	return e
}

// wantCode checks that a reply is an error with the code.
func wantCode(t testing.TB, r *cashtest.Reply, code gateway.Code) wireError {
	t.Helper()
	e := errorOf(t, r)
	if e.Code != code {
		t.Errorf("code %s, want %s: %s", e.Code, code, r.Text)
	}
	return e
}

// envelopeOf returns the envelope of a reply.
func envelopeOf(t testing.TB, r *cashtest.Reply) firewall.Envelope {
	t.Helper()
	if len(r.Raw.Content) == 0 {
		t.Fatal("the reply is empty")
	}
	text, ok := r.Raw.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("the reply begins with a %T", r.Raw.Content[0])
	}
	return envelopeIn(t, text.Text)
}

func envelopeIn(t testing.TB, text string) firewall.Envelope {
	t.Helper()
	var members map[string]json.RawMessage
	var e firewall.Envelope
	if err := errors.Join(json.Unmarshal([]byte(text), &members), json.Unmarshal([]byte(text), &e)); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	for _, name := range []string{"status", "summary", "artifacts", "provenance"} {
		if _, ok := members[name]; !ok {
			t.Fatalf("no %q in the envelope %.300s", name, text)
		}
	}
	return e
}

// execute runs a tool that must succeed, and returns the envelope.
func execute(t testing.TB, c *cashtest.Client, id string, args any) firewall.Envelope {
	t.Helper()
	r := c.Tool("tool_execute", object{"tool_id": id, "args": args})
	if r.IsError {
		t.Fatalf("%s failed: %.400s", id, r.Text)
	}
	return envelopeOf(t, r)
}

// idOf returns the id of a function of reg, by its dotted path.
func idOf(t testing.TB, reg *registry.Registry, path string) string {
	t.Helper()
	for f := range reg.All() {
		if f.Path() == path {
			return f.Primitive().String()
		}
	}
	t.Fatalf("there is no function %s", path)
	return ""
}

// lineID matches the id of a card in a line of a response.
var lineID = regexp.MustCompile(`(?m)^\[\d+/\d+\] (\S+) \(`)

// idsIn returns the ids of the cards in a response.
func idsIn(text string) []string {
	var ids []string
	for _, m := range lineID.FindAllStringSubmatch(text, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// A shop is the registry of most tests, and counts what runs.
type shop struct {
	*registry.Registry
	runs atomic.Int64
}

type createOrder struct {
	Customer string `json:"customer" jsonschema:"Who orders."`
	Quantity int    `json:"quantity" jsonschema:"How many." cash:"min=1"`
	Note     string `json:"note,omitempty" jsonschema:"For the packers."`
}

type orderID struct {
	ID string `json:"id" jsonschema:"Number of the order."`
}

// newShop has orders.create, orders.list (read-only), orders.cancel (destructive),
// orders.retail.refund, stock.count (read-only), the root function ping and the
// skill orders:restock.
func newShop() *shop {
	s := &shop{Registry: registry.New(nil)}
	count := func() { s.runs.Add(1) }
	create := registry.Func("create", "Create an order for a customer.", func(_ context.Context, in createOrder) (string, error) {
		count()
		return fmt.Sprintf("created %d for %s", in.Quantity, in.Customer), nil
	}, registry.Tags("sales", "billing"))
	list := registry.Func("list", "List the orders there are.", func(ctx context.Context, _ struct{}) ([]string, error) {
		count()
		return []string{"ORD-1", "ORD-2"}, nil
	}, registry.ReadOnly)
	cancel := registry.Func("cancel", "Cancel an order. It cannot be undone.", func(_ context.Context, in orderID) (string, error) {
		count()
		return "cancelled " + in.ID, nil
	}, registry.Destructive(true))
	refund := registry.Func("refund", "Pay money back.", func(_ context.Context, in orderID) (string, error) {
		count()
		return "refunded " + in.ID, nil
	})
	stock := registry.Func("count", "Count what is in the warehouse.", func(context.Context, struct{}) (int, error) {
		count()
		return 42, nil
	}, registry.ReadOnly)
	ping := registry.Func("ping", "Answer at once.", func(context.Context, struct{}) (string, error) { count(); return "pong", nil })
	s.Namespace("orders", "Create and manage customer orders.").Add(create, list, cancel)
	s.Namespace("orders.retail", "Orders of shops.").Add(refund)
	s.Namespace("stock", "What there is.").Add(stock)
	s.Namespace("", "").Add(ping)
	s.Namespace("orders", "Create and manage customer orders.").AddSkill(registry.NewSkill("restock", "How to fill up the shelves.", "Look at {{shelf|every shelf}}, then order what is missing."))
	return s
}

// id returns the id of one of the shop's functions.
func (s *shop) id(t testing.TB, path string) string { t.Helper(); return idOf(t, s.Registry, path) }

// raw adds a function without arguments, with an answer of its own.
func raw(reg *registry.Registry, path, name string, answer registry.Handler) *registry.Registry {
	f, err := registry.RemoteFunc(name, "Does "+name+".", registry.Remote{Handler: answer}, registry.ReadOnly)
	if err != nil {
		panic(err)
	}
	reg.Namespace(path, "").Add(f)
	return reg
}

// answers is a handler that always answers the same.
func answers(r *registry.Result) registry.Handler {
	return func(context.Context, *registry.Call) (*registry.Result, error) { return r, nil }
}

// fails is a handler that always fails.
func fails(err error) registry.Handler {
	return func(context.Context, *registry.Call) (*registry.Result, error) { return nil, err }
}

// primitives returns registries of a resource and a prompt, and their ids.
func primitives(t testing.TB) (resources, prompts *registry.Registry, resource, prompt string) {
	t.Helper()
	resources, prompts = registry.New(nil), registry.New(nil)
	resource = addResource(t, resources, "readme", "# Read me")
	pid, err := toolid.FromPrompt("docs", "summarize", []string{"topic"})
	if err != nil {
		t.Fatal(err)
	}
	get, err := registry.RemoteFunc("summarize", "Summarize a topic.", registry.Remote{ID: pid,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"topic":{"type":"string"}},"required":["topic"],"additionalProperties":false}`),
		Handler: func(_ context.Context, c *registry.Call) (*registry.Result, error) {
			return registry.TextResult("Summarize " + string(c.Arguments)), nil
		}}, registry.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	prompts.Namespace("docs", "Tasks.").Add(get)
	return resources, prompts, resource, pid.String()
}

// addResource adds a resource to docs and returns its id.
func addResource(t testing.TB, reg *registry.Registry, name, text string) string {
	t.Helper()
	id, err := toolid.FromResource("docs", name, "file:///"+name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := registry.RemoteFunc(name, "What to read: "+name+".", registry.Remote{ID: id, Handler: answers(registry.TextResult(text))}, registry.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	reg.Namespace("docs", "Documents.").Add(f)
	return id.String()
}

// gonePrimitives is primitives whose server does not know them any more.
func gonePrimitives(t testing.TB) (resources, prompts *registry.Registry, resource, prompt string) {
	t.Helper()
	resources, prompts = registry.New(nil), registry.New(nil)
	_, _, resource, prompt = primitives(t)
	for id, reg := range map[string]*registry.Registry{resource: resources, prompt: prompts} {
		p, err := toolid.ParsePrimitive(id)
		if err != nil {
			t.Fatal(err)
		}
		f, err := registry.RemoteFunc("gone", "It was here.", registry.Remote{ID: p,
			Handler: fails(&registry.Error{Kind: registry.UnknownFunction, Message: "No such thing."})})
		if err != nil {
			t.Fatal(err)
		}
		reg.Namespace("docs", "").Add(f)
	}
	return resources, prompts, resource, prompt
}

// lines returns the lines of a file of JSON values.
func lines(t testing.TB, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// overHTTP serves srv and returns the URL. The header X-Caller names the caller.
func overHTTP(t testing.TB, srv *gateway.Server) (url string) {
	handler := srv.Handler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := r.Header.Get("X-Caller"); id != "" {
			r = r.WithContext(registry.WithCaller(r.Context(), named(id)))
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL
}
