package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

type idIn struct {
	ID int64 `json:"id" jsonschema:"Number to answer with."`
}

type idOut struct {
	ID int64 `json:"id"`
}

func identity(_ context.Context, in idIn) (idOut, error) { return idOut(in), nil }

// TestConcurrentCallsAndRegistration runs 10,000 mixed calls from several
// clients while functions are registered beside them: no wrong answer, none
// lost, no goroutine left.
func TestConcurrentCallsAndRegistration(t *testing.T) {
	const clients, calls = 20, 500
	before := runtime.NumGoroutine()
	t.Run("calls", func(t *testing.T) {
		reg := registry.New(nil)
		reg.Namespace("n", "Numbers.").Add(registry.Func("identity", "Answer with the number.", identity))
		srv := cash.NewServer(reg, nil)
		var wg sync.WaitGroup
		stop := make(chan struct{})
		registered := make(chan int, 1)
		go func() {
			n := 0
			for {
				select {
				case <-stop:
					registered <- n
					return
				default:
				}
				reg.Namespace(fmt.Sprintf("n.m%d", n%50), "").Add(registry.Func(fmt.Sprintf("f%d", n), "F.", identity))
				n++
				runtime.Gosched()
			}
		}()
		for c := range clients {
			s := connect(t, context.Background(), srv)
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range calls {
					mixed(t, s, int64(c*calls+i)+9007199254740993)
				}
			}()
		}
		wg.Wait()
		close(stop)
		n := <-registered
		total := 0
		err := registry.Walk(context.Background(), reg, "", func(l *registry.Listing) error { total += len(l.Functions); return nil })
		if err != nil || total != n+1 {
			t.Errorf("%d functions were registered, %d are there, %v", n+1, total, err)
		}
		t.Logf("%d functions registered meanwhile", n)
	})
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); { // goroutines of closed connections end in their own time
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
		<-time.After(10 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}

func mixed(t *testing.T, s *mcp.ClientSession, id int64) {
	name, args, want := "call", fmt.Sprintf(`{"namespace":"N","function":"Identity","kwargs":{"ID":%d}}`, id), fmt.Sprintf(`{"id":%d}`, id)
	isError := false
	switch id % 5 {
	case 0:
		args, want, isError = `{"namespace":"n","function":"nope"}`, "No function `nope`", true
	case 1:
		name, args, want = "help", `{"namespace":"n","function":"identity"}`, "| id | integer | yes |"
	case 2:
		args, want, isError = fmt.Sprintf(`{"namespace":"n","function":"identity","kwargs":{"id":"%d"}}`, id), "must be an integer", true
	}
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Errorf("%s%s: %v", name, args, err)
		return
	}
	text := res.Content[0].(*mcp.TextContent).Text
	if res.IsError != isError || !strings.Contains(text, want) {
		t.Errorf("%s%s: %s", name, args, text)
	}
}
