package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// numbered lists n resources and prompts of an edition.
func numbered(edition, n int) handmade {
	var resources, prompts strings.Builder
	for i := range n {
		if i > 0 {
			resources.WriteByte(',')
			prompts.WriteByte(',')
		}
		fmt.Fprintf(&resources, `{"uri":"a:%d","name":"r%d","description":"Edition %d."}`, i, i, edition)
		fmt.Fprintf(&prompts, `{"name":"p%d","description":"Edition %d."}`, i, edition)
	}
	list := listing(`{"resources":[`+resources.String()+`]}`, `{"prompts":[`+prompts.String()+`]}`)
	return func(method string, params json.RawMessage) (string, error) {
		switch method {
		case "resources/read":
			return fmt.Sprintf(`{"contents":[{"uri":"a:0","text":"%d"}]}`, edition), nil
		case "prompts/get":
			return fmt.Sprintf(`{"messages":[{"role":"user","content":{"type":"text","text":"%d"}}]}`, edition), nil
		}
		return list(method, params)
	}
}

// TestW37W40Churn holds that readers see whole lists while a server is replaced,
// removed and added again, that a call is answered by the server that it was for
// or not at all, and that nothing runs on at the end.
func TestW37W40Churn(t *testing.T) {
	const n = 50
	before := runtime.NumGoroutine()
	s := shelf{resources: registry.New(nil), prompts: registry.New(nil)}
	s.tools = registry.New(nil)
	s.agg = upstream.New(s.tools, &upstream.Options{Resources: s.resources, Prompts: s.prompts})
	if err := s.agg.Add(memory("a", numbered(0, n))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for _, reg := range []*registry.Registry{s.resources, s.prompts} {
		readers.Go(func() {
			p := registry.NewPipeline(reg, nil)
			for ctx.Err() == nil {
				l, err := reg.List(ctx, "a")
				if err != nil {
					if !errors.Is(err, registry.UnknownNamespace) {
						t.Error(err)
					}
					runtime.Gosched()
					continue
				}
				if len(l.Functions) != 0 && len(l.Functions) != n {
					t.Errorf("half a list of %d is seen", len(l.Functions))
					return
				}
				if len(l.Functions) == 0 {
					continue
				}
				f := l.Functions[0]
				for _, g := range l.Functions {
					if g.Description() != f.Description() {
						t.Errorf("editions are mixed: %q and %q", f.Description(), g.Description())
						return
					}
				}
				r, err := p.Call(ctx, &registry.Request{Find: registry.Found(f)})
				if err == nil && !strings.Contains(f.Description(), said(r)) {
					t.Errorf("%q answers %q", f.Description(), said(r))
				}
			}
		})
	}
	for i := range 20 {
		var err error
		switch i % 4 {
		case 2:
			err = s.agg.Remove("a")
		case 3:
			err = s.agg.Add(memory("a", numbered(i, n)))
		default:
			err = s.agg.Update(memory("a", numbered(i, n)))
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			if err := s.agg.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	cancel()
	readers.Wait()
	if err := s.agg.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return runtime.NumGoroutine() <= before })
}

// said is the edition that an answer speaks of.
func said(r *registry.Result) string {
	data, _ := json.Marshal(r.Content)
	text := string(data)
	if i := strings.Index(text, `"text":"`); i >= 0 {
		text = text[i+len(`"text":"`):]
	}
	text = strings.TrimPrefix(text, "user: ")
	return text[:strings.IndexByte(text, '"')]
}
