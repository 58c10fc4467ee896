package facade_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/registry"
)

type memory struct {
	ID    string `json:"id" cash:"detail=minimal"`
	Title string `json:"title" cash:"detail=minimal"`
	Body  string `json:"body" cash:"detail=standard,excerpt=20"`
}

// A domain is a namespace, and a command a function in it.
func Example() {
	reg := registry.New(nil)
	reg.Namespace("memories", "What the user wants remembered.").Add(
		registry.Func("list", "List what is remembered.", func(context.Context, struct{}) ([]memory, error) {
			return []memory{{"m1", "Tea", "Green tea in the morning, black tea in the afternoon."}}, nil
		}))
	srv := facade.NewServer(reg, nil) // srv.Run and srv.Handler serve MemoriesExecute

	for _, req := range []facade.Request{
		{Cmd: "list"},
		{Cmd: "LIST", Detail: registry.Minimal},
		{Cmd: "lost"},
		{Cmd: "help"},
	} {
		out, err := json.Marshal(srv.Execute(context.Background(), "memories", &req))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(out))
	}
	// Output:
	// {"ok":true,"cmd":"list","data":[{"id":"m1","title":"Tea","body":"Green tea in the…"}],"count":1}
	// {"ok":true,"cmd":"LIST","data":[{"id":"m1","title":"Tea"}],"count":1}
	// {"ok":false,"cmd":"lost","error":"Unknown command: lost. Did you mean list? Available commands: help, list."}
	// {"ok":true,"cmd":"help","data":{"commands":[{"name":"list","description":"List what is remembered."}]},"count":1}
}
