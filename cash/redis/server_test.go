package redis_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/redis"
)

// A server is a redis-server on a loopback port.
type server struct {
	address string
	dir     string
	args    []string
	cmd     *exec.Cmd
}

// shared is the server of all tests that do not stop it. Each uses a prefix of its own.
var shared *server

func TestMain(m *testing.M) {
	if text := os.Getenv("CASH_REDIS_JOB"); text != "" {
		work(text)
		return
	}
	if text := os.Getenv("CASH_REDIS_REPLICA"); text != "" {
		var r role
		err := json.Unmarshal([]byte(text), &r)
		if err == nil {
			err = r.work()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "cash-redis-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		shared, err = startServer(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer shared.kill()
		return m.Run()
	}())
}

// startServer starts a server in a folder, with further arguments.
func startServer(dir string, args ...string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &server{address: "127.0.0.1:" + port, dir: dir, args: append([]string{
		"--bind", "127.0.0.1", "--port", port, "--dir", dir, "--save", "", "--appendonly", "no", "--daemonize", "no",
	}, args...)}
	return s, s.start()
}

// serverBinary returns the path of the server: CASH_REDIS_SERVER, or what is installed.
func serverBinary() (string, error) {
	names := []string{"redis-server", "valkey-server"}
	if own := os.Getenv("CASH_REDIS_SERVER"); own != "" {
		names = []string{own}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("these tests need %s: apt-get install redis-server, or set CASH_REDIS_SERVER to the path of a server", strings.Join(names, " or "))
}

// start starts the process and waits until it answers.
func (s *server) start() error {
	binary, err := serverBinary()
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = exec.Command(binary, s.args...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial("tcp", s.address); err == nil {
			return conn.Close()
		}
	}
	s.kill()
	text, _ := os.ReadFile(log.Name())
	return fmt.Errorf("%s does not listen at %s: %s", binary, s.address, text)
}

// kill ends the process at once.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// freePort returns a port that nobody listens at. It is none of those that the system gives to others meanwhile.
func freePort() (string, error) {
	for range 1000 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			if _, given := ports.LoadOrStore(port, true); !given {
				return port, l.Close()
			}
			_ = l.Close()
		}
	}
	return "", errors.New("there is no free port")
}

var ports sync.Map // that freePort has returned

// ownServer starts a server for one test.
func ownServer(t *testing.T, args ...string) *server {
	t.Helper()
	s, err := startServer(t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kill() })
	return s
}

// until waits until something holds, for a minute at most.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

var prefixes atomic.Int64

// newPrefix returns a prefix that no other test has.
func newPrefix() string { return fmt.Sprintf("test%d:", prefixes.Add(1)) }

// dial returns a client of the shared server, unless the options say another.
func dial(t testing.TB, o redis.Options) *redis.Client {
	t.Helper()
	if o.Addresses == nil {
		o.Addresses = []string{shared.address}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := redis.New(ctx, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// replicas returns n clients with one prefix of their own.
func replicas(t testing.TB, n int, o redis.Options) (list []*redis.Client) {
	t.Helper()
	if o.Prefix == "" {
		o.Prefix = newPrefix()
	}
	for range n {
		list = append(list, dial(t, o))
	}
	return list
}

// opener returns the Open of a suite's subject: a store of each of n replicas.
func opener[S any](t testing.TB, o redis.Options, store func(*redis.Client) S) func(n int) ([]S, error) {
	return func(n int) (list []S, err error) {
		for _, c := range replicas(t, n, o) {
			list = append(list, store(c))
		}
		return list, nil
	}
}
