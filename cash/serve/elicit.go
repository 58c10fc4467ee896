package serve

import (
	"context"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// asking calls, and where the result asks a client for more that is older than such
// results, asks it for that and calls once more. The SDK does so for the tools
// that it knows.
func asking(ctx context.Context, from *mcp.CallToolRequest, req *Request, call func(*Request) (*registry.Result, error)) (*registry.Result, error) {
	r, err := call(req)
	if err != nil || r.InputRequests == nil || from.ProtocolVersion() >= stateless {
		return r, err
	}
	answers, err := answer(ctx, req.Client, r.InputRequests)
	if err != nil {
		return nil, err
	}
	again, client := *req, *req.Client
	client.Answers, client.State, again.Client = answers, r.RequestState, &client
	if r, err = call(&again); err == nil && r.InputRequests != nil {
		return nil, notAsked("It asks for more than once.", nil)
	}
	return r, err
}

// answer asks the person at the client, one question after the other.
func answer(ctx context.Context, c *registry.Client, questions mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	answers := make(mcp.InputResponseMap, len(questions))
	for _, id := range slices.Sorted(maps.Keys(questions)) {
		q, ok := questions[id].(*mcp.ElicitParams)
		if !ok || c.Elicit == nil {
			return nil, notAsked("This client cannot be asked for that.", nil)
		}
		reply, err := c.Elicit(ctx, q)
		if err != nil {
			return nil, notAsked("This client could not be asked for that.", err)
		}
		answers[id] = reply
	}
	return answers, nil
}

func notAsked(why string, err error) error {
	return &registry.Error{Kind: registry.Unavailable, Message: "The function asks for more before it goes on. " + why, Err: err}
}
