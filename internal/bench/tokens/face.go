package main

import (
	"context"
	"fmt"
	"strings"
)

// A face is one way to serve a set, and what a model does behind it. It is for
// one talk.
type face interface {
	// server returns a new server.
	server() runner
	// do takes the turns of a step: the model looks for what it has not seen,
	// reads what it has not read, guesses nothing, and calls. An error is a way
	// that does not lead there.
	do(*talk, *step) error
}

// faces are the ways, the first of which is what the others are compared with.
var faces = []struct {
	name string
	over func(*set) face
}{
	{"full tools/list", newPlain},
	{"call, help, skill", newCash},
	{"gateway", newGateway},
	{"proxy", newProxy},
	{"disclosure", newDisclosure},
	{"facade", newFacade},
}

// A reader is a face whose model reads resources: what is listed of them is
// there before the first turn, as tools are.
type reader interface{ readsResources() }

// A bill says what a talk has cost.
type bill struct {
	definitions int        // with instructions
	listed      func() int // all of tools/list; counted when it is asked for
	turns       []turn
	steps       []int // the number of turns after each step
}

// added is what the first n turns have added, in tokens.
func (b *bill) added(n int) int {
	sum := 0
	for _, t := range b.turns[:n] {
		sum += t.sent + t.got
	}
	return sum
}

// fresh is every token once: what is paid where all that was read before is
// cached and free.
func (b *bill) fresh(n int) int { return b.definitions + b.added(n) }

// input is all that a model reads in n turns and to answer after them: each time
// the definitions and everything so far.
func (b *bill) input(n int) int {
	sum := 0
	for i := range n + 1 {
		sum += b.fresh(i)
	}
	return sum
}

// play lets a model do a task behind a face. It is an error if it has not read
// in the end what it wants.
func play(ctx context.Context, over func(*set) face, s *set, t *task) (*bill, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := over(s)
	talk, err := connect(ctx, f.server())
	if err != nil {
		return nil, err
	}
	defer talk.session.Close()
	if _, ok := f.(reader); ok {
		if err := talk.listResources(); err != nil {
			return nil, err
		}
	}
	b := &bill{definitions: talk.definitions, listed: talk.listed}
	for i := range t.steps {
		st := &t.steps[i]
		if err := f.do(talk, st); err != nil {
			return nil, fmt.Errorf("%s: %w", st.tool, err)
		}
		for _, want := range st.want {
			if !strings.Contains(talk.read.String(), want) {
				return nil, fmt.Errorf("%s: the model has not read %q", st.tool, want)
			}
		}
		b.steps = append(b.steps, len(talk.turns))
	}
	b.turns = talk.turns
	return b, nil
}

// bills lets a model do a task behind each face.
func bills(ctx context.Context, s *set, t *task) ([]*bill, error) {
	list := make([]*bill, len(faces))
	for i, f := range faces {
		var err error
		if list[i], err = play(ctx, f.over, s, t); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return list, nil
}
