package storetest_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
)

// spoiledArtifacts is a store of artifacts with other methods.
type spoiledArtifacts struct {
	firewall.Store
	reserve func(ctx context.Context, owner firewall.Owner, size int64) (firewall.Reservation, error)
	open    func(ctx context.Context, id, handle string) (*firewall.Artifact, error)
	keep    func(ctx context.Context, r *spoiledRoom, parts []firewall.Part) ([]firewall.Ref, error)
	release func(r *spoiledRoom)

	mu     sync.Mutex
	owners map[string]string // by handle
	opened map[string]*firewall.Artifact
	texts  []string
	inside atomic.Int32
}

func (f *spoiledArtifacts) Reserve(ctx context.Context, owner firewall.Owner, size int64) (firewall.Reservation, error) {
	r, err := f.reserve(ctx, owner, size)
	if r == nil {
		return nil, err
	}
	return &spoiledRoom{r, f, owner}, err
}

func (f *spoiledArtifacts) Open(ctx context.Context, id, handle string) (*firewall.Artifact, error) {
	return f.open(ctx, id, handle)
}

type spoiledRoom struct {
	firewall.Reservation
	store *spoiledArtifacts
	owner firewall.Owner
}

func (r *spoiledRoom) Keep(ctx context.Context, parts []firewall.Part) ([]firewall.Ref, error) {
	return r.store.keep(ctx, r, parts)
}

func (r *spoiledRoom) Release() { r.store.release(r) }

func TestSuiteOfArtifactsFindsFaults(t *testing.T) {
	t.Parallel()
	spoil := func(f func(s *spoiledArtifacts)) func(firewall.Store) firewall.Store {
		return func(inner firewall.Store) firewall.Store {
			s := &spoiledArtifacts{
				Store: inner, reserve: inner.Reserve, open: inner.Open, owners: make(map[string]string), opened: make(map[string]*firewall.Artifact),
				keep: func(ctx context.Context, r *spoiledRoom, parts []firewall.Part) ([]firewall.Ref, error) {
					return r.Reservation.Keep(ctx, parts)
				},
				release: func(r *spoiledRoom) { r.Reservation.Release() },
			}
			f(s)
			return s
		}
	}
	// reserving changes the owner of a reservation, or refuses it.
	reserving := func(f func(s *spoiledArtifacts, owner *firewall.Owner) error) func(firewall.Store) firewall.Store {
		return spoil(func(s *spoiledArtifacts) {
			s.reserve = func(ctx context.Context, owner firewall.Owner, size int64) (firewall.Reservation, error) {
				if err := f(s, &owner); err != nil {
					return nil, err
				}
				return s.Store.Reserve(ctx, owner, size)
			}
		})
	}
	wantBroken(t, memoryArtifacts, map[string]func(firewall.Store) firewall.Store{
		"parts are kept byte for byte": spoil(func(s *spoiledArtifacts) {
			s.open = func(ctx context.Context, id, handle string) (*firewall.Artifact, error) {
				a, err := s.Store.Open(ctx, id, handle)
				if a != nil && len(a.Data) > 1<<20 {
					a.Data = a.Data[:1<<20]
				}
				return a, err
			}
		}),
		"no owner reads what another has": spoil(func(s *spoiledArtifacts) {
			s.keep = func(ctx context.Context, r *spoiledRoom, parts []firewall.Part) ([]firewall.Ref, error) {
				refs, err := r.Reservation.Keep(ctx, parts)
				s.mu.Lock()
				defer s.mu.Unlock()
				for _, ref := range refs {
					s.owners[ref.Handle] = r.owner.ID
				}
				return refs, err
			}
			s.open = func(ctx context.Context, id, handle string) (*firewall.Artifact, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				if strings.EqualFold(id, s.owners[handle]) {
					id = s.owners[handle]
				}
				return s.Store.Open(ctx, id, handle)
			}
		}),
		"what is no handle is not found": spoil(func(s *spoiledArtifacts) {
			s.open = func(ctx context.Context, id, handle string) (*firewall.Artifact, error) {
				return s.Store.Open(ctx, id, strings.TrimSpace(handle))
			}
		}),
		"equal parts have handles of their own": spoil(func(s *spoiledArtifacts) {
			s.keep = func(ctx context.Context, r *spoiledRoom, parts []firewall.Part) ([]firewall.Ref, error) {
				refs, err := r.Reservation.Keep(ctx, parts)
				for i := range refs {
					for j := range i {
						if bytes.Equal(parts[i].Data, parts[j].Data) && parts[i].MediaType == parts[j].MediaType {
							refs[i] = refs[j]
						}
					}
				}
				return refs, err
			}
		}),
		"a payer has a share": reserving(func(_ *spoiledArtifacts, owner *firewall.Owner) error {
			owner.Payer = ""
			return nil
		}),
		"guests leave a quarter": reserving(func(_ *spoiledArtifacts, owner *firewall.Owner) error {
			owner.Guest = false
			return nil
		}),
		"many at once share the room": spoil(func(s *spoiledArtifacts) {
			s.reserve = func(ctx context.Context, owner firewall.Owner, size int64) (firewall.Reservation, error) {
				s.inside.Add(1)
				defer s.inside.Add(-1)
				time.Sleep(time.Millisecond)
				r, err := s.Store.Reserve(ctx, owner, size)
				if err != nil && s.inside.Load() > 1 {
					return nil, nil
				}
				return r, err
			}
		}),
		"released room is free": spoil(func(s *spoiledArtifacts) { s.release = func(*spoiledRoom) {} }),
		"a result may take more than was reserved": spoil(func(s *spoiledArtifacts) {
			s.keep = func(ctx context.Context, r *spoiledRoom, parts []firewall.Part) ([]firewall.Ref, error) {
				total := 0
				for _, part := range parts {
					total += len(part.Data)
				}
				if total > 100 && total < 1000 {
					return nil, firewall.ErrFull
				}
				return r.Reservation.Keep(ctx, parts)
			}
		}),
		"what is promised stays, then the payer's oldest gives way": spoil(func(s *spoiledArtifacts) {
			s.keep = func(ctx context.Context, r *spoiledRoom, parts []firewall.Part) ([]firewall.Ref, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.texts = append(s.texts, string(parts[0].Data))
				if len(s.texts) == 3 && s.texts[0] == "one" {
					return nil, firewall.ErrFull // its own has not given way
				}
				return r.Reservation.Keep(ctx, parts)
			}
		}),
		"the payer with the most gives way to others": reserving(func(_ *spoiledArtifacts, owner *firewall.Owner) error {
			if owner.ID == "eve" {
				return firewall.ErrFull // nobody has given way
			}
			return nil
		}),
		"an artifact expires": spoil(func(s *spoiledArtifacts) {
			s.open = func(ctx context.Context, id, handle string) (*firewall.Artifact, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				a, err := s.Store.Open(ctx, id, handle)
				if a != nil && a.Expires.Sub(a.Created) < time.Second {
					s.opened[handle] = a
				}
				if old := s.opened[handle]; errors.Is(err, firewall.ErrNotFound) && old != nil {
					return old, nil
				}
				return a, err
			}
		}),
		"answers come within the deadline": spoil(func(s *spoiledArtifacts) {
			s.open = func(ctx context.Context, id, handle string) (*firewall.Artifact, error) {
				if _, ok := ctx.Deadline(); ok {
					time.Sleep(2 * time.Second)
				}
				return s.Store.Open(ctx, id, handle)
			}
		}),
	})
}
