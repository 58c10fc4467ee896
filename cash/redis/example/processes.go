package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// names are the replicas.
var names = []string{"a", "b", "c"}

// A cluster is the replicas with a proxy in front, and a Redis server if it was started here.
type cluster struct {
	redis    string // address
	key      string
	replicas []*process
	proxy    *proxy
	url      string // of the proxy
	notes    int    // runs of note in the replicas that have stopped

	close []func()
}

// A process is a replica that runs.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser // its end stops the replica
	out   *bufio.Reader
	url   *url.URL
}

// newCluster starts all processes. An empty address starts a Redis server too. stop ends them.
func newCluster(ctx context.Context, address string) (*cluster, error) {
	key := make([]byte, 64)
	_, _ = rand.Read(key) // never fails
	c := &cluster{redis: address, key: hex.EncodeToString(key), proxy: newProxy(len(names))}
	if err := c.startAll(ctx); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

func (c *cluster) startAll(ctx context.Context) error {
	if c.redis == "" {
		if err := c.startRedis(); err != nil {
			return err
		}
	}
	for i, name := range names {
		p, err := c.start(name)
		if err != nil {
			return err
		}
		c.replicas = append(c.replicas, p)
		c.proxy.set(i, p.url)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c.url = "http://" + listener.Addr().String()
	server := &http.Server{Handler: c.proxy, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with Close
	watching, end := context.WithCancel(ctx)
	c.proxy.watch(watching)
	c.close = append(c.close, end, func() { _ = server.Close() })
	return nil
}

// startRedis starts a server that keeps a file of all changes, in a folder that goes with it.
func (c *cluster) startRedis() error {
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		binary, err = exec.LookPath("valkey-server")
	}
	if err != nil {
		return errors.New("there is no redis-server: install it (apt-get install redis-server), or name a server that is running (-redis 127.0.0.1:6379)")
	}
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		return err
	}
	c.close = append(c.close, func() { _ = os.RemoveAll(dir) })
	listener, err := net.Listen("tcp", "127.0.0.1:0") // a free port, most probably
	if err != nil {
		return err
	}
	c.redis = listener.Addr().String()
	_ = listener.Close()
	_, port, _ := net.SplitHostPort(c.redis)
	cmd := exec.Command(binary, "--bind", "127.0.0.1", "--port", port, "--dir", dir, "--save", "", "--appendonly", "yes")
	if err := cmd.Start(); err != nil {
		return err
	}
	c.close = append(c.close, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 500 {
		if conn, err := net.Dial("tcp", c.redis); err == nil {
			return conn.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("%s does not listen at %s", binary, c.redis)
}

// start starts a replica. It ends with this process at the latest, because its input does.
func (c *cluster) start(name string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-redis", c.redis, "replica", name)
	cmd.Env, cmd.Stderr = append(os.Environ(), keyVariable+"="+c.key), os.Stderr
	p := &process{cmd: cmd}
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := p.out.ReadString('\n')
	if err == nil {
		p.url, err = url.Parse(strings.TrimSpace(line))
	}
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("replica %s has not started: %w", name, cmp.Or(cmd.Wait(), err))
	}
	return p, nil
}

// end stops a replica gracefully. It returns the runs of note.
func (p *process) end() (int, error) {
	_ = p.stdin.Close()
	late := time.AfterFunc(2*stopTimeout, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	line, _ := p.out.ReadString('\n')
	if err := p.cmd.Wait(); err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(line))
}

// restart stops a replica gracefully, and starts another in its place.
func (c *cluster) restart(i int) error {
	notes, err := c.replicas[i].end()
	if err != nil {
		return fmt.Errorf("replica %s has not stopped: %w", names[i], err)
	}
	c.notes += notes
	p, err := c.start(names[i])
	if err != nil {
		return err
	}
	c.replicas[i] = p
	c.proxy.set(i, p.url)
	return nil
}

// end stops all replicas gracefully. It returns the runs of note since the start.
func (c *cluster) end() (int, error) {
	for _, p := range c.replicas {
		notes, err := p.end()
		if err != nil {
			return 0, err
		}
		c.notes += notes
	}
	c.replicas = nil
	return c.notes, nil
}

// stop ends all processes at once.
func (c *cluster) stop() {
	for _, p := range c.replicas {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
	for i := len(c.close) - 1; i >= 0; i-- {
		c.close[i]()
	}
}
