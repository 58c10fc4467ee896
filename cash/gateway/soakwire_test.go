package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/registry"
)

// soakRaw are faces whose tools other clients call with messages of their own making.
var soakRaw = []string{"cash", "plain", "facade"}

// callOf returns the tool and the arguments of a face for the function own.
func callOf(face string, args object) (tool string, arguments object) {
	switch face {
	case "cash":
		return "call", object{"namespace": "soak", "function": "own", "kwargs": args}
	case "facade":
		return "SoakExecute", object{"cmd": "own", "params": args}
	}
	return "soak-own", args
}

// request returns a message.
func request(id int, method string, params any) []byte {
	return []byte(toJSON(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

// marks checks that a text has marks, with the nonce alone and with one tag.
func marks(text, nonce string) error {
	all := soakMark.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return fmt.Errorf("no result for %s: %.300s", nonce, text)
	}
	for _, m := range all {
		if m[2] != nonce || m[1] != all[0][1] {
			return fmt.Errorf("the result for %s holds %s", nonce, m[0])
		}
	}
	return nil
}

// soakInitialize begins a session.
var soakInitialize = object{"protocolVersion": "2025-11-25", "capabilities": object{}, "clientInfo": object{"name": "soak", "version": "1"}}

// pipeline sends many requests at once over one connection, some of them wrong. Each gets exactly one answer.
func (w *soakWorld) pipeline(t *testing.T, turn int) {
	face := soakRaw[turn%len(soakRaw)]
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	conn, err := client.InMemory(registry.WithCaller(ctx, soakCaller(soakPipeliner)), w.faces[face]).Connect(ctx)
	if err != nil {
		t.Errorf("pipeline: %v", err)
		return
	}
	write := func(messages ...[]byte) { // beside reading: a server takes no further requests while nobody reads its refusals
		for _, data := range messages {
			m, err := jsonrpc.DecodeMessage(data)
			if err == nil {
				err = conn.Write(ctx, m)
			}
			if err != nil {
				t.Errorf("pipeline: writing: %v", err)
				return
			}
		}
	}
	var writing sync.WaitGroup
	defer writing.Wait() // after the connection is closed
	defer conn.Close()
	const batch = 20
	waiting := make(map[int64]func(r *jsonrpc.Response)) // by id
	end := func(id int) func(string) {
		end := w.begin(face + ": pipelined")
		waiting[int64(id)] = func(r *jsonrpc.Response) {
			end(map[bool]string{true: "ok", false: "refused"}[r.Error == nil])
		}
		return end
	}
	end(0)
	writing.Go(func() { write(request(0, "initialize", soakInitialize)) })
	messages := [][]byte{[]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)}
	for id := 1; id < batch; id++ {
		nonce := fmt.Sprintf("p%d-%d", turn, id)
		tool, arguments := callOf(face, object{"nonce": nonce, "pause": id % 7})
		message := request(id, "tools/call", object{"name": tool, "arguments": arguments})
		wrong := id%5 == 0
		if wrong {
			message = [][]byte{request(id, "soak/nothing", object{}), request(id, "tools/call", object{"name": 5}),
				request(id, "tools/call", object{"name": "nothing"})}[id/5%3]
		}
		end(id)
		note := waiting[int64(id)]
		waiting[int64(id)] = func(r *jsonrpc.Response) {
			note(r)
			if wrong != (r.Error != nil) {
				t.Errorf("pipeline: %s: %s %v", message, r.Result, r.Error)
			} else if err := marks(string(r.Result), nonce); err != nil && !wrong {
				t.Errorf("pipeline: %v", err)
			}
		}
		messages = append(messages, message)
	}
	end(batch)
	messages = append(messages, request(batch, "ping", object{}))
	for read := false; len(waiting) > 0; {
		m, err := conn.Read(ctx)
		if err != nil {
			t.Errorf("pipeline: %d answers are missing: %v", len(waiting), err)
			break
		}
		r, ok := m.(*jsonrpc.Response)
		if !ok {
			continue // a notification
		}
		id, _ := r.ID.Raw().(int64)
		note := waiting[id]
		if note == nil {
			t.Errorf("pipeline: a second answer to %v: %s", r.ID.Raw(), r.Result)
			break
		}
		delete(waiting, id)
		note(r)
		if !read { // the first answer: the session has begun
			read = true
			writing.Go(func() { write(messages...) })
		}
	}
	for _, note := range waiting {
		note(&jsonrpc.Response{Error: errors.New("lost")})
	}
}

// postOf returns a request without a session.
func (w *soakWorld) postOf(face string, user, id int, args object, spoil func(http.Header, []byte) []byte) *http.Request {
	tool, arguments := callOf(face, args)
	body := request(id, "tools/call", object{"name": tool, "arguments": arguments, "_meta": object{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": object{},
		"io.modelcontextprotocol/clientInfo": object{"name": "soak", "version": "1"},
	}})
	header := http.Header{}
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "X-Caller": strconv.Itoa(user),
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		header.Set(k, v)
	}
	if spoil != nil {
		body = spoil(header, body)
	}
	r, err := http.NewRequest(http.MethodPost, w.web.URL+"/"+face, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header = header
	return r
}

// answersIn returns the JSON-RPC answers in the body of a response.
func answersIn(body []byte) (list []string) {
	for line := range bytes.Lines(body) {
		line = bytes.TrimPrefix(line, []byte("data: "))
		var m struct{ ID json.RawMessage }
		if json.Unmarshal(line, &m) == nil && m.ID != nil {
			list = append(list, string(line))
		}
	}
	return list
}

// spoilt are the ways to make a request wrong.
var spoilt = []func(http.Header, []byte) []byte{
	func(_ http.Header, b []byte) []byte { return b[:len(b)/2] },
	func(_ http.Header, b []byte) []byte { return append(b, '}') },
	func(_ http.Header, b []byte) []byte {
		return bytes.Replace(b, []byte(`"method"`), []byte(`"method":"x","method"`), 1)
	},
	func(_ http.Header, b []byte) []byte { return bytes.Replace(b, []byte(`nonce`), []byte("non\xffce"), 1) },
	func(_ http.Header, b []byte) []byte { return append(b, bytes.Repeat([]byte(" "), 2<<20)...) },
	func(_ http.Header, b []byte) []byte {
		return bytes.Replace(b, []byte(`"nonce":"`), []byte(`"nonce":"`+strings.Repeat("x", 1<<20)), 1)
	},
	func(_ http.Header, b []byte) []byte {
		return bytes.Replace(b, []byte(`"nonce":`), []byte(`"deep":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`,"nonce":`), 1)
	},
	func(_ http.Header, b []byte) []byte { return []byte("[" + string(b) + "]") },
	func(h http.Header, b []byte) []byte { h.Set("Mcp-Method", "tools/list"); return b },
	func(h http.Header, b []byte) []byte { h.Del("Mcp-Name"); return b },
	func(h http.Header, b []byte) []byte { h.Set("Mcp-Protocol-Version", "1999-01-01"); return b },
	func(h http.Header, b []byte) []byte { h.Set("Content-Type", "text/plain"); return b },
	func(h http.Header, b []byte) []byte {
		h.Set("Mcp-Session-Id", "stolen")
		h.Set("Mcp-Protocol-Version", "2025-11-25")
		return b
	},
}

// soakRefusal matches an error of the protocol, or of a tool.
var soakRefusal = regexp.MustCompile(`"error":|"isError":true`)

// post sends a request without a session, every second time a wrong one. A wrong one has no result.
func (w *soakWorld) post(t *testing.T, turn int) {
	face := soakRaw[turn%len(soakRaw)]
	var spoil func(http.Header, []byte) []byte
	what := "posted"
	if turn%2 == 1 {
		spoil, what = spoilt[turn/2%len(spoilt)], "malformed or oversized"
	}
	nonce := fmt.Sprintf("h%d", turn)
	end := w.begin(face + ": " + what)
	res, err := (&http.Client{Transport: w.client, Timeout: time.Minute}).Do(w.postOf(face, soakPoster, turn, object{"nonce": nonce}, spoil))
	if err != nil {
		end("cut off")
		if spoil == nil { // the server may end the connection of a client that sends too much
			t.Errorf("post: %v", err)
		}
		return
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	end("status " + strconv.Itoa(res.StatusCode))
	switch answers := answersIn(body); {
	case spoil == nil && (err != nil || len(answers) != 1):
		t.Errorf("post: %v, %d answers: %.300s", err, len(answers), body)
	case spoil == nil:
		if err := marks(answers[0], nonce); err != nil {
			t.Errorf("post: %v", err)
		}
	case soakMark.Match(body) || res.StatusCode < 400 && !(len(answers) == 1 && soakRefusal.MatchString(answers[0])) || res.StatusCode >= 500:
		t.Errorf("the wrong request %d: status %d: %.300s", turn/2%len(spoilt), res.StatusCode, body)
	}
}

// readSlowly reads a large answer bit by bit.
func (w *soakWorld) readSlowly(t *testing.T, turn int) {
	nonce := fmt.Sprintf("s%d", turn)
	end := w.begin("plain: read slowly")
	r := w.postOf("plain", soakSlow, turn, object{"nonce": nonce, "size": 300_000}, nil)
	res, err := (&http.Client{Transport: w.client, Timeout: 2 * time.Minute}).Do(r)
	if err != nil {
		end("lost")
		t.Errorf("reading slowly: %v", err)
		return
	}
	defer res.Body.Close()
	var body []byte
	for err == nil {
		part := make([]byte, 64<<10)
		var n int
		n, err = io.ReadFull(res.Body, part)
		body = append(body, part[:n]...)
		rest(context.Background(), 10*time.Millisecond)
	}
	answers := answersIn(body)
	if len(answers) != 1 {
		end("lost")
		t.Errorf("reading slowly: %d answers in %d bytes", len(answers), len(body))
		return
	}
	end("ok")
	if err := marks(answers[0], nonce); err != nil {
		t.Errorf("reading slowly: %v", err)
	}
}

// vanish lets clients go while their calls run, without a word.
func (w *soakWorld) vanish(t *testing.T, turn int) {
	face := soakRaw[turn/3%len(soakRaw)]
	args := object{"nonce": "gone", "pause": 50, "size": 200_000}
	switch turn % 3 {
	case 0: // over HTTP, without a session
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.web.URL, "http://"))
		if err != nil {
			t.Errorf("vanishing: %v", err)
			return
		}
		w.begin(face + ": over HTTP")("vanished")
		_ = w.postOf(face, soakVanishing, turn, args, nil).Write(conn)
		rest(context.Background(), 60*time.Millisecond)
		conn.Close()
	case 1: // over HTTP, with a session
		w.vanishInSession(t, face, args)
	case 2: // in memory
		ctx := registry.WithCaller(context.Background(), soakCaller(soakVanishing))
		conn, err := client.InMemory(ctx, w.faces[face]).Connect(ctx)
		if err != nil {
			t.Errorf("vanishing: %v", err)
			return
		}
		defer conn.Close()
		w.begin(face + ": in memory")("vanished")
		for i, params := range []object{soakInitialize, {}} {
			method := "initialize"
			if i == 1 {
				tool, arguments := callOf(face, args)
				method, params = "tools/call", object{"name": tool, "arguments": arguments}
			}
			if m, err := jsonrpc.DecodeMessage(request(i, method, params)); err != nil || conn.Write(ctx, m) != nil {
				return
			}
			if i == 0 {
				_, _ = conn.Read(ctx)
			}
		}
		rest(context.Background(), 60*time.Millisecond)
	}
}

// A mortalTransport refuses everything once it is dead.
type mortalTransport struct {
	http.Transport
	dead atomic.Bool
}

func (m *mortalTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if m.dead.Load() {
		return nil, errors.New("the client is gone")
	}
	return m.Transport.RoundTrip(r)
}

func (w *soakWorld) vanishInSession(t *testing.T, face string, args object) {
	mortal := new(mortalTransport)
	defer mortal.CloseIdleConnections()
	c, err := client.Dial(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: w.web.URL + "/" + face, HTTPClient: &http.Client{Transport: callerHeader{mortal, soakVanishing}}, MaxRetries: -1,
	}, &client.Options{Version: "2025-11-25", Timeout: time.Minute})
	if err != nil {
		t.Errorf("vanishing: %v", err)
		return
	}
	w.begin(face + ": in a session")("vanished")
	ctx, cancel := context.WithTimeout(context.Background(), randomPart(60*time.Millisecond)+1)
	defer cancel()
	tool, arguments := callOf(face, args)
	mortal.dead.Store(false)
	stop := context.AfterFunc(ctx, func() { mortal.dead.Store(true) }) // before the client can say that it gives up
	defer stop()
	_, _ = c.Session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	mortal.dead.Store(true)
	_ = c.Close()
}

// execute asks the command endpoint.
func (w *soakWorld) execute(t *testing.T, turn int) {
	ctx, cancel := context.WithTimeout(registry.WithCaller(context.Background(), soakCaller(soakCommand)), time.Minute)
	defer cancel()
	nonce := fmt.Sprintf("e%d", turn)
	tool, from := "soak.own", "own"
	if turn%2 == 1 {
		tool, from = w.upstreams[turn/2%len(w.upstreams)].label+".echo", "upstream"
	}
	end := w.begin("endpoint: " + from)
	var answer bytes.Buffer
	exit := w.command.Run(ctx, strings.NewReader(toJSON(object{"action": "call_tool", "tool": tool, "arguments": object{"nonce": nonce}})), &answer)
	switch n := bytes.Count(answer.Bytes(), []byte("\n")); {
	case n != 1:
		end("lost")
		t.Errorf("the endpoint gave %d lines: %.300s", n, answer.Bytes())
	case exit == 0:
		end("ok")
		if err := marks(answer.String(), nonce); err != nil {
			t.Errorf("endpoint: %v", err)
		}
	default:
		end("error")
		if from == "own" || !strings.Contains(answer.String(), `"type":"error"`) || soakMark.Match(answer.Bytes()) {
			t.Errorf("endpoint: %.300s", answer.Bytes())
		}
	}
}
