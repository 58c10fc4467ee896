package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
)

// endpointVariable makes this program the endpoint of the shop.
const endpointVariable = "TOKENS_ENDPOINT"

// serveEndpoint answers one request as the endpoint of the shop. ran is false if that is not asked for.
func serveEndpoint() (code int, ran bool) {
	if os.Getenv(endpointVariable) == "" {
		return 0, false
	}
	s, err := shopSet()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		return 1, true
	}
	return endpoint.New(s.registry, nil).Run(context.Background(), os.Stdin, os.Stdout), true
}

// A shellLine is a line that the model writes, and what it reads.
type shellLine struct {
	Line   string `json:"line"`
	Output string `json:"output"`
}

// shellLines are what the model writes to order from the shop. jq keeps what is not needed away from it.
var shellLines = []shellLine{
	{Line: `echo '{"action":"list_tools"}' | shop | jq -r '.tools[] | "\(.name): \(.description)"'`},
	{Line: `echo '{"action":"describe_tool","tool":"orders.create"}' | shop | jq -c .tool.input_schema`},
	{Line: `echo '{"action":"call_tool","tool":"orders.create","arguments":` + shopCreate + `}' | shop | jq -c '.result | {order_id, total}'`},
}

// shellRecording has the outputs of the lines, for computers without sh or jq.
//
//go:embed wire/shell.json
var shellRecording []byte

func orderByShell(ctx context.Context, t *wireTalk) error {
	lines, err := runShell(ctx)
	if errors.Is(err, exec.ErrNotFound) {
		err = json.Unmarshal(shellRecording, &lines)
	}
	if err != nil {
		return err
	}
	for _, l := range lines {
		t.take(l.Line, l.Line, l.Output, l.Output)
	}
	return has(lines[len(lines)-1].Output, []string{"ORD-5822"})
}

// runShell runs the lines. The error is [exec.ErrNotFound] if sh, jq or links are missing.
func runShell(ctx context.Context) ([]shellLine, error) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return nil, exec.ErrNotFound
	}
	if _, err := exec.LookPath("jq"); err != nil {
		return nil, exec.ErrNotFound
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "wire")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if os.Symlink(self, filepath.Join(dir, "shop")) != nil { // not everybody may, on Windows
		return nil, exec.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var lines []shellLine
	for _, l := range shellLines {
		cmd := exec.CommandContext(ctx, sh, "-c", l.Line)
		cmd.Env = append(os.Environ(), endpointVariable+"=1", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %s", l.Line, err, errs.String())
		}
		lines = append(lines, shellLine{l.Line, string(out)})
	}
	return lines, nil
}
