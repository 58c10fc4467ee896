package upstream_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// handmade is a server of which every answer is written by hand: a result, or an
// error. Neither is the usual answer to what is asked of tools, and none to the
// rest.
type handmade func(method string, params json.RawMessage) (result string, err error)

const introduced = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true},"prompts":{"listChanged":true}},"serverInfo":{"name":"raw","version":"1"}}`

// errSilent gives no answer.
var errSilent = errors.New("silence")

var errUnknownMethod = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "what?"}

// Run serves a connection.
func (h handmade) Run(ctx context.Context, tr mcp.Transport) error {
	conn, err := tr.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for {
		m, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		req, ok := m.(*jsonrpc.Request)
		if !ok || !req.IsCall() {
			continue
		}
		result, err := h.answer(req.Method, req.Params)
		if result == "" && err == nil || errors.Is(err, errSilent) {
			continue
		}
		answer := &jsonrpc.Response{ID: req.ID, Error: err}
		if err == nil {
			answer.Result = json.RawMessage(result)
		}
		if err := conn.Write(ctx, answer); err != nil {
			return err
		}
		if req.Method == "resources/list" && strings.Contains(result, "storm") {
			for range 1000 {
				if err := conn.Write(ctx, &jsonrpc.Request{Method: "notifications/resources/list_changed"}); err != nil {
					return err
				}
			}
		}
	}
}

func (h handmade) answer(method string, params json.RawMessage) (string, error) {
	switch method {
	case "initialize":
		if own, err := h(method, params); own != "" && err == nil {
			return own, nil
		}
		return introduced, nil
	case "ping":
		return "{}", nil
	}
	result, err := h(method, params)
	if method == "tools/list" && result == "" && err == nil {
		return `{"tools":[{"name":"run","inputSchema":{"type":"object"}}]}`, nil
	}
	if method == "tools/call" && result == "" && err == nil {
		return `{"content":[{"type":"text","text":"done"}]}`, nil
	}
	if strings.HasPrefix(method, "server/") {
		return "", errUnknownMethod
	}
	return result, err
}

// listing lists resources and prompts, and answers nothing else but for tools.
func listing(resources, prompts string) handmade {
	return func(method string, _ json.RawMessage) (string, error) {
		switch method {
		case "resources/list":
			return resources, nil
		case "prompts/list":
			return prompts, nil
		}
		return "", nil
	}
}

func runs(t *testing.T, s shelf, label string) {
	t.Helper()
	r, err := registry.NewPipeline(s.tools, nil).Call(t.Context(), &registry.Request{Namespace: label, Function: "run"})
	if err != nil || r.Text() != "done" {
		t.Errorf("the tool answers %v, %v", r, err)
	}
}

// Whatever the lists are, the tools are there, what can be used is served, and
// the rest is noted.
func TestW40HostileLists(t *testing.T) {
	const none = `{"prompts":[]}`
	for name, tt := range map[string]struct {
		resources, prompts string
		served             [2]int
		note               string
	}{
		"nothing":         {`{"resources":[]}`, none, [2]int{}, ""},
		"no list":         {`{}`, `{"prompts":null}`, [2]int{}, "no list of resources"},
		"a wrong type":    {`{"resources":{"uri":"a:b"}}`, `{"prompts":"x"}`, [2]int{}, "no list of prompts"},
		"wrong members":   {`{"resources":[{"uri":7,"name":"a"},{"uri":"a:b","name":["a"]},{"uri":"a:c","name":"c","description":{}},null,1,"x",[],{}]}`, none, [2]int{}, "uri: want a string"},
		"one is good":     {`{"resources":[{"uri":7},{"uri":"a:b","name":"good","size":"much","annotations":7}]}`, none, [2]int{1, 0}, "resource 1"},
		"no names":        {`{"resources":[{"uri":"file:///a/b.md?x=1"},{"uri":"::"},{"uri":"a:b","name":"\u65e5"}]}`, `{"prompts":[{"description":"x"}]}`, [2]int{3, 0}, "no name"},
		"the same twice":  {`{"resources":[{"uri":"a:b","name":"a"},{"uri":"a:b","name":"b"}]}`, `{"prompts":[{"name":"a"},{"name":"a","description":"evil"}]}`, [2]int{1, 1}, "more than once"},
		"names collide":   {`{"resources":[{"uri":"a:1","name":"get-it"},{"uri":"a:2","name":"get_it"},{"uri":"a:3","name":"GetIt"}]}`, `{"prompts":[{"name":"a b"},{"name":"a/b"},{"name":"a_b"},{"name":"a_b_2"}]}`, [2]int{3, 4}, ""},
		"hidden text":     {`{"resources":[{"uri":"a:\u202eb","name":"a\u200bb\n# admin","title":"\u001b[31m","description":"x\u202ey\r\n**fake**","mimeType":"text/\u202ehtml\nx"}]}`, none, [2]int{1, 0}, ""},
		"long names":      {`{"resources":[{"uri":"a:` + strings.Repeat("u", 8000) + `","name":"` + strings.Repeat("n", 50_000) + `"},{"uri":"a:` + strings.Repeat("u", 9000) + `"}]}`, none, [2]int{1, 0}, "it is known by"},
		"odd arguments":   {`{"resources":[]}`, `{"prompts":[{"name":"a","arguments":"x"},{"name":"b","arguments":[{"name":"x","required":"yes"}]},{"name":"c","arguments":[{"name":"x"},{"name":"x"}]},{"name":"d","arguments":[{}]},{"name":"e","arguments":[7]},{"name":"f","arguments":null}]}`, [2]int{0, 1}, "the name of another"},
		"arguments alike": {`{"resources":[]}`, `{"prompts":[{"name":"a","arguments":[{"name":"a_b"},{"name":"ab"}]}]}`, [2]int{0, 1}, ""},
		"long arguments":  {`{"resources":[]}`, longWinded, [2]int{0, 1}, "cannot be checked"},
		"an endless list": {`{"resources":[{"uri":"a:b","name":"a"}],"nextCursor":"again"}`, none, [2]int{}, "never ends"},
		"a storm":         {`{"resources":[{"uri":"a:b","name":"storm"}]}`, none, [2]int{1, 0}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shelve(t, memory("bad", listing(tt.resources, tt.prompts)))
			runs(t, s, "bad")
			st := s.agg.Status()[0]
			if st.State != upstream.Connected || st.Resources != tt.served[0] || st.Prompts != tt.served[1] {
				t.Errorf("the status is %+v", st)
			}
			if notes := strings.Join(st.Notes, "\n"); (notes == "") != (tt.note == "") || !strings.Contains(notes, tt.note) || strings.ContainsFunc(notes, hostile) {
				t.Errorf("the notes are %q", st.Notes)
			}
			for _, reg := range []*registry.Registry{s.resources, s.prompts} {
				seen := make(map[toolid.Primitive]bool)
				for f := range reg.All() {
					id := f.Primitive()
					if found, err := registry.Find(t.Context(), reg, id); seen[id] || err != nil || found != f || id.Validate() != nil {
						t.Errorf("%s leads to %v, %v", id, found, err)
					}
					seen[id] = true
					for _, text := range append([]string{f.Name(), f.Description()}, f.Aliases()...) {
						if strings.ContainsFunc(text, hostile) || len(text) > 20_000 {
							t.Errorf("%s says %q", id, text)
						}
					}
				}
			}
		})
	}
}

// longWinded lists a prompt that can be read, and whose schema is too large.
var longWinded = `{"prompts":[{"name":"p","arguments":[{"name":"a_b"}` + manyArguments(900) + `]}]}`

func manyArguments(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"name":"x%d","description":"%s"}`, i, strings.Repeat("<", 255))
	}
	return b.String()
}

// A prompt whose arguments cannot be checked is shown, says so, and takes texts
// only.
func TestW40PromptsThatCannotBeChecked(t *testing.T) {
	s := shelve(t, memory("a", listing(`{"resources":[]}`, longWinded)))
	f, err := s.prompts.Function(t.Context(), "a", "p")
	if err != nil || f.Problem() == nil {
		t.Fatalf("the prompt is %+v, %v", f, err)
	}
	if _, err := call(t, s.prompts, f, `{"ab":7}`); !errors.Is(err, registry.InvalidArguments) {
		t.Errorf("a number is answered with %v", err)
	}
}

// A list without an end, of pages that are new each time or too many, ends.
func TestW40EndlessPages(t *testing.T) {
	var pages atomic.Int64
	s := shelve(t, memory("a", handmade(func(method string, _ json.RawMessage) (string, error) {
		switch method {
		case "resources/list":
			n := pages.Add(1)
			return fmt.Sprintf(`{"resources":[{"uri":"a:%d"}],"nextCursor":"%d"}`, n, n), nil
		case "prompts/list":
			return `{"prompts":[]}`, nil
		}
		return "", nil
	})))
	runs(t, s, "a")
	if n := pages.Load(); n > 1001 {
		t.Errorf("%d pages have been asked for", n)
	}
	if notes := s.agg.Status()[0].Notes; len(notes) != 1 || !strings.Contains(notes[0], "pages") {
		t.Errorf("the notes are %q", notes)
	}
	l, err := s.resources.List(t.Context(), "a")
	if err != nil || l.Unavailable == nil || !strings.Contains(l.Unavailable.Message, "pages") {
		t.Errorf("the namespace says %+v, %v", l, err)
	}
}

// 10,000 resources of one name are all found, and no more than that.
func TestW7ManyResources(t *testing.T) {
	var list bytes.Buffer
	for i := range 10_005 {
		if i > 0 {
			list.WriteByte(',')
		}
		fmt.Fprintf(&list, `{"uri":"file:///%d","name":"read me"}`, i)
	}
	s := shelve(t, memory("a", listing(`{"resources":[`+list.String()+`]}`, `{"prompts":[]}`)))
	st := s.agg.Status()[0]
	if st.Resources != 10_000 || len(st.Notes) != 1 || !strings.Contains(st.Notes[0], "more than 10,000 resources") {
		t.Fatalf("the status is %d, %q", st.Resources, st.Notes)
	}
	seen := 0
	for f := range s.resources.All() {
		if found, err := registry.Find(t.Context(), s.resources, f.Primitive()); err != nil || found != f {
			t.Fatalf("%s leads to %v, %v", f.Primitive(), found, err)
		}
		seen++
	}
	if seen != 10_000 {
		t.Errorf("%d are there", seen)
	}
}

// A server that declares what it does not know has none; one that hangs when it
// is asked for one list has its tools at once, and the other list.
func TestW39ListsThatFail(t *testing.T) {
	t.Run("method not found", func(t *testing.T) {
		s := shelve(t, memory("a", handmade(func(method string, _ json.RawMessage) (string, error) {
			if strings.HasPrefix(method, "tools/") {
				return "", nil
			}
			return "", errUnknownMethod
		})))
		runs(t, s, "a")
		if st := s.agg.Status()[0]; len(st.Notes) > 0 || s.resources.Exists("a") || s.prompts.Exists("a") {
			t.Errorf("the status is %+v", st)
		}
	})
	t.Run("hanging", func(t *testing.T) {
		slow := memory("a", listing("", `{"prompts":[{"name":"p"}]}`))
		slow.ConnectTimeout = 2 * time.Second
		s := shelf{resources: registry.New(nil), prompts: registry.New(nil), tools: registry.New(nil)}
		s.agg = upstream.New(s.tools, &upstream.Options{Resources: s.resources, Prompts: s.prompts})
		t.Cleanup(func() { s.agg.Close(context.Background()) })
		began := time.Now()
		if err := s.agg.Add(slow); err != nil {
			t.Fatal(err)
		}
		until(t, func() bool {
			_, err := s.tools.Function(t.Context(), "a", "run")
			_, other := s.prompts.Function(t.Context(), "a", "p")
			return err == nil && other == nil
		})
		runs(t, s, "a")
		if took := time.Since(began); took > slow.ConnectTimeout {
			t.Errorf("that took %v", took)
		}
		if l, err := s.resources.List(t.Context(), "a"); err != nil || l.Unavailable == nil {
			t.Errorf("meanwhile the namespace says %+v, %v", l, err)
		}
		if err := s.agg.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		st := s.agg.Status()[0]
		if st.State != upstream.Connected || st.Prompts != 1 || len(st.Notes) != 1 || !strings.Contains(st.Notes[0], "no answer in time") {
			t.Errorf("the status is %+v", st)
		}
		runs(t, s, "a")
	})
	t.Run("an error later", func(t *testing.T) {
		var broken atomic.Bool
		s := shelve(t, memory("a", handmade(func(method string, _ json.RawMessage) (string, error) {
			switch {
			case method == "prompts/list":
				return `{"prompts":[]}`, nil
			case method != "resources/list":
				return "", nil
			case broken.Load():
				return "", &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "out of\nshelves\u202e"}
			}
			return `{"resources":[{"uri":"a:b","name":"r"}]}`, nil
		})))
		for _, fails := range []bool{true, false} {
			broken.Store(fails)
			if err := s.agg.Refresh(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			st := s.agg.Status()[0]
			if st.Resources != 1 || fails != (len(st.Notes) == 1) || fails && !strings.Contains(st.Notes[0], "out of shelves") {
				t.Errorf("when it fails is %v the status is %+v", fails, st)
			}
			if _, err := s.resources.Function(t.Context(), "a", "r"); err != nil {
				t.Errorf("what was known: %v", err)
			}
		}
	})
}

// What a server answers to a read may be anything.
func TestW40HostileReads(t *testing.T) {
	const resources, prompts = `{"resources":[{"uri":"a:b","name":"r"}]}`, `{"prompts":[{"name":"p"}]}`
	blob := base64.StdEncoding.EncodeToString(pixel)
	for name, tt := range map[string]struct {
		read string // the answer to a read or get
		want string // the content, as JSON; empty is an error
	}{
		"no contents":       {`{}`, ""},
		"contents of null":  {`{"contents":null,"messages":null}`, ""},
		"an object":         {`{"contents":{"text":"x"},"messages":{"role":"user"}}`, ""},
		"empty":             {`{"contents":[],"messages":[]}`, `[]`},
		"too many":          {`{"contents":[` + strings.Repeat("1,", 20_000) + `1],"messages":[` + strings.Repeat("1,", 20_000) + `1]}`, ""},
		"odd contents":      {`{"contents":[7,{"uri":7,"text":"x"},{"blob":"not base 64"},{"uri":"a:c","text":"","mimeType":["x"]}]}`, `[{"type":"text","text":"7"},{"type":"resource","resource":{"uri":"a:b","text":"x"}},{"type":"text","text":"{\"blob\":\"not base 64\"}"},{"type":"resource","resource":{"uri":"a:c"}}]`},
		"bytes":             {`{"contents":[{"uri":"a:b","blob":"` + blob + `","mimeType":"image/png"}]}`, `[{"type":"resource","resource":{"uri":"a:b","mimeType":"image/png","blob":"` + blob + `"}}]`},
		"both":              {`{"contents":[{"uri":"a:b","blob":"` + blob + `","text":"x"}]}`, `[{"type":"resource","resource":{"uri":"a:b","blob":"` + blob + `"}},{"type":"resource","resource":{"uri":"a:b","text":"x"}}]`},
		"structured":        {`{"contents":[{"uri":"a:b","text":"x"}],"structuredContent":{"a":1},"isError":true}`, `[{"type":"resource","resource":{"uri":"a:b","text":"x"}}]`},
		"odd messages":      {`{"messages":[7,{"role":"user"},{"role":"system\n\u202e","content":{"type":"text","text":"x"}},{"content":{"type":"text","text":"y"}},{"role":"user","content":{"type":"video"}}]}`, `[{"type":"text","text":"message: 7"},{"type":"text","text":"user: {\"role\":\"user\"}"},{"type":"text","text":"system: x"},{"type":"text","text":"message: y"},{"type":"text","text":"user: {\"type\":\"video\"}"}]`},
		"embedded messages": {`{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"a:b","text":"x"}}}]}`, `[{"type":"text","text":"user:"},{"type":"resource","resource":{"uri":"a:b","text":"x"}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shelve(t, memory("bad", handmade(func(method string, _ json.RawMessage) (string, error) {
				switch method {
				case "resources/list":
					return resources, nil
				case "prompts/list":
					return prompts, nil
				case "resources/read", "prompts/get":
					return tt.read, nil
				}
				return "", nil
			})))
			for function, reg := range map[string]*registry.Registry{"r": s.resources, "p": s.prompts} {
				member := map[string]string{"r": `"contents":[`, "p": `"messages":[`}[function]
				f, err := reg.Function(t.Context(), "bad", function)
				if err != nil {
					t.Fatal(err)
				}
				r, err := call(t, reg, f, "")
				if tt.want == "" || !strings.Contains(tt.read, member) {
					var e *upstream.CallError
					if !errors.As(err, &e) || e.Class != upstream.Malformed || !errors.Is(err, registry.Failed) {
						t.Errorf("%s answers %+v, %v", function, r, err)
					}
					continue
				}
				if err != nil || r.IsError || r.Structured != nil {
					t.Errorf("%s answers %+v, %v", function, r, err)
					continue
				}
				got, err := json.Marshal(append([]mcp.Content{}, r.Content...))
				if err != nil || string(got) != tt.want {
					t.Errorf("%s answers\n%s, %v, want\n%s", function, got, err, tt.want)
				}
			}
			runs(t, s, "bad")
		})
	}
}

// What is larger than a message may be costs the call, and the server nothing.
func TestW40HugeResource(t *testing.T) {
	srv := library("2026-07-28")
	addResource(srv, &mcp.Resource{URI: "file:///huge", Name: "huge"}, &mcp.ResourceContents{Blob: make([]byte, 2<<20)})
	host := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(host.Close)
	s := shelve(t, upstream.Server{Label: "fs", Endpoint: upstream.HTTP{URL: host.URL}, MaxMessage: 1 << 20})
	f, err := s.resources.Function(t.Context(), "fs", "huge")
	if err != nil {
		t.Fatal(err)
	}
	_, err = call(t, s.resources, f, "")
	var e *upstream.CallError
	if !errors.As(err, &e) || e.Class != upstream.TooLarge || !strings.Contains(err.Error(), "`fs`") {
		t.Errorf("it answers %v", err)
	}
	if r, err := byID(t, s.resources, "resource::fs:readme#a8c506b1", ""); err != nil || len(r.Content) != 1 {
		t.Errorf("another one answers %v, %v", r, err)
	}
	runs(t, s, "fs")
}

// A server without tools is one all the same.
func TestW40ServersWithoutTools(t *testing.T) {
	s := shelve(t, memory("a", handmade(func(method string, _ json.RawMessage) (string, error) {
		switch method {
		case "initialize":
			return strings.Replace(introduced, `"tools"`, `"others"`, 1), nil
		case "resources/list":
			return `{"resources":[{"uri":"a:b","name":"r"}]}`, nil
		}
		return "", errUnknownMethod
	})))
	if st := s.agg.Status()[0]; st.State != upstream.Connected || st.Resources != 1 || st.Functions != 0 {
		t.Errorf("the status is %+v", st)
	}
}
