package toolid_test

import (
	"encoding/json"
	"fmt"

	"github.com/cash-mcp/go-sdk/toolid"
)

func ExampleFromTool() {
	schema := json.RawMessage(`{"type":"object","properties":{"title":{},"body":{}},"required":["title"]}`)
	for _, name := range []string{"github.create_issue", "gitlab.create_issue", "read_file", "GitHub.create_issue"} {
		id, err := toolid.FromTool(name, schema, "")
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(id)
	}
	// Output:
	// github:create_issue#6c5f877d
	// gitlab:create_issue#938fee2e
	// mcp:read_file#fea68581
	// tool "GitHub.create_issue": namespace "GitHub" does not match [a-z][a-z0-9_-]{0,63} at byte 0
}

func ExampleParse() {
	id, err := toolid.Parse("github:create_issue@1.4.0")
	fmt.Println(id.Namespace, id.Name, id.Version, err)
	_, err = toolid.Parse("github:create issue@1.4.0")
	fmt.Println(err)
	// Output:
	// github create_issue 1.4.0 <nil>
	// parsing tool id "github:create issue@1.4.0": name "create issue" does not match [A-Za-z_][A-Za-z0-9_.-]{0,127} at byte 6
}

func ExampleFromTools() {
	entries, err := toolid.FromTools([]toolid.Definition{
		{Name: "read_file"},
		{Name: "List Files", Version: "2"},
		{Name: "read_file"},
		{Name: "fs.stat", Version: "1"}, {Name: "fs/stat", Version: "1"},
	}, toolid.Mapping)
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		fmt.Println(e.Status, e.ID, "-", e.Problem)
	}
	// Output:
	// kept mcp:read_file#559d82ea - <nil>
	// mapped mcp:List_Files@2#930e4433 - tool "List Files": name "List Files" does not match [A-Za-z_][A-Za-z0-9_.-]{0,127} at byte 4
	// duplicate : - tool "read_file": listed before
	// refused : - tool "fs.stat": its id fs:stat@1 is that of tool "fs/stat" too
	// refused : - tool "fs/stat": its id fs:stat@1 is that of tool "fs.stat" too
}

func ExampleParsePath() {
	fmt.Println(toolid.ParsePath("/github/issues/*"))
	fmt.Println(toolid.ParsePath("/github//issues"))
	// Output:
	// [github issues *] <nil>
	// [] parsing path "/github//issues": at level 2: empty segment
}

func ExampleParsePrimitive() {
	p, err := toolid.ParsePrimitive("prompt::github:summarize#2a472891")
	fmt.Println(p.Kind, p.Namespace, p.Name, err)
	p, err = toolid.FromResource("fs", "readme", "file:///docs/readme.md")
	fmt.Println(p, err)
	// Output:
	// prompt github summarize <nil>
	// resource::fs:readme#a8c506b1 <nil>
}

func ExampleDistinct() {
	fmt.Println(toolid.Distinct([]string{"prompt::a:x#deadbeef", "prompt::a:x#deadbeef"}))
	// Output: [prompt::a:x#deadbeef prompt::a:x#deadbeef~2]
}

func ExampleNewWireNames() {
	w := toolid.NewWireNames([]string{"github:create_issue#6c5f877d", "weather:get@2024-05"})
	name, _ := w.Name("github:create_issue#6c5f877d")
	fmt.Println(name)
	id, ok := w.ID(name)
	fmt.Println(id, ok)
	// Output:
	// github_create_issue_6c5f877d
	// github:create_issue#6c5f877d true
}
