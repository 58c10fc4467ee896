package faulty

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// relayArg is the first argument of a process that [Server.Command] starts; the
// others are the address of its brain, and one that ends when it shall.
const relayArg = "faulty-relay"

// hooked is set once Main has been called.
var hooked atomic.Bool

// Main makes the child processes of [Server.Command] out of the test
// binary. In one of them it does not return; in all others it does nothing.
// Call it before anything else, as the first line of TestMain,
//
//	func TestMain(m *testing.M) {
//		faulty.Main()
//		os.Exit(m.Run())
//	}
//
// or, without a TestMain, as the only one of func init in a test file.
func Main() {
	hooked.Store(true)
	if len(os.Args) == 4 && os.Args[1] == relayArg {
		go leash(os.Args[3])
		os.Exit(relay(os.Args[2]))
	}
}

// parting is how long a process may go on when its input has ended: one that
// hangs for longer would only hold up the end of every test.
const parting = time.Second

// relay joins standard input and output to the server at addr, in the process
// of the test, and returns the exit status: 1 if the server has broken off.
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
		time.AfterFunc(parting, func() { os.Exit(0) })
	}()
	_, _ = io.Copy(os.Stdout, conn)
	if over.Load() {
		return 0
	}
	return 1
}

// leash ends the process with the test: a relay that nobody reads from would
// not notice.
func leash(addr string) {
	if conn, err := net.Dial("tcp", addr); err == nil {
		_, _ = conn.Read(make([]byte, 1))
	}
	os.Exit(1)
}

// A stdioServer is what the processes of one command are connected to.
type stdioServer struct {
	f    *Server
	ln   net.Listener
	hold net.Listener // accepts nothing: whoever waits there is reset when it closes
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

// args are the arguments of its processes.
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

// enter notes a connection, unless none is wanted.
func (s *stdioServer) enter(conn net.Conn) *stdioConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuses || s.life.Err() != nil {
		return nil
	}
	s.last++
	c := &stdioConn{s: s, conn: conn, number: s.last, pending: make(map[string]chan []byte)}
	c.ctx, c.cancel = context.WithCancel(s.life)
	s.conns[c] = true
	return c
}

// follow does what a fault wants of the processes as a whole.
func (s *stdioServer) follow(fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = fault == refused
	for c := range s.conns {
		if s.refuses {
			c.cut()
		}
	}
}

// close ends all processes and waits for what has served them.
func (s *stdioServer) close() {
	s.end()
	_ = s.ln.Close()
	_ = s.hold.Close()
	s.wg.Wait()
}

// A stdioConn is one process.
type stdioConn struct {
	s      *stdioServer
	conn   net.Conn
	number int
	ctx    context.Context
	cancel context.CancelFunc
	acts   sync.WaitGroup

	writing sync.Mutex // held from the first byte of a line to its last
	mu      sync.Mutex
	pending map[string]chan []byte // by id: what faults wait for
}

// serve reads the process's input to its end.
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
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	session, err := c.s.mcp.Connect(c.ctx, &mcp.IOTransport{Reader: input, Writer: output, MaxLineLength: -1}, nil)
	if err != nil {
		return
	}
	c.acts.Go(func() { c.filter(fromServer) })
	c.read(toServer)
	_ = toServer.Close()
	_ = session.Wait() // until what it works on is answered
	_ = output.Close()
	c.acts.Wait()
}

// read hands the input to the sound server, but for what meets a fault.
func (c *stdioConn) read(server *io.PipeWriter) {
	r := bufio.NewReader(c.conn)
	for {
		line, err := client.ReadLine(r, maxRequest)
		if err != nil || c.ctx.Err() != nil {
			return
		}
		m := parseMessage(line)
		if m.Method == "" && ours(m.ID) {
			continue
		}
		t := c.s.f.strikes(m, c.number)
		if t == nil {
			_, _ = server.Write(line)
			continue
		}
		if t.stalls {
			c.play(t, m, nil)
			continue
		}
		var result chan []byte
		if t.runs {
			result = c.expect(m.ID)
			_, _ = server.Write(line)
		}
		c.acts.Go(func() { c.play(t, m, result) })
	}
}

// play acts, when the sound result is there if the trait wants one.
func (c *stdioConn) play(t *trait, m *message, result chan []byte) {
	w := &stdioWire{c: c}
	defer w.release()
	x := &exchange{ctx: c.ctx, f: c.s.f, req: m, wire: w}
	if result != nil {
		var ok bool
		select {
		case x.result, ok = <-result:
		case <-c.ctx.Done():
		}
		if !ok {
			return
		}
	}
	t.act(x)
}

// expect keeps the response to a request from the client.
func (c *stdioConn) expect(id []byte) chan []byte {
	ch := make(chan []byte, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending[string(id)] = ch
	return ch
}

// filter hands the sound server's messages on, but for what a fault waits for.
func (c *stdioConn) filter(server *io.PipeReader) {
	defer server.Close()
	r := bufio.NewReader(server)
	for {
		line, err := client.ReadLine(r, 4*maxRequest)
		if err != nil {
			return
		}
		if !c.deliver(parseMessage(line)) {
			c.writing.Lock()
			_, _ = c.conn.Write(line)
			c.writing.Unlock()
		}
	}
}

// deliver gives a result to the fault that waits for it. What the sound server
// refuses goes to the client.
func (c *stdioConn) deliver(m *message) bool {
	if m.Method != "" || len(m.ID) == 0 {
		return false
	}
	c.mu.Lock()
	ch := c.pending[string(m.ID)]
	delete(c.pending, string(m.ID))
	c.mu.Unlock()
	if ch == nil {
		return false
	}
	defer close(ch)
	if m.Result == nil {
		return false
	}
	ch <- m.Result
	return true
}

// cut ends the process.
func (c *stdioConn) cut() {
	c.cancel()
	_ = c.conn.Close()
}

// stdioWire is the wire of one request over standard input and output. It holds
// the lock of the output while it is within a line.
type stdioWire struct {
	c    *stdioConn
	held bool
}

func (w *stdioWire) open(bool) (io.WriteCloser, error) {
	w.c.writing.Lock()
	w.held = true
	return w, nil
}

// Write sends a part of a line.
func (w *stdioWire) Write(p []byte) (int, error) { return w.c.conn.Write(p) }

// Close ends the line.
func (w *stdioWire) Close() error {
	_, err := w.Write([]byte("\n"))
	w.release()
	return err
}

// release lets others write.
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
