package faulty

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
)

// A message is what of a JSON-RPC message matters here.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// parseMessage reads what it can: what is wrong is for the server to refuse.
func parseMessage(data []byte) *message {
	m := new(message)
	_ = json.Unmarshal(data, m)
	return m
}

// An exchange is a request that meets a fault.
type exchange struct {
	ctx    context.Context // ends with the connection
	f      *Server
	req    *message
	result json.RawMessage // the sound result, if the trait wants one
	wire   wire
}

// A wire is the way back to the client.
type wire interface {
	// open begins a message, which ends with Close. Several may follow each other
	// if many is set for the first of them.
	open(many bool) (io.WriteCloser, error)
	// noise sends a line that is no message.
	noise(line string) error
	// page sends a web page in place of an answer.
	page(html string) error
	// cut breaks the connection. It may not return.
	cut()
}

// send sends messages. There may be more to come if many is set.
func (x *exchange) send(many bool, messages ...[]byte) error {
	for _, m := range messages {
		w, err := x.wire.open(many)
		if err != nil {
			return err
		}
		if _, err := w.Write(m); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return x.ctx.Err()
}

// answer sends the only message of the exchange.
func (x *exchange) answer(m []byte) { _ = x.send(false, m) }

// respond answers with a result, which may be anything.
func (x *exchange) respond(result []byte) { x.answer(envelope(x.req.ID, result)) }

// flood sends n messages and then the sound answer.
func (x *exchange) flood(n int, next func(i int) []byte) {
	for i := range n {
		if x.send(true, next(i)) != nil {
			return
		}
	}
	_ = x.send(true, x.sound())
}

// sound is the answer as it should be.
func (x *exchange) sound() []byte { return envelope(x.req.ID, x.result) }

// envelope is the response with an id and a result.
func envelope(id, result []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// notification is a message without an id.
func notification(method string, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

// wait waits until the client has gone, or the test.
func (x *exchange) wait() { <-x.ctx.Done() }

// padded sends the sound answer with a first member that comes piece by piece.
func (x *exchange) padded(pieces iter.Seq[[]byte]) error {
	w, err := x.wire.open(false)
	if err != nil {
		return err
	}
	body, _ := bytes.CutPrefix(x.result, []byte("{"))
	if _, err := fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"padding":`, x.req.ID); err != nil {
		return err
	}
	for p := range pieces {
		n, err := w.Write(p)
		x.f.taken.Add(int64(n))
		if err != nil || x.ctx.Err() != nil {
			return context.Cause(x.ctx)
		}
	}
	comma := ","
	if bytes.Equal(bytes.TrimSpace(body), []byte("}")) {
		comma = ""
	}
	if _, err := fmt.Fprintf(w, `%s%s}`, comma, body); err != nil {
		return err
	}
	return w.Close()
}

// withMember returns the sound result with a member set to raw JSON.
func (x *exchange) withMember(name, value string) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(x.result, &members) != nil || members == nil {
		members = make(map[string]json.RawMessage)
	}
	members[name] = json.RawMessage(value)
	data, err := json.Marshal(members)
	if err != nil { // value is not JSON
		panic(err)
	}
	return data
}

// withTools returns the sound list with further tools, as raw JSON.
func (x *exchange) withTools(tools ...string) []byte {
	var list struct{ Tools []json.RawMessage }
	_ = json.Unmarshal(x.result, &list)
	for _, t := range tools {
		list.Tools = append(list.Tools, json.RawMessage(t))
	}
	data, err := json.Marshal(list.Tools)
	if err != nil {
		panic(err)
	}
	return x.withMember("tools", string(data))
}
