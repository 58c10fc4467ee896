package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/procgroup"
)

// grace is how long a server may take to end after its input was closed.
const grace = 5 * time.Second

// A process is a peer that runs a command.
type process struct {
	command func() *exec.Cmd
	cmd     *exec.Cmd
	group   *procgroup.Group
	exited  chan struct{}
	err     error // exit error
	errors  tail  // end of its standard error
}

func (p *process) start(ctx context.Context) (io.WriteCloser, io.ReadCloser, error) {
	cmd := p.command()
	p.cmd, p.group, p.exited, p.errors = cmd, procgroup.New(cmd), make(chan struct{}), tail{}
	if cmd.Stderr == nil {
		cmd.Stderr = &p.errors
	}
	cmd.WaitDelay = grace
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	// A pipe of our own, because the command closes its own at exit, read or not.
	from, out := io.Pipe()
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("starting the server: %w", err)
	}
	stop := context.AfterFunc(ctx, p.group.Kill)
	go func() {
		p.err = cmd.Wait()
		stop()
		_ = out.Close()
		close(p.exited)
	}()
	return to, from, nil
}

// stop implements peer.
func (p *process) stop() string {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		p.group.Kill()
		<-p.exited // WaitDelay bounds this
	}
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	if exit := new(exec.ExitError); p.err != nil && !errors.As(p.err, &exit) {
		how = "ended: " + how
	}
	if text := p.errors.String(); text != "" {
		how += ", standard error: " + text
	}
	return how
}

func (p *process) pid() int {
	if p.cmd == nil || p.cmd.Process == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// tail keeps the end of the data written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(data []byte) (int, error) {
	const most = 4096
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, data[max(0, len(data)-most):]...)
	if over := len(t.data) - most; over > 0 {
		t.data = append([]byte(nil), t.data[over:]...)
	}
	return len(data), nil
}

// String returns the kept data, from the beginning of a panic if there is one.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.data)
	if i := bytes.Index(text, []byte("panic: ")); i >= 0 {
		text = text[i:]
	}
	return excerpt(text)
}

// An inProcess is a peer that runs a function.
type inProcess struct {
	serve  func(context.Context, io.ReadCloser, io.WriteCloser) error
	cancel context.CancelFunc
	ended  chan error
}

func (s *inProcess) start(ctx context.Context) (io.WriteCloser, io.ReadCloser, error) {
	input, to := io.Pipe()
	from, output := io.Pipe()
	ctx, s.cancel = context.WithCancel(ctx)
	ended := make(chan error, 1)
	s.ended = ended
	go func() {
		err := s.serve(ctx, input, output)
		_ = output.Close()
		_ = input.Close()
		ended <- err
	}()
	return to, from, nil
}

func (s *inProcess) stop() string {
	s.cancel()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case err := <-s.ended:
		return fmt.Sprintf("Serve has returned %v", err)
	case <-timer.C:
		return "Serve has not returned"
	}
}

func (s *inProcess) pid() int { return 0 }
