package redis_test

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A proxy stands before a server. It counts the commands, can lead to another server, and can stop to pass anything on.
type proxy struct {
	address string

	mu       sync.Mutex
	target   string
	conns    map[net.Conn]bool
	open     chan struct{} // closed while data passes
	commands map[string]int
	turns    int // commands, or several sent together, that follow an answer on their connection
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{address: l.Addr().String(), target: target, conns: make(map[net.Conn]bool), open: make(chan struct{}), commands: make(map[string]int)}
	close(p.open)
	t.Cleanup(func() {
		_ = l.Close()
		p.lead("")
	})
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

// lead ends all connections. Further ones lead to the target; to nothing if it is empty.
func (p *proxy) lead(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
	for conn := range p.conns {
		_ = conn.Close()
	}
	p.resume()
}

// stall stops to pass anything on, until lead.
func (p *proxy) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

func (p *proxy) resume() {
	select {
	case <-p.open:
	default:
		close(p.open)
	}
}

// reset begins to count.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns, p.commands = 0, make(map[string]int)
}

// counted returns the round trips and the commands since reset.
func (p *proxy) counted() (turns int, commands map[string]int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turns, maps.Clone(p.commands)
}

func (p *proxy) gate() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	if target == "" {
		return
	}
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	if p.target != target {
		p.mu.Unlock()
		return
	}
	p.conns[client], p.conns[server] = true, true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, client)
		delete(p.conns, server)
	}()
	answered := true // the last that passed was an answer
	var group sync.WaitGroup
	group.Go(func() {
		defer client.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil {
				return
			}
			<-p.gate()
			p.mu.Lock()
			answered = true
			p.mu.Unlock()
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	})
	in := bufio.NewReader(client)
	for {
		name, raw, err := readCommand(in)
		if err != nil {
			break
		}
		<-p.gate()
		if name != "PING" && name != "HELLO" && name != "CLIENT" { // those are about a connection
			p.mu.Lock()
			p.commands[name]++
			if answered {
				p.turns++
			}
			answered = false
			p.mu.Unlock()
		}
		if _, err := server.Write(raw); err != nil {
			break
		}
	}
	_ = server.Close()
	group.Wait()
}

// readCommand reads a command in RESP, and returns its name and its bytes.
func readCommand(in *bufio.Reader) (name string, raw []byte, err error) {
	number := func(sign string) (int, error) {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		raw = append(raw, line...)
		text, ok := strings.CutPrefix(strings.TrimSpace(line), sign)
		if !ok {
			return 0, errors.New("no command in RESP")
		}
		return strconv.Atoi(text)
	}
	words, err := number("*")
	for i := 0; i < words && err == nil; i++ {
		var length int
		if length, err = number("$"); err != nil {
			break
		}
		begin := len(raw)
		raw = append(raw, make([]byte, length+2)...)
		if _, err = io.ReadFull(in, raw[begin:]); err == nil && i == 0 {
			name = strings.ToUpper(string(raw[begin : begin+length]))
		}
	}
	return name, raw, err
}
