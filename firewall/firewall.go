package firewall

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/firewall/view"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What holds where [Options] say nothing.
const (
	DefaultInline = 4000      // characters
	DefaultRoom   = 256 << 10 // bytes: what few results exceed, so that many calls fit at a time
)

// patience is how long the store of an embedder may take. A result must not hang
// for want of one that answers.
const patience = 30 * time.Second

// Options configure a [Firewall]. Nil and the zero value are fine.
type Options struct {
	// Store keeps what is too large to be shown. Nil is a new [Memory].
	Store Store
	// Inline is how many characters a result may have to pass whole, and how many
	// the JSON of an envelope has at most that describes a larger one. Zero and less
	// is [DefaultInline]. An envelope that describes may take 2,000 in any case.
	Inline int
	// MaxView is how many characters a page of a view has. Zero and less is
	// [view.DefaultLimit].
	MaxView int
	// Room is how many bytes of the store are reserved for a call before it is
	// made. Zero and less is [DefaultRoom].
	Room int64
	// Redact takes secrets out of all text. Nil has the [redact.DefaultRules].
	Redact *redact.Filter
	// Logger is told what could not be kept, and why; never what it contains.
	// Nil discards.
	Logger *slog.Logger
}

// A Firewall puts results into envelopes and shows parts of what it keeps. It is
// safe for concurrent use. Make one with [New].
type Firewall struct {
	opts Options // with nothing left out
}

// New returns a firewall. Opts may be nil, and are not needed afterwards.
func New(opts *Options) *Firewall {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Inline = cmp.Or(max(o.Inline, 0), DefaultInline)
	o.Room = cmp.Or(max(o.Room, 0), DefaultRoom)
	if o.Store == nil {
		o.Store = NewMemory(nil)
	}
	if o.Redact == nil {
		o.Redact = redact.New(redact.DefaultRules()...)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Firewall{o}
}

// Admit reserves room for what a tool may return, before it runs. If there is
// none, the error wraps [ErrFull] and the tool must not run. Release the
// admission when the call is over.
func (f *Firewall) Admit(ctx context.Context, owner string) (*Admission, error) {
	r, err := guard(ctx, func(ctx context.Context) (Reservation, error) {
		return f.opts.Store.Reserve(ctx, owner, f.opts.Room)
	}, func(late Reservation) {
		if late != nil {
			late.Release()
		}
	})
	if err == nil && r == nil {
		err = errNothing
	}
	if err != nil {
		f.report(ctx, "no room for a result", err)
		return nil, fmt.Errorf("reserving room for a result: %w", err)
	}
	return &Admission{firewall: f, room: r}, nil
}

// A Result is what a tool returned. All of it may be missing, and none of it is
// trusted.
type Result struct {
	Content    []mcp.Content
	Structured json.RawMessage
	IsError    bool   // the tool said that it failed
	Label      string // what it came from, such as the id of the tool; in the provenance
}

// Shielded is a result as a model gets it.
type Shielded struct {
	Envelope *Envelope
	// Content is what passes whole beside the envelope because it is no text:
	// images, audio, resources and links. It is nil when it was stored.
	Content []mcp.Content
}

// An Admission is room for the result of one call. It is for one goroutine.
type Admission struct {
	firewall *Firewall
	room     Reservation // nil when it was given back
}

// Release gives back the room that was not used. It may be called more than
// once; what is shielded afterwards is stored no more, but delivered whole.
func (a *Admission) Release() {
	room := a.room
	if room == nil {
		return
	}
	a.room = nil
	_, err := guard(context.Background(), func(context.Context) (struct{}, error) {
		room.Release()
		return struct{}{}, nil
	}, nil)
	if err != nil {
		a.firewall.report(context.Background(), "room for a result was not given back", err)
	}
}

// View shows the part of an artifact that the selector names, redacted and
// cleaned, in at most [Options.MaxView] characters. Errors wrap [ErrNotFound] if
// the owner has no such artifact (any more), or are a [*view.SelectorError]; others
// come from the store.
func (f *Firewall) View(ctx context.Context, owner, handle string, selector json.RawMessage) (*view.Page, error) {
	a, err := guard(ctx, func(ctx context.Context) (*Artifact, error) {
		return f.opts.Store.Open(ctx, owner, handle)
	}, nil)
	if err == nil && a == nil {
		err = errNothing
	}
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("%w: it may have expired; call the tool again to get a new one", ErrNotFound)
	}
	if err != nil {
		f.report(ctx, "cannot open an artifact", err)
		return nil, fmt.Errorf("opening an artifact: %w", err)
	}
	// A part that was taken for binary may be text after all, so that the page is
	// redacted too.
	return view.Look(ctx, a.Data, a.MediaType, selector, &view.Options{Limit: f.opts.MaxView, Redact: f.opts.Redact.Text})
}

// Redact takes the secrets out of text, as out of every result.
func (f *Firewall) Redact(text string) string {
	text, _ = f.opts.Redact.Text(text)
	return text
}

func (f *Firewall) report(ctx context.Context, message string, err error) {
	f.opts.Logger.WarnContext(ctx, "firewall: "+message, "error", err)
}
