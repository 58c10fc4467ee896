package storetest_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
	"github.com/cash-mcp/go-sdk/cash/control"
)

// memoryResults are the rows in memory, behind what spoils the store. spoil may be nil.
func memoryResults(spoil func(control.ResultStore) control.ResultStore) []storetest.Row {
	clock := newClock()
	return storetest.Results(storetest.Subject[control.ResultStore]{
		Open: func(n int) ([]control.ResultStore, error) {
			var store control.ResultStore = control.NewResults(&control.ResultOptions{MaxEntries: 40, MaxPerOwner: 4, Now: clock.Now})
			if spoil != nil {
				store = spoil(store)
			}
			return shares(n, store)
		},
		Room: 40, RoomPerOwner: 4, Clock: clock,
	})
}

func TestResultsInMemory(t *testing.T) { storetest.Run(t, memoryResults(nil)) }

// spoiledResults is a store of results with other methods.
type spoiledResults struct {
	control.ResultStore
	find   func(ctx context.Context, key control.ResultKey) (*control.StoredResult, string, error)
	keep   func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error)
	expire func(ctx context.Context, key control.ResultKey, after time.Duration) error
	flush  func(ctx context.Context) error
	mu     sync.Mutex
	extra  map[control.ResultKey]*control.StoredResult
}

func (f *spoiledResults) Find(ctx context.Context, key control.ResultKey) (*control.StoredResult, string, error) {
	return f.find(ctx, key)
}

func (f *spoiledResults) Keep(ctx context.Context, key control.ResultKey, r *control.StoredResult) (bool, error) {
	return f.keep(ctx, key, *r)
}

func (f *spoiledResults) Expire(ctx context.Context, key control.ResultKey, after time.Duration) error {
	return f.expire(ctx, key, after)
}

func (f *spoiledResults) Flush(ctx context.Context) error { return f.flush(ctx) }

func TestSuiteOfResultsFindsFaults(t *testing.T) {
	t.Parallel()
	spoil := func(f func(s *spoiledResults)) func(control.ResultStore) control.ResultStore {
		return func(inner control.ResultStore) control.ResultStore {
			s := &spoiledResults{ResultStore: inner, find: inner.Find, expire: inner.Expire, flush: inner.Flush, extra: make(map[control.ResultKey]*control.StoredResult)}
			s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
				return inner.Keep(ctx, key, &r)
			}
			f(s)
			return s
		}
	}
	wantBroken(t, memoryResults, map[string]func(control.ResultStore) control.ResultStore{
		"a result is found whole and unchanged": spoil(func(s *spoiledResults) {
			s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
				own := *r.Result
				own.Meta, r.Result = nil, &own
				return s.ResultStore.Keep(ctx, key, &r)
			}
		}),
		"a result is found under its key only": spoil(func(s *spoiledResults) {
			s.find = func(ctx context.Context, key control.ResultKey) (*control.StoredResult, string, error) {
				key.Key = strings.TrimSpace(key.Key)
				return s.ResultStore.Find(ctx, key)
			}
		}),
		"a later result replaces an older one": spoil(func(s *spoiledResults) {
			s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
				if old, _, _ := s.ResultStore.Find(ctx, key); old != nil && r.Result.Text() == "new" {
					return true, nil
				}
				return s.ResultStore.Keep(ctx, key, &r)
			}
		}),
		"an expired result is not found": spoil(func(s *spoiledResults) {
			s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
				if !r.Promised {
					r.Lasts = time.Hour
				}
				return s.ResultStore.Keep(ctx, key, &r)
			}
		}),
		"Expire shortens a life, and lengthens none": spoil(func(s *spoiledResults) {
			s.expire = func(ctx context.Context, key control.ResultKey, after time.Duration) error {
				return s.ResultStore.Expire(ctx, key, 2*after)
			}
		}),
		"Flush drops what is not promised": spoil(func(s *spoiledResults) {
			promised := func(key control.ResultKey, r control.StoredResult) {
				s.mu.Lock()
				defer s.mu.Unlock()
				delete(s.extra, key)
				if r.Promised {
					s.extra[key] = &r
				}
			}
			s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
				kept, err := s.ResultStore.Keep(ctx, key, &r)
				if kept {
					promised(key, r)
				}
				return kept, err
			}
			s.flush = func(ctx context.Context) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				for key := range s.extra { // drops promised ones too
					_ = s.ResultStore.Expire(ctx, key, 0)
				}
				return s.ResultStore.Flush(ctx)
			}
		}),
		"a result from before a Flush is not kept": spoil(func(s *spoiledResults) {
			s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
				r.Edition = ""
				return s.ResultStore.Keep(ctx, key, &r)
			}
		}),
		"an owner has a share of what is promised": spoil(func(s *spoiledResults) {
			s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
				if kept, err := s.ResultStore.Keep(ctx, key, &r); kept || err != nil || key.Owner != "ada" || !r.Promised {
					return kept, err
				}
				r.Promised = false
				return s.ResultStore.Keep(ctx, key, &r)
			}
		}),
		"a store full of promises forgets none": spoil(func(s *spoiledResults) {
			s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
				kept, err := s.ResultStore.Keep(ctx, key, &r)
				return kept || key.Owner == "owner 40", err
			}
		}),
		"what is not promised gives way": spoil(func(s *spoiledResults) {
			kept := 0
			s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				if key.Owner == "ada" {
					if kept++; kept > 40 {
						return false, nil
					}
				}
				return s.ResultStore.Keep(ctx, key, &r)
			}
		}),
		"answers come within the deadline": spoil(func(s *spoiledResults) {
			s.find = func(ctx context.Context, key control.ResultKey) (*control.StoredResult, string, error) {
				if _, ok := ctx.Deadline(); ok {
					time.Sleep(2 * time.Second)
				}
				return s.ResultStore.Find(ctx, key)
			}
		}),
	})
}

// TestSlowMachine holds that a row about time is tried again when a pause of the machine made it fail, up to a limit.
// Without a pause, a fault fails at once.
func TestSlowMachine(t *testing.T) {
	for _, test := range []struct {
		name   string
		slow   int           // so many stores are slow
		pause  time.Duration // of the machine, before each Find of a slow store
		opened int
		holds  bool
	}{
		{"one pause", 1, 200 * time.Millisecond, 2, true},
		{"pauses without end", 1000, 200 * time.Millisecond, 10, false},
		{"a fault", 1000, 0, 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			clock := newClock()
			opened := 0
			rows := storetest.Results(storetest.Subject[control.ResultStore]{Clock: clock, Open: func(n int) ([]control.ResultStore, error) {
				opened++
				s := &spoiledResults{ResultStore: control.NewResults(&control.ResultOptions{Now: clock.Now})}
				s.keep = func(ctx context.Context, key control.ResultKey, r control.StoredResult) (bool, error) {
					return s.ResultStore.Keep(ctx, key, &r)
				}
				s.find, s.expire = s.ResultStore.Find, s.ResultStore.Expire
				if opened <= test.slow {
					s.find = func(ctx context.Context, key control.ResultKey) (*control.StoredResult, string, error) {
						if clock.Sleep(test.pause); test.pause == 0 {
							return nil, "", nil
						}
						return s.ResultStore.Find(ctx, key)
					}
				}
				return shares[control.ResultStore](n, s)
			}})
			row := rows[slices.IndexFunc(rows, func(r storetest.Row) bool { return strings.HasPrefix(r.Name, "Expire shortens") })]
			if err := row.Check(t.Context()); (err == nil) != test.holds || opened != test.opened {
				t.Errorf("%d stores were opened, want %d: %v", opened, test.opened, err)
			}
		})
	}
}
