package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// Results are the duties of a [control.ResultStore]. Room is the number of results, RoomPerOwner that of the promised
// results of one owner. They are bounded in bytes too, to no less than 10,000 for each.
func Results(subject Subject[control.ResultStore]) []Row {
	s := newSuite(subject)
	type stores = []control.ResultStore
	ada := func(key string) control.ResultKey { return control.ResultKey{Owner: "ada", Key: key} }
	s.add("a result is found whole and unchanged", 2, func(ctx context.Context, r stores) error {
		count := 2
		want := &registry.Result{
			Content: []mcp.Content{
				&mcp.TextContent{Text: "text \x00\xff \u2028 <&>"}, &mcp.ImageContent{Data: []byte{0, 255}, MIMEType: "image/png"},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", Text: "x"}}, &mcp.ResourceLink{URI: "a:c", Name: "n"},
			},
			Structured: json.RawMessage(`{"z":1.0, "a":9007199254740993}`), Count: &count, Omitted: []string{"a[].b"}, JSON: true,
			Meta: map[string]any{"k": json.RawMessage(`{"b":1,"a":1.50}`)}, IsError: true,
		}
		data, err := want.MarshalBinary()
		if err != nil {
			return err
		}
		for _, promised := range []bool{false, true} {
			stored := &control.StoredResult{Result: want, Size: 1000, Limit: 77, Lasts: time.Minute, Promised: promised}
			if err := keeps(ctx, r[0], ada("key"), stored, true)(); err != nil {
				return err
			}
			got, _, err := r[1].Find(ctx, ada("key"))
			if err != nil || got == nil || got.Limit != 77 || got.Size != 1000 || got.Promised != promised {
				return broken(err, "found %+v, want %+v", got, stored)
			}
			if same, err := got.Result.MarshalBinary(); err != nil || !bytes.Equal(same, data) {
				return broken(err, "found %s, want %s", same, data)
			}
		}
		return nil
	})
	s.add("a result is found under its key only", 1, func(ctx context.Context, r stores) error {
		for i, name := range odd {
			err := steps(
				finds(ctx, r[0], control.ResultKey{Owner: name, Key: "key"}, ""), finds(ctx, r[0], control.ResultKey{Owner: "owner", Key: name}, ""),
				keeps(ctx, r[0], control.ResultKey{Owner: name, Key: "key"}, result(fmt.Sprint(i)), true),
				keeps(ctx, r[0], control.ResultKey{Owner: "owner", Key: name}, result(fmt.Sprint(i)), true),
			)
			if err != nil {
				return fmt.Errorf("%q after others: %w", name, err)
			}
		}
		return nil
	})
	s.add("a later result replaces an older one", 2, func(ctx context.Context, r stores) error {
		return steps(
			keeps(ctx, r[0], ada("key"), result("old"), true), keeps(ctx, r[1], ada("key"), promised("new"), true),
			finds(ctx, r[0], ada("key"), "new"),
		)
	})
	s.add("an expired result is not found", 2, func(ctx context.Context, r stores) error {
		one, two := result("one"), promised("two")
		one.Lasts, two.Lasts = 100*time.Millisecond, 100*time.Millisecond
		return steps(
			keeps(ctx, r[0], ada("1"), one, true), keeps(ctx, r[0], ada("2"), two, true),
			func() error { s.wait(150 * time.Millisecond); return nil },
			finds(ctx, r[1], ada("1"), ""), finds(ctx, r[1], ada("2"), ""),
		)
	})
	s.addTimed("Expire shortens a life, and lengthens none", 2, 50*time.Millisecond, func(ctx context.Context, r stores, pause pauses) error {
		short := promised("short")
		short.Lasts = 100 * time.Millisecond
		return steps(
			keeps(ctx, r[0], ada("1"), promised("long"), true), keeps(ctx, r[0], ada("2"), short, true), keeps(ctx, r[0], ada("3"), promised("other"), true),
			func() error { return r[1].Expire(ctx, ada("1"), 100*time.Millisecond) },
			func() error { return r[1].Expire(ctx, ada("2"), time.Minute) },
			func() error { return r[1].Expire(ctx, ada("4"), time.Minute) },
			finds(ctx, r[0], ada("1"), "long"),
			pause(150*time.Millisecond),
			finds(ctx, r[0], ada("1"), ""), finds(ctx, r[0], ada("2"), ""), finds(ctx, r[0], ada("3"), "other"), finds(ctx, r[0], ada("4"), ""),
		)
	})
	s.add("Flush drops what is not promised", 2, func(ctx context.Context, r stores) error {
		return steps(
			keeps(ctx, r[0], ada("1"), result("one"), true), keeps(ctx, r[0], ada("2"), promised("two"), true),
			func() error { return r[1].Flush(ctx) },
			finds(ctx, r[0], ada("1"), ""), finds(ctx, r[0], ada("2"), "two"),
		)
	})
	s.add("a result from before a Flush is not kept", 2, func(ctx context.Context, r stores) error {
		_, edition, err := r[0].Find(ctx, ada("1"))
		if err != nil || edition == "" {
			return broken(err, "the edition is %q", edition)
		}
		early, late := result("early"), result("late")
		early.Edition = edition
		if err := steps(keeps(ctx, r[0], ada("0"), early, true), func() error { return r[1].Flush(ctx) }, keeps(ctx, r[0], ada("1"), early, false), finds(ctx, r[0], ada("1"), "")); err != nil {
			return err
		}
		if _, late.Edition, err = r[0].Find(ctx, ada("1")); err != nil || late.Edition == edition {
			return broken(err, "the edition after a Flush is %q as before", late.Edition)
		}
		return steps(keeps(ctx, r[1], ada("1"), late, true), finds(ctx, r[0], ada("1"), "late"))
	})
	s.add("an owner has a share of what is promised", 1, func(ctx context.Context, r stores) error {
		for i := range s.RoomPerOwner {
			if err := keeps(ctx, r[0], ada(fmt.Sprint(i)), promised("x"), true)(); err != nil {
				return err
			}
		}
		return steps(
			keeps(ctx, r[0], ada("more"), promised("x"), false), finds(ctx, r[0], ada("more"), ""), finds(ctx, r[0], ada("0"), "x"),
			keeps(ctx, r[0], ada("more"), result("x"), true),
			keeps(ctx, r[0], control.ResultKey{Owner: "bob", Key: "more"}, promised("x"), true),
		)
	}).unless(s.RoomPerOwner > 0, "the subject has no RoomPerOwner")
	s.add("a store full of promises forgets none", 1, func(ctx context.Context, r stores) error {
		key := func(i int) control.ResultKey { return control.ResultKey{Owner: fmt.Sprint("owner ", i), Key: "key"} }
		for i := range s.Room {
			if err := keeps(ctx, r[0], key(i), promised("x"), true)(); err != nil {
				return fmt.Errorf("result %d of %d: %w", i, s.Room, err)
			}
		}
		if err := steps(keeps(ctx, r[0], key(s.Room), promised("x"), false), keeps(ctx, r[0], key(s.Room), result("x"), false)); err != nil {
			return err
		}
		for i := range s.Room {
			if err := finds(ctx, r[0], key(i), "x")(); err != nil {
				return fmt.Errorf("result %d of a full store: %w", i, err)
			}
		}
		return nil
	}).unless(s.Room > 0, noRoom)
	s.add("what is not promised gives way", 1, func(ctx context.Context, r stores) error {
		for i := range s.Room + 5 {
			if err := keeps(ctx, r[0], ada(fmt.Sprint(i)), result("x"), true)(); err != nil {
				return fmt.Errorf("result %d: %w", i, err)
			}
		}
		there := 0
		for i := range s.Room + 5 {
			if got, _, err := r[0].Find(ctx, ada(fmt.Sprint(i))); err != nil {
				return err
			} else if got != nil {
				there++
			}
		}
		if there > s.Room {
			return fmt.Errorf("%d results in a store for %d", there, s.Room)
		}
		return finds(ctx, r[0], ada(fmt.Sprint(s.Room+4)), "x")()
	}).unless(s.Room > 0, noRoom)
	s.add("answers come within the deadline", 1, func(ctx context.Context, r stores) error {
		return prompt(ctx, func(ctx context.Context) {
			_, _ = r[0].Keep(ctx, ada("key"), result("x"))
			_, _, _ = r[0].Find(ctx, ada("key"))
			_ = r[0].Expire(ctx, ada("key"), time.Second)
			_ = r[0].Flush(ctx)
		})
	})
	return s.rows
}

func result(text string) *control.StoredResult {
	return &control.StoredResult{Result: registry.TextResult(text), Size: 100, Lasts: time.Minute}
}

func promised(text string) *control.StoredResult {
	r := result(text)
	r.Promised = true
	return r
}

// keeps is a step: a result is kept or not.
func keeps(ctx context.Context, f control.ResultStore, key control.ResultKey, r *control.StoredResult, want bool) func() error {
	return func() error {
		if kept, err := f.Keep(ctx, key, r); err != nil || kept != want {
			return broken(err, "Keep(%q, promised: %v): %v, want %v", key, r.Promised, kept, want)
		}
		return nil
	}
}

// finds is a step: the result has the text, or there is none if that is empty.
func finds(ctx context.Context, f control.ResultStore, key control.ResultKey, want string) func() error {
	return func() error {
		got, _, err := f.Find(ctx, key)
		if err != nil || (got == nil) != (want == "") || got != nil && got.Result.Text() != want {
			return broken(err, "Find(%q): %+v, want %q", key, got, want)
		}
		return nil
	}
}
