package cashsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of a cache.
const (
	pageLife  = 5 * time.Minute
	maxKept   = 1000    // pages
	maxPage   = 1 << 20 // bytes of one
	maxStored = 8 << 20 // bytes of all pages
)

// A cache holds what was read of a CaSH server. It belongs to a [Source] and is emptied with it.
type cache[V any] struct {
	*bounded.Store[string, V]
}

func newCache[V any]() cache[V] { return cache[V]{bounded.New[string, V](nil, nil)} }

func (c cache[V]) get(key string) (v V, ok bool) {
	c.Lock()
	defer c.Unlock()
	if it := c.Get(key); it != nil {
		return it.Value, true
	}
	return v, false
}

// put adds a value that was made of size bytes.
func (c cache[V]) put(key string, v V, size int) {
	c.Lock()
	defer c.Unlock()
	takes := bounded.Amount{Count: 1, Bytes: int64(size)}
	c.Put(key, v, bounded.Terms{Takes: takes, Expires: c.Now().Add(pageLife)},
		bounded.Share{Most: bounded.Amount{Count: maxKept, Bytes: maxStored}, Evicts: true})
}

// fetch returns the page of help or skill for a name and keyword arguments, from the cache or from the server.
func (v view) fetch(ctx context.Context, tool, path, name string, kwargs json.RawMessage) (string, error) {
	key := ""
	if len(kwargs) <= maxKeyed {
		// Pages leave out loops, so they depend on the servers that the request has come through.
		through := strings.Join(registry.Via(ctx), " ")
		key = strings.Join([]string{tool, path, name, through, string(strictjson.Canonical(orEmpty(kwargs)))}, "\x00")
		if text, ok := v.pages.get(key); ok {
			return text, nil
		}
	}
	text, err := v.askFor(ctx, tool, path, name, kwargs)
	if err == nil && key != "" {
		v.pages.put(key, text, len(text))
	}
	return text, err
}

// maxKeyed bounds the keyword arguments of cached pages, in bytes.
const maxKeyed = 256

func orEmpty(kwargs json.RawMessage) json.RawMessage {
	if len(kwargs) == 0 {
		return json.RawMessage("{}")
	}
	return kwargs
}

// askFor requests the page from the server.
func (v view) askFor(ctx context.Context, tool, path, name string, kwargs json.RawMessage) (string, error) {
	return v.ask(ctx, v.placeOf(path), tool, name, v.dialect.arguments(tool, pageArguments(tool, path, name, kwargs)), nil)
}

// ask requests a text from the server's tool help or skill. place and name are for errors.
func (v view) ask(ctx context.Context, place, tool, name string, arguments map[string]any, meta mcp.Meta) (string, error) {
	a, err := v.Host.Page(ctx, v.mount.Label, tool, arguments, meta)
	var e *registry.Error
	if errors.As(err, &e) {
		e.Namespace, e.Name = place, name
	}
	if err != nil {
		return "", err
	}
	return v.pageText(a, place, name)
}

// placeOf returns the path of the server's namespace in this tree.
func (v view) placeOf(path string) string {
	return wire.Join(v.text.To, strings.TrimPrefix(strings.TrimPrefix(path, v.text.From), "."))
}

func pageArguments(tool, path, name string, kwargs json.RawMessage) map[string]any {
	args := make(map[string]any)
	if path != "" {
		args["namespace"] = path
	}
	if name != "" {
		args[map[string]string{"help": "function", "skill": "skillname"}[tool]] = name
	}
	if len(kwargs) > 0 {
		args["kwargs"] = kwargs
	}
	return args
}

// pageText returns the text of a page, or the server's error.
func (v view) pageText(a *wire.Answer, place, name string) (string, error) {
	text := a.Text()
	if len(text) > maxPage {
		return "", &registry.Error{
			Kind: registry.Unavailable, Namespace: place, Name: name,
			Message: fmt.Sprintf("The page has %s bytes; at most %s are shown.", mcpclient.Count(len(text)), mcpclient.Size(maxPage)), Hint: "Ask for something else.",
		}
	}
	if !a.IsError {
		return text, nil
	}
	e := &registry.Error{Kind: registry.Failed, Namespace: place, Name: name}
	message, advice := cashtext.Advice(clean.Cut(clean.Text(strings.TrimPrefix(v.text.Text(text), errorMark)), 2*maxReason))
	e.Kind, e.Message = kindOfAnswer(a), message
	advise(e, advice)
	// Otherwise the server's last sentence is the next step: it stays last.
	if i := strings.LastIndex(message, ". "); i > 0 && advice == "" && e.Kind != registry.Failed {
		e.Message, e.Hint = message[:i+1], message[i+2:]
	}
	return "", e
}

// jsonFormat requests a page in JSON.
var jsonFormat = json.RawMessage(`{"format":"json"}`)

// unlessKnown returns err, or nil if the server gave no answer: its lists are known already.
func unlessKnown(err error) error {
	var e *registry.Error
	if errors.As(err, &e) && e.Err != nil { // an error in the server's answer has no cause
		return nil
	}
	return err
}

// inFormat converts a function's markdown page to JSON, if kwargs ask for JSON and the server ignored that.
func (v view) inFormat(page, path, function string, kwargs json.RawMessage) string {
	if function == "" || !wantsJSON(kwargs) {
		return page
	}
	f, err := cashtext.ParseFunction(page)
	if err != nil {
		return page
	}
	f.Namespace, f.Name = v.placeOf(path), function
	return f.JSON()
}

func wantsJSON(kwargs json.RawMessage) bool {
	for name, value := range strictjson.Members(kwargs) {
		if key(name) == "format" {
			return strictjson.Text(value) == "json"
		}
	}
	return false
}
