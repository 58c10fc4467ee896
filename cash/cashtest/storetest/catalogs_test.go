package storetest_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
)

func TestCatalogsInMemory(t *testing.T) { storetest.Run(t, storetest.Catalogs(memoryCatalogs(nil))) }

// memoryCatalogs is the subject in memory, behind what spoils it. spoil may be nil.
func memoryCatalogs(spoil func(lastknown.Store) lastknown.Store) storetest.Subject[lastknown.Store] {
	const room = 4 << 20
	return storetest.Subject[lastknown.Store]{Room: room, Open: func(n int) ([]lastknown.Store, error) {
		var store lastknown.Store = lastknown.NewMemory(room, nil)
		if spoil != nil {
			store = spoil(store)
		}
		return shares(n, store)
	}}
}

type spoiledCatalogs struct {
	lastknown.Store
	find  func(ctx context.Context, key, have string) (lastknown.Kept, error)
	keep  func(ctx context.Context, key string, k lastknown.Kept) error
	claim func(ctx context.Context, key string, lasts time.Duration) (bool, error)
	watch func(ctx context.Context, changed func(string)) error
}

func (f spoiledCatalogs) Find(ctx context.Context, key, have string) (lastknown.Kept, error) {
	return f.find(ctx, key, have)
}

func (f spoiledCatalogs) Keep(ctx context.Context, key string, k lastknown.Kept) error {
	return f.keep(ctx, key, k)
}

func (f spoiledCatalogs) Claim(ctx context.Context, key string, lasts time.Duration) (bool, error) {
	return f.claim(ctx, key, lasts)
}

func (f spoiledCatalogs) Watch(ctx context.Context, changed func(string)) error {
	return f.watch(ctx, changed)
}

func TestSuiteOfCatalogsFindsFaults(t *testing.T) {
	t.Parallel()
	spoil := func(f func(s *spoiledCatalogs)) func(lastknown.Store) lastknown.Store {
		return func(inner lastknown.Store) lastknown.Store {
			s := &spoiledCatalogs{inner, inner.Find, inner.Keep, inner.Claim, inner.Watch}
			f(s)
			return s
		}
	}
	wantBroken(t, func(f func(lastknown.Store) lastknown.Store) []storetest.Row {
		return storetest.Catalogs(memoryCatalogs(f))
	}, map[string]func(lastknown.Store) lastknown.Store{
		"nothing is known at first": spoil(func(s *spoiledCatalogs) {
			s.find = func(ctx context.Context, key, have string) (lastknown.Kept, error) {
				k, err := s.Store.Find(ctx, key, have)
				if k.Revision == "" {
					k.Began = k.Now
				}
				return k, err
			}
		}),
		"a catalog is kept unchanged": spoil(func(s *spoiledCatalogs) {
			s.keep = func(ctx context.Context, key string, k lastknown.Kept) error {
				k.Data = []byte(strings.ToValidUTF8(string(k.Data), "?"))
				return s.Store.Keep(ctx, key, k)
			}
		}),
		"data that is there already is not sent": spoil(func(s *spoiledCatalogs) {
			s.find = func(ctx context.Context, key, _ string) (lastknown.Kept, error) { return s.Store.Find(ctx, key, "") }
		}),
		"age begins with the reading": spoil(func(s *spoiledCatalogs) {
			s.find = func(ctx context.Context, key, have string) (lastknown.Kept, error) {
				k, err := s.Store.Find(ctx, key, have)
				if later := k.Began.Add(time.Second); k.Revision != "" && later.Before(k.Now) {
					k.Began = later
				}
				return k, err
			}
		}),
		"a reading in the future began now": spoil(func(s *spoiledCatalogs) {
			s.find = func(ctx context.Context, key, have string) (lastknown.Kept, error) {
				k, err := s.Store.Find(ctx, key, have)
				if k.Revision != "" && k.Now.Sub(k.Began) < time.Second {
					k.Began = k.Began.Add(time.Hour)
				}
				return k, err
			}
		}),
		"an earlier reading replaces nothing": spoil(func(s *spoiledCatalogs) {
			s.keep = func(ctx context.Context, key string, k lastknown.Kept) error {
				if found, _ := s.Store.Find(ctx, key, ""); k.Revision == "early" {
					k.Began = found.Now
				}
				return s.Store.Keep(ctx, key, k)
			}
		}),
		"one of many has the lease": spoil(func(s *spoiledCatalogs) {
			var inside atomic.Int32
			s.claim = func(ctx context.Context, key string, lasts time.Duration) (bool, error) {
				inside.Add(1)
				defer inside.Add(-1)
				time.Sleep(time.Millisecond)
				ok, err := s.Store.Claim(ctx, key, lasts)
				return ok || inside.Load() > 1, err
			}
		}),
		"a lease lapses": spoil(func(s *spoiledCatalogs) {
			s.claim = func(ctx context.Context, key string, _ time.Duration) (bool, error) {
				return s.Store.Claim(ctx, key, time.Hour)
			}
		}),
		"keeping ends the lease": spoil(func(s *spoiledCatalogs) {
			s.keep = func(ctx context.Context, key string, k lastknown.Kept) error {
				if now, err := s.Store.Find(ctx, key, ""); err == nil && !k.Began.IsZero() && now.Revision != "" && now.Began.After(k.Began) {
					return nil
				}
				return s.Store.Keep(ctx, key, k)
			}
		}),
		"keeping nothing ends the lease alone": spoil(func(s *spoiledCatalogs) {
			s.keep = func(ctx context.Context, key string, k lastknown.Kept) error {
				if k.Revision == "" {
					return nil
				}
				return s.Store.Keep(ctx, key, k)
			}
		}),
		"keys are compared byte by byte": spoil(func(s *spoiledCatalogs) {
			s.keep = func(ctx context.Context, key string, k lastknown.Kept) error {
				return s.Store.Keep(ctx, strings.TrimSpace(key), k)
			}
		}),
		"watchers learn what was kept": spoil(func(s *spoiledCatalogs) {
			var mu sync.Mutex
			seen := make(map[string]string)
			s.watch = func(ctx context.Context, changed func(string)) error {
				return s.Store.Watch(ctx, func(key string) {
					k, _ := s.Store.Find(ctx, key, "")
					mu.Lock()
					defer mu.Unlock()
					if seen[key] != k.Revision {
						seen[key] = k.Revision
						changed(key)
					}
				})
			}
		}),
		"a watch ends with its context": spoil(func(s *spoiledCatalogs) {
			s.watch = func(ctx context.Context, changed func(string)) error {
				err := s.Store.Watch(ctx, changed)
				time.Sleep(2 * time.Second)
				return err
			}
		}),
		"a full store forgets what was kept first": spoil(func(s *spoiledCatalogs) {
			s.find = func(ctx context.Context, key, have string) (lastknown.Kept, error) {
				k, err := s.Store.Find(ctx, key, have)
				if len(k.Data) > 1<<20 && key == "first" {
					return lastknown.Kept{}, err
				}
				return k, err
			}
		}),
		"answers come within the deadline": spoil(func(s *spoiledCatalogs) {
			s.find = func(ctx context.Context, key, have string) (lastknown.Kept, error) {
				if _, ok := ctx.Deadline(); ok {
					time.Sleep(2 * time.Second)
				}
				return s.Store.Find(ctx, key, have)
			}
		}),
	})
}
