package label_test

import (
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/label"
)

func ExampleFrom() {
	for _, name := range []string{"getUser", "get-user", "files/read", "créer", "9", "9-lives", "a--b", "日本"} {
		fmt.Println(name, "is", label.From(name, "tool"))
	}
	// Output:
	// getUser is getUser
	// get-user is get_user
	// files/read is files_read
	// créer is creer
	// 9 is 9
	// 9-lives is 9_lives
	// a--b is a_b
	// 日本 is tool
}

func ExampleSet_TakeAll() {
	names := []string{"get-user", "getUser", "list"}
	wants := make([]label.Want, len(names))
	for i, name := range names {
		l := label.From(name, "tool")
		wants[i] = label.Want{Key: name, Label: l, Exact: l == name}
	}
	fmt.Println(new(label.Set).TakeAll(wants))
	// Output: [get_user_5d95c2 getUser list]
}
