package faulty

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Stage is a part of a connection's life. Combine several with |.
type Stage int

// The stages, with their requests.
const (
	AtConnect Stage = 1 << iota // initialize and server/discover
	AtList                      // tools/list
	AtCall                      // tools/call
)

// stageOf returns the stage of a method, or 0.
func stageOf(method string) Stage {
	switch method {
	case "initialize", "server/discover":
		return AtConnect
	case "tools/list":
		return AtList
	case "tools/call":
		return AtCall
	}
	return 0
}

// A Server is an MCP server that misbehaves on purpose, for tests of its clients. Apart from its Fault it is a
// sound server of both protocol generations, with the tools
//
//	echo(text)    answers with the text
//	slow(ms)      answers after that many milliseconds
//	big(chars)    answers with that many characters, at most 64 Mi
//	count()       answers with how often it has run
//	progress(n)   reports progress n times, at most 10,000 times
//	ask()         asks the user for a word (elicitation) and answers with it
//	log()         sends a log message
//
// Any other tool name works like echo. Set the fields before the server starts. The zero value is a server without
// a fault. Its methods are safe for concurrent use.
type Server struct {
	// Fault is the initial fault. Empty is none; see SetFault.
	Fault Fault
	// At selects the requests with the fault. Zero is AtCall. Faults in lists and instructions, and those of all
	// connections, ignore it.
	At Stage
	// Tool is the only tool whose calls have the fault. Empty is every tool.
	Tool string
	// EventStream sends faulty HTTP answers as server-sent events. False sends a JSON body, if the fault is one
	// message.
	EventStream bool
	// Interval is the time between two bytes of "drip". Zero is 50 ms.
	Interval time.Duration

	calls, ran, counted, taken, struck, listed atomic.Int64

	current atomic.Pointer[Fault] // set by SetFault; nil means Fault

	mu        sync.Mutex // not used by requests: stopping waits for them while holding it
	endpoints []endpoint
	trusted   *x509.Certificate // certificate of the HTTPS endpoints

	moved     sync.Mutex
	elsewhere []http.Header
}

// An endpoint is a running form of the server: a site or a stdioServer.
type endpoint interface {
	lacks(Fault) string // why it cannot have a fault, or ""
	follow(Fault) error // applies a fault to the endpoint as a whole
	close()             // ends it, and waits for its goroutines
}

// add applies the present and later faults to an endpoint, until the test ends.
func (f *Server) add(t testing.TB, w endpoint) {
	t.Helper()
	t.Cleanup(func() {
		f.mu.Lock()
		f.endpoints = slices.DeleteFunc(f.endpoints, func(o endpoint) bool { return o == w })
		f.mu.Unlock()
		w.close()
	})
	if why := f.refusal(f.fault(), w); why != "" {
		t.Fatalf("%s", why)
	}
	f.endpoints = append(f.endpoints, w)
	if err := w.follow(f.fault()); err != nil {
		t.Fatalf("starting the faulty server: %v", err)
	}
}

// refusal returns why endpoints cannot have a fault.
func (f *Server) refusal(fault Fault, endpoints ...endpoint) string {
	if fault != "" && fault.lookup() == nil {
		return fmt.Sprintf("there is no fault %q", string(fault))
	}
	for _, w := range endpoints {
		if why := w.lacks(fault); why != "" {
			return why
		}
	}
	return ""
}

// HTTP starts the server on a loopback address and returns the URL of its MCP endpoint, until the test ends. If the
// fault is "certificate" at that time, it is an HTTPS URL.
func (f *Server) HTTP(t testing.TB) string {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	s := newSite(f)
	if f.fault() == certificate {
		s.untrusted = selfSigned(t)
	}
	if err := s.open(); err != nil {
		t.Fatalf("starting the faulty server: %v", err)
	}
	if s.untrusted != nil {
		f.trusted = s.srv.Certificate()
	}
	f.add(t, s)
	return s.url()
}

// Client returns an HTTP client that trusts the certificate of a healed HTTPS endpoint. Its connections end with
// the test.
func (f *Server) Client(t testing.TB) *http.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	transport := &http.Transport{}
	if f.trusted != nil {
		pool := x509.NewCertPool()
		pool.AddCert(f.trusted)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Command returns a command for the server on standard input and output. It may be copied, and started any number
// of times: each process is a connection of its own. All processes end with the test.
//
// The process is the test binary itself, so its package must call [Main]. To start it by path and arguments, use
// cmd.Path and cmd.Args[1:]; it needs no environment variables.
func (f *Server) Command(t testing.TB) *exec.Cmd {
	t.Helper()
	if !mainCalled.Load() {
		t.Fatal("Server.Command starts the test binary again: call faulty.Main() first in its TestMain, or in an init function of a test file")
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatalf("finding the test binary: %v", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := newStdioServer(f)
	if err != nil {
		t.Fatalf("starting the faulty server: %v", err)
	}
	f.add(t, p)
	return exec.Command(path, p.args()...)
}

// SetFault changes the fault for all further requests. An empty fault heals the server. Requests that hang already
// keep hanging. "refused" also cuts all connections; "certificate" needs an endpoint that was started with it.
//
// It panics if the server cannot have the fault.
func (f *Server) SetFault(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if why := f.refusal(fault, f.endpoints...); why != "" {
		panic("faulty: " + why)
	}
	f.current.Store(&fault)
	for _, w := range f.endpoints {
		if err := w.follow(fault); err != nil {
			panic(fmt.Sprintf("faulty: opening the faulty server again: %v", err))
		}
	}
}

// Heal ends the fault: further requests are answered soundly.
func (f *Server) Heal() { f.SetFault("") }

// Calls returns how many tools/call requests have arrived, answered or not. A request redirected to the server
// itself counts again.
func (f *Server) Calls() int { return int(f.calls.Load()) }

// Ran returns how often a tool has run, whether or not the caller got the result.
func (f *Server) Ran() int { return int(f.ran.Load()) }

// Taken returns how many bytes of "huge" and "drip" answers were accepted for sending. That includes some megabytes
// in buffers of the operating system.
func (f *Server) Taken() int64 { return f.taken.Load() }

// Elsewhere returns the headers of all requests to the other host, the target of "redirect-307" and "redirect-308".
func (f *Server) Elsewhere() []http.Header {
	f.moved.Lock()
	defer f.moved.Unlock()
	return slices.Clone(f.elsewhere)
}

// arrived records a request to the other host.
func (f *Server) arrived(h http.Header) {
	f.moved.Lock()
	defer f.moved.Unlock()
	f.elsewhere = append(f.elsewhere, h.Clone())
}

// fault returns the current fault.
func (f *Server) fault() Fault {
	if c := f.current.Load(); c != nil {
		return *c
	}
	return f.Fault
}

// traitFor returns the trait that a request meets; nil for a sound answer. process is the number of the process that
// it came from, or 0.
func (f *Server) traitFor(m *message, process int) *trait {
	stage := stageOf(m.Method)
	if stage == AtCall {
		f.calls.Add(1)
	}
	t := f.fault().lookup()
	if t == nil || t.act == nil || len(m.ID) == 0 {
		return nil
	}
	at := t.at
	if at == 0 {
		at = f.At
	}
	if at == 0 {
		at = AtCall
	}
	if at&stage == 0 || stage == AtCall && f.Tool != "" && f.Tool != m.Params.Name {
		return nil
	}
	if t.fault == flapping {
		if process == 0 {
			process = int(f.struck.Add(1))
		}
		if process%2 == 0 {
			return nil
		}
	}
	return t
}
