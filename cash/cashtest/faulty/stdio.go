package faulty

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// relayArg is the first argument of a process of [Server.Command]. The others are the server's address, and an
// address whose connection ends the process.
const relayArg = "faulty-relay"

// mainCalled is set by Main.
var mainCalled atomic.Bool

// Main turns the test binary into the child processes of [Server.Command]. In a child it does not return; otherwise
// it does nothing. Call it first in TestMain,
//
//	func TestMain(m *testing.M) {
//		faulty.Main()
//		os.Exit(m.Run())
//	}
//
// or, without a TestMain, in a func init of a test file.
func Main() {
	mainCalled.Store(true)
	if len(os.Args) == 4 && os.Args[1] == relayArg {
		go endWithTest(os.Args[3])
		os.Exit(relay(os.Args[2]))
	}
}

// exitGrace is how long a process may run after its input ended. A hanging one would only delay the end of every
// test.
const exitGrace = time.Second

// relay connects standard input and output to the server at addr in the test's process. It returns the exit status:
// 1 if the server broke the connection.
func relay(addr string) int {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 1
	}
	var over atomic.Bool
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		over.Store(true)
		_ = conn.(*net.TCPConn).CloseWrite()
		time.AfterFunc(exitGrace, func() { os.Exit(0) })
	}()
	_, _ = io.Copy(os.Stdout, conn)
	if over.Load() {
		return 0
	}
	return 1
}

// endWithTest ends the process together with the test. A relay whose output is not read would not notice the end.
func endWithTest(addr string) {
	if conn, err := net.Dial("tcp", addr); err == nil {
		_, _ = conn.Read(make([]byte, 1))
	}
	os.Exit(1)
}

// A stdioServer serves the processes of one command.
type stdioServer struct {
	f    *Server
	ln   net.Listener
	hold net.Listener // never accepts: a client waiting there is reset when it closes
	life context.Context
	end  context.CancelFunc
	mcp  *mcp.Server
	wg   sync.WaitGroup

	mu      sync.Mutex
	refuses bool
	conns   map[*stdioConn]bool
	last    int // number of the newest connection
}

func newStdioServer(f *Server) (*stdioServer, error) {
	ln, err := net.Listen("tcp", anyPort)
	if err != nil {
		return nil, err
	}
	hold, err := net.Listen("tcp", anyPort)
	if err != nil {
		_ = ln.Close()
		return nil, err
	}
	s := &stdioServer{f: f, ln: ln, hold: hold, conns: make(map[*stdioConn]bool)}
	s.life, s.end = context.WithCancel(context.Background())
	s.mcp = newHealthy(f, s.life)
	s.wg.Go(s.accept)
	return s, nil
}

// args returns the arguments of its processes.
func (s *stdioServer) args() []string {
	return []string{relayArg, s.ln.Addr().String(), s.hold.Addr().String()}
}

func (s *stdioServer) accept() {
	for {
		conn, err := s.ln.Accept()
		if err != nil {
			return
		}
		if c := s.enter(conn); c != nil {
			s.wg.Go(c.serve)
		} else {
			_ = conn.Close()
		}
	}
}

// enter records a connection, unless the server is closed.
func (s *stdioServer) enter(conn net.Conn) *stdioConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuses || s.life.Err() != nil {
		return nil
	}
	s.last++
	c := &stdioConn{s: s, conn: conn, input: bufio.NewReader(conn), number: s.last, pending: make(map[string]func([]byte))}
	c.ctx, c.cancel = context.WithCancel(s.life)
	s.conns[c] = true
	return c
}

// follow applies a fault to the processes as a whole.
func (s *stdioServer) follow(fault Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = fault == refused
	for c := range s.conns {
		if s.refuses {
			c.cut()
		}
	}
	return nil
}

func (s *stdioServer) lacks(fault Fault) string {
	if fault.HTTPOnly() {
		return fmt.Sprintf("the fault %q exists over HTTP only, and Command has been used", fault)
	}
	return ""
}

// close ends all processes and waits for their goroutines.
func (s *stdioServer) close() {
	s.end()
	_ = s.ln.Close()
	_ = s.hold.Close()
	s.wg.Wait()
}

// A stdioConn is one process, connected to the sound server.
type stdioConn struct {
	s      *stdioServer
	conn   net.Conn
	input  *bufio.Reader // of conn
	number int
	ctx    context.Context
	cancel context.CancelFunc
	acts   sync.WaitGroup

	writing sync.Mutex // held while a line is written
	mu      sync.Mutex
	pending map[string]func(result []byte) // by request id: gets the result for a fault
}

// serve serves the process until its input ends and all requests are done.
func (c *stdioConn) serve() {
	stop := context.AfterFunc(c.ctx, func() { _ = c.conn.Close() })
	defer func() {
		c.cancel()
		stop()
		_ = c.conn.Close()
		c.s.mu.Lock()
		delete(c.s.conns, c)
		c.s.mu.Unlock()
	}()
	session, err := c.s.mcp.Connect(c.ctx, c, nil)
	if err != nil {
		return
	}
	_ = session.Wait() // until its requests are answered
	c.acts.Wait()
}

// Connect implements mcp.Transport.
func (c *stdioConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection.
func (*stdioConn) SessionID() string { return "" }

// Read passes the input to the sound server, except for requests that meet a fault.
func (c *stdioConn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, err := client.ReadLine(c.input, maxRequest)
		if err != nil || c.ctx.Err() != nil {
			return nil, io.EOF
		}
		m := parseMessage(line)
		if m.Method == "" && ours(m.ID) {
			continue
		}
		t := c.s.f.traitFor(m, c.number)
		switch {
		case t == nil:
			return jsonrpc.DecodeMessage(line)
		case t.runs:
			c.mu.Lock()
			c.pending[string(m.ID)] = func(result []byte) { c.play(t, m, result) }
			c.mu.Unlock()
			return jsonrpc.DecodeMessage(line)
		case t.stalls:
			c.play(t, m, nil)
		default:
			c.acts.Go(func() { c.play(t, m, nil) })
		}
	}
}

// Write passes on a message of the sound server. A result that a fault needs goes to the fault. A refusal goes to
// the client.
func (c *stdioConn) Write(_ context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	if m := parseMessage(data); m.Method == "" && len(m.ID) > 0 {
		c.mu.Lock()
		act := c.pending[string(m.ID)]
		delete(c.pending, string(m.ID))
		c.mu.Unlock()
		if act != nil && m.Result != nil {
			c.acts.Go(func() { act(m.Result) })
			return nil
		}
	}
	w := &stdioWire{c: c}
	defer w.release()
	return w.noise(string(data))
}

// Close closes only the input: faults may still be running.
func (c *stdioConn) Close() error { return c.conn.(*net.TCPConn).CloseRead() }

// play runs a fault, after the sound result if the trait needs it.
func (c *stdioConn) play(t *trait, m *message, result []byte) {
	w := &stdioWire{c: c}
	defer w.release()
	t.act(&exchange{ctx: c.ctx, f: c.s.f, req: m, wire: w, result: result})
}

// cut ends the process.
func (c *stdioConn) cut() {
	c.cancel()
	_ = c.conn.Close()
}

// stdioWire is the wire of one request on standard output. It holds the output's lock while a line is incomplete.
type stdioWire struct {
	c    *stdioConn
	held bool
}

func (w *stdioWire) open(bool) (io.WriteCloser, error) {
	w.c.writing.Lock()
	w.held = true
	return w, nil
}

// Write writes a part of a line.
func (w *stdioWire) Write(p []byte) (int, error) { return w.c.conn.Write(p) }

// Close ends the line.
func (w *stdioWire) Close() error {
	_, err := w.Write([]byte("\n"))
	w.release()
	return err
}

// release unlocks the output.
func (w *stdioWire) release() {
	if w.held {
		w.held = false
		w.c.writing.Unlock()
	}
}

func (w *stdioWire) noise(line string) error {
	l, err := w.open(true)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(l, line); err != nil {
		return err
	}
	return l.Close()
}

func (w *stdioWire) page(html string) error { return w.noise(strings.TrimSpace(html)) }

func (w *stdioWire) cut() { w.c.cut() }
