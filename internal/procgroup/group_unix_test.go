//go:build unix

package procgroup_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/procgroup"
)

func TestMain(m *testing.M) {
	switch os.Getenv("PROCGROUP_TEST") {
	case "parent":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "PROCGROUP_TEST=child")
		child.Stdout = os.Stdout
		_ = child.Start()
		_ = child.Wait()
		return
	case "child":
		if os.Getenv("PROCGROUP_DEAF") != "" {
			signal.Ignore(syscall.SIGTERM)
		}
		fmt.Println("ready")
		select {}
	case "starter":
		starter()
		return
	case "answering":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		answering()
	}
	os.Exit(m.Run())
}

// TestK19Group ends a process and its child, which holds the output open: the
// output ends when both have.
func TestK19Group(t *testing.T) {
	for name, end := range map[string]func(*procgroup.Group){
		"terminate": func(g *procgroup.Group) {
			if !g.Terminate() {
				t.Error("it cannot be asked")
			}
		},
		"kill": func(g *procgroup.Group) { g.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(procgroup.Environ(), "PROCGROUP_TEST=parent")
			want := 128 + int(syscall.SIGTERM)
			if name == "kill" {
				cmd.Env = append(cmd.Env, "PROCGROUP_DEAF=yes")
				want = 128 + int(syscall.SIGKILL)
			}
			out, theirs, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			cmd.Stdout = theirs
			g := procgroup.New(cmd)
			exited, err := g.Start()
			if err != nil {
				t.Fatal(err)
			}
			_ = theirs.Close()
			r := bufio.NewReader(out)
			if line, err := r.ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			end(g)
			if _, err := io.Copy(io.Discard, r); err != nil {
				t.Fatal(err)
			}
			<-exited
			if code := procgroup.ExitCode(cmd.ProcessState); code != want {
				t.Errorf("status %d, want %d", code, want)
			}
		})
	}
}
