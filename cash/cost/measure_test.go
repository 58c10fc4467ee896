package cost_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/registry"
)

type report struct {
	ID     string   `json:"id" jsonschema:"Id of the report, such as a search returns."`
	Since  string   `json:"since,omitempty" jsonschema:"Only what was changed at this time or later." cash:"format=date-time"`
	Fields []string `json:"fields,omitempty" jsonschema:"Names of the fields to return. Without it, all of them."`
	Limit  int      `json:"limit,omitempty" jsonschema:"Most to return." cash:"min=1,max=200,default=25"`
}

var errCalled = errors.New("a function was called")

// get is a function that must not be called.
func get(name string) *registry.Function {
	return registry.Func(name, "Get a report of the area, with the numbers of the last quarter.", func(context.Context, report) (string, error) {
		return "", errCalled
	})
}

// areas are n top-level namespaces of so many functions each.
func areas(n, each int) *registry.Registry {
	reg := registry.New(nil)
	for i := range n {
		for j := range each {
			reg.Namespace(fmt.Sprintf("area%d", i), "An area.").Add(get(fmt.Sprintf("report%d", j)))
		}
	}
	return reg
}

func measure(t *testing.T, ctx context.Context, src registry.Source, c *cost.Client) *cost.Report {
	t.Helper()
	r, err := cost.Measure(ctx, src, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Faces) != len(cost.Faces()) {
		t.Fatalf("%d faces are measured: %v", len(r.Faces), r)
	}
	for i, e := range r.Faces {
		switch {
		case strings.Contains(e.Unfit, "measured"):
			t.Errorf("%s %s", e.Face, e.Unfit)
		case i > 0 && e.Unfit == "" && r.Faces[i-1].Unfit != "":
			t.Errorf("%s fits, and stands below what does not:\n%v", e.Face, r)
		case e.One.Once < e.Definitions || e.Five.Once < e.One.Once || e.One.Input < e.One.Once:
			t.Errorf("%+v contradicts itself", e)
		}
	}
	return r
}

// TestBest holds which face is cheapest, by number, shape and client.
func TestBest(t *testing.T) {
	rooted := areas(3, 10)
	rooted.Namespace("", "").Add(get("ping"))
	all := cost.Client{LargeResults: true, ReadsResources: true, RunsCommands: true, Calls: 9}
	for _, tt := range []struct {
		name   string
		src    registry.Source
		client *cost.Client
		want   cost.Face
	}{
		{"nothing", registry.New(nil), nil, cost.Plain},
		{"nothing, with all wishes", registry.New(nil), &all, cost.Plain},
		{"three", areas(1, 3), nil, cost.Plain},
		{"nine, one used", areas(1, 9), nil, cost.Facade},
		{"nine, all used", areas(1, 9), &cost.Client{Calls: 9}, cost.Plain},
		{"eight domains of six commands, one used", areas(8, 6), nil, cost.CaSH},
		{"eight domains of six commands, five used", areas(8, 6), &cost.Client{Calls: 5}, cost.Facade},
		{"functions outside of domains, five used", rooted, &cost.Client{Calls: 5}, cost.Facade},
		{"very many", areas(100, 10), nil, cost.CaSH},
		{"very many, deferred", areas(100, 10), &cost.Client{Defers: true}, cost.Plain},
		{"large results", areas(8, 6), &cost.Client{LargeResults: true}, cost.Gateway},
		{"large results that all fit in a cache", areas(1, 3), &cost.Client{LargeResults: true, Caches: true}, cost.Gateway},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if r := measure(t, t.Context(), tt.src, tt.client); r.Best().Face != tt.want {
				t.Errorf("the best is %s, want %s\n%v", r.Best().Face, tt.want, r)
			}
		})
	}
}

// TestUnfit holds that faces that a client cannot use are measured, and come last.
func TestUnfit(t *testing.T) {
	unfit := func(c *cost.Client) (list []string) {
		for _, e := range measure(t, t.Context(), areas(1, 9), c).Faces {
			if e.Unfit != "" {
				list = append(list, string(e.Face)+": "+e.Unfit)
			}
		}
		return list
	}
	if list := unfit(nil); len(list) != 2 || !strings.Contains(strings.Join(list, "\n"), "disclosure: for clients that read resources") {
		t.Errorf("unfit are %q", list)
	}
	if list := unfit(&cost.Client{ReadsResources: true, RunsCommands: true}); list != nil {
		t.Errorf("unfit are %q", list)
	}
}

// TestHidden holds that what the caller does not see is of no account.
func TestHidden(t *testing.T) {
	reg := areas(1, 2)
	vault := reg.Namespace("vault", "", registry.VisibleTo(registry.Roles("boss")))
	for i := range 100 {
		vault.Add(get(fmt.Sprintf("f%d", i)))
	}
	if clerk, want := measure(t, t.Context(), reg, nil).String(), measure(t, t.Context(), areas(1, 2), nil).String(); clerk != want {
		t.Errorf("the clerk sees\n%v, want\n%v", clerk, want)
	}
	boss := registry.WithCaller(t.Context(), &registry.Caller{ID: "max", Roles: []string{"boss"}})
	if r := measure(t, boss, reg, nil); r.Functions != 102 {
		t.Errorf("the boss sees %d functions", r.Functions)
	}
}

// TestArgumentsThatCannotBeMadeUp holds that such functions count, and are not called.
func TestArgumentsThatCannotBeMadeUp(t *testing.T) {
	reg := registry.New(nil)
	f, err := registry.RawFunc("odd", "Takes odd texts.", json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","pattern":"^[0-9]{7}$"}},"required":["a"]}`),
		func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, errCalled })
	if err != nil {
		t.Fatal(err)
	}
	reg.Namespace("odd", "Odd ones.").Add(f)
	if r := measure(t, t.Context(), reg, nil); r.Functions != 1 || r.Sampled != 0 || r.Best().Definitions == 0 {
		t.Errorf("%+v", r)
	}
	reg.Namespace("", "").Add(get("sound"))
	if r := measure(t, t.Context(), reg, nil); r.Functions != 2 || r.Sampled != 1 {
		t.Errorf("%+v", r)
	}
}

// broken is a source that panics.
type broken struct{ registry.Source }

// TestFails holds that a source that cannot be listed is an error.
func TestFails(t *testing.T) {
	if r, err := cost.Measure(t.Context(), broken{}, nil); err == nil {
		t.Errorf("%+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cost.Measure(ctx, areas(1, 1), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := cost.Play(t.Context(), "nonsense", areas(1, 1), nil, nil); err == nil {
		t.Error("there is a face called nonsense")
	}
}

// What a registry costs a model, behind each face.
func ExampleMeasure() {
	r, err := cost.Measure(context.Background(), areas(8, 6), &cost.Client{Calls: 5})
	if err != nil {
		log.Fatal(err)
	}
	best, plain := r.Best(), cost.Estimate{}
	for _, e := range r.Faces {
		if e.Face == cost.Plain {
			plain = e
		}
	}
	fmt.Println(best.Face, "has less definitions than plain:", best.Definitions < plain.Definitions/4)
	// Output: facade has less definitions than plain: true
}
