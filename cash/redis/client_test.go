package redis_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
)

// newClient connects within a second.
func newClient(t *testing.T, o redis.Options) (*redis.Client, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	c, err := redis.New(ctx, &o)
	if err == nil {
		t.Cleanup(c.Close)
	}
	return c, err
}

// TestServerIsChecked holds that a server that would forget is refused, or says what it forgets.
func TestServerIsChecked(t *testing.T) {
	evicting := ownServer(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
	if _, err := newClient(t, redis.Options{Addresses: []string{evicting.address}}); err == nil || !strings.Contains(err.Error(), `"allkeys-lru"`) || !strings.Contains(err.Error(), "noeviction") {
		t.Errorf("a server that evicts: %v", err)
	}
	c, err := newClient(t, redis.Options{Addresses: []string{evicting.address}, Evicting: true})
	if err != nil {
		t.Fatal(err)
	}
	if list := c.Forgets(); len(list) != 2 || !strings.Contains(list[0], "append-only file") && !strings.Contains(list[1], "append-only file") {
		t.Errorf("it forgets %q", list)
	}
	lasting := ownServer(t, "--maxmemory", "100mb", "--maxmemory-policy", "noeviction", "--appendonly", "yes")
	if c, err = newClient(t, redis.Options{Addresses: []string{lasting.address}}); err != nil || len(c.Forgets()) != 0 {
		t.Fatalf("a lasting server: %v", err)
	}
	for version, ok := range map[string]bool{"6.0.20": false, "6.2.0": true, "7.0.15": true, "10.0": true, "5": false, "": false, "x.y": false} {
		if _, err := c.Judge(map[string]string{"redis_version": version, "maxmemory": "0"}); (err == nil) != ok {
			t.Errorf("version %q: %v", version, err)
		}
	}
}

// TestConnectErrors holds that errors name the address and what to do, and no password.
func TestConnectErrors(t *testing.T) {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	closed := ownServer(t, "--requirepass", "s3cret")
	for _, test := range []struct {
		name string
		o    redis.Options
		want string
	}{
		{"nobody listens", redis.Options{Addresses: []string{"127.0.0.1:" + port}, Password: "pa55word"}, "check that it runs"},
		{"no password", redis.Options{Addresses: []string{closed.address}}, "check Username and Password"},
		{"another password", redis.Options{Addresses: []string{closed.address}, Password: "pa55word"}, "check Username and Password"},
		{"an address with a password", redis.Options{Addresses: []string{"redis://:pa55word@host:1"}}, "not host:port"},
		{"a prefix with a hash tag", redis.Options{Prefix: "{a}"}, "prefix"},
		{"a short key", redis.Options{Key: []byte("pa55word")}, "at least 32"},
	} {
		start := time.Now()
		_, err := newClient(t, test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "pa55word") || time.Since(start) > 2*time.Second {
			t.Errorf("%s: after %v: %v", test.name, time.Since(start), err)
		}
	}
	if _, err := newClient(t, redis.Options{Addresses: []string{closed.address}, Password: "s3cret"}); err != nil {
		t.Error(err)
	}
}

// TestServerThatDies holds that operations fail soon and closed while there is no server, and work again within two
// seconds after it is back, with what it has kept.
func TestServerThatDies(t *testing.T) {
	s := ownServer(t, "--appendonly", "yes", "--appendfsync", "always")
	c := dial(t, redis.Options{Addresses: []string{s.address}, Timeout: time.Second})
	open := dial(t, redis.Options{Addresses: []string{s.address}, Timeout: time.Second, QuotaOpen: true})
	expires := time.Now().Add(time.Minute)
	if _, claimed, err := c.Plans().Claim(t.Context(), "used", "", expires); !claimed || err != nil {
		t.Fatal(claimed, err)
	}
	call := quotaOf("ada")
	ticket, err := c.Approvals().Ask(t.Context(), &control.Ticket{ID: "1", Call: "call", Waits: true, By: "operator", Expires: expires, Settled: make(chan struct{})})
	if err != nil {
		t.Fatal(err)
	}
	s.kill()
	slow := 0
	for i := range 20 {
		start := time.Now()
		_, claimed, err1 := c.Plans().Claim(t.Context(), "new", "", expires)
		_, err2 := c.Quota().Take(t.Context(), call)
		_, err3 := c.Approvals().Take(t.Context(), "", "call")
		_, err4 := c.Pins().Load(t.Context(), "shop")
		for _, err := range []error{err1, err2, err3, err4} {
			if !errors.Is(err, redis.ErrUnreachable) || !strings.Contains(err.Error(), s.address) || claimed {
				t.Fatalf("round %d: %v, %v", i, claimed, err)
			}
		}
		took := time.Since(start)
		if took > 4*time.Second {
			t.Errorf("round %d took %v", i, took)
		}
		if i > 5 && took > 100*time.Millisecond {
			slow++
		}
	}
	if slow > 3 { // those of a machine that pauses
		t.Errorf("%d of the last 14 rounds took more than 100 ms", slow)
	}
	if refused, err := open.Quota().Take(t.Context(), call); refused != nil || err != nil {
		t.Errorf("an open quota: %+v, %v", refused, err)
	}
	var back time.Duration
	for try := range 5 { // the machine may pause in one
		if try > 0 {
			s.kill()
			for range 10 { // the breaker opens
				_, _, _ = c.Plans().Claim(t.Context(), "new", "", expires)
			}
		}
		if err := s.start(); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			_, claimed, err := c.Plans().Claim(t.Context(), "used", "", expires)
			back = time.Since(began)
			if claimed {
				t.Fatal("a used token is claimed after the restart")
			}
			if err == nil {
				break
			}
			if back > 10*time.Second {
				t.Fatalf("after %v: %v", back, err)
			}
		}
		t.Logf("back after %v", back)
		if back <= 2*time.Second {
			break
		}
	}
	if back > 2*time.Second {
		t.Error("never back within two seconds")
	}
	if settled, err := c.Approvals().Settle(t.Context(), "1", "operator", control.Allow); !settled || err != nil {
		t.Errorf("settled: %v, %v", settled, err)
	}
	select {
	case <-ticket.Settled:
	case <-time.After(3 * time.Second):
		t.Error("who waits is not told")
	}
}

// quotaOf is a call that an owner may make once a minute.
func quotaOf(owner string) *control.Taking {
	return &control.Taking{Owner: owner, Idle: time.Minute, Windows: []control.Window{{Scope: "tool", Limit: control.Limit{PerMinute: 1}}}}
}

// TestFullServer holds that a server without memory refuses, and forgets nothing.
func TestFullServer(t *testing.T) {
	s := ownServer(t, "--maxmemory", "3mb")
	c := dial(t, redis.Options{Addresses: []string{s.address}, Timeout: 5 * time.Second})
	expires := time.Now().Add(time.Hour)
	used, full := 0, error(nil)
	for ; used < 100_000 && full == nil; used++ {
		_, _, full = c.Plans().Claim(t.Context(), fmt.Sprint(used), "", expires)
	}
	if !errors.Is(full, control.ErrNoRoom) || !strings.Contains(full.Error(), "maxmemory") {
		t.Fatalf("after %d: %v", used, full)
	}
	for i := range used - 1 {
		if _, claimed, err := c.Plans().Claim(t.Context(), fmt.Sprint(i), "", expires); claimed || err != nil {
			t.Fatalf("token %d of %d: %v, %v", i, used, claimed, err)
		}
	}
}

// TestErrorsInScripts holds that an error of a command in a script is the same as from Redis 7 on, where a server before
// that wraps it.
func TestErrorsInScripts(t *testing.T) {
	c, plain := dial(t, redis.Options{}), raw(t, shared.address)
	for text, want := range map[string]error{
		"OOM command not allowed when used memory > 'maxmemory'.": control.ErrNoRoom,
		"READONLY You can't write against a read only replica.":   redis.ErrUnreachable,
	} {
		for _, before := range []string{"", "ERR Error running script (call to f_0f): @user_script:12: @user_script: 12: -"} {
			script := fmt.Sprintf("return redis.error_reply(%q)", before+text)
			err := c.Explain(plain.Do(t.Context(), plain.B().Eval().Script(script).Numkeys(0).Build()).Error())
			if !errors.Is(err, want) {
				t.Errorf("%q: %v", before, err)
			}
		}
	}
}

// raw returns a plain client of the shared server.
func raw(t *testing.T, address string) rueidis.Client {
	t.Helper()
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{address}, DisableCache: true, ForceSingleClient: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestNoNamesInKeys holds that keys have no owner, token, scope or label, and that with a key values do not either.
func TestNoNamesInKeys(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		s := ownServer(t)
		o := redis.Options{Addresses: []string{s.address}}
		if sealed {
			o.Key = key
		}
		c := dial(t, o)
		useAll(t, c, "SECRET")
		dump := everything(t, raw(t, s.address))
		names := regexp.MustCompile(`(?m)^key .*SECRET`)
		if dump == "" || names.MatchString(dump) || sealed && strings.Contains(dump, "SECRET") {
			t.Errorf("sealed %v: %s", sealed, dump)
		}
		if !sealed && !strings.Contains(dump, "U0VDUkVU") { // base64 of the word, in records
			t.Error("nothing of what was stored is found")
		}
	}
}

// useAll stores something with the word in every store.
func useAll(t *testing.T, c *redis.Client, word string) {
	t.Helper()
	ctx, expires := t.Context(), time.Now().Add(time.Minute)
	_, _, err1 := c.Plans().Claim(ctx, word, "", expires)
	_, err2 := c.Quota().Take(ctx, &control.Taking{Owner: word, Idle: time.Minute, Windows: []control.Window{{Scope: word, Limit: control.Limit{PerMinute: 5, Burst: 2, PerSession: 5}}}})
	_, err3 := c.Approvals().Ask(ctx, &control.Ticket{
		ID: word, Owner: word, Call: word, State: word, Waits: true, By: "operator", Expires: expires, Settled: make(chan struct{}),
		Request: &control.ApprovalRequest{ID: word, Text: word},
	})
	_, err4 := c.Pins().Swap(ctx, word, "", definitions(word))
	err5 := c.Catalogs().Keep(ctx, word, lastknown.Kept{Revision: word, Data: []byte(word)})
	_, err6 := c.Catalogs().Claim(ctx, word, time.Minute)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
}

// everything returns all keys of a server, each in a line that begins with "key ", and their values.
func everything(t *testing.T, c rueidis.Client) string {
	t.Helper()
	var dump strings.Builder
	keys, err := c.Do(t.Context(), c.B().Keys().Pattern("*").Build()).AsStrSlice()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		fmt.Fprintf(&dump, "key %s\n", key)
		kind, err := c.Do(t.Context(), c.B().Type().Key(key).Build()).ToString()
		if err != nil {
			t.Fatal(err)
		}
		switch kind {
		case "string":
			value, _ := c.Do(t.Context(), c.B().Get().Key(key).Build()).ToString()
			fmt.Fprintf(&dump, "%q\n", value)
		case "hash":
			value, _ := c.Do(t.Context(), c.B().Hgetall().Key(key).Build()).AsStrMap()
			for field, value := range value {
				fmt.Fprintf(&dump, "key %s\n%q\n", field, value)
			}
		case "zset":
			value, _ := c.Do(t.Context(), c.B().Zrange().Key(key).Min("0").Max("-1").Build()).AsStrSlice()
			fmt.Fprintf(&dump, "key %q\n", value)
		case "list":
			value, _ := c.Do(t.Context(), c.B().Lrange().Key(key).Start(0).Stop(-1).Build()).AsStrSlice()
			fmt.Fprintf(&dump, "key %q\n", value)
		}
	}
	return dump.String()
}

// TestRoundTrips holds that each decision takes one command.
func TestRoundTrips(t *testing.T) {
	s := ownServer(t)
	c := dial(t, redis.Options{Addresses: []string{s.address}})
	plain := raw(t, s.address)
	ctx, expires := t.Context(), time.Now().Add(time.Minute)
	call := &control.Taking{Owner: "ada", Idle: time.Minute, Windows: []control.Window{{Scope: "a", Limit: control.Limit{PerMinute: 99}}, {Scope: "b", Limit: control.Limit{PerSession: 99}}}}
	for name, op := range map[string]func(i int) error{
		"claim": func(i int) error { _, _, err := c.Plans().Claim(ctx, fmt.Sprint(i), "", expires); return err },
		"take":  func(int) error { _, err := c.Quota().Take(ctx, call); return err },
	} {
		if err := op(-1); err != nil { // the server learns the script
			t.Fatal(err)
		}
		if err := plain.Do(ctx, plain.B().ConfigResetstat().Build()).Error(); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if err := op(i); err != nil {
				t.Fatal(err)
			}
		}
		stats, err := plain.Do(ctx, plain.B().Info().Section("commandstats").Build()).ToString()
		if err != nil || !strings.Contains(stats, "cmdstat_evalsha:calls=20,") || strings.Contains(stats, "cmdstat_eval:") {
			t.Errorf("%s: %v, %s", name, err, stats)
		}
	}
}
