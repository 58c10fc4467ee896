package main

import (
	"context"
	"errors"
	"strings"
	"sync"
)

// A book has notes. It knows nothing of MCP.
type book struct {
	mu    sync.Mutex
	notes []string
}

type note struct {
	Text string `json:"text" jsonschema:"What to write down."`
}

type saved struct {
	Number int `json:"number"`
}

type word struct {
	Word string `json:"word" jsonschema:"A word of the note."`
}

type found struct {
	Notes []string `json:"notes"`
}

func (b *book) add(_ context.Context, in note) (saved, error) {
	if in.Text == "" {
		return saved{}, errors.New("a note has a text")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, in.Text)
	return saved{len(b.notes)}, nil
}

func (b *book) find(_ context.Context, in word) (found, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := found{[]string{}}
	for _, n := range b.notes {
		if strings.Contains(n, in.Word) {
			out.Notes = append(out.Notes, n)
		}
	}
	return out, nil
}
