package mcpclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/procgroup"
)

const (
	grace      = 2 * time.Second        // to end after its input closed, and again after the signal
	lastWords  = time.Second            // to read the last output of an ended process
	exitReason = 200 * time.Millisecond // between the end of the output and of the process, whose status explains it
)

// process is a running command, as a link.
type process struct {
	cmd    *exec.Cmd
	group  *procgroup.Group
	stdin  *os.File
	stdout *os.File
	stderr *os.File // nil if discarded
	lines  lines
	after  func(time.Duration) <-chan time.Time

	writes  chan pendingWrite
	closing chan struct{} // closed by close
	exited  chan struct{} // closed when the process has ended and its group was killed
	read    chan struct{} // closed when stdout was read to its end
	readEnd sync.Once
	heard   chan struct{} // closed when stderr was read to its end and passed on, or is discarded
	tasks   sync.WaitGroup
}

type pendingWrite struct {
	data []byte
	done chan written
}

// written is how much of a message was written, and why not all.
type written struct {
	n   int
	err error
}

// start starts the command.
func start(cmd *exec.Cmd, o Options) (*process, error) {
	p := &process{
		cmd: cmd, after: o.After, writes: make(chan pendingWrite),
		closing: make(chan struct{}), exited: make(chan struct{}), read: make(chan struct{}), heard: make(chan struct{}),
	}
	var ended <-chan struct{}
	theirs, err := p.pipes(o.Stderr != nil)
	if err == nil {
		p.group = procgroup.New(cmd)
		ended, err = p.group.Start()
	}
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		p.closePipes()
		return nil, &Error{Class: Unreachable, Reason: procgroup.Unstarted(err), Err: err}
	}
	p.lines = lines{r: bufio.NewReaderSize(p.stdout, 16<<10), limit: o.Message}
	p.tasks.Go(func() { p.wait(ended) })
	p.tasks.Go(p.write)
	if p.stderr == nil {
		close(p.heard)
	} else {
		said := make(chan string, 256)
		p.tasks.Go(func() { p.listen(said) })
		p.tasks.Go(func() {
			defer close(p.heard)
			for line := range said {
				o.Stderr(line)
			}
		})
	}
	return p, nil
}

// pipes makes the pipes, and returns the process's ends. Pipes of package exec would be closed at the end of the
// process, with its last output unread.
func (p *process) pipes(stderr bool) (theirs []*os.File, err error) {
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	in, stdin := pipe()
	stdout, out := pipe()
	p.stdin, p.stdout = stdin, stdout
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, nil
	theirs = []*os.File{in, out}
	if stderr {
		r, w := pipe()
		p.stderr, p.cmd.Stderr = r, w
		theirs = append(theirs, w)
	}
	return theirs, err
}

func (p *process) closePipes() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		_ = f.Close() // a nil file only returns an error
	}
}

// wait waits for the end of the process, and kills its remaining group, which may hold the pipes open.
func (p *process) wait(ended <-chan struct{}) {
	<-ended
	p.group.Kill()
	close(p.exited)
	select {
	case <-p.read:
	case <-p.closing:
	case <-p.after(lastWords):
	}
	p.within(p.heard, lastWords) // a process outside of the group may hold it
	p.closePipes()
}

// write writes messages one after the other, each completely, even if the sender's context ends.
func (p *process) write() {
	for {
		select {
		case w := <-p.writes:
			n, err := p.stdin.Write(w.data)
			w.done <- written{n, err}
			if err != nil {
				return
			}
		case <-p.exited:
			return
		case <-p.closing:
			return
		}
	}
}

// listen passes on the lines of standard error while there is room.
func (p *process) listen(said chan<- string) {
	defer close(said)
	l := lines{r: bufio.NewReader(p.stderr), limit: 4 << 10}
	for {
		line, err := l.next()
		var large *oversize
		var e *Error
		switch {
		case errors.As(err, &large):
			line = large.head
		case errors.As(err, &e): // one endless line
			continue
		case err != nil:
			return
		}
		if text := clean.Line(string(line), 1000); text != "" {
			select {
			case said <- text:
			default:
			}
		}
	}
}

func (p *process) next() ([]byte, error) {
	data, err := p.lines.next()
	if err == nil && p.lines.last && half(data) {
		data, err = nil, io.EOF
	}
	var large *oversize
	if err != nil && !errors.As(err, &large) {
		p.readEnd.Do(func() { close(p.read) })
	}
	return data, err
}

func (p *process) send(ctx context.Context, data []byte, sent func(bool)) error {
	select {
	case <-p.exited:
		return p.ended(nil)
	default:
	}
	w := pendingWrite{append(data, '\n'), make(chan written, 1)}
	select {
	case p.writes <- w:
		sent(true)
	case <-ctx.Done():
		return ctx.Err()
	case <-p.exited:
		return p.ended(nil)
	case <-p.closing:
		return p.ended(nil)
	}
	select {
	case is := <-w.done:
		if is.err == nil {
			return nil
		}
		sent(is.n > 0)
		return p.ended(is.err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *process) trySend(data []byte) {
	select {
	case p.writes <- pendingWrite{append(data, '\n'), make(chan written, 1)}:
	default: // the process does not read
	}
}

func (p *process) ended(err error) *Error {
	select {
	case <-p.exited:
		p.within(p.heard, lastWords) // which may say why
	case <-p.closing:
		return lost("the connection was closed", err)
	case <-p.after(exitReason):
		if errors.Is(err, syscall.EPIPE) {
			return lost("the process closed its input", err)
		}
		return lost("the process closed its output", err)
	}
	if code := p.cmd.ProcessState.ExitCode(); code >= 0 {
		return lost(fmt.Sprintf("the process ended with status %d", code), err)
	}
	return lost("the process was ended by a signal", err)
}

// close ends the process as MCP 2025-11-25 describes (basic/lifecycle, shutdown): it closes the input, then asks,
// then kills.
func (p *process) close() error {
	close(p.closing)
	_ = p.stdin.Close()
	p.tasks.Go(func() { _, _ = io.Copy(io.Discard, p.stdout) }) // a full pipe would keep it from ending
	if !p.within(p.exited, grace) && (!p.group.Terminate() || !p.within(p.exited, grace)) {
		p.group.Kill()
		if !p.within(p.exited, grace) {
			return errors.New("the process does not end")
		}
	}
	done := make(chan struct{})
	go func() {
		p.tasks.Wait()
		close(done)
	}()
	p.within(done, grace) // unless Stderr hangs, or the system cannot interrupt reads
	return nil
}

// within waits for the end of what closes a channel, and reports whether it has ended in time.
func (p *process) within(ended <-chan struct{}, d time.Duration) bool {
	select {
	case <-ended:
		return true
	default:
	}
	select {
	case <-ended:
		return true
	case <-p.after(d):
		return false
	}
}
