package check

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// A web is a wire over streamable HTTP.
type web struct {
	client  *http.Client
	url     string
	version string
	timeout time.Duration
	session string
}

func newWeb(client *http.Client, url, version string, timeout time.Duration) *web {
	if client == nil {
		client = &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4}}
	}
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &web{client: &own, url: url, version: version, timeout: timeout}
}

func (w *web) pid() int { return 0 }

// open implements wire: the session is the one that the first answer names.
func (w *web) open(context.Context) error {
	w.session = ""
	return nil
}

// close ends the session.
func (w *web) close() {
	if w.session != "" {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		w.post(ctx, &message{verb: http.MethodDelete})
	}
	w.session = ""
	w.client.CloseIdleConnections()
}

// exchange implements wire.
func (w *web) exchange(ctx context.Context, m, ping *message, wait time.Duration) *outcome {
	limit, cancel := context.WithTimeout(ctx, wait)
	o := w.post(limit, m)
	o.late = o.late || limit.Err() != nil && !o.enough(m)
	if o.opened && w.session != "" { // without a session, disconnecting cancels; with one it does not
		w.post(limit, m.cancellation())
	}
	cancel()
	if w.session == "" && o.session != "" {
		w.session = o.session
	} else if o.session != "" && o.session != w.session {
		o.lost = "the answer names another session"
	}
	if ping == nil || ctx.Err() != nil {
		return o
	}
	limit, cancel = context.WithTimeout(ctx, w.timeout)
	defer cancel()
	p := w.post(limit, ping)
	switch {
	case p.status == http.StatusNotFound && w.session != "":
		o.lost = fmt.Sprintf("status 404: %s", excerpt(p.refusal))
	case len(p.answers) == 1:
		o.pinged = p.answers[0]
	case p.broken != "":
		o.noPing = p.broken
	default:
		o.noPing = fmt.Sprintf("status %d with %d answers: %s", p.status, len(p.answers), excerpt(p.refusal))
	}
	return o
}

// post sends a message and reads the response.
func (w *web) post(ctx context.Context, m *message) *outcome {
	o := new(outcome)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := w.newRequest(ctx, m)
	if err != nil {
		o.broken = err.Error()
		return o
	}
	resp, err := w.client.Do(r)
	if err != nil {
		if o.late = errors.Is(err, context.DeadlineExceeded); !o.late {
			o.broken = err.Error()
		}
		return o
	}
	defer resp.Body.Close()
	o.status, o.session = resp.StatusCode, resp.Header.Get("Mcp-Session-Id")
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	body := bufio.NewReader(io.LimitReader(resp.Body, maxAnswer))
	if kind == "text/event-stream" {
		o.events(body, m)
		return o
	}
	data, err := io.ReadAll(body)
	if err != nil && ctx.Err() == nil {
		o.broken = err.Error()
	}
	if text := bytes.TrimSpace(data); kind == "application/json" && len(text) > 0 {
		o.receive(data, m)
	} else {
		o.refusal = text
	}
	return o
}

// events reads an event stream to its end, or until it is known not to end.
func (o *outcome) events(r *bufio.Reader, m *message) {
	var data []byte
	for !o.opened {
		line, err := readLine(r)
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(text, []byte(" "))...), '\n')
		}
		if len(line) == 0 || err != nil {
			if text := bytes.TrimSuffix(data, []byte("\n")); len(text) > 0 {
				o.receive(text, m)
			}
			data = nil
		}
		if err != nil {
			return
		}
	}
}

func (o *outcome) receive(data []byte, m *message) {
	for _, a := range received(data) {
		if !o.setAside(a, m) {
			o.answers = append(o.answers, a)
		}
	}
}

func (w *web) newRequest(ctx context.Context, m *message) (*http.Request, error) {
	verb := m.verb
	if verb == "" {
		verb = http.MethodPost
	}
	var body io.Reader = bytes.NewReader(m.data)
	if m.chunked {
		body = io.MultiReader(body) // hides the length
	}
	r, err := http.NewRequestWithContext(ctx, verb, w.url, body)
	if err != nil {
		return nil, err
	}
	h := r.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if w.session != "" || w.version >= sessionless {
		h.Set("Mcp-Protocol-Version", w.version)
	}
	if w.session != "" {
		h.Set("Mcp-Session-Id", w.session)
	}
	if w.version >= sessionless {
		method, name := m.routed()
		setField(h, "Mcp-Method", method)
		setField(h, "Mcp-Name", name)
	}
	for name, values := range m.header {
		h.Del(name)
		if len(values) > 0 {
			h[name] = values
		}
		if name == "Host" {
			r.Host = values[0]
		}
	}
	return r, nil
}

// setField sets a header field, base64-encoded where HTTP requires it. A value too long for a header is left out.
func setField(h http.Header, name, text string) {
	const longest = 4096
	if text == "" || len(text) > longest {
		return
	}
	plain := strings.TrimSpace(text) == text && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
	if !plain {
		text = "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
	}
	h.Set(name, text)
}
