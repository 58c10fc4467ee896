package openapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/registry"
)

// maxResponse bounds the body of a response.
const maxResponse = 16 << 20

// A Server answers the requests of operations. [Handler] and [Client] make one.
type Server struct {
	handler http.Handler
	client  *http.Client
	base    *url.URL
	err     error
}

// Handler returns a server in this process. The context of a request ends with the call, and has the caller
// ([registry.CallerFrom]) and the span of OpenTelemetry. [Context] adds other values. Those of the request that carries
// the call are not passed on, so that one router may serve both. The path is below that of the document's first server.
//
// A response is kept in memory, at most 16 MiB. Its JSON reaches the caller byte for byte.
func Handler(h http.Handler) *Server {
	if h == nil {
		panic("openapi: nil handler")
	}
	return &Server{handler: h}
}

// Client returns a server at base, an address with http or https. It takes the place of the document's first server:
// operations with servers of their own are below it as they are below that one, or left out. A copy of client sends the
// requests; nil has default settings. A client with a cookie jar is an error of [Mount]: it would send the cookies of
// one caller for another. Its transport finds the caller by [registry.CallerFrom] in the request's context. Redirects
// are followed to the same scheme, host and port only, and only if they keep the method.
//
// A response has at most 16 MiB. Its texts are cleaned of what controls a terminal or deceives a reader invisibly.
func Client(base string, client *http.Client) *Server {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return &Server{err: errors.New("the base address is not one with http or https, a host and a path")}
	}
	if client == nil {
		client = new(http.Client)
	}
	if client.Jar != nil {
		return &Server{err: errors.New("the client has a cookie jar, which sends cookies of one caller for another")}
	}
	own := *client
	follow := client.CheckRedirect
	own.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		first := via[0]
		if len(via) >= 10 || r.URL.Scheme != u.Scheme || r.URL.Host != u.Host || r.Method != first.Method {
			return http.ErrUseLastResponse
		}
		if follow != nil {
			return follow(r, via)
		}
		return nil
	}
	return &Server{client: &own, base: u}
}

// at returns the base of requests, for a document whose first server is at u.
func (s *Server) at(u *url.URL) *url.URL {
	if s.base != nil {
		return s.base
	}
	base := url.URL{Scheme: "http", Host: "localhost", Path: u.Path, RawPath: u.RawPath}
	if u.Host != "" {
		base.Host = u.Host
	}
	if u.Scheme == "https" {
		base.Scheme = u.Scheme
	}
	return &base
}

// A response is a whole response.
type response struct {
	code   int
	header http.Header
	body   []byte
}

// do sends a request.
func (s *Server) do(r *http.Request) (*response, error) {
	if s.handler != nil {
		return s.serve(r)
	}
	if r.URL.Scheme != s.base.Scheme || r.URL.Host != s.base.Host {
		return nil, &registry.Error{Kind: registry.Internal, Message: "The request would go to another host.", NotRun: true}
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, lost(r.Context(), err)
	}
	defer answer.Body.Close() // nothing is lost by its error
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxResponse+1))
	switch {
	case len(data) > maxResponse:
		return nil, tooLarge()
	case err != nil:
		err := lost(r.Context(), err)
		if err.Kind == registry.Unavailable {
			err.Message = "The service's answer did not arrive in full."
		}
		return nil, err
	}
	return readable(&response{answer.StatusCode, answer.Header, data})
}

// readable refuses a response in an encoding that is not read, such as br: the model would get its bytes. Texts become
// UTF-8.
func readable(r *response) (*response, error) {
	if coding := r.header.Get("Content-Encoding"); len(r.body) > 0 && coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, &registry.Error{Kind: registry.Failed, Message: "The service compresses its response in a way that is not read."}
	}
	media, params, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err == nil && !utf8.Valid(r.body) && (strings.HasPrefix(media, "text/") || isJSON(media)) && strings.EqualFold(params["charset"], "iso-8859-1") {
		r.body = fromLatin(r.body)
	}
	return r, nil
}

// fromLatin returns a text in ISO-8859-1, whose bytes are the first characters of Unicode, in UTF-8.
func fromLatin(text []byte) []byte {
	made := make([]byte, 0, len(text)+len(text)/16)
	for _, b := range text {
		made = utf8.AppendRune(made, rune(b))
	}
	return made
}

func aborted() error {
	return &registry.Error{Kind: registry.Failed, Message: "The service aborted its answer."}
}

func tooLarge() error {
	return &registry.Error{
		Kind: registry.Failed, Message: fmt.Sprintf("The response has more than %d MiB.", maxResponse>>20),
		Hint: "Ask for less, for example by a filter or a smaller page.",
	}
}

// lost words a request without an answer. The cause may hold an address, and is for logs.
func lost(ctx context.Context, err error) *registry.Error {
	e := &registry.Error{Kind: registry.Unavailable, Message: "The service did not answer.", Hint: "Try again later.", Err: err}
	var dial *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dial) && dial.Op == "dial", errors.As(err, &certificate):
		e.NotRun = true
	case errors.Is(ctx.Err(), context.Canceled):
		e.Kind, e.Message, e.Hint = registry.Canceled, "The call was given up.", "Its outcome is unknown."
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Message, e.Hint = registry.TimedOut, "The service did not answer in time.", "Its outcome is unknown."
	}
	return e
}

// serve runs the handler.
func (s *Server) serve(r *http.Request) (res *response, err error) {
	r.RequestURI = r.URL.RequestURI()
	r.RemoteAddr = "192.0.2.1:0" // one that nobody has, as a trusted address would be an identity
	w := &recorder{header: make(http.Header), bare: r.Method == http.MethodHead}
	defer func() {
		p := recover()
		switch {
		case p == nil:
		case p == http.ErrAbortHandler && w.full:
			res, err = nil, tooLarge()
		case p == http.ErrAbortHandler && r.Context().Err() != nil:
			res, err = nil, lost(r.Context(), r.Context().Err())
		case p == http.ErrAbortHandler:
			res, err = nil, aborted()
		default:
			panic(p)
		}
	}()
	// Proxies abort an answer that is cut off only if they see a server.
	r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, new(http.Server)))
	s.handler.ServeHTTP(w, r)
	if w.full {
		return nil, tooLarge()
	}
	// Without an answer it has given up, and so has a proxy that says 502 because its own request has ended.
	if ctx := r.Context(); ctx.Err() != nil && (w.code == 0 || w.code >= 500) {
		return nil, lost(ctx, ctx.Err())
	}
	w.WriteHeader(http.StatusOK)
	if n, err := strconv.Atoi(w.sent.Get("Content-Length")); err == nil && n > w.body.Len() && !w.bare {
		return nil, aborted()
	}
	return readable(&response{w.code, w.sent, w.body.Bytes()})
}

// A recorder is the ResponseWriter of a handler in this process.
type recorder struct {
	header, sent http.Header
	code         int
	body         bytes.Buffer
	full         bool
	bare         bool // without a body (RFC 9110, section 6.4.1)
}

// Header implements http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(code int) {
	if w.code == 0 && code >= 200 {
		w.code, w.sent = code, w.header.Clone()
		w.bare = w.bare || code == http.StatusNoContent || code == http.StatusNotModified
	}
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(data []byte) (int, error) {
	if w.WriteHeader(http.StatusOK); w.bare {
		return len(data), nil
	}
	if w.body.Len()+len(data) > maxResponse {
		w.full = true
		return 0, errors.New("the response is too large")
	}
	return w.body.Write(data)
}

// Flush implements http.Flusher. The response is sent as a whole.
func (w *recorder) Flush() { w.WriteHeader(http.StatusOK) }

func trimmed(u *url.URL) string { return strings.TrimSuffix(u.String(), "/") }
