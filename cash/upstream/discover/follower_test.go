package discover_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/discover"
	"github.com/cash-mcp/go-sdk/manifest"
)

func follow(t *testing.T, n network, url string, opts discover.Options) *discover.Follower {
	t.Helper()
	opts.Fetch.Transport = n
	f, err := discover.Follow(url, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestR131Next holds that a manifest is fetched no sooner than it says, and less often
// after each failure, of which nothing of the last one is lost.
func TestR131Next(t *testing.T) {
	now := time.Date(2026, 4, 24, 0, 0, 0, 0, time.UTC)
	n := network{"a.example": document("a.example", "Shop", "orders")}
	f := follow(t, n, "https://A.example:443/m?key=secret", discover.Options{Fetch: manifest.FetchOptions{Now: func() time.Time { return now }}})
	if f.URL() != "https://a.example/m?key=secret" || f.Host() != "a.example" || f.Last() != nil {
		t.Errorf("%s, %s, %v", f.URL(), f.Host(), f.Last())
	}
	f.Fetch(t.Context())
	if f.Err() != nil || f.Next() != 10*time.Minute {
		t.Fatalf("%v, next in %v", f.Err(), f.Next())
	}
	first := f.Last()
	now = now.Add(time.Hour)
	n["a.example"] = "not a manifest"
	for _, want := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second} {
		if f.Fetch(t.Context()); f.Err() == nil || f.Last() != first {
			t.Fatalf("%v, %v", f.Err(), f.Last())
		}
		if got := f.Next(); got != want {
			t.Errorf("next in %v, want %v", got, want)
		}
	}
	for range 10 {
		f.Next()
	}
	if got := f.Next(); got != 5*time.Minute {
		t.Errorf("next in %v at most", got)
	}
	delete(n, "a.example") // 503 with Retry-After
	if f.Fetch(t.Context()); f.Next() != 10*time.Minute {
		t.Errorf("next in %v", f.Next())
	}
	n["a.example"] = document("a.example", "Shop", "stock")
	if f.Fetch(t.Context()); f.Err() != nil || f.Last() == first || f.Next() != 10*time.Minute {
		t.Errorf("%v, next in %v", f.Err(), f.Next())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	last := f.Last()
	now = now.Add(time.Hour)
	if f.Fetch(ended); f.Err() != nil || f.Last() != last {
		t.Errorf("a fetch that was cut off: %v", f.Err())
	}
}

// TestClientHeader holds that a header goes to the host of the manifest only.
func TestClientHeader(t *testing.T) {
	header := http.Header{"Authorization": {"secret"}}
	for endpoint, want := range map[string]string{"a.example": "secret", "b.example": "", "a.example:8443": ""} {
		n := network{"a.example": document(endpoint, "Shop", "orders")}
		opts := discover.Options{Header: header, Fetch: manifest.FetchOptions{Trusted: []string{"b.example", "a.example:8443"}}}
		f := follow(t, n, "https://a.example/m", opts)
		if f.Fetch(t.Context()); f.Err() != nil {
			t.Fatal(f.Err())
		}
		client, got := f.Client()
		if got.Get("Authorization") != want || client == nil {
			t.Errorf("%s gets %v", endpoint, got)
		}
	}
}

func TestFollowRefuses(t *testing.T) {
	for _, url := range []string{"", "http://a.example/m", "https://u:secret@a.example/m", "https://127.1/?secret", "stdio:secret"} {
		if f, err := discover.Follow(url, nil); err == nil || f != nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, %v", url, f, err)
		}
	}
	if _, err := discover.Follow("https://a.example/m", &discover.Options{Fetch: manifest.FetchOptions{Trusted: []string{"a b"}}}); err == nil {
		t.Error("a malformed trusted host is taken")
	}
}

// TestR134Sticky holds that labels stay, as long as nothing else stands there, and that
// one that is forgotten is free again.
func TestR134Sticky(t *testing.T) {
	n := network{"a.example": document("a.example", "Shop", "orders"), "b.example": document("b.example", "Depot", "orders")}
	a, b := follow(t, n, "https://a.example/m", discover.Options{}), follow(t, n, "https://b.example/m", discover.Options{})
	a.Fetch(t.Context())
	b.Fetch(t.Context())
	taken := ""
	isTaken := func(label string, _ *discover.Follower) bool { return label == taken }
	var labels discover.Labels
	choose := func(list ...*discover.Follower) string {
		var all []string
		places := labels.Choose(list, isTaken)
		for _, f := range list {
			for _, p := range places[f] {
				all = append(all, p.Label)
			}
		}
		return strings.Join(all, " ")
	}
	for _, step := range []struct {
		list  []*discover.Follower
		taken string
		want  string
	}{
		{[]*discover.Follower{a}, "", "orders"},
		{[]*discover.Follower{b, a}, "", "depotorders orders"},
		{[]*discover.Follower{a, b}, "", "orders depotorders"},
		{[]*discover.Follower{a}, "orders", "shoporders"},
		{[]*discover.Follower{a, b}, "", "shoporders depotorders"},
	} {
		taken = step.taken
		if got := choose(step.list...); got != step.want {
			t.Errorf("labels %s, want %s", got, step.want)
		}
	}
	labels.Forget(b)
	labels.Forget(a)
	if got := choose(b); got != "orders" {
		t.Errorf("label %s", got)
	}
}
