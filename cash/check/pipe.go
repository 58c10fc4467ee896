package check

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// A peer is a server behind two pipes: a process or an inProcess.
type peer interface {
	start(ctx context.Context) (to io.WriteCloser, from io.ReadCloser, err error)
	// stop waits for the server to end, after its input was closed, and returns how it ended.
	stop() string
	pid() int
}

// A pipe is a wire with one message per line.
type pipe struct {
	peer    peer
	timeout time.Duration

	to     io.WriteCloser
	lines  chan []byte   // closed at the end of the output
	done   chan struct{} // closed when lines are no longer read
	ended  string        // how the server ended; set when the pipe is closed
	recent [64]recent    // the last messages, for late answers
	sent   int
}

// A recent message may still get spare answers.
type recent struct {
	id    string
	spare int
}

func (p *pipe) pid() int { return p.peer.pid() }

func (p *pipe) open(ctx context.Context) error {
	to, from, err := p.peer.start(ctx)
	if err != nil {
		return err
	}
	p.to, p.lines, p.done = to, make(chan []byte, 16), make(chan struct{})
	p.ended, p.recent = "", [64]recent{}
	go readLines(from, p.lines, p.done)
	return nil
}

func (p *pipe) close() {
	if p.to == nil {
		return
	}
	_ = p.to.Close()
	close(p.done)
	p.ended = p.peer.stop()
	p.to = nil
}

// readLines sends the lines of r, without line ends, to lines until r ends.
func readLines(r io.ReadCloser, lines chan<- []byte, done <-chan struct{}) {
	defer close(lines)
	defer r.Close()
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLine(b)
		if len(line) > 0 {
			select {
			case lines <- line:
			case <-done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads a line of at most [maxAnswer] bytes, without its line end.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := client.ReadLine(r, maxAnswer)
	return bytes.TrimRight(line[:min(len(line), maxAnswer)], "\r\n"), err
}

// exchange implements wire.
func (p *pipe) exchange(ctx context.Context, m, ping *message, wait time.Duration) *outcome {
	o := new(outcome)
	if p.talk(ctx, m, ping, wait, o) && o.opened {
		p.cancel(ctx, m, ping, wait, o)
	}
	p.remember(m, o)
	return o
}

// cancel cancels the stream that m has opened. The stream may still be answered.
func (p *pipe) cancel(ctx context.Context, m, ping *message, wait time.Duration, o *outcome) {
	p.talk(ctx, m.cancellation(), ping, wait, o)
}

// talk sends m and a ping, and collects the answers. It reports whether the connection is still usable.
func (p *pipe) talk(ctx context.Context, m, ping *message, wait time.Duration, o *outcome) bool {
	data := append(bytes.Clone(m.data), '\n')
	if ping != nil {
		data = append(append(data, ping.data...), '\n')
		o.pinged = nil
	}
	written := make(chan error, 1)
	to := p.to
	go func() {
		_, err := to.Write(data)
		written <- err
	}()
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	for !o.enough(m) || ping != nil && o.pinged == nil || written != nil {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.close()
				o.broken = p.ended
				return false
			}
			before := o.pinged
			if p.take(line, m, ping, o); before == nil && o.pinged != nil {
				timer.Reset(wait)
			}
		case err := <-written:
			written = nil
			if err != nil { // the read error tells more
				timer.Reset(min(wait, time.Second))
			}
		case <-timer.C:
			o.late = true
			if ping != nil && o.pinged == nil {
				o.noPing = fmt.Sprintf("nothing within %v", p.timeout)
			}
			return o.noPing == ""
		case <-ctx.Done():
			o.noPing = ctx.Err().Error()
			return false
		}
	}
	return true
}

// remember stores the ids of a message, to recognise late answers.
func (p *pipe) remember(m *message, o *outcome) {
	for _, id := range m.ids {
		p.recent[p.sent%len(p.recent)] = recent{id, m.most - len(o.answers)}
		p.sent++
	}
}

// take classifies a line of the server.
func (p *pipe) take(line []byte, m, ping *message, o *outcome) {
	for _, a := range received(line) {
		switch old := p.older(a.id); {
		case o.setAside(a, m):
		case ping != nil && a.id != "" && ping.mayHave(a.id):
			o.pinged = a
		case old == nil || m.mayHave(a.id):
			o.answers = append(o.answers, a)
		case old.spare > 0: // a late answer, for instance of a cancelled stream
			old.spare--
			o.others = append(o.others, a)
		case m.kind == oddRequest && len(o.answers) == 0: // the server may have changed the number
			o.answers = append(o.answers, a)
		default:
			o.strays = append(o.strays, a)
		}
	}
}

// older returns the older message that an id belongs to; nil if none.
func (p *pipe) older(id string) *recent {
	for i := range p.recent {
		if r := &p.recent[i]; id != "" && r.id != "" && sameID(r.id, id) {
			return r
		}
	}
	return nil
}
