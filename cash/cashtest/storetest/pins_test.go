package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

func TestPinsInMemory(t *testing.T) { storetest.Run(t, storetest.Pins(memoryPins(nil))) }

// memoryPins is the subject in memory, behind what spoils it. spoil may be nil.
func memoryPins(spoil func(pin.Store) pin.Store) storetest.Subject[pin.Store] {
	return storetest.Subject[pin.Store]{Open: func(n int) ([]pin.Store, error) {
		var store pin.Store = pin.NewMemory()
		if spoil != nil {
			store = spoil(store)
		}
		return shares(n, store)
	}}
}

func TestPinsInFile(t *testing.T) {
	storetest.Run(t, storetest.Pins(storetest.Subject[pin.Store]{Open: func(n int) ([]pin.Store, error) {
		file, err := pin.OpenFile(filepath.Join(t.TempDir(), "pins.json"))
		if err != nil {
			return nil, err
		}
		return shares[pin.Store](n, file)
	}}))
}

type spoiledPins struct {
	pin.Store
	load  func(ctx context.Context, label string) (pin.Pins, error)
	swap  func(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error)
	watch func(ctx context.Context, changed func(string)) error
}

func (f spoiledPins) Load(ctx context.Context, label string) (pin.Pins, error) {
	return f.load(ctx, label)
}

func (f spoiledPins) Swap(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error) {
	return f.swap(ctx, label, revision, definitions)
}

func (f spoiledPins) Watch(ctx context.Context, changed func(string)) error {
	return f.watch(ctx, changed)
}

func TestSuiteOfPinsFindsFaults(t *testing.T) {
	t.Parallel()
	spoil := func(f func(s *spoiledPins)) func(pin.Store) pin.Store {
		return func(inner pin.Store) pin.Store {
			s := &spoiledPins{inner, inner.Load, inner.Swap, inner.Watch}
			f(s)
			return s
		}
	}
	var mu sync.Mutex
	wantBroken(t, func(f func(pin.Store) pin.Store) []storetest.Row { return storetest.Pins(memoryPins(f)) }, map[string]func(pin.Store) pin.Store{
		"nothing is pinned at first": spoil(func(s *spoiledPins) {
			known := make(map[string]bool)
			s.swap = func(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error) {
				mu.Lock()
				known[label] = true
				mu.Unlock()
				return s.Store.Swap(ctx, label, revision, definitions)
			}
			s.load = func(ctx context.Context, label string) (pin.Pins, error) {
				p, err := s.Store.Load(ctx, label)
				mu.Lock()
				defer mu.Unlock()
				if !known[label] {
					p.Definitions = map[string]*pin.Definition{}
				}
				return p, err
			}
		}),
		"all fields are kept unchanged": spoil(func(s *spoiledPins) {
			s.swap = func(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error) {
				definitions = maps.Clone(definitions)
				for name, d := range definitions {
					d := *d
					d.Icons, definitions[name] = nil, &d
				}
				return s.Store.Swap(ctx, label, revision, definitions)
			}
		}),
		"every change has its own revision": spoil(func(s *spoiledPins) {
			shown, kept, n := make(map[string]string), make(map[string]string), 0
			s.swap = func(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				if revision == shown[label] {
					revision = kept[label]
				} else {
					revision = "another"
				}
				next, err := s.Store.Swap(ctx, label, revision, definitions)
				if err != nil {
					return "", err
				}
				n++
				kept[label], shown[label] = next, fmt.Sprint("revision ", n%3)
				if definitions == nil {
					shown[label] = ""
				}
				return shown[label], nil
			}
			s.load = func(ctx context.Context, label string) (pin.Pins, error) {
				mu.Lock()
				defer mu.Unlock()
				p, err := s.Store.Load(ctx, label)
				p.Revision = shown[label]
				return p, err
			}
		}),
		"another revision changes nothing": spoil(func(s *spoiledPins) {
			s.swap = func(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error) {
				if p, err := s.Store.Load(ctx, label); err == nil && definitions == nil {
					revision = p.Revision
				}
				return s.Store.Swap(ctx, label, revision, definitions)
			}
		}),
		"one of many changes a revision": spoil(func(s *spoiledPins) {
			var inside atomic.Int32
			s.swap = func(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error) {
				inside.Add(1)
				defer inside.Add(-1)
				time.Sleep(time.Millisecond)
				next, err := s.Store.Swap(ctx, label, revision, definitions)
				if errors.Is(err, pin.ErrChanged) && inside.Load() > 1 {
					return "lost", nil
				}
				return next, err
			}
		}),
		"nil deletes, and an empty map does not": spoil(func(s *spoiledPins) {
			s.load = func(ctx context.Context, label string) (pin.Pins, error) {
				p, err := s.Store.Load(ctx, label)
				if len(p.Definitions) == 0 {
					p.Definitions = nil
				}
				return p, err
			}
		}),
		"maps belong to their callers": spoil(func(s *spoiledPins) {
			loaded := make(map[string]pin.Pins)
			s.load = func(ctx context.Context, label string) (pin.Pins, error) {
				mu.Lock()
				defer mu.Unlock()
				p, err := s.Store.Load(ctx, label)
				if old := loaded[label]; old.Revision == p.Revision && p.Revision != "" {
					return old, err
				}
				loaded[label] = p
				return p, err
			}
		}),
		"labels are compared byte by byte": spoil(func(s *spoiledPins) {
			s.swap = func(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error) {
				return s.Store.Swap(ctx, strings.TrimSpace(label), revision, definitions)
			}
		}),
		"watchers learn of all changes": spoil(func(s *spoiledPins) {
			s.watch = func(ctx context.Context, changed func(string)) error {
				return s.Store.Watch(ctx, func(label string) {
					if p, _ := s.Store.Load(ctx, label); p.Definitions != nil {
						changed(label)
					}
				})
			}
		}),
		"a watch ends with its context": spoil(func(s *spoiledPins) {
			s.watch = func(ctx context.Context, changed func(string)) error {
				err := s.Store.Watch(ctx, changed)
				time.Sleep(2 * time.Second)
				return err
			}
		}),
	})
}
