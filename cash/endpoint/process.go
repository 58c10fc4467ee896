package endpoint

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/procgroup"
)

// grace is how long a process may take to end after it was asked to, and how long its last output is read.
const grace = time.Second

var (
	errTooLarge = errors.New("it wrote too much")
	errStart    = errors.New("it could not be started")
)

// process is a command that runs once. It gets its input, its outputs are read to the end, and everything it
// started ends with it.
type process struct {
	cmd    *exec.Cmd
	input  []byte // nil is no input
	merged bool   // standard error goes to standard output
	most   int    // bytes of each output

	group          *procgroup.Group
	stdin          *os.File
	stdout, stderr *output
	tooLarge       chan struct{} // closed when an output is too large
	once           sync.Once
	tasks          sync.WaitGroup
}

// ending is how a process ended, with its outputs.
type ending struct {
	code           int
	stdout, stderr []byte
}

// run runs the process. The error wraps errStart if it was not started. Otherwise it is that of ctx, or
// errTooLarge; the outputs read so far are returned.
func (p *process) run(ctx context.Context) (*ending, error) {
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(errStart, err)
	}
	exited, err := p.start()
	if err != nil {
		return nil, errors.Join(errStart, err)
	}
	select {
	case <-exited:
	case <-p.tooLarge:
		err = errTooLarge
		p.group.Kill()
	case <-ctx.Done():
		err = ctx.Err()
		p.stop(exited)
	}
	if !closedInTime(exited) {
		p.close()
		return &ending{}, errors.Join(err, errors.New("the process does not end"))
	}
	p.group.Kill() // the remaining processes may hold the pipes open
	p.join()
	if err == nil {
		select {
		case <-p.tooLarge: // too large, although it has just ended
			err = errTooLarge
		default:
		}
	}
	return &ending{procgroup.ExitCode(p.cmd.ProcessState), p.stdout.bytes(), p.stderr.bytes()}, err
}

// stop asks the process to end, and kills it after the grace.
func (p *process) stop(exited <-chan struct{}) {
	if !p.group.Terminate() || !closedInTime(exited) {
		p.group.Kill()
	}
}

// closedInTime waits for a channel to be closed, at most for the grace.
func closedInTime(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// start starts the process and the goroutines of its pipes. exited is closed when it has ended.
func (p *process) start() (exited <-chan struct{}, err error) {
	p.tooLarge = make(chan struct{})
	theirs, err := p.pipes()
	if err == nil {
		p.group = procgroup.New(p.cmd)
		exited, err = p.group.Start()
	}
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		p.close()
		return nil, err
	}
	if p.stdin != nil {
		p.tasks.Go(func() {
			_, _ = p.stdin.Write(p.input) // the process need not read it
			_ = p.stdin.Close()
		})
	}
	for _, o := range []*output{p.stdout, p.stderr} {
		if o != nil {
			p.tasks.Go(func() { o.read(p.most, p.overflow) })
		}
	}
	return exited, nil
}

// pipes makes the pipes, and returns the process's ends. Package exec would wait for its own pipes as long as
// anybody holds them.
func (p *process) pipes() (theirs []*os.File, err error) {
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	out := func() (*output, *os.File) {
		r, w := pipe()
		theirs = append(theirs, w)
		return &output{file: r, done: make(chan struct{})}, w
	}
	if p.input != nil {
		r, w := pipe()
		theirs, p.stdin, p.cmd.Stdin = append(theirs, r), w, r
	}
	var w *os.File
	p.stdout, w = out()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if !p.merged {
		p.stderr, w = out()
		p.cmd.Stderr = w
	}
	return theirs, err
}

func (p *process) overflow() { p.once.Do(func() { close(p.tooLarge) }) }

// join waits until all output was read. A process that left the group may still hold a pipe: after the grace it is
// closed on this side.
func (p *process) join() {
	for _, o := range []*output{p.stdout, p.stderr} {
		if o != nil && !closedInTime(o.done) {
			break
		}
	}
	p.close()
	done := make(chan struct{})
	go func() { // ends with the tasks, which end with their pipes
		p.tasks.Wait()
		close(done)
	}()
	closedInTime(done) // not closed on systems that cannot interrupt reads
}

func (p *process) close() {
	_ = p.stdin.Close() // a nil file only returns an error
	p.stdout.close()
	p.stderr.close()
}

// output is one output of a process.
type output struct {
	file *os.File
	done chan struct{} // closed when the output was read

	mu   sync.Mutex
	data []byte
}

// read reads to the end, or until there are more than most bytes.
func (o *output) read(most int, overflow func()) {
	defer close(o.done)
	buf := make([]byte, 32<<10)
	for {
		n, err := o.file.Read(buf)
		o.mu.Lock()
		o.data = append(o.data, buf[:n]...)
		size := len(o.data)
		o.mu.Unlock()
		if size > most {
			overflow()
			return
		}
		if err != nil {
			return
		}
	}
}

func (o *output) bytes() []byte {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data[:len(o.data):len(o.data)]
}

func (o *output) close() {
	if o != nil {
		_ = o.file.Close()
	}
}
