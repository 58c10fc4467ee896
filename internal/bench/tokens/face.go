package main

import (
	"context"
	"fmt"
	"strings"
)

// A face serves a set in one form, and plays the model that uses it. It is for one talk.
type face interface {
	// server returns a new server.
	server() runner
	// do takes the turns of a step. The model searches for what it has not seen, reads what it has not read, guesses
	// nothing, and then calls. An error means that the step failed.
	do(*talk, *step) error
}

// faces are the measured faces. The others are compared with the first.
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

// A reader is a face whose model reads resources. Their list is known before the first turn, like the tools.
type reader interface{ readsResources() }

// A bill is the cost of a talk, in tokens.
type bill struct {
	definitions int        // including instructions
	listed      func() int // the whole of tools/list; counted on demand
	turns       []turn
	steps       []int // the number of turns after each step
}

// added returns the tokens that the first n turns have added.
func (b *bill) added(n int) int {
	sum := 0
	for _, t := range b.turns[:n] {
		sum += t.sent + t.got
	}
	return sum
}

// fresh returns the tokens of n turns, each counted once: the cost if earlier input is cached for free.
func (b *bill) fresh(n int) int { return b.definitions + b.added(n) }

// input returns all tokens that a model reads for n turns and for the answer: each request repeats the definitions and
// all turns so far.
func (b *bill) input(n int) int {
	sum := 0
	for i := range n + 1 {
		sum += b.fresh(i)
	}
	return sum
}

// play lets a model do a task behind a face. It fails if the model has not read what the task wants.
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

// bills plays a task behind each face.
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
