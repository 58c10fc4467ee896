package serve_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// manyResults is a registry with functions whose results are of all kinds.
func manyResults() *registry.Registry {
	reg := registry.New(nil)
	shop := reg.Namespace("shop", "A shop.")
	shop.Add(registry.Func("slow", "Sell.", func(_ context.Context, in struct {
		Text string `json:"text,omitempty" jsonschema:"Text." cash:"maxLength=20000"`
		N    int64  `json:"n,omitempty" jsonschema:"Number."`
	}) (any, error) {
		return map[string]any{"text": in.Text + "<&>\u2028\n", "n": in.N}, nil
	}))
	result := func(name string, r *registry.Result, err error, opts ...registry.FuncOption) {
		f, bad := registry.RawFunc(name, "Return something.", json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (*registry.Result, error) { return r, err }, opts...)
		if bad != nil {
			panic(bad)
		}
		shop.Add(f)
	}
	result("fails", nil, errors.New("out of <stock>"))
	result("failed", &registry.Result{Content: []mcp.Content{&mcp.TextContent{Text: "no"}}, IsError: true}, nil)
	result("image", &registry.Result{Content: []mcp.Content{&mcp.ImageContent{Data: []byte{1, 2}, MIMEType: "image/png"}, &mcp.TextContent{Text: "é\x01"}}}, nil)
	result("structured", &registry.Result{Content: []mcp.Content{&mcp.TextContent{Text: "{}"}}, Structured: json.RawMessage(`{"b":9007199254740993,"resultType":"x","a":[1e2,"<"]}`)}, nil, registry.Structured)
	result("list", &registry.Result{Structured: json.RawMessage(`[1]`)}, nil, registry.Structured)
	result("meta", &registry.Result{Content: []mcp.Content{&mcp.TextContent{Text: "m"}}, Meta: map[string]any{"x": "y"}}, nil)
	result("empty", &registry.Result{}, nil)
	result("large", registry.TextResult(strings.Repeat("large \"text\" ", 10_000)), nil)
	result("asks", &registry.Result{InputRequests: mcp.InputRequestMap{"a": &mcp.ElicitParams{Message: "a?", RequestedSchema: map[string]any{"type": "object"}}}, RequestState: "kept"}, nil)
	result("sheds", &registry.Result{InputRequests: mcp.InputRequestMap{}, RequestState: "later"}, nil)
	result("keeps", &registry.Result{Content: []mcp.Content{&mcp.TextContent{Text: "kept"}}, RequestState: "kept"}, nil)
	result("hidden", registry.TextResult("gold"), nil, registry.VisibleTo(registry.Roles("boss")))
	shop.AddSkill(registry.NewSkill("buy", "Buy things.", "Buy <b>."))
	shop.Add(registry.Func("panics", "Panic.", func(context.Context, struct{}) (string, error) { panic("the secret") }))
	return reg
}

// told keeps what a hook is told.
type told struct {
	mu   sync.Mutex
	last []observe.Request
}

func (w *told) Begin(ctx context.Context, _ *observe.Request) context.Context { return ctx }

func (w *told) End(_ context.Context, r *observe.Request) {
	one := *r
	one.Duration, one.Start = 0, one.Start.Truncate(1<<62)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = append(w.last, one)
}

func (w *told) take() []observe.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := w.last
	w.last = nil
	return last
}

// ways serves one face directly, and through the SDK.
type ways [2]http.Handler

// twoWays returns the ways of all faces.
func twoWays() map[string]*ways {
	all := make(map[string]*ways)
	reg := manyResults()
	for i := range 2 {
		for name, face := range facesOf(reg, serve.Options{ThroughSDK: i == 1, Identify: boss}) {
			if all[name] == nil {
				all[name] = new(ways)
			}
			all[name][i] = face.srv.Handler()
		}
	}
	return all
}

// boss identifies a caller by a header.
func boss(_ context.Context, in *serve.Incoming) (*registry.Caller, error) {
	switch id := in.Header.Get("X-User"); id {
	case "":
		return nil, nil
	case "thief":
		return nil, errors.New("go away")
	default:
		return &registry.Caller{ID: id, Roles: []string{id}}, nil
	}
}

// answer is what a client reads.
type answer struct {
	status  int
	message any // JSON-RPC, or the body
}

// replays are the random part of answers.
var replays = regexp.MustCompile(`(replay|art)-[A-Z2-7]{26}`)

// ask sends one request.
func ask(h http.Handler, header http.Header, body []byte) answer {
	r := httptest.NewRequest(http.MethodPost, "http://example.com/mcp", bytes.NewReader(body))
	r.Header = header.Clone()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text := w.Body.Bytes()
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		for line := range bytes.Lines(text) {
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				text = data // the last message
			}
		}
	}
	text = replays.ReplaceAll(text, nil)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var message any
	if err := dec.Decode(&message); err != nil {
		message = string(text)
	}
	return answer{w.Code, message}
}

// usualHeader is the header of a request without a session.
func usualHeader(method, name string) http.Header {
	h := http.Header{}
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
	} {
		if v != "" {
			h.Set(k, v)
		}
	}
	return h
}

const usualMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`

// request is one of a client.
type request struct {
	header http.Header
	body   string
}

// usualRequests are those for a face, with its tool for calls of the functions of manyResults.
func usualRequests(name string) (all []request) {
	add := func(method, named, params string) {
		all = append(all, request{usualHeader(method, named), fmt.Sprintf(`{"jsonrpc":"2.0","id":"x<","method":%q,"params":{%s"_meta":{%s}}}`, method, params, usualMeta)})
	}
	call := func(tool, arguments string) {
		add("tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":%s,`, tool, arguments))
	}
	reg, sees := manyResults(), registry.WithCaller(context.Background(), &registry.Caller{ID: "b", Roles: []string{"boss"}})
	for _, f := range []string{"slow", "fails", "failed", "image", "structured", "list", "meta", "empty", "large", "asks", "hidden", "panics", "none", "sheds", "keeps"} {
		id, flat := "shop:none", "none"
		if known, err := reg.Function(sees, "shop", f); err == nil {
			id, flat = known.Primitive().String(), known.FlatName()
		}
		for _, kwargs := range []string{`{}`, `{"text":"\u0041é\\","n":9007199254740993}`, `{"text":5}`, `{"text":"a","text":"b"}`, `null`, `[]`} {
			switch name {
			case "cash":
				call("call", fmt.Sprintf(`{"namespace":"shop","function":%q,"kwargs":%s}`, f, kwargs))
			case "gateway":
				call("tool_execute", fmt.Sprintf(`{"tool_id":%q,"args":%s}`, id, kwargs))
			case "facade":
				call("ShopExecute", fmt.Sprintf(`{"cmd":%q,"params":%s}`, f, kwargs))
			default:
				call(flat, kwargs)
			}
		}
	}
	add("resources/read", "skill://shop/buy/SKILL.md", `"uri":"skill://shop/buy/SKILL.md",`)
	call("help", `{"namespace":"shop"}`)
	call("skill", `{}`)
	call("tool_browse", `{"path":"/"}`)
	call("nobody's", `{}`)
	add("tools/call", "call", `"name":"call",`)
	add("tools/call", "call", `"name":"call","arguments":"x",`)
	add("tools/list", "", "")
	add("tools/list", "", `"cursor":"nonsense",`)
	add("tools/list", "", `"cursor":null,`)
	add("tools/list", "", `"CURSOR":"x",`)
	for _, uri := range []string{"cash://server", "skill://shop/none/SKILL.md", "resource:///tool_descriptions?tools=shop_slow", "a\\u0000b"} {
		add("resources/read", strings.ReplaceAll(uri, "\\u0000", "\x00"), fmt.Sprintf(`"uri":"%s",`, uri))
	}
	return all
}

// changed returns the requests like one, but not quite.
func changed(one request) (all []request) {
	body := func(old, with string) {
		all = append(all, request{one.header, strings.Replace(one.body, old, with, 1)})
	}
	header := func(name string, values ...string) {
		h := maps.Clone(one.header)
		h[http.CanonicalHeaderKey(name)] = values
		all = append(all, request{h, one.body})
	}
	for _, id := range []string{`1`, `null`, `1.5`, `9007199254740993`, `{}`, `"` + strings.Repeat("i", 9_000) + `"`} {
		body(`"x<"`, id)
	}
	body(`"2.0"`, `"1.0"`)
	body(`"id":"x<",`, ``)
	body(`"id":"x<",`, `"id":"x<","id":"y",`)
	body(`"method"`, `"more":[1,{"a":2}],"method"`)
	body(`clientCapabilities":{}`, `clientCapabilities":null`)
	body(`clientCapabilities":{}`, `clientCapabilities":5`)
	body(`clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`)
	body(`clientCapabilities":{}`, `clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"extensions":{"a/b":{"c":1}}}`)
	body(`clientCapabilities":{}`, `clientCapabilities":{"elicitation":5}`)
	body(`clientCapabilities":{}`, `clientCapabilities":{"roots":{"listChanged":"yes"}}`)
	body(`clientCapabilities":{}`, `clientCapabilities":{},"progressToken":7`)
	body(`clientCapabilities":{}`, `clientCapabilities":{},"progressToken":1.5`)
	body(`clientCapabilities":{}`, `clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug"`)
	body(`clientCapabilities":{}`, `clientCapabilities":{},"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","n":1e300,"deep":[{"a":[null,true]}]`)
	body(`clientCapabilities":{}`, `clientCapabilities":{},"n":1e400`)
	body(`clientInfo":{"name":"c","version":"1"}`, `clientInfo":5`)
	body(`clientInfo":{"name":"c","version":"1"}`, `clientInfo":null`)
	body(`clientInfo":{"name":"c","version":"1"}`, `clientInfo":{"name":5}`)
	body(`clientInfo":{"name":"c","version":"1"}`, `clientInfo":{"name":"c","version":"1","icons":[{"src":"x"}]}`)
	body(`"io.modelcontextprotocol/protocolVersion":"2026-07-28",`, ``)
	body(`"2026-07-28"`, `"2025-11-25"`)
	body(`"2026-07-28"`, `"2027-01-01"`)
	body(`"2026-07-28"`, `5`)
	body(`"_meta":{`+usualMeta+`}`, `"_meta":null`)
	body(`"_meta":{`+usualMeta+`}`, `"_meta":[]`)
	body(`"_meta"`, `"requestState":"s","inputResponses":{},"_meta"`)
	body(`"_meta"`, `"inputResponses":{"a":{"action":"accept","content":{}}},"_meta"`)
	body(`}}`, `}}}`)
	body(`"_meta"`, `"\u005fmeta"`)
	body(`"name"`, `"n\u0061me"`)
	body(`"name"`, `"NAME"`)
	body(`"method"`, `"m\u0065thod"`)
	header("Content-Type", "application/json; charset=utf-8")
	header("Content-Type", "text/plain")
	header("Accept", "*/*")
	header("Accept", "application/json")
	header("Accept", "text/event-stream;q=0.1", "Application/JSON")
	header("Last-Event-Id", "1")
	header("Last-Event-Id", "")
	header("Mcp-Param-X", "1")
	header("Mcp-Method", "tools/none")
	header("Mcp-Method")
	header("Mcp-Name", "none")
	without := maps.Clone(one.header)
	without.Del("Mcp-Name")
	for _, part := range []string{`"name"`, `"uri"`} {
		all = append(all, request{without, strings.Replace(one.body, part, `"other"`, 1)})
	}
	header("Mcp-Protocol-Version", "2025-11-25")
	header("Mcp-Protocol-Version", "2027-01-01")
	header("Mcp-Session-Id", "x")
	header("Mcp-Name", one.header.Get("Mcp-Name"), "none")
	header("Mcp-Name", "none", one.header.Get("Mcp-Name"))
	header("Mcp-Name", "=?base64?"+base64.StdEncoding.EncodeToString([]byte(one.header.Get("Mcp-Name")))+"?=")
	header("Mcp-Method", one.header.Get("Mcp-Method"), "tools/none")
	header("Content-Type", "application/json", "text/plain")
	header("Content-Encoding", "gzip")
	header("Origin", "https://evil.example")
	header("X-User", "boss")
	header("X-User", "thief")
	return all
}

// compare fails unless both ways give a request the same answer. The SDK refuses arguments with a number that no
// float64 holds, because it decodes them to find the tool's name; in a session, and directly, they reach the tool.
func (w *ways) compare(t *testing.T, one request) {
	t.Helper()
	direct, sdk := ask(w[0], one.header, []byte(one.body)), ask(w[1], one.header, []byte(one.body))
	if strings.Contains(fmt.Sprint(sdk.message), "failed to extract name from parameters") && strictjson.HasHugeNumber([]byte(one.body)) {
		return
	}
	if !reflect.DeepEqual(direct, sdk) {
		t.Errorf("%.600s\n%.300s\nis answered with\n\t%.600s\nand through the SDK with\n\t%.600s", one.body, fmt.Sprint(one.header), fmt.Sprint(direct), fmt.Sprint(sdk))
	}
}

// TestDirectIsTheSame holds that requests are answered directly as they are through the SDK, by all faces: usual
// ones, and others.
func TestDirectIsTheSame(t *testing.T) {
	for name, w := range twoWays() {
		t.Run(name, func(t *testing.T) {
			usual := usualRequests(name)
			first := fmt.Sprint(ask(w[0], usual[0].header, []byte(usual[0].body)))
			if name != "disclosure" && (!strings.Contains(first, "<&>") || strings.Contains(first, "isError")) { // it has sessions only
				t.Fatalf("the first call is answered with %s", first)
			}
			for _, one := range usual {
				w.compare(t, one)
			}
			for _, i := range []int{0, len(usual) - 8, len(usual) - 1} {
				for _, other := range changed(usual[i]) {
					w.compare(t, other)
				}
			}
		})
	}
}

// TestDirectIsTold holds that a hook is told the same of a request that is answered directly, and that it is.
func TestDirectIsTold(t *testing.T) {
	var hooks [2]told
	var srv [2]*cash.Server
	for i := range srv {
		srv[i] = cash.NewServer(manyResults(), &cash.Options{Serve: serve.Options{ThroughSDK: i == 1, Identify: boss, Observe: &hooks[i]}})
	}
	for _, one := range slices.Concat(usualRequests("cash"), changed(usualRequests("cash")[0])) {
		var got [2][]observe.Request
		for i := range srv {
			ask(srv[i].Handler(), one.header, []byte(one.body))
			got[i] = hooks[i].take()
		}
		if len(got[0]) != 1 || !reflect.DeepEqual(got[0], got[1]) {
			t.Errorf("%.300s\nis told as\n\t%+v\nand through the SDK as\n\t%+v", one.body, got[0], got[1])
		}
	}
	a, b := srv[0].Stats(), srv[1].Stats()
	if !reflect.DeepEqual(a, b) {
		t.Errorf("counted as\n\t%+v\nand through the SDK as\n\t%+v", a, b)
	}
	h := usualHeader("tools/call", "call")
	for i, want := range []string{"application/json", "text/event-stream"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "http://example.com/mcp", strings.NewReader(usualRequests("cash")[0].body))
		r.Header = h
		srv[i].Handler().ServeHTTP(w, r)
		if got := w.Header().Get("Content-Type"); got != want {
			t.Errorf("the answer is of type %q, want %q", got, want)
		}
	}
}

// TestDirectHosts holds that on a loopback address the same names are accepted both ways.
func TestDirectHosts(t *testing.T) {
	list := usualRequests("cash")[len(usualRequests("cash"))-5]
	ways := twoWays()["cash"]
	for _, host := range []string{"localhost", "localhost:80", "LOCALHOST:80", "127.0.0.1", "[::1]:80", "[::FFFF:127.0.0.1]", "other.example", ""} {
		var codes [2]int
		for i, h := range ways {
			r := httptest.NewRequest(http.MethodPost, "http://example.com/mcp", strings.NewReader(list.body))
			r.Header, r.Host = list.header.Clone(), host
			at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at)))
			codes[i] = w.Code
		}
		if codes[0] != codes[1] {
			t.Errorf("host %q: %d, and through the SDK %d", host, codes[0], codes[1])
		}
	}
}

// TestDirectArguments holds that a function that appends to its arguments changes nothing of the answer.
func TestDirectArguments(t *testing.T) {
	reg := registry.New(nil)
	f, err := registry.RawFunc("grow", "Grow.", json.RawMessage(`{"type":"object"}`), func(_ context.Context, args json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(string(append(args, bytes.Repeat([]byte(" "), 28)...))), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reg.Namespace("shop", "A shop.").Add(f)
	body := `{"method":"tools/call","params":{"_meta":{` + usualMeta + `},"name":"call","arguments":{"namespace":"shop","function":"grow","kwargs":{"a":1}}},"jsonrpc":"2.0","id":1234567}`
	got := ask(cash.NewServer(reg, nil).Handler(), usualHeader("tools/call", "call"), []byte(body))
	if message, _ := got.message.(map[string]any); fmt.Sprint(message["id"]) != "1234567" || message["result"] == nil {
		t.Errorf("answer %+v", got)
	}
}

// headed is a face with one tool, of the schema.
type headed json.RawMessage

func (headed) Instructions(context.Context) string { return "" }

func (f headed) Add(srv *mcp.Server, h *serve.Host) {
	run := func(context.Context, *serve.Request) (*registry.Result, error) {
		return registry.TextResult("gone"), nil
	}
	srv.AddTool(&mcp.Tool{Name: "go", InputSchema: json.RawMessage(f)}, h.Tool(run, 0, nil))
}

// TestDirectHeaders holds that headers which repeat an argument are compared with it, however the schema spells that.
func TestDirectHeaders(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"go","arguments":{"region":"x"},"_meta":{` + usualMeta + `}}}`
	for annotation, want := range map[string]int{`"title"`: 200, `"x-mcp-header"`: 400, `"x\u002dmcp-header"`: 400} {
		var w ways
		for i := range w {
			schema := headed(`{"type":"object","properties":{"region":{"type":"string",` + annotation + `:"Region"}}}`)
			w[i] = serve.New(schema, &mcp.Implementation{Name: "headed"}, &serve.Options{ThroughSDK: i == 1}).Handler()
		}
		h := usualHeader("tools/call", "go")
		if got := ask(w[0], h, []byte(body)); got.status != want {
			t.Errorf("%s: status %d, want %d", annotation, got.status, want)
		}
		for _, region := range []string{"", "x", "y"} {
			h.Set("Mcp-Param-Region", region)
			w.compare(t, request{h, body})
		}
	}
}

// TestDirectCarried holds that a handler within CarryContext of the embedder's knows all that came with a request.
func TestDirectCarried(t *testing.T) {
	named := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(registry.WithCaller(r.Context(), &registry.Caller{ID: "ann"})))
		})
	}
	var seen [2]string
	for i := range seen {
		srv := cash.NewServer(manyResults(), &cash.Options{Serve: serve.Options{
			ThroughSDK: i == 1, Address: func(*http.Request) string { return "192.0.2.7" },
			Identify: func(ctx context.Context, in *serve.Incoming) (*registry.Caller, error) {
				c := registry.CallerFrom(ctx)
				seen[i] = fmt.Sprint(in.Address, c.Anonymous())
				return c, nil
			},
		}})
		one := usualRequests("cash")[0]
		if got := ask(serve.CarryContext(named(srv.Handler())), one.header, []byte(one.body)); got.status != http.StatusOK {
			t.Errorf("answer %+v", got)
		}
	}
	if seen[0] != seen[1] || seen[0] != "192.0.2.7false" {
		t.Errorf("seen %q, and through the SDK %q", seen[0], seen[1])
	}
}

// TestDirectRepeated holds that what one client sends with each request is not taken for what another one sends.
func TestDirectRepeated(t *testing.T) {
	const anAsk = 6 * 9 // of usualRequests: the first call of the function that asks
	asks, w := usualRequests("cash")[anAsk].body, twoWays()["cash"]
	for range 2 {
		for _, can := range []string{`{}`, `{"elicitation":{}}`, `{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{},"url":null}}`, `{"elicitation":[]}`, `{"elicitation":null}`, `{"roots":{}}`} {
			for _, info := range []string{`{"name":"c","version":"1"}`, `{"name":"d","title":"D","version":"1"}`, `{"name":["c"]}`} {
				body := strings.Replace(asks, `clientCapabilities":{}`, `clientCapabilities":`+can, 1)
				w.compare(t, request{usualHeader("tools/call", "call"), strings.Replace(body, `{"name":"c","version":"1"}`, info, 1)})
			}
		}
	}
}

// TestDirectReadsAll holds that a body is read to its end, whatever length it says. Middleware may have replaced it.
func TestDirectReadsAll(t *testing.T) {
	body := usualRequests("cash")[0].body
	for _, w := range twoWays()["cash"] {
		for _, said := range []int{-1, len(body) - 20, len(body), len(body) + 20} {
			r := httptest.NewRequest(http.MethodPost, "http://example.com/mcp", io.MultiReader(strings.NewReader(body[:50]), iotest.OneByteReader(strings.NewReader(body[50:]))))
			r.Header, r.ContentLength = usualHeader("tools/call", "call"), int64(said)
			got := httptest.NewRecorder()
			w.ServeHTTP(got, r)
			if got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "text") {
				t.Errorf("a body of %d bytes that says %d is answered with %d %s", len(body), said, got.Code, got.Body)
			}
		}
	}
}

// FuzzDirect compares both ways for any message, and headers that may or may not fit.
func FuzzDirect(f *testing.F) {
	for _, one := range usualRequests("cash") {
		f.Add([]byte(one.body), one.header.Get("Mcp-Method"), one.header.Get("Mcp-Name"), "2026-07-28", "application/json, text/event-stream")
	}
	for _, one := range changed(usualRequests("plain")[0]) {
		f.Add([]byte(one.body), "tools/call", "shop-slow", one.header.Get("Mcp-Protocol-Version"), one.header.Get("Accept"))
	}
	all := twoWays()
	f.Fuzz(func(t *testing.T, body []byte, method, name, version, accept string) {
		if method == "subscriptions/listen" || bytes.Contains(body, []byte("listen")) {
			return // it lasts
		}
		h := usualHeader(method, name)
		h.Set("Mcp-Protocol-Version", version)
		h.Set("Accept", accept)
		for _, w := range all {
			w.compare(t, request{h, string(body)})
		}
	})
}
