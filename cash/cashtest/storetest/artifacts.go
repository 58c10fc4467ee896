package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
)

// Artifacts are the duties of a [firewall.Store]. open returns n replicas of an empty store with the limits, whose Now
// is that of the clock. Room is not used.
func Artifacts(open func(n int, limits firewall.MemoryOptions) ([]firewall.Store, error), clock Clock) []Row {
	s := newSuite(Subject[firewall.Store]{Clock: clock})
	type stores = []firewall.Store
	addTimed := func(name string, limits firewall.MemoryOptions, most time.Duration, check func(ctx context.Context, r stores, pause pauses) error) {
		limits.Now = clock.Now
		row := *s
		row.Open = func(n int) ([]firewall.Store, error) { return open(n, limits) }
		row.addTimed(name, 2, most, check)
		s.rows = row.rows
	}
	add := func(name string, limits firewall.MemoryOptions, check func(ctx context.Context, r stores) error) {
		addTimed(name, limits, math.MaxInt64, func(ctx context.Context, r stores, _ pauses) error { return check(ctx, r) })
	}
	// kept is a step: a text is kept for a payer, and its handle put into h.
	kept := func(ctx context.Context, f firewall.Store, owner firewall.Owner, text string, h *string) func() error {
		return func() error {
			refs, err := keep(ctx, f, owner, text)
			if err == nil {
				*h = refs[0].Handle
			}
			return err
		}
	}
	const promise = 300 * time.Millisecond

	add("parts are kept byte for byte", firewall.MemoryOptions{}, func(ctx context.Context, r stores) error {
		large := make([]byte, 1_300_000)
		for i := range large {
			large[i] = byte(i * i >> 5)
		}
		parts := []firewall.Part{
			{Data: []byte("text\r\n\x00\xff"), MediaType: "text/plain; charset=utf-8", Label: "ärger ☃ <a>&"},
			{Data: large, MediaType: "image/png", Label: "x"}, {}, {Data: []byte("text\r\n\x00\xff")},
		}
		room, err := r[0].Reserve(ctx, ann, 10)
		if err != nil {
			return err
		}
		defer room.Release()
		refs, err := room.Keep(ctx, parts)
		if err != nil || len(refs) != len(parts) {
			return broken(err, "Keep of %d parts: %d references", len(parts), len(refs))
		}
		for i, ref := range refs {
			if ref.MediaType != parts[i].MediaType || ref.Label != parts[i].Label || ref.Size != int64(len(parts[i].Data)) {
				return fmt.Errorf("part %d: reference %+v", i, ref)
			}
			a, err := r[1].Open(ctx, ann.ID, ref.Handle)
			if err != nil || a.Ref != ref || !bytes.Equal(a.Data, parts[i].Data) || !a.Expires.After(a.Created) {
				return broken(err, "part %d: opened %+v, want %+v", i, a, ref)
			}
		}
		return nil
	})
	add("no owner reads what another has", firewall.MemoryOptions{}, func(ctx context.Context, r stores) error {
		var h string
		err := steps(kept(ctx, r[0], firewall.Owner{ID: "ann", Payer: "all"}, "secret", &h), opens(ctx, r[1], "ann", &h, "secret"))
		if err != nil {
			return err
		}
		_, never := r[0].Open(ctx, "ann", "art-AAAAAAAAAAAAAAAAAAAAAAAAAA")
		for _, id := range []string{"bob", "", "all", "Ann", "ann ", "ann\x00", strings.Repeat("ann", 1<<16)} {
			if a, err := r[1].Open(ctx, id, h); a != nil || !errors.Is(err, firewall.ErrNotFound) || err.Error() != never.Error() {
				return broken(err, "opened by %.20q: %v; want the error of what never was", id, a)
			}
		}
		return nil
	})
	add("what is no handle is not found", firewall.MemoryOptions{}, func(ctx context.Context, r stores) error {
		var h string
		if err := kept(ctx, r[0], ann, "x", &h)(); err != nil {
			return err
		}
		for _, handle := range []string{"", "art-", h[:len(h)-1], h + "A", strings.ToLower(h), " " + h, "../" + h, "*", "\x00", strings.Repeat("A", 1<<20)} {
			if err := closed(ctx, r[0], ann.ID, &handle)(); err != nil {
				return err
			}
		}
		return nil
	})
	add("equal parts have handles of their own", firewall.MemoryOptions{}, func(ctx context.Context, r stores) error {
		refs, err := keep(ctx, r[0], ann, "same", "same", "same")
		if err != nil || refs[0].Handle == refs[1].Handle || refs[1].Handle == refs[2].Handle || refs[0].Handle == refs[2].Handle || len(refs[0].Handle) < 22 {
			return broken(err, "references %+v", refs)
		}
		return nil
	})
	add("a payer has a share", firewall.MemoryOptions{MaxPerOwner: 2, MaxBytesPerOwner: 100}, func(ctx context.Context, r stores) error {
		var h string
		payer := func(id string) firewall.Owner { return firewall.Owner{ID: id, Payer: "payer"} }
		return steps(
			isFull(ctx, r[0], payer("ann"), 101, "bytes per owner", 0),
			kept(ctx, r[0], payer("ann"), strings.Repeat("x", 60), &h),
			isFull(ctx, r[1], payer("bob"), 60, "bytes per owner", 5*time.Minute),
			kept(ctx, r[1], payer("bob"), "x", &h),
			isFull(ctx, r[0], payer("ann"), 0, "artifacts per owner", 5*time.Minute),
			kept(ctx, r[0], firewall.Owner{ID: "ann"}, "x", &h),
		)
	})
	add("guests leave a quarter", firewall.MemoryOptions{MaxArtifacts: 8}, func(ctx context.Context, r stores) error {
		var h string
		for i := range 6 {
			if err := kept(ctx, r[i%2], firewall.Owner{Payer: fmt.Sprint("guest ", i), Guest: true}, "x", &h)(); err != nil {
				return err
			}
		}
		return steps(
			isFull(ctx, r[0], firewall.Owner{Payer: "one more", Guest: true}, 0, "artifacts of guests", 5*time.Minute),
			kept(ctx, r[0], ann, "x", &h), kept(ctx, r[1], ann, "x", &h),
			isFull(ctx, r[0], firewall.Owner{ID: "bob"}, 0, "artifacts", 5*time.Minute),
		)
	})
	add("many at once share the room", firewall.MemoryOptions{MaxArtifacts: 10}, func(ctx context.Context, r stores) error {
		won, err := crowd(30, func(i int) (bool, error) {
			_, err := r[i%2].Reserve(ctx, firewall.Owner{ID: fmt.Sprint(i)}, 1)
			if errors.Is(err, firewall.ErrFull) {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil || won != 10 {
			return broken(err, "%d of 30 reserved room for 10", won)
		}
		return nil
	})
	add("released room is free", firewall.MemoryOptions{MaxArtifacts: 2, MaxBytes: 100}, func(ctx context.Context, r stores) error {
		for i := range 5 {
			room, err := r[i%2].Reserve(ctx, ann, 100)
			if err != nil {
				return fmt.Errorf("reservation %d: %w", i, err)
			}
			room.Release()
			room.Release()
		}
		room, err := r[0].Reserve(ctx, ann, 90)
		if err != nil {
			return err
		}
		if _, err := room.Keep(ctx, []firewall.Part{{Data: []byte("short")}}); err != nil {
			return err
		}
		room.Release()
		_, err = r[1].Reserve(ctx, ann, 90)
		return err
	})
	add("a result may take more than was reserved", firewall.MemoryOptions{MaxBytes: 100, MaxArtifacts: 2}, func(ctx context.Context, r stores) error {
		text := strings.Repeat("x", 60)
		refs, err := keep(ctx, r[0], ann, text, text, text)
		if err != nil {
			return err
		}
		return steps(opens(ctx, r[1], ann.ID, &refs[0].Handle, text), opens(ctx, r[1], ann.ID, &refs[2].Handle, text))
	})
	addTimed("what is promised stays, then the payer's oldest gives way", firewall.MemoryOptions{MaxPerOwner: 2, Promise: promise}, promise/2, func(ctx context.Context, r stores, pause pauses) error {
		var one, two, three string
		return steps(
			kept(ctx, r[0], ann, "one", &one), pause(10*time.Millisecond), kept(ctx, r[1], ann, "two", &two),
			isFull(ctx, r[0], ann, 0, "artifacts per owner", promise),
			opens(ctx, r[0], ann.ID, &one, "one"),
			pause(promise),
			opens(ctx, r[0], ann.ID, &one, "one"), // nobody needs its room
			kept(ctx, r[0], ann, "three", &three),
			closed(ctx, r[1], ann.ID, &one),
			opens(ctx, r[1], ann.ID, &two, "two"),
			opens(ctx, r[1], ann.ID, &three, "three"),
		)
	})
	addTimed("the payer with the most gives way to others", firewall.MemoryOptions{MaxArtifacts: 4, Promise: promise}, promise/2, func(ctx context.Context, r stores, pause pauses) error {
		var small, first, second, third, other string
		bob, eve := firewall.Owner{ID: "bob"}, firewall.Owner{ID: "eve"}
		return steps(
			kept(ctx, r[0], bob, "small", &small), pause(10*time.Millisecond),
			kept(ctx, r[0], ann, "1", &first), pause(10*time.Millisecond), kept(ctx, r[1], ann, "2", &second), kept(ctx, r[1], ann, "3", &third),
			pause(promise),
			kept(ctx, r[1], eve, "other", &other),
			opens(ctx, r[0], bob.ID, &small, "small"),
			closed(ctx, r[0], ann.ID, &first),
			opens(ctx, r[0], ann.ID, &second, "2"),
			opens(ctx, r[0], eve.ID, &other, "other"),
		)
	})
	addTimed("an artifact expires", firewall.MemoryOptions{MaxAge: promise}, promise/2, func(ctx context.Context, r stores, pause pauses) error {
		var h string
		return steps(
			kept(ctx, r[0], ann, "x", &h), opens(ctx, r[1], ann.ID, &h, "x"),
			pause(promise+50*time.Millisecond),
			closed(ctx, r[0], ann.ID, &h),
		)
	})
	add("answers come within the deadline", firewall.MemoryOptions{}, func(ctx context.Context, r stores) error {
		return prompt(ctx, func(ctx context.Context) {
			_, _ = keep(ctx, r[0], ann, "x")
			_, _ = r[0].Open(ctx, ann.ID, "art-AAAAAAAAAAAAAAAAAAAAAAAAAA")
		})
	})
	return s.rows
}

var ann = firewall.Owner{ID: "ann"}

// keep keeps texts, and gives back the room that they do not need.
func keep(ctx context.Context, f firewall.Store, owner firewall.Owner, texts ...string) ([]firewall.Ref, error) {
	room, err := f.Reserve(ctx, owner, 0)
	if err != nil {
		return nil, fmt.Errorf("Reserve(%+v): %w", owner, err)
	}
	defer room.Release()
	var parts []firewall.Part
	for _, text := range texts {
		parts = append(parts, firewall.Part{Data: []byte(text)})
	}
	refs, err := room.Keep(ctx, parts)
	if err != nil || len(refs) != len(parts) {
		return nil, broken(err, "Keep of %d parts: %d references", len(parts), len(refs))
	}
	return refs, nil
}

// opens is a step: the owner reads the text. The handle is read when the step runs.
func opens(ctx context.Context, f firewall.Store, id string, handle *string, want string) func() error {
	return func() error {
		a, err := f.Open(ctx, id, *handle)
		if err != nil || string(a.Data) != want {
			return broken(err, "Open(%.20q, %.40q): want %q", id, *handle, want)
		}
		return nil
	}
}

// closed is a step: there is nothing.
func closed(ctx context.Context, f firewall.Store, id string, handle *string) func() error {
	return func() error {
		if a, err := f.Open(ctx, id, *handle); a != nil || !errors.Is(err, firewall.ErrNotFound) {
			return broken(err, "Open(%.20q, %.40q): %v; want ErrNotFound", id, *handle, a)
		}
		return nil
	}
}

// isFull is a step: there is no room by the limit, for a while that is not zero unless most is.
func isFull(ctx context.Context, f firewall.Store, owner firewall.Owner, size int64, limit string, most time.Duration) func() error {
	return func() error {
		room, err := f.Reserve(ctx, owner, size)
		var full *firewall.FullError
		if room != nil || !errors.Is(err, firewall.ErrFull) || !errors.As(err, &full) || full.Limit != limit || full.RetryAfter > most || (full.RetryAfter > 0) != (most > 0) {
			return broken(err, "Reserve(%+v, %d): %v; want the limit on %s, again within %v", owner, size, room, limit, most)
		}
		return nil
	}
}
