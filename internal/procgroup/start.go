package procgroup

import "runtime"

// Start starts the command. exited is closed when it has ended and was waited for: its ProcessState is then set.
// The command's pipes must not be those of package exec, which are closed then, read or not.
//
// On Linux and FreeBSD the command is killed when this process ends, however that happens. Linux sends that signal
// when the starting thread ends, and Go ends threads. The starting thread is therefore the one that waits.
func (g *Group) Start() (exited <-chan struct{}, err error) {
	endWithParent(g.cmd)
	started, ended := make(chan error, 1), make(chan struct{})
	go func() { // ends with the command
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := g.cmd.Start()
		started <- err
		if err == nil {
			_ = g.cmd.Wait() // ProcessState has the same information
			close(ended)
		}
	}()
	return ended, <-started
}
