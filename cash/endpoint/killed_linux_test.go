package endpoint_test

import (
	"strings"
	"testing"
)

// An endpoint that is killed by someone else takes along what its functions have started, even what hears no other
// signal: a command, and a mounted server.
func TestK19EndpointIsKilled(t *testing.T) {
	for _, mode := range []string{"ours deaf", "ours mounting"} {
		t.Run(mode, func(t *testing.T) {
			address, here, gone := watch(t)
			cmd := program(mode, address).Exec()
			cmd.Stdin = strings.NewReader(`{"action":"call_tool","tool":"wait","arguments":{"query":""}}`)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			here()
			if err := cmd.Process.Kill(); err != nil { // not its group
				t.Fatal(err)
			}
			_ = cmd.Wait()
			gone()
		})
	}
}

// What a client kills takes along what its functions have started, although that is in other groups.
func TestK19EndpointIsKilledByItsClient(t *testing.T) {
	address, here, gone := watch(t)
	c := newClient(t, "ours deaf", address, nil)
	ctx, cancel := withCancel(t)
	done := make(chan error)
	go func() {
		_, err := c.Call(ctx, "wait", []byte(`{"query":""}`))
		done <- err
	}()
	here()
	cancel()
	<-done
	gone()
}
