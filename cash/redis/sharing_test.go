package redis_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// page returns the body of a page of the operator's.
func (s *stand) page(replica int, path string) string {
	s.t.Helper()
	res, err := s.client.Get(s.replicas[replica].url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s on replica %d: %s, %v, %s", path, replica, res.Status, err, text)
	}
	return string(text)
}

// TestReplicasShare holds for three processes behind their faces over HTTP what one process promises.
func TestReplicasShare(t *testing.T) {
	t.Parallel()
	const minute, limit = 500 * time.Millisecond, 10
	s := newStand(t, shared, 3, role{Prefix: newPrefix(), Minute: minute, Limit: limit})
	t.Run("a plan", s.sharePlan)
	t.Run("a gated result", s.shareResult)
	t.Run("an approval", s.shareApproval)
	t.Run("an artifact", s.shareArtifact)
	t.Run("a quota", func(t *testing.T) { s.shareQuota(t, minute, limit) })
}

// sharePlan plans on one replica, and calls with the token on all at once.
func (s *stand) sharePlan(t *testing.T) {
	s = s.in(t)
	for i := range 20 {
		id := fmt.Sprint("plan ", i)
		token := planToken(answer{Text: s.must("ada", i, "pay", id, map[string]any{"dry_run": true})})
		if token == "" {
			t.Fatal("no token")
		}
		var group sync.WaitGroup
		var done, used atomic.Int32
		for j := range 6 {
			group.Go(func() {
				switch a, err := s.call("ada", j, "pay", id, map[string]any{"plan_token": token}); {
				case err != nil:
					t.Error(err)
				case !a.IsError:
					done.Add(1)
				case strings.Contains(a.Text, "has been used"):
					used.Add(1)
				default:
					t.Error(a.Text)
				}
			})
		}
		group.Wait()
		if n := s.of("pay " + id); n != 1 || done.Load() != 1 || used.Load() != 5 {
			t.Errorf("%d runs, %d answers, %d refusals", n, done.Load(), used.Load())
		}
	}
}

// shareResult gets a gated result on other replicas than the one that has run the function.
func (s *stand) shareResult(t *testing.T) {
	s = s.in(t)
	for i := range 3 {
		id := fmt.Sprint("gated ", i)
		a, err := s.call("ada", i, "export", id, nil)
		if err != nil || !a.IsError || !strings.Contains(a.Text, "does not run it again") {
			t.Fatalf("%v, %s", err, a.Text)
		}
		for j := range 3 {
			if text := s.must("ada", i+1+j, "export", id, map[string]any{"sizelimit": 100_000}); text != strings.Repeat("export "+id+"\n", 100) {
				t.Errorf("on replica %d: %.100q", (i+1+j)%3, text)
			}
		}
		if n := s.of("export " + id); n != 1 {
			t.Errorf("%d runs", n)
		}
		// Another caller has no such result: the function runs for that caller.
		s.must("bob", i+1, "export", id, map[string]any{"sizelimit": 100_000})
		if n := s.of("export " + id); n != 2 {
			t.Errorf("%d runs after another caller's", n)
		}
	}
}

// shareApproval asks on one replica, lists on a second, approves on a third, and repeats the call on all.
func (s *stand) shareApproval(t *testing.T) {
	s = s.in(t)
	for i := range 3 {
		id := fmt.Sprint("approval ", i)
		a, err := s.call("ada", i, "wipe", id, nil)
		if err != nil || !a.IsError || s.of("wipe "+id) != 0 {
			t.Fatalf("%v, %s", err, a.Text)
		}
		ticket := strings.TrimSpace(s.page((i+1)%3, "/pending"))
		if ticket == "" || strings.Contains(ticket, "\n") || !strings.Contains(a.Text, ticket) {
			t.Fatalf("waiting are %q, asked was %s", ticket, a.Text)
		}
		s.page((i+2)%3, "/approve?id="+ticket)
		if a, err := s.call("bob", i, "wipe", id, nil); err != nil || !a.IsError {
			t.Errorf("another caller uses the approval: %v, %s", err, a.Text)
		}
		var group sync.WaitGroup
		var done atomic.Int32
		for j := range 6 {
			group.Go(func() {
				if a, err := s.call("ada", j, "wipe", id, nil); err != nil {
					t.Error(err)
				} else if !a.IsError {
					done.Add(1)
				}
			})
		}
		group.Wait()
		if n := s.of("wipe " + id); n != 1 || done.Load() != 1 {
			t.Errorf("%d runs, %d answers", n, done.Load())
		}
		for _, left := range strings.Fields(s.page(i, "/pending")) { // those of the other calls
			s.page(i, "/approve?id="+left)
		}
		for user, replica := range map[string]int{"ada": i, "bob": i} {
			_, _ = s.call(user, replica, "wipe", id, nil)
		}
	}
}

// shareArtifact keeps an artifact on each replica, and looks into it on all of them.
func (s *stand) shareArtifact(t *testing.T) {
	s = s.in(t)
	tool := s.toolID("report")
	for i := range 3 {
		id := fmt.Sprint("artifact ", i)
		handle, a, err := s.execute("ada", i, tool, idOnly{id})
		if err != nil || handle == "" {
			t.Fatalf("%v, %s", err, a.Text)
		}
		for j := range 3 {
			if err := s.readable("ada", j, handle, "report "+id); err != nil {
				t.Error(err)
			}
			foreign, err1 := s.view("bob", j, handle)
			never, err2 := s.view("bob", j, "art-"+strings.Repeat("A", 26))
			if err1 != nil || err2 != nil || !foreign.IsError || foreign != never {
				t.Errorf("another caller on replica %d: %v, %v, %s, want %s", j, err1, err2, foreign.Text, never.Text)
			}
		}
	}
}

func (s *stand) view(user string, replica int, handle string) (answer, error) {
	return s.tool(user, replica, "gateway", "tool_view", map[string]any{"handle": handle, "selector": map[string]any{"type": "tail", "chars": 40}})
}

// readable returns an error if an artifact cannot be read, or does not have the text.
func (s *stand) readable(user string, replica int, handle, text string) error {
	a, err := s.view(user, replica, handle)
	if err != nil || a.IsError || !strings.Contains(a.Text, text) {
		return fmt.Errorf("%s of %s on replica %d: %v, %s; want %q", handle, user, replica, err, a.Text, text)
	}
	return nil
}

// shareQuota calls ten times as often as is allowed for ten minutes of the quota, and longer until enough calls have
// run and were refused. The recorder knows between which two times a call was admitted, so that the runs surely within
// a minute are counted, for each minute that begins anywhere.
func (s *stand) shareQuota(t *testing.T, minute time.Duration, limit int) {
	var group sync.WaitGroup
	var ran, refused atomic.Int32
	const clients = 12
	begin := time.Now()
	enough := func() bool {
		return time.Since(begin) > 10*minute && ran.Load() >= int32(5*limit) && refused.Load() >= int32(10*limit)
	}
	for i := range clients {
		group.Go(func() {
			ticks := time.NewTicker(minute * clients / time.Duration(10*limit))
			defer ticks.Stop()
			for n := 0; !enough() && time.Since(begin) < time.Minute; n++ {
				a, err := s.call("ada", n+i, "ping", fmt.Sprint("quota ", i, n), nil)
				switch {
				case err != nil:
					t.Error(err)
				case a.IsError && strings.Contains(a.Text, "is used up. It was not run"):
					refused.Add(1)
				case a.IsError:
					t.Error(a.Text)
				default:
					ran.Add(1)
				}
				<-ticks.C
			}
		})
	}
	group.Wait()
	most, all := s.busiest("ping", minute)
	t.Logf("%d calls ran and %d were refused in %v; at most %d of %d in one minute of %v", all, refused.Load(), time.Since(begin), most, limit, minute)
	if most > limit || all < 5*limit || refused.Load() < int32(10*limit) {
		t.Errorf("%d ran in one minute, %d in all, %d were refused", most, all, refused.Load())
	}
}
