//go:build unix

package mcpclient_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// child returns a command that runs this test's binary as a server.
func child(mode string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "MCPCLIENT_TEST_SERVER="+mode)
		return cmd
	}
}

// serve is the main function of such a process.
func serve(mode string) {
	switch mode {
	case "proper":
		_ = newServer().Run(context.Background(), &mcp.StdioTransport{})
	case "scripted":
		scripted()
	case "holder": // a grandchild that holds the pipes
		select {}
	case "stubborn": // ends for no signal but the last
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "ready")
		select {}
	case "asked": // ends when it is asked
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "ready")
		<-c
		fmt.Fprintln(os.Stderr, "asked")
	case "shut": // closes its input, and lives on
		r := bufio.NewReader(os.Stdin)
		handshake(r)
		_ = os.Stdin.Close()
		fmt.Fprintln(os.Stderr, "ready")
		select {}
	case "deaf": // reads its first messages only
		r := bufio.NewReader(os.Stdin)
		handshake(r)
		select {}
	}
}

// handshake answers until the client says that it is initialized.
func handshake(r *bufio.Reader) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			os.Exit(0)
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal([]byte(line), &m)
		switch m.Method {
		case "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`+"\n", m.ID)
		case "notifications/initialized":
			return
		}
	}
}

// scripted does to each call what the name of its tool says.
func scripted() {
	r := bufio.NewReader(os.Stdin)
	fmt.Println("Starting server ...")
	handshake(r)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		_ = json.Unmarshal([]byte(line), &m)
		if m.Method == "tools/call" {
			perform(m.Params.Name, string(m.ID))
		}
	}
}

func perform(tool, id string) {
	fat := strings.Repeat("x", 100<<10)
	var before, after int
	if n, _ := fmt.Sscanf(tool, "notify %d %d", &before, &after); n == 2 {
		out := bufio.NewWriter(os.Stdout)
		notify(out, "%s\n", before, answer(id), after)
		_ = out.Flush()
		return
	}
	switch tool {
	case "notify but hang":
		for i := range 2000 {
			fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`+"\n", i)
		}
	case "exact":
		fmt.Println(answer(id))
	case "noise":
		fmt.Print("hello\n\n\r\n{}\n[1,2]\n{\"jsonrpc\":\"2.0\"\n\xff\xfe\n\x1b[31m" + fat + "\n")
		fmt.Println(answer(id))
	case "crlf":
		fmt.Print(answer(id) + "\r\n")
	case "array":
		fmt.Println("[3," + answer("99999") + "," + answer(id) + "]")
	case "twice":
		fmt.Println(answer(id))
		fmt.Println(answer(id))
	case "unknown":
		fmt.Println(answer("4711"))
		fmt.Println(answer(`"x"`))
		fmt.Println(answer(id))
	case "large":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"a":"%s"}}`+"\n", id, fat)
	case "large last":
		fmt.Printf(`{"result":{"a":"%s"},"jsonrpc":"2.0","id":%s}`+"\n", fat, id)
	case "large unknown":
		fmt.Println(fat)
	case "deep":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"a":%s%s}}`+"\n", id, strings.Repeat("[", 9000), strings.Repeat("]", 9000))
	case "truncated":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"a":`+"\n", id)
	case "duplicate":
		fmt.Printf(`{"result":{"a":1,"a":2},"jsonrpc":"2.0","id":%s}`+"\n", id)
	case "no result":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s}`+"\n", id)
	case "endless line":
		for {
			if _, err := os.Stdout.WriteString(fat); err != nil {
				os.Exit(0)
			}
		}
	case "endless noise":
		for {
			if _, err := os.Stdout.WriteString("noise\n"); err != nil {
				os.Exit(0)
			}
		}
	case "exit":
		os.Exit(3)
	case "exit last":
		fmt.Println(answer(id))
		os.Exit(0)
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "close":
		_ = os.Stdout.Close()
	case "leave": // ends while a grandchild holds its pipes
		cmd := child("holder")()
		cmd.Stdout, cmd.Stderr, cmd.Stdin = os.Stdout, os.Stderr, os.Stdin
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, "pid", cmd.Process.Pid)
		os.Exit(0)
	case "flood":
		for i := range 100 {
			fmt.Printf(`{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`+"\n", i)
		}
		fmt.Println(answer(id))
	case "flood unread": // asks, and reads no answer until it has asked enough
		for i := range 5000 {
			fmt.Printf(`{"jsonrpc":"2.0","id":"%s%d","method":"ping"}`+"\n", fat[:2000], i)
		}
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/asked"}`)
		fmt.Println(answer(id))
	case "refused":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32004,"message":"locked"}}`+"\n", id)
	case "stderr":
		for range 200 {
			fmt.Fprintln(os.Stderr, fat)
		}
		fmt.Fprintln(os.Stderr, "\x1b[31mred\u200b "+fat[:2000])
		fmt.Println(answer(id))
	}
}
