package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Colours of a terminal.
const (
	red   = "31"
	green = "32"
	faint = "2"
	bold  = "1"
)

// paint returns text in a colour, if standard output is a terminal that wants colours. The text must be clean.
func (env *environment) paint(colour, text string) string {
	if !env.terminal || env.getenv("NO_COLOR") != "" || env.getenv("TERM") == "dumb" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// writeJSON writes v as indented JSON, with strings cleaned as data.
func writeJSON(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, clean.ContentJSON(data), "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = b.WriteTo(w)
	return err
}

// readAtMost reads all of r, which may have so many bytes.
func readAtMost(r io.Reader, most int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("there are more than %d bytes", most)
	}
	return data, err
}

// progress shows what takes time, with the seconds, if standard error is a terminal. The returned function ends it.
func (env *environment) progress(what string) (stop func()) {
	if !env.progressed {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 0; ; n++ {
			if n > 0 {
				fmt.Fprintf(env.stderr, "\r\x1b[K%s, %d s", what, n)
			}
			select {
			case <-tick.C:
			case <-done:
				fmt.Fprint(env.stderr, "\r\x1b[K")
				return
			}
		}
	}()
	return sync.OnceFunc(func() { close(done); <-ended })
}
