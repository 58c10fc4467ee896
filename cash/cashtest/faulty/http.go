package faulty

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// statelessVersion is the first protocol version without sessions.
const statelessVersion = "2026-07-28"

// anyPort is the loopback address with a port chosen by the system.
const anyPort = "127.0.0.1:0"

// A site is the server on one URL.
type site struct {
	f         *Server
	life      context.Context
	end       context.CancelFunc // ends everything that hangs
	mcp       *mcp.Server
	healthy   http.Handler
	elsewhere *httptest.Server // the other host
	addr      string           // of its listener; the first open chooses the port
	srv       *httptest.Server // nil while closed

	untrusted  *tls.Certificate // nil over plain HTTP
	distrusted bool             // whether untrusted is shown
}

func newSite(f *Server) *site {
	s := &site{f: f, addr: anyPort}
	s.life, s.end = context.WithCancel(context.Background())
	s.mcp = newHealthy(f, s.life)
	get := func(*http.Request) *mcp.Server { return s.mcp }
	sessions := mcp.NewStreamableHTTPHandler(get, nil)
	single := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	s.healthy = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= statelessVersion {
			single.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
	s.elsewhere = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.arrived(r.Header)
		s.healthy.ServeHTTP(w, r)
	}))
	return s
}

// open starts to listen, on the earlier address if there is one.
func (s *site) open() error {
	ln, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	s.addr = ln.Addr().String()
	s.srv = &httptest.Server{Listener: ln, Config: &http.Server{
		Handler:  http.HandlerFunc(s.serve),
		ErrorLog: log.New(io.Discard, "", 0), // handshake errors are intended
	}}
	if s.untrusted == nil {
		s.srv.Start()
		return nil
	}
	s.srv.TLS = &tls.Config{GetConfigForClient: s.certificate}
	s.srv.StartTLS()
	return nil
}

// shut refuses new connections and ends existing ones.
func (s *site) shut() {
	if s.srv != nil {
		s.srv.CloseClientConnections()
		s.srv.Close()
		s.srv = nil
	}
}

// follow applies a fault to the whole site.
func (s *site) follow(fault Fault) error {
	switch {
	case fault == refused:
		s.shut()
	case s.srv == nil:
		return s.open()
	case s.untrusted != nil && s.distrusted != (fault == certificate):
		s.distrusted = !s.distrusted
		s.srv.CloseClientConnections() // forces a new handshake
	}
	return nil
}

func (s *site) lacks(fault Fault) string {
	if fault == certificate && s.untrusted == nil {
		return "a fault of the certificate needs HTTPS: set it before HTTP is called"
	}
	return ""
}

// close stops the site and waits for its goroutines.
func (s *site) close() {
	s.end()
	s.shut()
	s.elsewhere.CloseClientConnections()
	s.elsewhere.Close()
	for ss := range s.mcp.Sessions() {
		_ = ss.Close()
	}
}

func (s *site) url() string {
	if s.untrusted != nil {
		return "https://" + s.addr + "/mcp"
	}
	return "http://" + s.addr + "/mcp"
}

// otherURL returns the other host, with another name and port.
func (s *site) otherURL() string {
	_, port, _ := net.SplitHostPort(s.elsewhere.Listener.Addr().String())
	return "http://localhost:" + port + "/mcp"
}

// maxRequest bounds a request body, in bytes.
const maxRequest = 64 << 20

// serve answers a request: soundly, or with the fault.
func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m := parseMessage(body)
	if m.Method == "" && ours(m.ID) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	t := s.f.traitFor(m, 0)
	if t == nil {
		s.healthy.ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	x := &exchange{ctx: ctx, f: s.f, req: m, wire: &httpWire{s: s, w: w, r: r}}
	if t.runs && !s.run(x, w, r.WithContext(ctx)) {
		return
	}
	t.act(x)
}

// run runs the sound server. It reports false if that refused the request, and the client was told.
func (s *site) run(x *exchange, w http.ResponseWriter, r *http.Request) bool {
	rec := httptest.NewRecorder()
	s.healthy.ServeHTTP(rec, r)
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	body := rec.Body.Bytes()
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			line = data
		}
		if m := parseMessage(line); m.Method == "" && m.Result != nil {
			x.result = m.Result
			w.Header().Del("Content-Type")
			w.Header().Del("Content-Length")
			return true
		}
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(body)
	return false
}

// ours reports whether an id belongs to a request of "request-flood". The sound server did not send those, so it
// must not see the replies.
func ours(id []byte) bool { return bytes.HasPrefix(id, []byte(`"`+floodID)) }

// httpWire is the wire of one HTTP request.
type httpWire struct {
	s      *site
	w      http.ResponseWriter
	r      *http.Request
	opened bool
	events bool
}

func (h *httpWire) begin(many bool) {
	if h.opened {
		return
	}
	h.opened, h.events = true, many || h.s.f.EventStream
	kind := "application/json"
	if h.events {
		kind = "text/event-stream"
	}
	h.w.Header().Set("Content-Type", kind)
	h.w.WriteHeader(http.StatusOK)
}

func (h *httpWire) open(many bool) (io.WriteCloser, error) {
	h.begin(many)
	if h.events {
		_, err := io.WriteString(h.w, "event: message\ndata: ")
		return h, err
	}
	return h, http.NewResponseController(h.w).Flush()
}

// Write writes and flushes.
func (h *httpWire) Write(p []byte) (int, error) {
	n, err := h.w.Write(p)
	return n, errors.Join(err, http.NewResponseController(h.w).Flush())
}

// Close ends a message.
func (h *httpWire) Close() error {
	if !h.events {
		return nil
	}
	_, err := h.Write([]byte("\n\n"))
	return err
}

func (h *httpWire) noise(line string) error {
	h.begin(true)
	_, err := io.WriteString(h.w, ": "+line+"\n\nevent: noise\ndata: "+line+"\n\n")
	return err
}

func (h *httpWire) page(html string) error {
	h.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err := io.WriteString(h.w, html)
	return err
}

func (h *httpWire) cut() {
	c, _, err := http.NewResponseController(h.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // sends a reset instead of an orderly end
	}
	_ = c.Close()
}

// status answers with a status code instead of a message.
func (h *httpWire) status(code int, header ...string) {
	for pair := range slices.Chunk(header, 2) {
		h.w.Header().Set(pair[0], pair[1])
	}
	http.Error(h.w, strings.ToLower(http.StatusText(code)), code)
}
