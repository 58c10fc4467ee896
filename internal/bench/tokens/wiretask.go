package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/registry"
)

// wireTasks are the tasks of -wire. Before, a folder was searched by reading its files, and a file was changed by
// sending the whole of it, once to preview and once to commit.
var wireTasks = []wireTask{
	{
		name: "rename one name in four files of 16 KB", do: rename,
		before: wireCost{definitions: size{893, 204}, written: size{140_147, 40_307}, read: size{162_113, 22_560}},
	},
	{
		name: "find and read three lines in 2,000 files", do: findLines,
		before: wireCost{definitions: size{893, 204}, written: size{196_110, 58_027}, read: size{5_435_049, 747_146}},
	},
	{
		name: "find one of 500 commands of a domain, and call it", do: findCommand,
		before: wireCost{definitions: size{3_205, 625}, written: size{324, 75}, read: size{16_449, 1_642}},
	},
	{
		name: "the shop's order through disclosure", do: orderByResource,
		before: wireCost{definitions: size{2_533, 529}, written: size{162, 43}, read: size{1_829, 298}},
	},
	{
		name: "the same, for a client without resources", do: orderByTool,
		before: wireCost{definitions: size{2_533, 529}, impossible: true},
	},
	{
		name: "the shop's order in a shell, with jq", do: orderByShell,
		before: wireCost{written: size{352, 101}, read: size{1_442, 306}},
	},
}

// serveFolder begins a conversation about a folder with the given files.
func (t *wireTalk) serveFolder(ctx context.Context, contents map[string]string) error {
	dir, err := os.MkdirTemp("", "wire")
	if err != nil {
		return err
	}
	t.ends = append(t.ends, func() { _ = os.RemoveAll(dir) })
	for name, text := range contents {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	t.ends = append(t.ends, func() { _ = root.Close() })
	f, err := files.Open(root, nil)
	if err != nil {
		return err
	}
	t.ends = append(t.ends, func() { _ = f.Close() })
	reg := registry.New(nil)
	reg.Namespace("files", "The files of the project.").Add(f.Functions()...)
	return t.connect(ctx, facade.NewServer(reg, nil))
}

// rename searches, looks at what would change, and commits that by its id.
func rename(ctx context.Context, t *wireTalk) error {
	contents := make(map[string]string)
	var paths, changes []string
	for i := range 4 {
		var b strings.Builder
		for b.Len() < 16<<10 {
			if b.Len()%4000 < 40 {
				b.WriteString("\tresult, err := oldName(ctx, \"argument\", 12)\n")
			}
			fmt.Fprintf(&b, "\tvalue%d := other.Function(%d, \"some text of an ordinary line\")\n", b.Len(), i)
		}
		path := fmt.Sprintf("internal/package%d/file.go", i)
		contents[path] = b.String()
		paths = append(paths, fmt.Sprintf("%q", path))
		changes = append(changes, fmt.Sprintf(`{"path":%q,"edits":[{"old":"oldName","new":"newName","all":true}]}`, path))
	}
	if err := t.serveFolder(ctx, contents); err != nil {
		return err
	}
	if _, err := t.call(ctx, "FilesExecute", `{"cmd":"search","params":{"text":"oldName"}}`, "internal/package3/file.go"); err != nil {
		return err
	}
	started, err := t.call(ctx, "FilesExecute", `{"cmd":"roundtrip_start","detail":"minimal","params":{"paths":[`+strings.Join(paths, ",")+`]}}`)
	if err != nil {
		return err
	}
	previewed, err := t.call(ctx, "FilesExecute", fmt.Sprintf(`{"cmd":"roundtrip_preview","params":{"manifestId":%q,"changes":[%s]}}`,
		member(started, "manifestId"), strings.Join(changes, ",")), "newName")
	if err != nil {
		return err
	}
	if _, err := t.call(ctx, "FilesExecute", fmt.Sprintf(`{"cmd":"roundtrip_commit","params":{"previewId":%q}}`, member(previewed, "previewId"))); err != nil {
		return err
	}
	if text, failed, err := t.try(ctx, "FilesExecute", `{"cmd":"search","params":{"text":"oldName"}}`); err != nil || failed || strings.Contains(text, "package") {
		return fmt.Errorf("the old name is still there: %.300s, %v", text, err)
	}
	t.steps = t.steps[:len(t.steps)-1] // a check of this program
	return nil
}

// findLines reads the lines with a word, each with the line around it.
func findLines(ctx context.Context, t *wireTalk) error {
	contents := make(map[string]string, 2000)
	for i := range 2000 {
		var b strings.Builder
		for line := range 20 {
			what := "imported and acknowledged"
			if i%700 == 123 && line == 11 {
				what = "refused, the checksum does not match"
			}
			fmt.Fprintf(&b, "batch %04d-%02d %s, %d rows\n", i, line, what, 500+i*line%499)
		}
		contents[fmt.Sprintf("logs/2026-%02d/import-%04d.log", 1+i%12, i)] = b.String()
	}
	if err := t.serveFolder(ctx, contents); err != nil {
		return err
	}
	_, err := t.call(ctx, "FilesExecute", `{"cmd":"search","params":{"text":"checksum"}}`,
		"batch 0123-11 refused", "batch 0823-11 refused", "batch 1523-11 refused")
	return err
}

// findCommand uses the command help of the domain.
func findCommand(ctx context.Context, t *wireTalk) error {
	tools := madeTools(500)
	for i := range tools {
		tools[i].server = "office." + tools[i].server
	}
	s, err := newSet(tools)
	if err != nil {
		return err
	}
	if err := t.connect(ctx, facade.NewServer(s.registry, nil)); err != nil {
		return err
	}
	for _, step := range [][]string{
		{`{"cmd":"help","params":{"query":"comment on a billing account"}}`, "billing_accounts.comment"},
		{`{"cmd":"help","params":{"command":"billing_accounts.comment"}}`, "body", "notify"},
		{`{"cmd":"billing_accounts.comment","params":{"id":"billing-4711","body":"Paid today."}}`, "billing-4711"},
	} {
		if _, err := t.call(ctx, "OfficeExecute", step[0], step[1:]...); err != nil {
			return err
		}
	}
	return nil
}

const shopCreate = `{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}`

// shopSet is the shop, which answers the order of shopCreate.
func shopSet() (*set, error) {
	tools, err := shopTools()
	if err != nil {
		return nil, err
	}
	for i := range tools {
		if tools[i].path() != "orders.create" {
			continue
		}
		members := make(map[string]json.RawMessage)
		if err := json.Unmarshal(tools[i].recorded, &members); err != nil {
			return nil, err
		}
		members["result"] = asJSON(textResult(`{"order_id":"ORD-5822","status":"confirmed","customer_id":"C-42","channel":"retail",` +
			`"date":"2026-03-31","items":[{"product_id":"P-7","quantity":3,"unit_price":12.50}],"total":37.50}`))
		tools[i].recorded = asJSON(members)
	}
	return newSet(tools)
}

// disclose begins a conversation with the shop. byTool says that descriptions are read by a tool.
func (t *wireTalk) disclose(ctx context.Context, byTool bool) error {
	s, err := shopSet()
	if err != nil {
		return err
	}
	return t.connect(ctx, disclosure.NewServer(s.registry, &disclosure.Options{FetchesPerMinute: -1, Tool: byTool}))
}

func orderByResource(ctx context.Context, t *wireTalk) error {
	if err := t.disclose(ctx, false); err != nil {
		return err
	}
	if err := t.fetch(ctx, disclosure.DefaultURI+"?tools=orders-create", "customer_id"); err != nil {
		return err
	}
	_, err := t.call(ctx, "orders-create", shopCreate, "ORD-5822")
	return err
}

func orderByTool(ctx context.Context, t *wireTalk) error {
	if err := t.disclose(ctx, true); err != nil {
		return err
	}
	if _, err := t.call(ctx, disclosure.ToolName, `{"tools":["orders-create"]}`, "customer_id"); err != nil {
		return err
	}
	_, err := t.call(ctx, "orders-create", shopCreate, "ORD-5822")
	return err
}
