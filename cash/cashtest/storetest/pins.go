package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

// Pins are the duties of a [pin.Store].
func Pins(subject Subject[pin.Store]) []Row {
	s := newSuite(subject)
	type stores = []pin.Store
	s.add("nothing is pinned at first", 1, func(ctx context.Context, r stores) error {
		if p, err := r[0].Load(ctx, "shop"); err != nil || p.Revision != "" || p.Definitions != nil {
			return broken(err, "Load: %+v, want the zero value", p)
		}
		return nil
	})
	s.add("all fields are kept unchanged", 2, func(ctx context.Context, r stores) error {
		d := &pin.Definition{
			Name: "pay <&> \u2028", Title: "Pay\n", Description: "Pays \u202e a bill. 'x' \"y\"",
			InputSchema:  json.RawMessage(`{"type":"object","properties":{"amount":{"maximum":9007199254740993}}}`),
			OutputSchema: json.RawMessage(`{"z":1,"a":[]}`), Annotations: json.RawMessage(`{"readOnlyHint":false}`),
			Icons: json.RawMessage(`[{"src":"x"}]`), Meta: json.RawMessage(`{"a":null}`),
		}
		f := &pin.Definition{Name: "orders.create", Function: true}
		if _, err := r[0].Swap(ctx, "shop", "", pinned(d, f)); err != nil {
			return err
		}
		p, err := r[1].Load(ctx, "shop")
		if err != nil || len(p.Definitions) != 2 || !equalDefinitions(p.Definitions[d.Name], d) || !equalDefinitions(p.Definitions[f.Name], f) {
			return broken(err, "Load: %+v, want %+v", p.Definitions, pinned(d, f))
		}
		return nil
	})
	s.add("every change has its own revision", 2, func(ctx context.Context, r stores) error {
		seen := map[string]bool{"": true}
		revision := ""
		for i, names := range [][]string{{"a"}, {"a", "b"}, {"b"}, {}} {
			next, err := r[i%2].Swap(ctx, "shop", revision, defined(names...))
			if err != nil || seen[next] {
				return broken(err, "change %d has the revision %q", i+1, next)
			}
			if p, err := r[(i+1)%2].Load(ctx, "shop"); err != nil || p.Revision != next || len(p.Definitions) != len(names) {
				return broken(err, "after change %d: %+v, want the revision %q", i+1, p, next)
			}
			seen[next], revision = true, next
		}
		return nil
	})
	s.add("another revision changes nothing", 2, func(ctx context.Context, r stores) error {
		first, err := r[0].Swap(ctx, "shop", "", defined("a"))
		if err != nil {
			return err
		}
		second, err := r[1].Swap(ctx, "shop", first, defined("b"))
		if err != nil {
			return err
		}
		for _, revision := range []string{"", first, second + "x"} {
			for _, definitions := range []map[string]*pin.Definition{defined("c"), nil} {
				if next, err := r[0].Swap(ctx, "shop", revision, definitions); !errors.Is(err, pin.ErrChanged) {
					return broken(err, "Swap at the revision %q: %q; want ErrChanged", revision, next)
				}
			}
		}
		p, err := r[0].Load(ctx, "shop")
		if err != nil || p.Revision != second || p.Definitions["b"] == nil || len(p.Definitions) != 1 {
			return broken(err, "Load: %+v, want b at the revision %q", p, second)
		}
		return nil
	})
	s.add("one of many changes a revision", 2, func(ctx context.Context, r stores) error {
		won, err := crowd(8, func(i int) (bool, error) {
			_, err := r[i%2].Swap(ctx, "shop", "", defined(fmt.Sprint(i)))
			if errors.Is(err, pin.ErrChanged) {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil || won != 1 {
			return broken(err, "%d of 8 changed a revision", won)
		}
		return nil
	})
	s.add("nil deletes, and an empty map does not", 2, func(ctx context.Context, r stores) error {
		revision, err := r[0].Swap(ctx, "shop", "", map[string]*pin.Definition{})
		if err != nil {
			return err
		}
		if p, err := r[1].Load(ctx, "shop"); err != nil || p.Definitions == nil || p.Revision == "" {
			return broken(err, "an empty map: %+v", p)
		}
		if next, err := r[1].Swap(ctx, "shop", revision, nil); err != nil || next != "" {
			return broken(err, "deleting: revision %q", next)
		}
		if p, err := r[0].Load(ctx, "shop"); err != nil || p.Definitions != nil || p.Revision != "" {
			return broken(err, "after deleting: %+v", p)
		}
		return nil
	})
	s.add("maps belong to their callers", 1, func(ctx context.Context, r stores) error {
		mine := defined("a", "b")
		if _, err := r[0].Swap(ctx, "shop", "", mine); err != nil {
			return err
		}
		delete(mine, "a")
		p, err := r[0].Load(ctx, "shop")
		if err != nil || len(p.Definitions) != 2 {
			return broken(err, "the map given to Swap is shared: %v", p.Definitions)
		}
		clear(p.Definitions)
		if p, err := r[0].Load(ctx, "shop"); err != nil || len(p.Definitions) != 2 {
			return broken(err, "the map of Load is shared: %v", p.Definitions)
		}
		return nil
	})
	s.add("labels are compared byte by byte", 1, func(ctx context.Context, r stores) error {
		for _, label := range []string{"a", "A", "a ", "{a}", "a:b", "á", "a\u0301", "https://a/b", "a*"} {
			if _, err := r[0].Swap(ctx, label, "", defined("x")); err != nil {
				return fmt.Errorf("label %q after others: %w", label, err)
			}
		}
		return nil
	})
	s.add("watchers learn of all changes", 2, func(ctx context.Context, r stores) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		told, ended := make(chan string, 100), make(chan error, 1)
		go func() {
			ended <- r[1].Watch(ctx, func(label string) {
				select {
				case told <- label:
				default:
				}
			})
		}()
		wait := func(label string) error {
			for end := time.After(3 * time.Second); ; {
				select {
				case got := <-told:
					if got == label {
						return nil
					}
				case err := <-ended:
					return broken(err, "Watch ended")
				case <-end:
					return fmt.Errorf("no word of %q", label)
				}
			}
		}
		// The watch has begun when it tells of one of these changes.
		revision, err := begun(ctx, r[0], told)
		if err != nil {
			return err
		}
		if revision, err = r[0].Swap(ctx, "shop", revision, defined("b")); err != nil {
			return err
		}
		if err := wait("shop"); err != nil {
			return err
		}
		if _, err := r[0].Swap(ctx, "shop", revision, nil); err != nil {
			return err
		}
		return wait("shop")
	})
	s.add("a watch ends with its context", 1, func(ctx context.Context, r stores) error {
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- r[0].Watch(ctx, func(string) {}) }()
		cancel()
		select {
		case err := <-ended:
			if err == nil {
				return errors.New("the watch returned without an error")
			}
			return nil
		case <-time.After(patience):
			return fmt.Errorf("the watch goes on %v after the end of its context", patience)
		}
	})
	return s.rows
}

// begun changes the upstream "begin" until a watch tells of it, and then pins "shop". It returns its revision.
func begun(ctx context.Context, p pin.Store, told <-chan string) (string, error) {
	revision := ""
	for i := range 200 {
		next, err := p.Swap(ctx, "begin", revision, defined(fmt.Sprint(i)))
		if err != nil {
			return "", err
		}
		revision = next
		select {
		case <-told:
			return p.Swap(ctx, "shop", "", defined("a"))
		case <-time.After(20 * time.Millisecond):
		}
	}
	return "", errors.New("no word of 200 changes")
}

func pinned(list ...*pin.Definition) map[string]*pin.Definition {
	definitions := make(map[string]*pin.Definition)
	for _, d := range list {
		definitions[d.Name] = d
	}
	return definitions
}

func defined(names ...string) map[string]*pin.Definition {
	definitions := make(map[string]*pin.Definition)
	for _, name := range names {
		maps.Copy(definitions, pinned(&pin.Definition{Name: name}))
	}
	return definitions
}

// equalDefinitions reports whether definitions have the same texts, and JSON of the same bytes but for white space.
func equalDefinitions(a, b *pin.Definition) bool {
	if a == nil || b == nil {
		return a == b
	}
	same := func(x, y json.RawMessage) bool {
		var p, q bytes.Buffer
		return len(x) == 0 && len(y) == 0 || json.Compact(&p, x) == nil && json.Compact(&q, y) == nil && bytes.Equal(p.Bytes(), q.Bytes())
	}
	return a.Name == b.Name && a.Title == b.Title && a.Description == b.Description && a.Function == b.Function &&
		same(a.InputSchema, b.InputSchema) && same(a.OutputSchema, b.OutputSchema) && same(a.Annotations, b.Annotations) &&
		same(a.Icons, b.Icons) && same(a.Meta, b.Meta)
}
