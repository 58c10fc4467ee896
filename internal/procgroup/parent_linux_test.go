package procgroup_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/internal/procgroup"
)

// starter starts a deaf child and ends threads, the calling one too. The child must outlive them: it answers what comes
// on its input. Then starter waits to be killed.
func starter() {
	runtime.LockOSThread() // the first thread never ends, so nothing else shall run on it
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "PROCGROUP_TEST=answering", "PROCGROUP_DEAF=yes")
	child.Stdout = os.Stdout
	input, err := child.StdinPipe()
	if err != nil {
		panic(err)
	}
	var exited <-chan struct{}
	var threads sync.WaitGroup
	threads.Go(func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		if exited, err = procgroup.New(child).Start(); err != nil {
			panic(err)
		}
	})
	threads.Wait()
	for range 50 {
		threads.Go(runtime.LockOSThread)
	}
	threads.Wait()
	for range 3 {
		fmt.Fprintln(input, "ping")
	}
	<-exited
	fmt.Println("the child has ended")
}

// answering answers each line, and goes on when its input ends.
func answering() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println("answer to", lines.Text())
	}
	select {}
}

// TestK19ParentKilled kills a process whose child is deaf to its signals and to the end of its input.
func TestK19ParentKilled(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(procgroup.Environ(), "PROCGROUP_TEST=starter")
	out, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	_ = out.SetReadDeadline(time.Now().Add(30 * time.Second))
	cmd.Stdout = theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	r := bufio.NewReader(out)
	for range 3 {
		if line, err := r.ReadString('\n'); line != "answer to ping\n" {
			t.Fatalf("%q, %v", line, err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r) // ends when the child has ended, which holds the output
	if err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	_ = cmd.Wait()
}

func TestStart(t *testing.T) {
	exited, err := procgroup.New(exec.Command("./absent")).Start()
	if err == nil {
		t.Fatal("it has started")
	}
	select {
	case <-exited:
		t.Error("it has ended")
	default:
	}
	cmd := exec.Command("sh", "-c", "exit 7")
	if exited, err = procgroup.New(cmd).Start(); err != nil {
		t.Fatal(err)
	}
	<-exited
	if code := procgroup.ExitCode(cmd.ProcessState); code != 7 {
		t.Errorf("status %d", code)
	}
}
