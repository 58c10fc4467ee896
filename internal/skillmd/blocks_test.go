package skillmd_test

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

// TestBlockBounds is about where a block starts and ends; the fixtures are about what stays.
func TestBlockBounds(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"R79 indent after a heading", "# a\n    x y\n", "# a\n[code block removed: 1 line]\n"},
		{"R79 indent after a rule", "a\n\n***\n    x y\n", "a\n\n***\n[code block removed: 1 line]\n"},
		{"R79 indent in a paragraph", "a\n    x y\n", "a\n    x y\n"},
		{"R79 indent in an item", "- a\n\n    x y\n", "- a\n\n    x y\n"},
		{"R79 indent in an ordered item", "10. a\n\n    x y\n", "10. a\n\n    x y\n"},
		{"R79 indent deep in an item", "1. a\n   - b\n\n     x y\n", "1. a\n   - b\n\n     x y\n"},
		{"R79 tab in an item", "- a\n\n\tx y\n", "- a\n\n\tx y\n"},
		{"R79 code in an item", "- a\n\n\t\tx y\n", "- a\n\n  [code block removed: 1 line]\n"},
		{"R79 code after a list", "- a\n\nb\n\n    x y\n", "- a\n\nb\n\n[code block removed: 1 line]\n"},
		{"R79 code after an empty item", "1.\n\n    x y\n", "1.\n\n[code block removed: 1 line]\n"},
		{"R79 lazy line keeps the item", "- a\nb\n\n    x y\n", "- a\nb\n\n    x y\n"},
		{"R79 code in a quote", ">     x y\n> b\n", "> [code block removed: 1 line]\n> b\n"},
		{"R79 tab in a quote", ">\t\tx y\n", "> [code block removed: 1 line]\n"},
		{"R79 quote ends", "> a\n\n    x y\n", "> a\n\n[code block removed: 1 line]\n"},
		{"R79 year is no item", "a\n1984. b\n\n      x y\n", "a\n1984. b\n\n[code block removed: 1 line]\n"},
		{"R79 fence on the mark's line", "- ```sh\n  x y\n  ```\n- b\n", "- [code block removed: sh, 1 line]\n- b\n"},
		{"R79 fence in deep containers", "> 1. - ~~~sh\n>      x y\n>      ~~~\n", "> 1. - [code block removed: sh, 1 line]\n"},
		{"R79 fence in a lazy line", "a\n        ```sh\n        x y\n        ```\nb\n", "a\n[code block removed: sh, 1 line]\nb\n"},
		{"R79 fence behind too many marks", strings.Repeat("> ", 50) + "```sh\n" + strings.Repeat("> ", 50) + "x y\n", strings.Repeat("> ", 50) + "[code block removed: sh, 1 line]\n"},
		{"R79 fence behind a mark in a paragraph", "a\n10. ```sh x\n    x y\n    ```\nb\n", "a\n10. [code block removed: sh, 1 line]\nb\n"},
		{"R79 longer fence closes", "```sh\nx y\n`````\nb\n", "[code block removed: sh, 1 line]\nb\n"},
		{"R79 shorter fence does not", "````sh\nx y\n```\nb\n````\n", "[code block removed: sh, 3 lines]\n"},
		{"R79 fence with text does not close", "```sh\nx y\n``` b\n", "[code block removed: sh, 2 lines]\n"},
		{"R79 backtick in the tag is a span", "```sh` x\nb\n", "```sh` x\nb\n"},
		{"R79 unclosed data", "```json\n{}\n\n", "```json\n{}\n\n"},
		{"R71 data that leaves its item", "- ```text\nx y\n  ```\n", "- [code block removed: text, 1 line]\n"},
		{"R71 JSON that leaves its item", "- ```json\n{}\n  ```\n", "- ```json\n{}\n  ```\n"},
		{"R72 mapping that leaves its item", "- ```sh\nx: y\n  ```\n", "- [code block removed: sh, 1 line]\n"},
		{"R70 invocation that leaves its item", "- ```sh\nhelp()\n  ```\n", "- ```sh\nhelp()\n  ```\n"},
		{"R70 redirect is no invocation", "```sh\n> help()\n```\n", "[code block removed: sh, 1 line]\n"},
		{"R70 indented invocations", "a\n\n    help()\n\n    skill()\n\nb\n", "a\n\n    help()\n\n    skill()\n\nb\n"},
		{"R70 fenced deep below an item", "- a\n\n      ```\n      help()\n      ```\n", "- a\n\n      ```\n      help()\n      ```\n"},
		{"R73 indented JSON", "a\n\n    {\"b\":\n     1}\n", "a\n\n    {\"b\":\n     1}\n"},
		{"R73 lone branch is no tree", "```\n`-- x\n```\n", "[code block removed: 1 line]\n"},
		{"R71 five fences deep", "``````md\n`````md\n````md\n```md\n~~~md\nx\n~~~\n```\n````\n`````\n``````\n", "``````md\n`````md\n````md\n```md\n[code block removed: md, 1 line]\n```\n````\n`````\n``````\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := skillmd.Strip(tt.body)
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			checkStripped(t, tt.body, got)
		})
	}
}
