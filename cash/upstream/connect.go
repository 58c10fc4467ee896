package upstream

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// A caller without an account is asked to connect one, by an elicitation with a URL. The call holds no slot meanwhile,
// and nothing has been sent to the server.

// connectWait is how long a call waits for the account after its caller has agreed to connect it.
const connectWait = time.Minute

// authorize gets a token for the caller of r. It asks a caller without an account to connect one.
func (r *running) authorize() *CallError {
	if r.user == nil {
		return nil
	}
	e := r.token(r.ctx)
	if e == nil || e.connect == nil || e.connect.page() == "" {
		return e
	}
	return r.askUser(e, fmt.Sprintf("Connect your account for %s to go on.", r.labelOf(r.req.call.Function)), r.token)
}

// askUser asks the caller to connect an account because of e, and waits until again has no error.
func (r *running) askUser(e *CallError, message string, again func(context.Context) *CallError) *CallError {
	asked, first := r.users.ask(r.user)
	if first {
		defer r.users.asked(r.user)
		return r.connect(e, message, again)
	}
	select { // another call of the caller asks
	case <-asked:
		return again(r.ctx)
	case <-r.ctx.Done():
		return classify(r.ctx, r.ctx.Err(), new(mcpclient.Exchange))
	}
}

// token gets a token for the caller.
func (r *running) token(ctx context.Context) *CallError {
	_, err := r.user.get(ctx)
	if err == nil {
		return nil
	}
	own, ok := err.(*CallError)
	if !ok {
		return classify(ctx, err, new(mcpclient.Exchange))
	}
	if own.connect == nil {
		r.log.Warn("a caller has no credential", "reason", own.Reason)
	}
	return own.byCaller(false)
}

func (r *running) connect(e *CallError, message string, again func(context.Context) *CallError) *CallError {
	answer, err := r.askToOpen(&mcp.ElicitParams{
		Mode: "url", URL: e.connect.page(), ElicitationID: rand.Text(),
		Message: message,
	})
	switch {
	case r.ctx.Err() != nil:
		return classify(r.ctx, r.ctx.Err(), new(mcpclient.Exchange))
	case err != nil || answer == nil:
		return e
	case answer.Action != "accept":
		e.declined = true
		return e
	}
	ctx, cancel := context.WithTimeout(r.ctx, connectWait)
	defer cancel()
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		now := again(ctx)
		switch {
		case now == nil:
			return nil
		case ctx.Err() != nil:
			return e
		case now.connect == nil && now.denied == nil:
			return now
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return e
		}
	}
}

// askToOpen asks the client to open a URL. A nil answer means that it cannot be asked.
func (r *running) askToOpen(p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	r.mu.Lock()
	c, followed := r.call.Client, r.followed
	r.mu.Unlock()
	switch {
	case c == nil:
	case c.OpenURL != nil:
		return c.OpenURL(followed, p)
	case c.TakesURLRequests:
		return r.question(r.ctx, p), nil
	}
	return nil, nil
}
