package explore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Handler is the page. It is an [http.Handler], safe for concurrent use.
type Handler struct {
	opts      Options
	local     bool // there is no Login
	pipeline  *registry.Pipeline
	source    registry.Source
	mux       http.Handler
	playing   chan struct{} // places for conversations about a function
	measuring chan struct{} // a place for a measurement of all functions
	preparing atomic.Bool   // the index of searches is being made
	pending   *bounded.Store[string, pendingCall]
}

// New returns the page of a source. It panics if src is nil.
func New(src registry.Source, o *Options) *Handler {
	h := &Handler{opts: o.withDefaults(), local: o == nil || o.Login == nil, playing: make(chan struct{}, 2), measuring: make(chan struct{}, 1)}
	h.pipeline = registry.NewPipeline(src, h.opts.Pipeline)
	h.source = h.pipeline.Source()
	h.pending = bounded.New[string, pendingCall](nil, nil)
	mux := http.NewServeMux()
	get := func(name string, f func(*request) error) { mux.Handle("GET /"+name, h.page(f)) }
	post := func(name string, f func(*request) error) { mux.Handle("POST /"+name, h.page(f)) }
	get("{$}", h.namespace)
	get("search", h.search)
	get("function", h.function)
	get("skill", h.skill)
	get("costs", h.costs)
	for name, a := range assets {
		mux.Handle("GET /"+name, a)
	}
	if h.opts.Pipeline != nil {
		post("call", h.call)
	}
	if h.opts.Firewall != nil {
		get("artifact", h.artifact)
	}
	if h.opts.Log != nil {
		get("log", operator(h.log))
	}
	if h.opts.Upstreams != nil {
		get("upstreams", operator(h.upstreams))
		post("accept", operator(h.accept))
		post("refresh", operator(h.refresh))
	}
	if h.opts.Approvals != nil {
		get("approvals", operator(h.approvals))
		post("settle", operator(h.settle))
	}
	mux.Handle("GET /", h.page(func(*request) error { return errNoPage }))
	h.mux = h.guard(mux)
	return h
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// A request is one request of a viewer who is known.
type request struct {
	*http.Request
	*visit
	w      http.ResponseWriter
	ctx    context.Context // with the caller
	caller *registry.Caller
	as     string // the caller's name among those of the viewer
	h      *Handler
}

// A visit is what the guard knows of a request.
type visit struct {
	viewer *Viewer
	nonce  string
}

type visitKey struct{}

func withVisit(ctx context.Context, v *visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// A failure is an error with its own HTTP status and words for the reader.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

var (
	errNoPage   = &failure{http.StatusNotFound, "There is no such page."}
	errNoCaller = &failure{http.StatusForbidden, "You may not look at the page as this caller."}
	errBusy     = &failure{http.StatusServiceUnavailable, "Other measurements are running. Try again in a moment."}
	errBadForm  = &failure{http.StatusBadRequest, "The form could not be read: it is malformed or too large."}
)

// page returns the handler of a page.
func (h *Handler) page(f func(*request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		r := &request{Request: hr, visit: hr.Context().Value(visitKey{}).(*visit), w: w, ctx: hr.Context(), h: h}
		err := r.identify()
		if err == nil {
			err = f(r)
		}
		if err != nil {
			r.fail(err)
		}
	})
}

// operator hides a page from viewers who are no operators.
func operator(f func(*request) error) func(*request) error {
	return func(r *request) error {
		if !r.viewer.Operator {
			return errNoPage
		}
		return f(r)
	}
}

// identify finds the caller that the viewer has chosen. After an error it is the first one.
func (r *request) identify() error {
	r.caller, r.as = r.viewer.first()
	if r.Method == http.MethodPost && r.ParseForm() != nil {
		return errBadForm
	}
	values := r.URL.Query()
	if r.Method == http.MethodPost {
		values = r.PostForm
	}
	if values.Has("as") {
		c, ok := r.viewer.caller(values.Get("as"))
		if !ok {
			return errNoCaller
		}
		r.caller, r.as = c, values.Get("as")
	}
	r.ctx = registry.WithCaller(r.ctx, r.caller)
	return nil
}

// fail answers with an error. Names that are similar to an unknown one come with it.
func (r *request) fail(err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return
	}
	p := struct {
		frame
		Error   string
		Similar []string
	}{frame: r.frame("Not available")}
	status := http.StatusBadGateway
	if known := (*failure)(nil); errors.As(err, &known) {
		status, p.Error = known.status, known.text
	} else {
		e := registry.AsError(err)
		p.Error = e.Message
		switch e.Kind {
		case registry.UnknownNamespace, registry.UnknownFunction, registry.UnknownSkill:
			status = http.StatusNotFound
		case registry.InvalidName, registry.InvalidArguments, registry.InvalidPath:
			status = http.StatusBadRequest
		}
		for _, s := range registry.Suggest(r.ctx, r.h.source, err) {
			p.Similar = append(p.Similar, strings.Trim(s.Namespace+"."+s.Name, "."))
		}
	}
	r.render(status, "error", &p)
}

//go:embed assets
var files embed.FS

// names are the templates of pages.
var names = strings.Fields("namespace search function skill costs called log upstreams approvals artifact error")

// templates are the pages by name, each in the common frame.
var templates = func() map[string]*template.Template {
	common := template.Must(template.New("").Funcs(functions).ParseFS(files, "assets/frame.html"))
	all := make(map[string]*template.Template)
	for _, name := range names {
		all[name] = template.Must(template.Must(common.Clone()).ParseFS(files, "assets/"+name+".html"))
	}
	return all
}()

// part reports whether the request is for the block of a page that changes.
func (r *request) part() bool { return r.URL.Query().Has("part") }

// render writes a page, or its block that changes. A page has the field for searches, so their index is prepared.
func (r *request) render(status int, name string, data any) error {
	block := "frame"
	if r.part() && templates[name].Lookup("part") != nil {
		block = "part"
	}
	var page bytes.Buffer
	if err := templates[name].ExecuteTemplate(&page, block, data); err != nil {
		r.h.opts.Logger.ErrorContext(r.ctx, "a page could not be made", "page", name, "error", err.Error())
		http.Error(r.w, "This page could not be made.", http.StatusInternalServerError)
		return nil
	}
	r.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	r.w.WriteHeader(status)
	_, _ = r.w.Write(page.Bytes()) // the reader has gone
	if block == "frame" {
		r.prepare()
	}
	return nil
}

// An asset is a file for the browser.
type asset struct {
	kind, hash string
	data       []byte
}

var assets = map[string]asset{
	"style.css": newAsset("style.css", "text/css; charset=utf-8"),
	"page.js":   newAsset("page.js", "text/javascript; charset=utf-8"),
}

func newAsset(name, kind string) asset {
	data, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(data)
	return asset{kind, hex.EncodeToString(sum[:8]), data}
}

// ServeHTTP implements [http.Handler]. The address of an asset has its hash, so browsers may keep it.
func (a asset) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "private, max-age=86400, immutable")
	_, _ = w.Write(a.data) // the reader has gone
}

// A frame is what all pages have.
type frame struct {
	Title, Heading string
	Nonce          string
	Style, Script  string // hashes
	Pages          []link
	Callers        []string
	As             string
	Chosen         bool // As differs from the default
	Query          string
	Self, Path     string // the page and its path, which a change of the caller keeps
	Nav            []branch
}

// A link leads to another page.
type link struct {
	Text, URL string
	Here      bool
}

// frame returns the frame of a page.
func (r *request) frame(title string) frame {
	f := frame{
		Title: title, Heading: r.h.opts.Name, Nonce: r.nonce,
		Style: assets["style.css"].hash, Script: assets["page.js"].hash,
		As: r.as, Callers: r.viewer.names(), Self: cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), "./"),
	}
	if r.Method == http.MethodPost {
		f.Self = "./"
	}
	f.Chosen = len(f.Callers) > 0 && f.As != f.Callers[0]
	o := &r.h.opts
	add := func(text, name string, there bool) {
		if there {
			f.Pages = append(f.Pages, link{text, f.URL(name), strings.TrimPrefix(r.URL.Path, "/") == strings.TrimPrefix(name, "./")})
		}
	}
	add("Tree", "./", true)
	add("Costs", "costs", true)
	add("Artifacts", "artifact", o.Firewall != nil)
	add("Log", "log", o.Log != nil && r.viewer.Operator)
	add("Upstreams", "upstreams", o.Upstreams != nil && r.viewer.Operator)
	add("Approvals", "approvals", o.Approvals != nil && r.viewer.Operator)
	return f
}

// URL returns the address of a page, with keys and values of its query, for the same caller.
func (f *frame) URL(page string, query ...string) string {
	values := make(url.Values)
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			values.Set(query[i], query[i+1])
		}
	}
	if f.Chosen {
		values.Set("as", f.As)
	}
	if len(values) == 0 {
		return page
	}
	return page + "?" + values.Encode()
}
