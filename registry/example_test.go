package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/registry"
)

type greeting struct {
	Name string `json:"name" jsonschema:"Who is greeted." cash:"minLength=1"`
}

func greet(_ context.Context, in greeting) (string, error) { return "Hello, " + in.Name + "!", nil }

// call runs a function as a face does, and prints what comes of it.
func call(ctx context.Context, reg *registry.Registry, namespace, function, arguments string) {
	res, err := registry.NewPipeline(reg, nil).Call(ctx, &registry.Request{
		Namespace: namespace, Function: function, Arguments: json.RawMessage(arguments),
	})
	if err != nil {
		fmt.Println(registry.AsError(err).Kind)
		return
	}
	fmt.Println(res.Text())
}

func ExampleNew() {
	reg := registry.New(nil)
	reg.Namespace("desk", "Welcome people.").Add(registry.Func("greet", "Greet somebody.", greet, registry.ReadOnly))
	call(context.Background(), reg, "desk", "greet", `{"name":"Ada"}`)
	call(context.Background(), reg, "desk", "greet", `{"name":""}`)
	// Output:
	// Hello, Ada!
	// INVALID_ARGUMENTS
}

func ExampleFunc() {
	f := registry.Func("greet", "Greet somebody.", greet, registry.ReadOnly, registry.Aliases("say hello"))
	fmt.Println(string(f.InputSchema()))
	fmt.Println(f.ReadOnly(), f.Returns())
	// Output:
	// {"type":"object","properties":{"name":{"type":"string","description":"Who is greeted.","minLength":1}},"required":["name"],"additionalProperties":false}
	// true Text.
}

func ExampleRawFunc() {
	input := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"n": {Type: "integer"}}}
	f, err := registry.RawFunc("echo", "Answer what was sent.", input, func(_ context.Context, arguments json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(string(arguments)), nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f)
	call(context.Background(), reg, "", "echo", `{"n": 9007199254740993}`)
	// Output:
	// {"n": 9007199254740993}
}

func ExampleStreamFunc() {
	f := registry.StreamFunc("count", "Count to three.", func(_ context.Context, _ struct{}, report func(registry.Progress) error) (string, error) {
		for i := range 3 {
			if err := report(registry.Progress{Done: float64(i + 1), Total: 3}); err != nil {
				return "", errors.New("nobody listens")
			}
		}
		return "three", nil
	})
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f)
	res, err := registry.NewPipeline(reg, nil).Call(context.Background(), &registry.Request{
		Function: "count",
		Progress: func(_ context.Context, p registry.Progress) error {
			fmt.Printf("%v of %v\n", p.Done, p.Total)
			return nil
		},
	})
	fmt.Println(res.Text(), err)
	// Output:
	// 1 of 3
	// 2 of 3
	// 3 of 3
	// three <nil>
}

func ExampleRegistry_AddSkills() {
	reg := registry.New(nil)
	reg.AddSkills(fstest.MapFS{ // an embed.FS, say
		"skills/desk/welcome/SKILL.md": {Data: []byte("---\nname: welcome\ndescription: How to welcome a guest.\n---\nGreet {{who|the guest}}.\n")},
	})
	skill, err := reg.Skill(context.Background(), "desk", "welcome")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := skill.Render(context.Background(), json.RawMessage(`{"who":"Ada"}`))
	fmt.Println(skill.Description())
	fmt.Print(text, err)
	// Output:
	// How to welcome a guest.
	// Greet Ada.
	// <nil>
}

func ExampleRoles() {
	reg := registry.New(nil)
	open := registry.Func("open", "Open the vault.", greet, registry.VisibleTo(registry.Roles("boss")))
	reg.Namespace("vault", "What is locked away.").Add(open)
	boss := registry.WithCaller(context.Background(), &registry.Caller{ID: "ada", Roles: []string{"boss"}})
	call(boss, reg, "vault", "open", `{"name":"Ada"}`)
	call(context.Background(), reg, "vault", "open", `{"name":"Ada"}`)
	// Output:
	// Hello, Ada!
	// UNKNOWN_NAMESPACE
}

func ExampleWithCaller() {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("whoami", "Tell who is calling.", func(ctx context.Context, _ struct{}) (string, error) {
		if c := registry.CallerFrom(ctx); !c.Anonymous() {
			return c.ID, nil
		}
		return "somebody", nil
	}))
	call(context.Background(), reg, "", "whoami", "")
	call(registry.WithCaller(context.Background(), &registry.Caller{ID: "ada"}), reg, "", "whoami", "")
	// Output:
	// somebody
	// ada
}
