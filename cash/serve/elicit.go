package serve

import (
	"context"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// callEliciting calls. If the result asks for input and the client is too old for such results, it
// asks the client and calls again. The SDK does so only for tools that it knows.
func callEliciting(ctx context.Context, from *mcp.CallToolRequest, req *Request, call func(*Request) (*registry.Result, error)) (*registry.Result, error) {
	r, err := call(req)
	if err != nil || r.InputRequests == nil || from.ProtocolVersion() >= stateless {
		return r, err
	}
	answers, err := elicit(ctx, req.Client, r.InputRequests)
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

// elicit asks the user at the client, one question after the other.
func elicit(ctx context.Context, c *registry.Client, questions mcp.InputRequestMap) (mcp.InputResponseMap, error) {
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
