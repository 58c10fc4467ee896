package control_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// asking is a rig whose every call needs approval.
func asking(t testing.TB, answers map[string]registry.Handler, opts *control.ApprovalOptions) (*rig, *operator) {
	t.Helper()
	p := control.NewPolicy(&control.PolicyOptions{Default: control.RequireApproval, Approvals: control.NewApprovals(opts)})
	return newRig(answers, p.Middleware()), &operator{p.Approvals(), t}
}

// An operator decides with a store that does not fail.
type operator struct {
	approvals *control.Approvals
	t         testing.TB
}

func (o *operator) Pending() []control.ApprovalRequest {
	list, err := o.approvals.Pending(context.Background())
	if err != nil {
		o.t.Error(err)
	}
	return list
}

func (o *operator) Approve(id string) bool {
	return o.said(o.approvals.Approve(context.Background(), id))
}
func (o *operator) Deny(id string) bool { return o.said(o.approvals.Deny(context.Background(), id)) }

func (o *operator) said(settled bool, err error) bool {
	if err != nil {
		o.t.Error(err)
	}
	return settled
}

// detail returns what an error says of the approval.
func detail(t testing.TB, err error, key string) string {
	t.Helper()
	s, _ := refusal(t, err, registry.Denied).Details[key].(string)
	return s
}

func answer(action string, approve any) *mcp.ElicitResult {
	r := &mcp.ElicitResult{Action: action}
	if approve != nil {
		r.Content = map[string]any{"approve": approve}
	}
	return r
}

// rounds makes a call of a client that takes input requests.
func rounds(owner, state string, answers mcp.InputResponseMap) func(*registry.Request) {
	return func(r *registry.Request) {
		r.Client = &registry.Client{Owner: owner, TakesInputRequests: true, State: state, Answers: answers}
	}
}

// waits makes a call of a client that is asked while the call waits.
func waits(owner string, elicit func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)) func(*registry.Request) {
	return func(r *registry.Request) { r.Client = &registry.Client{Owner: owner, Elicit: elicit} }
}

func TestW38OperatorApproves(t *testing.T) {
	r, a := asking(t, nil, nil)
	_, err := r.do("ada", "write", `{"n":1,"m":[2]}`)
	id := detail(t, err, "approval_id")
	if id == "" || !strings.Contains(err.Error(), id) || detail(t, err, "approval") != "required" {
		t.Fatalf("the error is %v", err)
	}
	if _, err := r.do("ada", "write", `{"m":[2],"n":1}`); detail(t, err, "approval_id") != id {
		t.Error("the same call has another id")
	}
	pending := a.Pending()
	if len(pending) != 1 || pending[0].ID != id || pending[0].Caller.ID != "ada" || pending[0].Function.Name() != "write" || pending[0].Arguments != nil {
		t.Fatalf("pending is %+v", pending)
	}
	if a.Approve("other") || !a.Approve(id) || a.Approve(id) || a.Deny(id) || len(a.Pending()) != 0 {
		t.Error("an approval is not for one call that waits")
	}
	for name, try := range map[string]func() (*registry.Result, error){
		"another caller":    func() (*registry.Result, error) { return r.do("bob", "write", `{"n":1,"m":[2]}`) },
		"other arguments":   func() (*registry.Result, error) { return r.do("ada", "write", `{"n":2,"m":[2]}`) },
		"another function":  func() (*registry.Result, error) { return r.do("ada", "wipe", `{"n":1,"m":[2]}`) },
		"somebody unknown":  func() (*registry.Result, error) { return r.do("", "write", `{"n":1,"m":[2]}`) },
		"a connection, ada": func() (*registry.Result, error) { return r.do("@ada", "write", `{"n":1,"m":[2]}`) },
	} {
		if _, err := try(); detail(t, err, "approval") != "required" {
			t.Errorf("%s: %v", name, err)
		}
	}
	res, err := r.do("ada", "write", `{"m":[2],"n":1}`)
	if textOf(t, res, err) != "1" {
		t.Error("the approved call did not run")
	}
	if _, err := r.do("ada", "write", `{"n":1,"m":[2]}`); detail(t, err, "approval_id") == id || r.ran("write") != 1 {
		t.Error("an approval is good for two calls")
	}
}

func TestOperatorDenies(t *testing.T) {
	r, a := asking(t, nil, nil)
	_, err := r.do("ada", "write", "")
	id := detail(t, err, "approval_id")
	a.Deny(id)
	if _, err := r.do("ada", "write", ""); detail(t, err, "approval") != "declined" {
		t.Errorf("denied: %v", err)
	}
	if _, err := r.do("ada", "write", ""); detail(t, err, "approval_id") == id || r.ran("write") != 0 {
		t.Errorf("repeated: %v", err)
	}
}

// A definition that has changed is another function.
func TestW37ApprovalIsForTheDefinition(t *testing.T) {
	a := control.NewApprovals(nil)
	p := control.NewPolicy(&control.PolicyOptions{Default: control.RequireApproval, Approvals: a})
	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "ada"})
	call := func(description string) error {
		reg := registry.New(nil)
		reg.Namespace("a", "").Add(registry.Func("b", description, func(context.Context, struct{}) (string, error) { return "ran", nil }))
		_, err := registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{p.Middleware()}}).
			Call(ctx, &registry.Request{Namespace: "a", Function: "b"})
		return err
	}
	(&operator{a, t}).Approve(detail(t, call("Reads."), "approval_id"))
	if err := call("Deletes."); !errors.Is(err, registry.Denied) {
		t.Errorf("changed: %v", err)
	}
	if err := call("Reads."); err != nil {
		t.Errorf("unchanged: %v", err)
	}
}

func TestApprovalIsNotKeptForNobody(t *testing.T) {
	r, a := asking(t, nil, nil)
	_, err := r.do("", "write", "")
	if detail(t, err, "approval_id") != "" || len(a.Pending()) != 0 {
		t.Errorf("kept: %v", err)
	}
}

func TestApprovalHook(t *testing.T) {
	var decision control.Decision
	var fails error
	var seen control.ApprovalRequest
	r, _ := asking(t, nil, &control.ApprovalOptions{Approve: func(_ context.Context, q *control.ApprovalRequest) (control.Decision, error) {
		seen = *q
		return decision, fails
	}})
	for _, tt := range []struct {
		decision control.Decision
		fails    error
		want     string
	}{
		{control.Allow, nil, ""}, {control.Deny, nil, "declined"}, {control.RequireApproval, nil, "required"},
		{"", nil, "required"}, {"yes", nil, "required"}, {control.Allow, errors.New("db at 10.0.0.7 is down"), "failed"},
	} {
		decision, fails = tt.decision, tt.fails
		before := r.ran("wipe")
		_, err := r.do("ada", "wipe", `{"n":1}`)
		if ran := r.ran("wipe") > before; ran != (tt.want == "") {
			t.Errorf("%q, %v: ran is %t", tt.decision, tt.fails, ran)
		}
		if tt.want == "" {
			continue
		}
		if got := detail(t, err, "approval"); got != tt.want || strings.Contains(err.Error(), "10.0.0.7") {
			t.Errorf("%q, %v: %q, %v", tt.decision, tt.fails, got, err)
		}
	}
	if string(seen.Arguments) != `{"n":1}` || seen.Class != control.Destructive || seen.Caller.ID != "ada" || seen.ID != "" {
		t.Errorf("the hook saw %+v", seen)
	}
}

// A hook that decides after the call has been given up runs nothing.
func TestApprovalHookIsTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		r, _ := asking(t, nil, &control.ApprovalOptions{Approve: func(context.Context, *control.ApprovalRequest) (control.Decision, error) {
			<-ended
			return control.Allow, nil
		}})
		if _, err := r.do("ada", "wipe", ""); !errors.Is(err, registry.TimedOut) {
			t.Errorf("the error is %v", err)
		}
		close(ended)
		synctest.Wait()
		if r.ran("wipe") != 0 {
			t.Error("it ran")
		}
	})
}

// otherResponse is an answer to a question of another kind.
type otherResponse struct{ *mcp.ElicitResult }

func TestW38ClientApprovesByRounds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer mcp.InputResponse
		ran    bool
	}{
		{"yes", answer("accept", true), true},
		{"no", answer("accept", false), false},
		{"text", answer("accept", "true"), false},
		{"nothing filled in", answer("accept", nil), false},
		{"declined", answer("decline", true), false},
		{"cancelled", answer("cancel", nil), false},
		{"no answer", nil, false},
		{"typed nil", (*mcp.ElicitResult)(nil), false},
		{"of another kind", otherResponse{answer("accept", true)}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, owner := range []string{"connection:1", ""} { // whoever has the state
				r, _ := asking(t, nil, nil)
				res, err := r.do("", "wipe", `{"n":1}`, rounds(owner, "", nil))
				if err != nil || len(res.InputRequests) != 1 || res.RequestState == "" {
					t.Fatalf("the first answer is %+v, %v", res, err)
				}
				answers := mcp.InputResponseMap{}
				for key := range res.InputRequests {
					if tt.answer != nil {
						answers[key] = tt.answer
					}
				}
				again, err := r.do("", "wipe", `{ "n": 1 }`, rounds(owner, res.RequestState, answers))
				if tt.ran {
					if textOf(t, again, err) != "1" {
						t.Errorf("the answer is %q", again.Text())
					}
				} else if detail(t, err, "approval") != "declined" || r.ran("wipe") != 0 {
					t.Errorf("not a yes: %v", err)
				}
				// The state is used up.
				if res, err := r.do("", "wipe", `{"n":1}`, rounds(owner, res.RequestState, answers)); err != nil || res.InputRequests == nil {
					t.Errorf("the same state again: %+v, %v", res, err)
				}
			}
		})
	}
}

// A state that is not for the call is no approval, and is not used up by trying.
func TestW38ForeignStateApprovesNothing(t *testing.T) {
	r, _ := asking(t, nil, nil)
	yes := mcp.InputResponseMap{"approval": answer("accept", true)}
	res, err := r.do("", "wipe", `{"n":1}`, rounds("connection:1", "", nil))
	if err != nil {
		t.Fatal(err)
	}
	state := res.RequestState
	for name, try := range map[string]func() (*registry.Result, error){
		"another owner": func() (*registry.Result, error) {
			return r.do("", "wipe", `{"n":1}`, rounds("connection:2", state, yes))
		},
		"nobody": func() (*registry.Result, error) { return r.do("", "wipe", `{"n":1}`, rounds("", state, yes)) },
		"other arguments": func() (*registry.Result, error) {
			return r.do("", "wipe", `{"n":2}`, rounds("connection:1", state, yes))
		},
		"another function": func() (*registry.Result, error) {
			return r.do("", "write", `{"n":1}`, rounds("connection:1", state, yes))
		},
		"made up": func() (*registry.Result, error) {
			return r.do("", "wipe", `{"n":1}`, rounds("connection:1", state+"x", yes))
		},
		"no state": func() (*registry.Result, error) { return r.do("", "wipe", `{"n":1}`, rounds("connection:1", "", yes)) },
	} {
		if res, err := try(); err != nil || res.InputRequests == nil {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	if n := r.ran("wipe") + r.ran("write"); n != 0 {
		t.Fatalf("%d calls ran", n)
	}
	if res, err := r.do("", "wipe", `{"n":1}`, rounds("connection:1", state, yes)); textOf(t, res, err) != "1" {
		t.Errorf("the real one: %v", err)
	}
}

// An operator's id, which the model is told, is no state, and a state no id.
func TestApprovalIDIsNoState(t *testing.T) {
	r, a := asking(t, nil, &control.ApprovalOptions{OperatorOnly: true})
	_, err := r.do("", "wipe", "", rounds("connection:1", "", nil))
	id := detail(t, err, "approval_id")
	yes := mcp.InputResponseMap{"approval": answer("accept", true)}
	if _, err := r.do("", "wipe", "", rounds("connection:1", id, yes)); detail(t, err, "approval_id") != id || len(a.Pending()) != 1 {
		t.Errorf("with the id as state: %v", err)
	}
	r, a = asking(t, nil, nil)
	res, err := r.do("", "wipe", "", rounds("connection:1", "", nil))
	if err != nil || a.Approve(res.RequestState) || len(a.Pending()) != 0 {
		t.Errorf("the operator decides in the client's place: %v", err)
	}
}

func TestW38ApprovalExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, a := asking(t, nil, nil)
		yes := mcp.InputResponseMap{"approval": answer("accept", true)}
		res, err := r.do("", "wipe", "", rounds("connection:1", "", nil))
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.do("ada", "wipe", "")
		a.Approve(detail(t, err, "approval_id"))
		r.do("bob", "wipe", "")
		time.Sleep(10 * time.Minute)
		if len(a.Pending()) != 0 {
			t.Error("a question stays open")
		}
		if _, err := r.do("ada", "wipe", ""); detail(t, err, "approval") != "required" {
			t.Errorf("an old approval: %v", err)
		}
		if res, err := r.do("", "wipe", "", rounds("connection:1", res.RequestState, yes)); err != nil || res.InputRequests == nil {
			t.Errorf("an old state: %+v, %v", res, err)
		}
		if r.ran("wipe") != 0 {
			t.Error("it ran")
		}
	})
}

// A function that asks for more in rounds of its own is approved once, and gets
// its own state and answers only.
func TestW39ApprovalHoldsOverRounds(t *testing.T) {
	var got []string
	steps := func(_ context.Context, c *registry.Call) (*registry.Result, error) {
		got = append(got, fmt.Sprint(c.Client.State, " ", len(c.Client.Answers)))
		if len(got) < 3 {
			return &registry.Result{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "And?"}}, RequestState: []string{"", "two"}[len(got)-1]}, nil
		}
		return registry.TextResult("done"), nil
	}
	r, _ := asking(t, map[string]registry.Handler{"wipe": steps}, nil)
	owner := "connection:1"
	res, err := r.do("", "wipe", `{"n":1}`, rounds(owner, "", nil))
	for _, key := range []string{"approval", "q", "q"} {
		if err != nil || res.InputRequests[key] == nil {
			t.Fatalf("%s: %+v, %v", key, res, err)
		}
		if res.RequestState == "two" {
			t.Error("the function's state is out")
		}
		other, err2 := r.do("", "wipe", `{"n":2}`, rounds(owner, res.RequestState, mcp.InputResponseMap{key: answer("accept", true)}))
		if err2 != nil || other.InputRequests["approval"] == nil {
			t.Errorf("other arguments in between: %+v, %v", other, err2)
		}
		res, err = r.do("", "wipe", `{"n":1}`, rounds(owner, res.RequestState, mcp.InputResponseMap{key: answer("accept", true)}))
	}
	if textOf(t, res, err) != "done" || strings.Join(got, ",") != " 0, 1,two 1" {
		t.Errorf("the function saw %q", got)
	}
}

func TestW38ClientApprovesWhileTheCallWaits(t *testing.T) {
	for _, owner := range []string{"connection:1", ""} {
		for _, tt := range []struct {
			answer *mcp.ElicitResult
			err    error
			want   string
		}{
			{answer("accept", true), nil, ""},
			{answer("accept", false), nil, "declined"},
			{answer("decline", nil), nil, "declined"},
			{answer("cancel", true), nil, "declined"},
			{nil, nil, "declined"},
			{nil, errors.New("no form elicitation"), "required"},
		} {
			r, _ := asking(t, nil, nil)
			asked := 0
			client := waits(owner, func(_ context.Context, q *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				asked++
				return tt.answer, tt.err
			})
			res, err := r.do("", "wipe", "", client)
			if tt.want == "" {
				if textOf(t, res, err) != "1" {
					t.Errorf("approved: %q", res.Text())
				}
				r.do("", "wipe", "", client)
				if asked != 2 {
					t.Errorf("two calls, %d questions", asked)
				}
			} else if detail(t, err, "approval") != tt.want || r.ran("wipe") != 0 {
				t.Errorf("%+v, %v: %v", tt.answer, tt.err, err)
			}
		}
	}
}

func TestApprovalSurvivesAPanickingClient(t *testing.T) {
	r, _ := asking(t, nil, nil)
	_, err := r.do("", "wipe", "", waits("connection:1", func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) { panic("gone") }))
	if detail(t, err, "approval") != "required" {
		t.Errorf("the error is %v", err)
	}
}

// A person may take longer than the call may wait. The answer is for the next
// call of the same sort, which does not ask twice.
func TestApprovalComesLate(t *testing.T) {
	for _, tt := range []struct {
		answer *mcp.ElicitResult
		want   string
	}{{answer("accept", true), ""}, {answer("accept", false), "declined"}} {
		synctest.Test(t, func(t *testing.T) {
			r, _ := asking(t, nil, nil)
			asked := 0
			client := waits("connection:1", func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				asked++
				select {
				case <-time.After(5 * time.Minute):
					return tt.answer, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
			start := time.Now()
			for range 3 {
				_, err := r.do("", "wipe", "", client)
				if detail(t, err, "approval") != "asked" {
					t.Fatalf("while the person thinks: %v", err)
				}
			}
			if waited := time.Since(start); waited != 90*time.Second {
				t.Errorf("three calls of a minute waited for %v", waited)
			}
			time.Sleep(4 * time.Minute)
			if _, err := r.do("", "wipe", `{"n":2}`, waits("connection:1", func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				return answer("decline", nil), nil
			})); detail(t, err, "approval") != "declined" {
				t.Errorf("another call: %v", err)
			}
			res, err := r.do("", "wipe", "", client)
			switch {
			case tt.want == "" && textOf(t, res, err) != "1":
				t.Errorf("after a yes: %q", res.Text())
			case tt.want != "" && detail(t, err, "approval") != tt.want:
				t.Errorf("after a no: %v", err)
			}
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// Who gives up a call takes its question back, and nobody's question outlives
// its call.
func TestApprovalQuestionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := asking(t, nil, nil)
		var open atomic.Int32
		hangs := func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			open.Add(1)
			defer open.Add(-1)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := r.doIn(ctx, "", "wipe", `{"n":1}`, waits("connection:1", hangs)); err == nil {
			t.Error("given up, and run")
		}
		if _, err := r.do("", "wipe", `{"n":2}`, waits("", hangs)); detail(t, err, "approval") != "asked" {
			t.Errorf("nobody: %v", err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		r.doIn(ctx, "", "wipe", `{"n":3}`, waits("connection:2", hangs))
		synctest.Wait()
		if n := open.Load(); n != 1 { // that of the first, which had half of its time
			t.Errorf("%d questions are open", n)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := open.Load(); n != 0 {
			t.Errorf("%d questions are still open", n)
		}
	})
}

// Two callers that wait for one question: one yes is for one of them.
func TestApprovalOneYesIsForOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := asking(t, nil, nil)
		var asked atomic.Int32
		client := waits("connection:1", func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			time.Sleep(time.Second)
			if asked.Add(1) == 1 {
				return answer("accept", true), nil
			}
			return answer("decline", nil), nil
		})
		var ran, declined atomic.Int32
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if _, err := r.do("", "wipe", "", client); err == nil {
					ran.Add(1)
				} else if detail(t, err, "approval") == "declined" {
					declined.Add(1)
				}
			})
		}
		wg.Wait()
		if ran.Load() != 1 || declined.Load() != 4 || asked.Load() != 2 || r.ran("wipe") != 1 {
			t.Errorf("%d ran, %d were declined, %d questions", ran.Load(), declined.Load(), asked.Load())
		}
	})
}

// Callers that cannot be told from one another have questions of their own.
func TestW38ApprovalOfNobodyIsNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := asking(t, nil, nil)
		var wg sync.WaitGroup
		for _, approve := range []bool{true, false, false} {
			wg.Go(func() {
				_, err := r.do("", "wipe", "", waits("", func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
					time.Sleep(time.Second)
					return answer("accept", approve), nil
				}))
				if (err == nil) != approve {
					t.Errorf("who said %t got %v", approve, err)
				}
			})
		}
		wg.Wait()
	})
}

// Who waits for the question of another call asks anew when that is taken back.
func TestApprovalQuestionIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := asking(t, nil, nil)
		client := waits("connection:1", func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			select {
			case <-time.After(10 * time.Second):
				return answer("accept", true), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		go r.doIn(ctx, "", "wipe", "", client)
		synctest.Wait()
		time.AfterFunc(time.Second, cancel)
		if res, err := r.do("", "wipe", "", client); textOf(t, res, err) != "1" {
			t.Errorf("the other call: %q", res.Text())
		}
	})
}

func TestApprovalBounds(t *testing.T) {
	r, a := asking(t, nil, &control.ApprovalOptions{Max: 8, MaxPerOwner: 2})
	ask := func(caller string, n int) error {
		_, err := r.do(caller, "write", fmt.Sprintf(`{"n":%d}`, n))
		return err
	}
	first := detail(t, ask("ada", 1), "approval_id")
	ask("ada", 2)
	third := detail(t, ask("ada", 3), "approval_id") // in place of the first
	if a.Approve(first) || !a.Approve(third) {
		t.Error("it is not the oldest that goes")
	}
	for _, caller := range []string{"b", "c", "d"} {
		ask(caller, 1)
		ask(caller, 2)
	}
	if err := ask("e", 1); !errors.Is(err, registry.RateLimited) {
		t.Errorf("one too many: %v", err)
	} else {
		refusal(t, err, registry.RateLimited)
	}
	yes := func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return answer("accept", true), nil
	}
	for _, client := range []func(*registry.Request){rounds("connection:9", "", nil), waits("connection:9", yes)} {
		if _, err := r.do("", "write", "", client); !errors.Is(err, registry.RateLimited) {
			t.Errorf("one too many: %v", err)
		}
	}
	if len(a.Pending()) != 7 {
		t.Errorf("%d are pending", len(a.Pending()))
	}
	if err := ask("ada", 3); err != nil {
		t.Errorf("what was approved: %v", err)
	}
}

// TestApprovalBoundsOfAServerThatMountsThisOne holds that whoever names many for
// whom it calls takes no more than a quarter of the room.
func TestApprovalBoundsOfAServerThatMountsThisOne(t *testing.T) {
	r, a := asking(t, nil, &control.ApprovalOptions{Max: 16, MaxPerOwner: 2})
	own := detail(t, second(r.do("agg", "write", "{}")), "approval_id")
	var last string
	for i := range 100 {
		_, err := r.do("agg", "write", "{}", func(req *registry.Request) {
			req.Client = &registry.Client{Owner: fmt.Sprintf("caller:agg\x00for:%d", i)}
		})
		last = detail(t, err, "approval_id")
	}
	if n := len(a.Pending()); n != 1+16/4 {
		t.Errorf("%d are pending", n)
	}
	if !a.Approve(own) || !a.Approve(last) {
		t.Error("its own, or the last, is gone")
	}
	// A bound that is a mistake is none that breaks calls.
	r, _ = asking(t, nil, &control.ApprovalOptions{MaxPerOwner: -1})
	if id := detail(t, second(r.do("ada", "write", "{}")), "approval_id"); id == "" {
		t.Error("nobody can approve")
	}
}

func second(_ *registry.Result, err error) error { return err }

// TestApprovalOutlivesACallThatDidNotRun holds that the operator's yes is for a
// call that runs, and for no more than one.
func TestApprovalOutlivesACallThatDidNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		r, a := asking(t, map[string]registry.Handler{"write": func(context.Context, *registry.Call) (*registry.Result, error) {
			if down {
				return nil, &registry.Error{Kind: registry.Unavailable, Message: "Down.", Hint: "Later.", NotRun: true}
			}
			return nil, &registry.Error{Kind: registry.TimedOut, Message: "No answer."}
		}}, &control.ApprovalOptions{MaxAge: time.Minute})
		call := func() error { return second(r.do("ada", "write", "{}")) }
		a.Approve(detail(t, call(), "approval_id"))
		for range 3 {
			refusal(t, call(), registry.Unavailable)
		}
		if len(a.Pending()) != 0 {
			t.Error("it is asked again")
		}
		down = false
		if err := call(); !errors.Is(err, registry.TimedOut) {
			t.Errorf("the call: %v", err)
		}
		id := detail(t, call(), "approval_id")
		if id == "" {
			t.Error("it was approved once more")
		}
		// It does not outlive its age.
		down = true
		a.Approve(id)
		refusal(t, call(), registry.Unavailable)
		time.Sleep(time.Minute)
		if detail(t, call(), "approval") != "required" {
			t.Error("it has not expired")
		}
	})
}

// TestClientsApprovalOutlivesACallThatDidNotRun holds the same of the yes of a person at the client, who is not asked
// twice for one call.
func TestClientsApprovalOutlivesACallThatDidNotRun(t *testing.T) {
	for _, owner := range []string{"connection:1", ""} {
		for name, ask := range map[string]func(r *rig, asked *int) error{
			"while the call waits": func(r *rig, asked *int) error {
				return second(r.do("", "write", "{}", waits(owner, func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
					*asked++
					return answer("accept", true), nil
				})))
			},
			"by rounds": func(r *rig, asked *int) error {
				res, err := r.do("", "write", "{}", rounds(owner, "", nil))
				if err != nil || res.InputRequests == nil {
					return err
				}
				*asked++
				return second(r.do("", "write", "{}", rounds(owner, res.RequestState, mcp.InputResponseMap{"approval": answer("accept", true)})))
			},
		} {
			t.Run(name+" of "+owner, func(t *testing.T) {
				down, asked := true, 0
				r, _ := asking(t, map[string]registry.Handler{"write": func(context.Context, *registry.Call) (*registry.Result, error) {
					if down {
						return nil, &registry.Error{Kind: registry.Unavailable, Message: "Down.", Hint: "Later.", NotRun: true}
					}
					return registry.TextResult("done"), nil
				}}, nil)
				for range 3 {
					refusal(t, ask(r, &asked), registry.Unavailable)
				}
				down = false
				if err := ask(r, &asked); err != nil {
					t.Error(err)
				}
				if want := map[string]int{"": 4}[owner]; asked != max(want, 1) {
					t.Errorf("asked %d times for one call", asked)
				}
				if before := asked; ask(r, &asked) != nil || asked != before+1 {
					t.Errorf("asked %d times for another call", asked-before)
				}
			})
		}
	}
}

// Mixed callers at a time: what was approved for one never runs for another, and
// nothing runs twice.
func TestW38ApprovalsNeverCross(t *testing.T) {
	r, a := asking(t, nil, &control.ApprovalOptions{Max: 10_000})
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			caller := fmt.Sprintf("caller%d", i%50)
			args := fmt.Sprintf(`{"n":%d}`, i%5)
			switch i % 4 {
			case 0: // asks, and is approved by nobody
				r.do(caller, "wipe", args)
			case 1: // of these, every other is approved, for another function
				_, err := r.do(caller, "write", args)
				var e *registry.Error
				if errors.As(err, &e) && i%8 == 1 {
					id, _ := e.Details["approval_id"].(string)
					a.Approve(id)
				}
				r.do(caller, "write", args)
			case 2: // brings what another was given
				res, err := r.do("", "wipe", args, rounds("connection:"+caller, "", nil))
				if err == nil {
					r.do("", "wipe", args, rounds("connection:x"+caller, res.RequestState, mcp.InputResponseMap{"approval": answer("accept", true)}))
				}
			case 3:
				r.do("", "read", args, waits("connection:"+caller, func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
					return answer("accept", true), nil
				}))
			}
		})
	}
	wg.Wait()
	if r.ran("wipe") != 0 {
		t.Errorf("%d calls ran that nobody approved", r.ran("wipe"))
	}
	if r.ran("read") != 50 {
		t.Errorf("%d of 50 approved calls ran", r.ran("read"))
	}
	if n := r.ran("write"); n == 0 || n > 50 {
		t.Errorf("%d calls of write ran", n)
	}
}

// TestApprovalsInvariant drives approvals at random beside a model of them: a
// call runs exactly if the operator has approved it, for this caller and these
// arguments, within the time, and it has not run since.
func TestApprovalsInvariant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type callKey struct {
			caller string
			n      int
		}
		type state struct {
			id      string
			said    control.Decision
			expires time.Time
		}
		rnd := rand.New(rand.NewPCG(3, 4))
		r, a := asking(t, nil, &control.ApprovalOptions{MaxAge: time.Minute, MaxPerOwner: 100})
		model := make(map[callKey]state)
		ran := 0
		for step := range 4_000 {
			time.Sleep(time.Duration(rnd.IntN(4)) * time.Second)
			key := callKey{fmt.Sprint("caller", rnd.IntN(4)), rnd.IntN(4)}
			known := model[key]
			if !time.Now().Before(known.expires) {
				known = state{}
			}
			switch rnd.IntN(4) {
			case 0:
				if ok := a.Approve(known.id); ok != (known.id != "" && known.said == "") {
					t.Fatalf("step %d: Approve is %t, known is %+v", step, ok, known)
				} else if ok {
					known.said = control.Allow
				}
			case 1:
				if a.Deny(known.id) {
					known.said = control.Deny
				}
			default:
				_, err := r.do(key.caller, "write", fmt.Sprintf(`{"n":%d}`, key.n))
				if (err == nil) != (known.said == control.Allow) {
					t.Fatalf("step %d: %v, known is %+v", step, err, known)
				}
				switch {
				case err == nil:
					known = state{}
					ran++
				case known.said == control.Deny:
					known = state{}
				default:
					id := detail(t, err, "approval_id")
					if known.id != "" && known.id != id {
						t.Fatalf("step %d: the id is another one", step)
					} else if known.id == "" {
						known = state{id: id, expires: time.Now().Add(time.Minute)}
					}
				}
			}
			model[key] = known
		}
		if ran == 0 || r.ran("write") != ran {
			t.Errorf("%d calls ran, want %d", r.ran("write"), ran)
		}
	})
}
