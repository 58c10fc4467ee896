package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/internal/procgroup"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// queryVariable is the environment variable with the query.
const queryVariable = "TOOL_QUERY"

// toolInput is the input schema of commands. A variable has at most 128 KiB on Linux, and 32,767 characters on
// Windows.
const toolInput = `{"type":"object","required":["query"],"properties":{"query":{"type":"string",` +
	`"description":"Text that the command gets as it is, in the variable TOOL_QUERY.","maxLength":32000}}}`

const toolResult = `{"type":"object","required":["stdout","exit_code"],"properties":{` +
	`"stdout":{"type":"string","description":"What the command wrote, errors included, without the line ends at its end."},` +
	`"exit_code":{"type":"integer","description":"The status with which it ended; 0 is success."}}}`

// Tool returns a function that runs a command (section "Tool descriptors"). Its only argument, the string query, is
// passed in the variable TOOL_QUERY. Every call starts a process without input, whose process group ends at the
// deadline. The result is an object:
//   - stdout has both outputs in the order of writing, without line ends at the end, terminal escape sequences and
//     control characters.
//   - exit_code is the status, or 128 plus the signal's number. If it is not 0, the result is an error.
//
// A command that writes more than 4 MiB is ended, and is an error.
//
// Tool panics if cmd is not a valid command.
func Tool(name, description string, cmd Command) *registry.Function {
	err := cmd.Check()
	cmd = cmd.Clone()
	var f *registry.Function
	if err == nil {
		f, err = registry.RawFunc(name, description, json.RawMessage(toolInput), func(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
			return runTool(ctx, name, cmd, args)
		}, registry.OutputSchema(json.RawMessage(toolResult)),
			registry.Returns("Object with stdout (what the command wrote) and exit_code (0 is success)."))
	}
	if err != nil {
		mistake.Check("endpoint", fmt.Errorf("tool %q: %w", name, err))
	}
	return f
}

func runTool(ctx context.Context, name string, cmd Command, args json.RawMessage) (*registry.Result, error) {
	query := strictjson.Text(strictjson.Member(args, "query"))
	if strings.ContainsRune(query, 0) {
		return nil, &registry.Error{Kind: registry.InvalidArguments, Name: name, NotRun: true,
			Message: "Invalid arguments: query: must not have a NUL character in it."}
	}
	p := &process{cmd: cmd.Exec(queryVariable + "=" + query), merged: true, most: maxOutput}
	end, err := p.run(ctx)
	switch {
	case errors.Is(err, errStart) && ctx.Err() == nil:
		return nil, &registry.Error{Kind: registry.Unavailable, Name: name, NotRun: true, Err: err,
			Message: fmt.Sprintf("The command of `%s` did not start: %s.", name, procgroup.Unstarted(err))}
	case errors.Is(err, errTooLarge):
		return nil, &registry.Error{Kind: registry.Failed, Name: name,
			Message: fmt.Sprintf("The command of `%s` wrote more than %d bytes and was ended. It may have taken effect.", name, maxOutput)}
	case err != nil:
		return nil, err
	}
	stdout := clean.Content(strings.TrimRight(strings.ToValidUTF8(string(end.stdout), "\ufffd"), "\r\n"))
	return commandResult(strictjson.MustMarshal(struct {
		Stdout   string `json:"stdout"`
		ExitCode int    `json:"exit_code"`
	}{stdout, end.code}), end.code), nil
}
