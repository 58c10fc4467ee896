package faulty

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
)

// A message has the relevant parts of a JSON-RPC message.
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

// parseMessage parses leniently: the sound server refuses invalid messages.
func parseMessage(data []byte) *message {
	m := new(message)
	_ = json.Unmarshal(data, m)
	return m
}

// An exchange is one request that meets a fault.
type exchange struct {
	ctx    context.Context // ends with the connection
	f      *Server
	req    *message
	result json.RawMessage // the sound result, if the trait needs it
	wire   wire
}

// A wire sends data to the client.
type wire interface {
	// open begins a message; closing it ends it. If many is set on the first one, several may follow each other.
	open(many bool) (io.WriteCloser, error)
	// noise sends a line that is no message.
	noise(line string) error
	// page sends a web page instead of an answer.
	page(html string) error
	// cut breaks the connection. It may not return.
	cut()
}

// send sends messages. If many is set, more may follow.
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

// answer sends a message, the only one of the exchange.
func (x *exchange) answer(m []byte) { _ = x.send(false, m) }

// respond answers with a result of any form.
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

// sound returns the correct answer.
func (x *exchange) sound() []byte { return envelope(x.req.ID, x.result) }

// envelope returns a response with an id and a result.
func envelope(id, result []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// notification returns a message without an id.
func notification(method string, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

// wait waits until the client disconnects or the test ends.
func (x *exchange) wait() { <-x.ctx.Done() }

// padded sends the sound answer after a first member that arrives in pieces.
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

// withMember returns the sound result with one member replaced by raw JSON.
func (x *exchange) withMember(name, value string) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(x.result, &members) != nil || members == nil {
		members = make(map[string]json.RawMessage)
	}
	members[name] = json.RawMessage(value)
	data, err := json.Marshal(members)
	if err != nil { // value is invalid JSON
		panic(err)
	}
	return data
}

// withTools returns the sound list with additional tools, given as raw JSON.
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
