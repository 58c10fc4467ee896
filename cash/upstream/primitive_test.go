package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

var pixel = []byte("\x89PNG\r\n\x1a\n\x00\xff\xfe binary")

// library is a server with a tool, two resources of one name and more, and two
// prompts.
func library(version string) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1.0"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{version}})
	addTool(srv, "run", saying("done"))
	addResource(srv, &mcp.Resource{URI: "file:///docs/readme.md", Name: "readme", Title: "Read me", Description: "How it works.", MIMEType: "text/markdown"},
		&mcp.ResourceContents{Text: "# How\r\nit works"})
	addResource(srv, &mcp.Resource{URI: "file:///docs/\u65e5\u672c.md", Name: "readme"}, &mcp.ResourceContents{Text: "\u65e5\u672c"})
	addResource(srv, &mcp.Resource{URI: "file:///pixel.png", Name: "a pixel", MIMEType: "image/png"}, &mcp.ResourceContents{Blob: pixel})
	srv.AddPrompt(&mcp.Prompt{Name: "summarize", Description: "Summarize a pull request.", Arguments: []*mcp.PromptArgument{
		{Name: "repo", Description: "Which repository.", Required: true}, {Name: "pr"},
	}}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprint("Summarize ", req.Params.Arguments)}},
			{Role: "assistant", Content: &mcp.ImageContent{Data: pixel, MIMEType: "image/png"}},
		}}, nil
	})
	addPrompt(srv, "greet")
	return srv
}

func addResource(srv *mcp.Server, r *mcp.Resource, c *mcp.ResourceContents) {
	c.URI, c.MIMEType = r.URI, r.MIMEType
	srv.AddResource(r, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
	})
}

func addPrompt(srv *mcp.Server, name string) {
	srv.AddPrompt(&mcp.Prompt{Name: name}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: name}}}}, nil
	})
}

// shelf is where an aggregator plants what servers have.
type shelf struct {
	agg                       *upstream.Aggregator
	tools, resources, prompts *registry.Registry
}

func shelve(t testing.TB, servers ...upstream.Server) shelf {
	t.Helper()
	return shelveWithin(t, patience, servers...)
}

// shelveWithin is shelve for servers that take longer to read.
func shelveWithin(t testing.TB, within time.Duration, servers ...upstream.Server) shelf {
	t.Helper()
	s := shelf{resources: registry.New(nil), prompts: registry.New(nil)}
	_, s.agg, s.tools = aggregateWithin(t, within, &upstream.Options{Resources: s.resources, Prompts: s.prompts}, servers...)
	return s
}

// byID calls what has the id.
func byID(t testing.TB, reg *registry.Registry, id string, arguments string) (*registry.Result, error) {
	t.Helper()
	p, err := toolid.ParsePrimitive(id)
	if err != nil {
		t.Fatal(err)
	}
	f, err := registry.Find(t.Context(), reg, p)
	if err != nil {
		return nil, err
	}
	return call(t, reg, f, arguments)
}

func call(t testing.TB, reg *registry.Registry, f *registry.Function, arguments string) (*registry.Result, error) {
	t.Helper()
	return registry.NewPipeline(reg, nil).Call(t.Context(), &registry.Request{Find: registry.Found(f), Arguments: json.RawMessage(arguments)})
}

// ids returns the ids of all that is in a registry, in order.
func ids(reg *registry.Registry) []string {
	var list []string
	for f := range reg.All() {
		list = append(list, f.Primitive().String())
	}
	slices.Sort(list)
	return list
}

// What servers have of resources and prompts can be found by the ids of section
// 9, read and got, whatever generation of the protocol is spoken.
func TestW40ResourcesAndPrompts(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) { checkLibrary(t, shelve(t, memory("fs", library(version)))) })
	}
	t.Run("http", func(t *testing.T) {
		srv := library("2026-07-28")
		host := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: true}))
		t.Cleanup(host.Close)
		checkLibrary(t, shelve(t, upstream.Server{Label: "fs", Endpoint: upstream.HTTP{URL: host.URL}}))
	})
}

func checkLibrary(t *testing.T, s shelf) {
	t.Helper()
	if st := s.agg.Status()[0]; st.Functions != 1 || st.Resources != 3 || st.Prompts != 2 || len(st.Notes) > 0 {
		t.Errorf("the status is %+v", st)
	}
	want := []string{"resource::fs:a_pixel#" + hash(t, "file:///pixel.png"), "resource::fs:readme#951f4853", "resource::fs:readme#a8c506b1"}
	if got := ids(s.resources); !slices.Equal(got, want) {
		t.Errorf("the resources are %q, want %q", got, want)
	}
	if got := ids(s.prompts); len(got) != 2 || !strings.HasPrefix(got[0], "prompt::fs:greet#") || got[1] != "prompt::fs:summarize#2a472891" {
		t.Errorf("the prompts are %q", got)
	}

	r, err := byID(t, s.resources, want[2], "")
	if err != nil {
		t.Fatal(err)
	}
	e, ok := r.Content[0].(*mcp.EmbeddedResource)
	if !ok || len(r.Content) != 1 || e.Resource.Text != "# How\r\nit works" || e.Resource.MIMEType != "text/markdown" || e.Resource.URI != "file:///docs/readme.md" {
		t.Errorf("the resource reads %+v", r.Content)
	}
	if r, err = byID(t, s.resources, want[0], ""); err != nil {
		t.Fatal(err)
	}
	if e, ok := r.Content[0].(*mcp.EmbeddedResource); !ok || !bytes.Equal(e.Resource.Blob, pixel) {
		t.Errorf("the bytes are %+v", r.Content)
	}
	if _, err := byID(t, s.resources, want[0], `{"x":1}`); !errors.Is(err, registry.InvalidArguments) {
		t.Errorf("a resource takes arguments: %v", err)
	}

	if r, err = byID(t, s.prompts, "prompt::fs:summarize#2a472891", `{"repo":"a\u00e9","pr":"7"}`); err != nil {
		t.Fatal(err)
	}
	said, _ := r.Content[0].(*mcp.TextContent)
	role, _ := r.Content[1].(*mcp.TextContent)
	image, _ := r.Content[2].(*mcp.ImageContent)
	if said == nil || said.Text != "user: Summarize map[pr:7 repo:a\u00e9]" || role == nil || role.Text != "assistant:" || image == nil || !bytes.Equal(image.Data, pixel) {
		t.Errorf("the prompt is %+v", r.Content)
	}
	for _, bad := range []string{`{}`, `{"repo":1}`, `{"repo":"a","other":"b"}`} {
		if _, err := byID(t, s.prompts, "prompt::fs:summarize#2a472891", bad); !errors.Is(err, registry.InvalidArguments) {
			t.Errorf("the prompt takes %s: %v", bad, err)
		}
	}
}

func hash(t *testing.T, uri string) string {
	t.Helper()
	id, err := toolid.FromResource("x", "x", uri)
	if err != nil {
		t.Fatal(err)
	}
	return id.Hash
}

// What a function says of itself comes from the list.
func TestW40WhatFunctionsSay(t *testing.T) {
	s := shelve(t, memory("corp.my_files", library("2025-11-25")))
	l, err := s.resources.List(t.Context(), "corp.my_files")
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]*registry.Function)
	for _, f := range l.Functions {
		got[f.Name()] = f
	}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"a_pixel", "readme", "readme_e6685a"}) || l.Description != "The server corp.my_files." {
		t.Fatalf("the names are %q, the namespace says %q", names, l.Description)
	}
	f := got["readme_e6685a"] // the second in order of the URIs
	if f.Primitive().String() != "resource::corp:my_files.readme#951f4853" && f.Primitive().String() != "resource::corp:my_files.readme#a8c506b1" {
		t.Errorf("the id is %s", f.Primitive())
	}
	for _, f := range got {
		if f.Tool() != "file:///docs/readme.md" {
			continue
		}
		if !f.ReadOnly() || f.Description() != "How it works. (text/markdown)" || !slices.Contains(f.Aliases(), "Read me") || !slices.Contains(f.Aliases(), "file:///docs/readme.md") {
			t.Errorf("the resource is %+v", f)
		}
	}
	p, err := s.prompts.Function(t.Context(), "corp.my_files", "summarize")
	if err != nil {
		t.Fatal(err)
	}
	if params := p.Params(); len(params) != 2 || params[0].Name != "repo" || !params[0].Required || params[0].Description != "Which repository." || params[1].Required {
		t.Errorf("the parameters are %+v", params)
	}
	if !p.ReadOnly() || p.Tool() != "summarize" || p.Open() {
		t.Errorf("the prompt is %+v", p)
	}
	if m := s.resources.Search(t.Context(), "how it works", 5); len(m) == 0 || m[0].Namespace != "corp.my_files" {
		t.Errorf("a search finds %+v", m)
	}
	if list := ids(s.tools); len(list) != 1 || strings.Contains(list[0], "::") { // each kind has its own tree
		t.Errorf("the tools are %q", list)
	}
}

// A server that says that its lists have changed is asked again; what was
// prepared before and is not the same any more is refused.
func TestW37W39ListsChange(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			srv := library(version)
			s := shelve(t, memory("fs", srv))
			old, err := s.resources.Function(t.Context(), "fs", "a_pixel")
			if err != nil {
				t.Fatal(err)
			}
			greet, err := s.prompts.Function(t.Context(), "fs", "greet")
			if err != nil {
				t.Fatal(err)
			}
			addResource(srv, &mcp.Resource{URI: "file:///pixel.png", Name: "a pixel", Description: "Another one."}, &mcp.ResourceContents{Text: "x"})
			addResource(srv, &mcp.Resource{URI: "file:///new", Name: "new"}, &mcp.ResourceContents{Text: "new"})
			srv.RemovePrompts("greet")
			until(t, func() bool {
				_, err := s.resources.Function(t.Context(), "fs", "new")
				_, gone := s.prompts.Function(t.Context(), "fs", "greet")
				return err == nil && errors.Is(gone, registry.UnknownFunction)
			})
			for reg, was := range map[*registry.Registry]struct {
				function *registry.Function
				kind     registry.Kind
				says     string
			}{
				s.resources: {old, registry.Unavailable, "not what it was"},
				s.prompts:   {greet, registry.UnknownFunction, "has been removed"},
			} {
				_, err := call(t, reg, was.function, "")
				var e *upstream.CallError
				if !errors.As(err, &e) || e.Class != upstream.Changed || !errors.Is(err, was.kind) || !strings.Contains(err.Error(), was.says) {
					t.Errorf("what was %s is answered with %v", was.function.Name(), err)
				}
			}
			srv.RemovePrompts("summarize")
			until(t, func() bool { return s.agg.Status()[0].Prompts == 0 && !s.prompts.Exists("fs") })
			addPrompt(srv, "late")
			if err := s.agg.Refresh(t.Context(), "fs"); err != nil {
				t.Fatal(err)
			}
			if version == versions[0] { // one of later says at the beginning what it has
				if _, err := s.prompts.Function(t.Context(), "fs", "late"); err != nil {
					t.Errorf("after a refresh: %v", err)
				}
			}
		})
	}
}

// The registries of resources and prompts go with that of the tools: what is
// removed, closed, replaced, hidden or taken there is so here.
func TestW40Mounting(t *testing.T) {
	s := shelve(t, memory("a", library("2025-11-25")), memory("b", silentTools()))
	if s.resources.Exists("b") || s.prompts.Exists("b") {
		t.Error("there is a namespace for nothing")
	}
	f, err := s.resources.Function(t.Context(), "a", "a_pixel")
	if err != nil {
		t.Fatal(err)
	}

	hidden := memory("a", library("2025-11-25"))
	hidden.VisibleTo = registry.Roles("staff")
	if err := s.agg.Update(hidden); err != nil {
		t.Fatal(err)
	}
	if _, err := s.resources.List(t.Context(), "a"); !errors.Is(err, registry.UnknownNamespace) {
		t.Errorf("what is hidden answers %v", err)
	}
	if _, err := call(t, s.resources, f, ""); err == nil {
		t.Error("the old server reads on")
	}
	staff := registry.WithCaller(t.Context(), &registry.Caller{ID: "x", Roles: []string{"staff"}})
	if err := s.agg.Wait(staff); err != nil {
		t.Fatal(err)
	}
	now, err := s.resources.Function(staff, "a", "a_pixel")
	if err != nil || now.Definition() == f.Definition() {
		t.Errorf("of another server the definition is the same: %v", err)
	}

	s.prompts.Namespace("own", "The embedder's.").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) { return "", nil }))
	if err := s.agg.Add(memory("own", silentTools())); err == nil {
		t.Error("a label that is taken in one registry is taken twice")
	}
	if err := s.agg.Remove("a"); err != nil {
		t.Fatal(err)
	}
	if s.resources.Exists("a") || s.prompts.Exists("a") {
		t.Error("what is removed is there")
	}
	if err := s.agg.Add(memory("c", library("2025-11-25"))); err != nil {
		t.Fatal(err)
	}
	if err := s.agg.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.agg.Update(memory("b", silent{})); err != nil || s.resources.Exists("b") {
		t.Errorf("what had nothing has a namespace when it is replaced: %v", err)
	}
	if err := s.agg.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l, err := s.resources.List(t.Context(), "c"); err != nil || l.Unavailable == nil || len(l.Functions) != 3 {
		t.Errorf("after the end: %+v, %v", l, err)
	}
}

// Two kinds in one registry are a mistake of the programmer.
func TestW40OneRegistryForEachKind(t *testing.T) {
	reg, other := registry.New(nil), registry.New(nil)
	for name, opts := range map[string]*upstream.Options{
		"resources as tools": {Resources: reg}, "prompts as tools": {Prompts: reg}, "prompts as resources": {Resources: other, Prompts: other},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it is taken")
				}
			}()
			upstream.New(reg, opts)
		})
	}
}

// What a CaSH server has besides its namespaces stands where all of it does, but
// for its identity (R116).
func TestW40CaSHServers(t *testing.T) {
	srv := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1.0"}, nil)
	cash.NewServer(newShop(), nil).AddTo(srv)
	addPrompt(srv, "greet")
	addResource(srv, &mcp.Resource{URI: "shop://terms", Name: "terms"}, &mcp.ResourceContents{URI: "shop://terms", Text: "Be kind."})
	part := memory("part", srv)
	part.Namespace = "orders"
	s := shelve(t, memory("all", srv), part)
	f, err := s.prompts.Function(t.Context(), "all", "greet")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := call(t, s.prompts, f, ""); err != nil || r.Text() != "user: greet" {
		t.Errorf("the prompt is %v, %v", r, err)
	}
	if s.prompts.Exists("part") || s.resources.Exists("part") {
		t.Error("a namespace has what belongs to all of the server")
	}
	if n := s.agg.Status()[0].Resources; n != 1 {
		t.Errorf("it has %d resources", n)
	}
	for f := range s.resources.All() {
		if r, err := call(t, s.resources, f, ""); err != nil || f.Tool() != "shop://terms" || len(r.Content) == 0 {
			t.Errorf("R116: %s reads %v, %v", f.Tool(), r, err)
		}
	}
}

// A server may ask a person before it reads or gets something.
func TestW39QuestionsOfResources(t *testing.T) {
	srv := mcp.NewServer(&mcp.Implementation{Name: "door"}, nil)
	question := mcp.InputRequestMap{"who": &mcp.ElicitParams{Message: "Who is there?", RequestedSchema: askSchema}}
	srv.AddResource(&mcp.Resource{URI: "door://", Name: "door"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		a, ok := req.Params.InputResponses["who"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.ReadResourceResult{InputRequests: question, RequestState: "at the door"}, nil
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "door://", Text: req.Params.RequestState + " " + a.Content["name"].(string)}}}, nil
	})
	srv.AddPrompt(&mcp.Prompt{Name: "door"}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		a, ok := req.Params.InputResponses["who"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.GetPromptResult{InputRequests: question, RequestState: "at the door"}, nil
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: req.Params.RequestState + " " + a.Content["name"].(string)}}}}, nil
	})
	s := shelve(t, memory("d", srv))
	for _, reg := range []*registry.Registry{s.resources, s.prompts} {
		p := registry.NewPipeline(reg, nil)
		req := &registry.Request{Namespace: "d", Function: "door", Client: &registry.Client{Owner: "x", TakesInputRequests: true}}
		r, err := p.Call(t.Context(), req)
		if err != nil || len(r.InputRequests) != 1 {
			t.Fatalf("the first answer is %+v, %v", r, err)
		}
		req.Client.State = r.RequestState
		req.Client.Answers = mcp.InputResponseMap{"who": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}}
		if r, err = p.Call(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(r.Content)
		if err != nil || !strings.Contains(string(data), "at the door Ada") {
			t.Errorf("the second answer is %s, %v", data, err)
		}
	}
}

// What the server lets the SDK keep is read anew each time.
func TestW36ReadsAreNotKept(t *testing.T) {
	reads := 0
	srv := mcp.NewServer(&mcp.Implementation{Name: "clock"}, nil)
	srv.AddResource(&mcp.Resource{URI: "clock://", Name: "clock"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		reads++
		r := &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "clock://", Text: fmt.Sprint(reads)}}}
		r.TTLMs = 1 << 30
		return r, nil
	})
	s := shelve(t, memory("c", srv))
	f, err := s.resources.Function(t.Context(), "c", "clock")
	if err != nil {
		t.Fatal(err)
	}
	for want := range 3 {
		r, err := call(t, s.resources, f, "")
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := r.Content[0].(*mcp.EmbeddedResource); !ok || e.Resource.Text != fmt.Sprint(want+1) {
			t.Errorf("read %d is %+v", want+1, r.Content[0])
		}
	}
}
