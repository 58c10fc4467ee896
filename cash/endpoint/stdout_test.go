package endpoint_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// printing returns a registry whose function prints in every way.
func printing() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) {
		fmt.Println("by package fmt")
		printRaw("by the file's number\n")
		child := exec.Command(os.Args[0])
		child.Env = []string{modeVariable + "=write early", argVariable + "=by a child\n"}
		child.Stdout = os.Stdout
		if err := child.Run(); err != nil {
			return "", err
		}
		return "done", nil
	}))
	return reg
}

const (
	callF   = `{"action":"call_tool","tool":"f"}`
	answerF = `{"type":"result","tool":"f","result":{"text":"done"}}` + "\n"
)

// What functions print does not get into the answer. It is on standard error, unless that is the same file.
func TestK14Prints(t *testing.T) {
	prints := func(t *testing.T, text string) {
		for _, want := range []string{"by package fmt\n", byNumber, "by a child\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("standard error is %q, without %q", text, want)
			}
		}
	}
	start := func(arg string) *exec.Cmd {
		cmd := program("printing", arg).Exec()
		cmd.Stdin = strings.NewReader(callF)
		return cmd
	}
	t.Run("apart", func(t *testing.T) {
		var out, errs bytes.Buffer
		cmd := start("")
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil || out.String() != answerF {
			t.Errorf("%v %q", err, out.String())
		}
		prints(t, errs.String())
	})
	t.Run("as one", func(t *testing.T) {
		if out, err := start("").CombinedOutput(); err != nil || string(out) != answerF {
			t.Errorf("%v %q", err, out)
		}
	})
	t.Run("as one file", func(t *testing.T) {
		file, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		cmd := start("")
		cmd.Stdout, cmd.Stderr = file, file
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		if out, err := os.ReadFile(file.Name()); err != nil || string(out) != answerF {
			t.Errorf("%v %q", err, out)
		}
	})
	t.Run("given back", func(t *testing.T) {
		cmd := start("after")
		if out, err := cmd.Output(); err != nil || string(out) != answerF+"after\n" {
			t.Errorf("%v %q", err, out)
		}
	})
	t.Run("by a client", func(t *testing.T) {
		if got, err := newClient(t, "printing", "", nil).Call(deadline(t), "f", []byte("{}")); err != nil || string(got) != `{"text":"done"}` {
			t.Errorf("%s, %v", got, err)
		}
	})
}

// replaceStdout makes a file the standard output of this process, until the test ends.
func replaceStdout(t *testing.T) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	os.Stdout = file
	t.Cleanup(func() {
		os.Stdout = was
		_ = file.Close()
	})
	return file
}

// Requests at the same time share what was taken away.
func TestK14PrintsOfMany(t *testing.T) {
	out := replaceStdout(t)
	reg := registry.New(nil)
	var all sync.WaitGroup
	const many = 20
	all.Add(many)
	reg.Namespace("", "").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) {
		fmt.Fprint(os.Stdout, "")
		if os.Stdout == out {
			return "", fmt.Errorf("a function has standard output")
		}
		all.Done()
		all.Wait() // for all of them at once
		return "done", nil
	}))
	e := endpoint.New(reg, nil)
	var running sync.WaitGroup
	for range many {
		running.Go(func() { e.Run(t.Context(), strings.NewReader(callF), out) })
	}
	running.Wait()
	if got, err := os.ReadFile(out.Name()); err != nil || string(got) != strings.Repeat(answerF, many) || os.Stdout != out {
		t.Errorf("%q, %v", got, err)
	}
}

// An abandoned function prints nothing into standard output as long as it runs.
func TestK14PrintsOfAbandoned(t *testing.T) {
	out := replaceStdout(t)
	synctest.Test(t, func(t *testing.T) {
		reg := registry.New(nil)
		ended := make(chan bool)
		reg.Namespace("", "").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) {
			time.Sleep(time.Hour)
			ended <- os.Stdout != out
			return "", nil
		}))
		exit := endpoint.New(reg, &endpoint.Options{Timeout: time.Second}).Run(t.Context(), strings.NewReader(callF), out)
		if exit != 1 || os.Stdout == out {
			t.Error("standard output was given back")
		}
		if !<-ended {
			t.Error("the function has standard output")
		}
		synctest.Wait()
		if os.Stdout != out {
			t.Error("standard output was not given back")
		}
	})
}

// Writers other than standard output are left alone.
func TestK14OtherOutputs(t *testing.T) {
	reg := registry.New(nil)
	was := os.Stdout
	reg.Namespace("", "").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) {
		if os.Stdout != was {
			return "", fmt.Errorf("standard output was taken away")
		}
		return "done", nil
	}))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	endpoint.New(reg, nil).Run(t.Context(), strings.NewReader(callF), w)
	_ = w.Close()
	if got, err := io.ReadAll(r); err != nil || string(got) != answerF {
		t.Errorf("%q, %v", got, err)
	}
}
