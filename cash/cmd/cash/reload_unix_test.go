//go:build unix

package main

import (
	"os"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
)

// A signal reads the file again. What is wrong with it is told, and changes nothing.
func TestReloadBySignal(t *testing.T) {
	url := served(t)
	servers := "upstreams: [{label: a, endpoint: '" + url + "'}]\n"
	file := configuration(t, servers)
	r := serveHTTP(t, file)
	c := cashtest.ConnectHTTP(t, r.line(t, `serving at (http://\S+)`)[1])
	reload := func(doc, line string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		r.line(t, line)
	}
	reload("policy: {rules: [{decision: deny, tools: [a.put]}]}\n"+servers, "^the configuration is reloaded$")
	if reply := c.Call("a", "put", nil); !reply.IsError {
		t.Errorf("%+v", reply)
	}
	reload("polcy: {}\n"+servers, `^reloading the configuration: .*:1:1: unknown key "polcy": did you mean policy\?$`)
	reload("name: x\n"+servers, "^reloading the configuration: a running server cannot change name")
	if reply := c.Call("a", "put", nil); !reply.IsError {
		t.Errorf("%+v", reply)
	}
	reload(servers, "reloaded")
	if reply := c.Call("a", "put", nil); reply.IsError {
		t.Errorf("%+v", reply)
	}
	r.stop(t)
}
