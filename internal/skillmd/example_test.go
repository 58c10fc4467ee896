package skillmd_test

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

func Example() {
	data := strings.Join([]string{
		"---",
		"name: reorder",
		"description: Order again what a customer ordered last.",
		"allowed-tools: Bash",
		"---",
		"Find the last order of {{customer}}:",
		"",
		"```",
		`call(namespace="orders", function="list", kwargs={"customer_id": "{{customer}}"})`,
		"```",
		"",
		"Then run {{script|nothing}}.",
	}, "\n")

	doc, err := skillmd.Parse([]byte(data))
	if err != nil {
		fmt.Println(err)
		return
	}
	values := map[string]string{"customer": "C-42", "script": "```sh\nid\n```"}
	text := skillmd.Expand(doc.Body, func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	})
	text, removed := skillmd.Strip(text)

	fmt.Println(doc.Description)
	fmt.Println(text)
	fmt.Println(len(removed), "removed")
	// Output:
	// Order again what a customer ordered last.
	// Find the last order of C-42:
	//
	// ```
	// call(namespace="orders", function="list", kwargs={"customer_id": "C-42"})
	// ```
	//
	// Then run
	// [code block removed: sh, 1 line]
	// .
	// 1 removed
}
