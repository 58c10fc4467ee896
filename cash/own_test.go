package cash_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// own is what an embedder has beside a face: notes, greetings and completions. It keeps the servers that are in use.
type own struct {
	mu      sync.Mutex
	servers []*mcp.Server
	hang    chan struct{} // ends the handlers that hang
	ended   chan struct{} // closed when a server is no longer used
}

// NewServer is the option.
func (o *own) NewServer(ctx context.Context, impl *mcp.Implementation, opts *mcp.ServerOptions) *mcp.Server {
	impl.Title = "With notes"
	opts.CompletionHandler = func(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		if req.Params.Argument.Value == "panic" {
			panic("secret")
		}
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{req.Params.Argument.Value + " " + who(ctx)}}}, nil
	}
	opts.SubscribeHandler = func(ctx context.Context, req *mcp.SubscribeRequest) error {
		if req.Params.URI != "note://mine" || who(ctx) != "ann" {
			return errors.New("only ann may subscribe to her note")
		}
		return nil
	}
	opts.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	srv := mcp.NewServer(impl, opts)
	srv.AddResource(&mcp.Resource{URI: "note://mine", Name: "mine"}, o.note)
	srv.AddResource(&mcp.Resource{URI: "skill://of/mine.txt", Name: "text"}, o.note)
	srv.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "note://of/{name}", Name: "of"}, o.note)
	srv.AddPrompt(&mcp.Prompt{Name: "greet"}, func(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Greet " + who(ctx)}}}}, nil
	})
	srv.AddPrompt(&mcp.Prompt{Name: "panics"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { panic("secret") })
	o.mu.Lock()
	defer o.mu.Unlock()
	o.servers = append(o.servers, srv)
	context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.servers = slices.DeleteFunc(o.servers, func(s *mcp.Server) bool { return s == srv })
		if o.ended != nil {
			close(o.ended)
		}
	})
	return srv
}

// each does something to each server in use.
func (o *own) each(do func(*mcp.Server)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, srv := range o.servers {
		do(srv)
	}
}

func who(ctx context.Context) string {
	if c := registry.CallerFrom(ctx); c != nil {
		return c.ID
	}
	return "nobody"
}

// note is the handler of all notes.
func (o *own) note(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	switch uri := req.Params.URI; {
	case strings.HasSuffix(uri, "panic"):
		panic("secret")
	case strings.HasSuffix(uri, "nil"):
		return nil, nil
	case strings.HasSuffix(uri, "hang"):
		<-o.hang
	case strings.HasSuffix(uri, "busy"):
		return nil, &registry.Error{Kind: registry.RateLimited, Message: "Too many notes."}
	case strings.HasSuffix(uri, "away"):
		return nil, mcp.ResourceNotFoundError(uri)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: "a note for " + who(ctx)}}}, nil
}

// ownFaces are all faces, each for clients of both generations.
func ownFaces() map[string]func(registry.Source, serve.Options) face {
	all := make(map[string]func(registry.Source, serve.Options) face)
	for name, make := range faces {
		all[name] = make
	}
	all["disclosure"] = func(src registry.Source, o serve.Options) face {
		return disclosure.NewServer(src, &disclosure.Options{Serve: o, Grants: new(disclosure.Grants)})
	}
	return all
}

// What an embedder has beside a face is there on every face and transport, for the caller of the request, and does not
// disturb the face.
func TestOwnBesideFace(t *testing.T) {
	for name, newFace := range ownFaces() {
		for _, link := range cashtest.Links() {
			t.Run(name+"/"+link.String(), func(t *testing.T) {
				o, reg := new(own), registry.New(nil)
				orders := reg.Namespace("orders", "Orders.")
				orders.Add(registry.Func("list", "List.", func(context.Context, struct{}) (string, error) { return "", nil }))
				orders.AddSkill(registry.NewSkill("buy", "Buy.", "Buy it."))
				srv := newFace(reg, serve.Options{NewServer: o.NewServer})
				told := make(chan string, 1000)
				c := link.Connect(t, srv, &registry.Caller{ID: "ann"}, &mcp.ClientOptions{
					ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { told <- "resources" },
					PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { told <- "prompts" },
					ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
						told <- req.Params.URI
					},
				})
				checkOwn(t, c)
				checkFaceBesideOwn(t, c, name)

				if err := c.Session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "note://mine"}); err != nil {
					t.Fatal(err)
				}
				until(told, "note://mine", func(int) {
					o.each(func(srv *mcp.Server) {
						_ = srv.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "note://mine"})
					})
				})
				if name == "cash" {
					if err := c.Session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: manifest.ResourceURI}); err != nil {
						t.Fatal(err)
					}
					until(told, manifest.ResourceURI, func(n int) {
						reg.Namespace(fmt.Sprint("stock", n), "A stock.").Add(registry.Func("list", "List.", func(context.Context, struct{}) (string, error) { return "", nil }))
					})
				}
				until(told, "resources", func(n int) {
					o.each(func(srv *mcp.Server) {
						srv.AddResource(&mcp.Resource{URI: fmt.Sprint("note://new", n), Name: "new"}, o.note)
					})
				})
				until(told, "prompts", func(n int) {
					o.each(func(srv *mcp.Server) {
						srv.RemovePrompts("greet")
						srv.AddPrompt(&mcp.Prompt{Name: fmt.Sprint("new", n)}, nil)
					})
				})
				if _, err := c.Session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greet"}); err == nil {
					t.Error("a removed prompt is there")
				}
			})
		}
	}
}

// until does something again and again until a client is told of it: a client does not learn when a subscription of
// 2026-07-28 has begun.
func until(told <-chan string, want string, do func(n int)) {
	for n := 0; ; n++ {
		do(n)
		for again := time.After(100 * time.Millisecond); again != nil; {
			select {
			case got := <-told:
				if got == want {
					return
				}
			case <-again:
				again = nil
			}
		}
	}
}

// checkOwn checks the embedder's things.
func checkOwn(t *testing.T, c *cashtest.Client) {
	t.Helper()
	ctx, s := t.Context(), c.Session
	if init := s.InitializeResult(); init.Capabilities.Completions == nil || init.Capabilities.Prompts == nil || init.ServerInfo.Title != "With notes" {
		t.Errorf("the server is %+v", init)
	}
	var uris []string
	for r, err := range s.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		uris = append(uris, r.URI)
	}
	if !slices.Contains(uris, "note://mine") {
		t.Errorf("resources: %v", uris)
	}
	read := func(uri string) string {
		res, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return err.Error()
		}
		return res.Contents[0].Text
	}
	for uri, want := range map[string]string{
		"note://mine":         "a note for ann",
		"note://of/bob":       "a note for ann",
		"skill://of/mine.txt": "a note for ann",
		"note://of/panic":     "failed unexpectedly",
		"note://of/nil":       "nil information",
		"note://of/busy":      "Too many notes.",
		"note://of/away":      "not found",
		"note://nowhere":      "not found",
	} {
		if got := read(uri); !strings.Contains(strings.ToLower(got), strings.ToLower(want)) || strings.Contains(got, "secret") {
			t.Errorf("%s: %s", uri, got)
		}
	}
	if p, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"}); err != nil || p.Messages[0].Content.(*mcp.TextContent).Text != "Greet ann" {
		t.Errorf("the prompt: %+v, %v", p, err)
	}
	if _, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: "panics"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a prompt that panics: %v", err)
	}
	complete := func(value string) (*mcp.CompleteResult, error) {
		return s.Complete(ctx, &mcp.CompleteParams{
			Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: mcp.CompleteParamsArgument{Name: "a", Value: value},
		})
	}
	if res, err := complete("x"); err != nil || !slices.Equal(res.Completion.Values, []string{"x ann"}) {
		t.Errorf("completions: %+v, %v", res, err)
	}
	if _, err := complete("panic"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a completion that panics: %v", err)
	}
}

// checkFaceBesideOwn checks that the face is there too.
func checkFaceBesideOwn(t *testing.T, c *cashtest.Client, name string) {
	t.Helper()
	if len(c.Tools()) == 0 {
		t.Error("the face has no tools")
	}
	if _, ok := c.Session.InitializeResult().Capabilities.Extensions["io.modelcontextprotocol/skills"]; !ok {
		t.Error("the skills extension is not declared")
	}
	uris := []string{"skill://orders/buy/SKILL.md"}
	switch name {
	case "cash":
		uris = append(uris, manifest.ResourceURI)
	case "disclosure":
		uris = append(uris, disclosure.DefaultURI+"?tools=orders-list")
	}
	for _, uri := range uris {
		if _, err := c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if _, err := c.Session.Complete(t.Context(), &mcp.CompleteParams{}); err == nil {
		t.Error("a completion of nothing is answered")
	}
}

// A caller whom the server refuses gets nothing of the embedder's, and of the face what it shows to such callers.
func TestOwnRefused(t *testing.T) {
	for _, link := range cashtest.Links() {
		o := new(own)
		srv := cash.NewServer(registry.New(nil), &cash.Options{Serve: serve.Options{
			NewServer: o.NewServer,
			Identify:  func(context.Context, *serve.Incoming) (*registry.Caller, error) { return nil, errors.New("not today") },
		}})
		s := link.Connect(t, srv, nil, nil).Session
		_, err1 := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "note://mine"})
		_, err2 := s.ListPrompts(t.Context(), nil)
		_, err3 := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greet"})
		_, err4 := s.ListResources(t.Context(), nil)
		err5 := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "note://mine"})
		for i, err := range []error{err1, err2, err3, err4, err5} {
			if i == 4 && link.Version >= "2026-07-28" { // of which a client waits for no answer
				continue
			}
			if err == nil || !strings.Contains(err.Error(), "not today") {
				t.Errorf("%s: request %d: %v", link, i+1, err)
			}
		}
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: manifest.ResourceURI}); err != nil {
			t.Errorf("%s: %v", link, err)
		}
	}
}

// Who is refused as a subscriber by the embedder is not told of changes.
func TestOwnSubscribeRefused(t *testing.T) {
	for _, link := range cashtest.Links()[:2] {
		synctest.Test(t, func(t *testing.T) {
			o := new(own)
			srv := cash.NewServer(registry.New(nil), &cash.Options{Serve: serve.Options{NewServer: o.NewServer}})
			for name, want := range map[string]int{"ann": 1, "bob": 0} {
				told := 0
				c := link.Connect(t, srv, &registry.Caller{ID: name}, &mcp.ClientOptions{
					ResourceUpdatedHandler: func(context.Context, *mcp.ResourceUpdatedNotificationRequest) { told++ },
				})
				err := c.Session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "note://mine"})
				if link.Version < "2026-07-28" && (err == nil) != (want == 1) {
					t.Errorf("%s: %s: %v", link, name, err)
				}
				synctest.Wait()
				o.each(func(srv *mcp.Server) {
					_ = srv.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "note://mine"})
				})
				synctest.Wait()
				if told != want {
					t.Errorf("%s: %s was told %d times", link, name, told)
				}
				_ = c.Session.Close()
				synctest.Wait()
			}
		})
	}
}

// A handler that hangs is left at the deadline, and a stopping server waits for those that run and starts no others.
func TestOwnDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &own{hang: make(chan struct{}), ended: make(chan struct{})}
		defer close(o.hang)
		srv := cash.NewServer(registry.New(nil), &cash.Options{Serve: serve.Options{NewServer: o.NewServer, Timeout: time.Minute}})
		client, server := mcp.NewInMemoryTransports()
		served := make(chan error, 1)
		go func() { served <- srv.Run(context.Background(), server) }()
		session, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).Connect(context.Background(), client, nil)
		if err != nil {
			t.Fatal(err)
		}
		read := func(uri string) error {
			_, err := session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri})
			return err
		}
		began := time.Now()
		if err := read("note://of/hang"); err == nil || !strings.Contains(err.Error(), "in time") || time.Since(began) > 61*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if err := read("note://mine"); err != nil {
			t.Error(err)
		}
		hung := make(chan error, 1)
		go func() { hung <- read("note://of/hang") }()
		synctest.Wait()
		stopped := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			stopped <- srv.Shutdown(ctx)
		}()
		synctest.Wait()
		if err := read("note://mine"); err == nil || !strings.Contains(err.Error(), "shutting down") {
			t.Errorf("while it stops: %v", err)
		}
		if err := <-hung; err == nil {
			t.Error("a hanging request was answered")
		}
		if err := <-stopped; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-served; !errors.Is(err, serve.ErrServerClosed) {
			t.Errorf("Run: %v", err)
		}
		<-o.ended
		_ = session.Close()
	})
}

// A NewServer that panics or returns nothing ends its connection, and not the process.
func TestOwnNewServerFails(t *testing.T) {
	for name, newServer := range map[string]func(context.Context, *mcp.Implementation, *mcp.ServerOptions) *mcp.Server{
		"panic": func(context.Context, *mcp.Implementation, *mcp.ServerOptions) *mcp.Server { panic("secret") },
		"nil":   func(context.Context, *mcp.Implementation, *mcp.ServerOptions) *mcp.Server { return nil },
	} {
		srv := cash.NewServer(registry.New(nil), &cash.Options{Serve: serve.Options{NewServer: newServer}})
		_, transport := mcp.NewInMemoryTransports()
		if err := srv.Run(t.Context(), transport); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: Run: %v", name, err)
		}
		func() {
			defer func() {
				if v := recover(); v == nil {
					t.Errorf("%s: Handler returned", name)
				} else if text := fmt.Sprint(v); name == "nil" && !strings.Contains(text, "NewServer returned nil") {
					t.Errorf("%s: %s", name, text)
				}
			}()
			srv.Handler()
		}()
	}
}
