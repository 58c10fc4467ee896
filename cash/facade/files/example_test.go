package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/registry"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	f, err := files.Open(root, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	reg := registry.New(nil)
	reg.Namespace("files", "The files of the project.").Add(f.Functions()...)

	pipe := registry.NewPipeline(reg, nil)
	call := func(function, args string) string {
		res, err := pipe.Call(context.Background(), &registry.Request{Namespace: "files", Function: function, Arguments: []byte(args)})
		if err != nil {
			return err.Error()
		}
		return res.Text()
	}
	var started struct{ ManifestID string }
	if err := json.Unmarshal([]byte(call("roundtrip_start", `{"paths":["main.go","doc.go"]}`)), &started); err != nil {
		log.Fatal(err)
	}
	changes := fmt.Sprintf(`{"manifestId":%q,"mode":"replace","changes":[
		{"path":"main.go","content":"package shop\n"},
		{"path":"doc.go","content":"// Package shop sells.\npackage shop\n"}]}`, started.ManifestID)
	var preview struct {
		Files []struct{ Action, Diff string }
	}
	if err := json.Unmarshal([]byte(call("roundtrip_preview", changes)), &preview); err != nil {
		log.Fatal(err)
	}
	fmt.Print(preview.Files[0].Action, "\n", preview.Files[0].Diff)
	var committed struct{ Written, Created int }
	if err := json.Unmarshal([]byte(call("roundtrip_commit", changes)), &committed); err != nil {
		log.Fatal(err)
	}
	fmt.Println(committed.Written, "written,", committed.Created, "created")
	fmt.Println(call("roundtrip_commit", changes))
	// Output:
	// overwrite
	// --- a/main.go
	// +++ b/main.go
	// @@ -1 +1 @@
	// -package main
	// +package shop
	// 1 written, 1 created
	// There is no open roundtrip with this manifestId: it is unknown, has expired, or has been committed. Call `roundtrip_start` again, and use the manifestId that it returns.
}
