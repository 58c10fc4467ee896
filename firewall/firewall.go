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

// Defaults of [Options].
const (
	DefaultInline = 4000     // characters
	DefaultRoom   = 64 << 10 // bytes: a thousand calls at a time fit in the share of one payer
)

// patience is how long a Store of the embedder may take. A result must not hang because a store hangs.
const patience = 30 * time.Second

// Options configure a [Firewall]. Nil and the zero value are fine.
type Options struct {
	// Store keeps what is too large to be shown. Nil is a new [Memory].
	Store Store
	// Inline is the most characters of a result that passes whole, and of the JSON of an envelope that describes a
	// larger one. Zero and less is [DefaultInline]. A describing envelope may always take 2,000.
	Inline int
	// MaxView is the most characters of a page of a view. Zero and less is [view.DefaultLimit].
	MaxView int
	// Room is how many bytes of the store [Firewall.Admit] reserves. A result may take more. Zero and less is
	// [DefaultRoom].
	Room int64
	// Redact takes secrets out of all text. Nil uses the [redact.DefaultRules].
	Redact *redact.Filter
	// Logger receives what the store refuses and why, never contents. While a store goes on refusing for the same
	// reason, this is logged once. Nil discards.
	Logger *slog.Logger
}

// A Firewall puts results into envelopes and shows parts of stored results. It is safe for concurrent use. Make one
// with [New].
type Firewall struct {
	opts     Options // with all defaults filled in
	refusals episodes
}

// New returns a firewall. Opts may be nil and are copied.
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
	return &Firewall{opts: o}
}

// Admit reserves room for the result of a tool that may have an effect, before the tool runs. The result is then not
// lost: see [Admission.Shield]. If there is no room, the error wraps [ErrFull] and the tool must not run. The caller
// releases the admission when the call is over.
func (f *Firewall) Admit(ctx context.Context, owner Owner) (*Admission, error) {
	r, err := guard(ctx, f.opts.Store, func(ctx context.Context) (Reservation, error) {
		return f.reserve(ctx, owner, f.opts.Room)
	}, func(late Reservation) {
		if late != nil {
			late.Release()
		}
	})
	if err != nil {
		f.refused(ctx, err)
		return nil, fmt.Errorf("reserving room for a result: %w", err)
	}
	return &Admission{firewall: f, owner: owner, room: r}, nil
}

// AdmitReading admits the result of a tool that only reads, and of any other that is repeated without harm. It reserves
// nothing and never fails: only a large result takes room, when it is there.
func (f *Firewall) AdmitReading(owner Owner) *Admission {
	return &Admission{firewall: f, owner: owner, reading: true}
}

// reserve reserves room in the store.
func (f *Firewall) reserve(ctx context.Context, owner Owner, size int64) (Reservation, error) {
	r, err := f.opts.Store.Reserve(ctx, owner, size)
	if err == nil && r == nil {
		err = errNothing
	}
	return r, err
}

// A Result is what a tool returned. Every field may be empty, and none is trusted.
type Result struct {
	Content    []mcp.Content
	Structured json.RawMessage
	IsError    bool     // the tool reported an error
	Label      string   // the origin, such as the id of the tool; shown in the provenance
	Filters    []string // the parameters that narrow what the tool returns, the most useful first
}

// Shielded is a result as the model receives it.
type Shielded struct {
	Envelope *Envelope
	// Content holds the blocks that are not text and pass whole beside the envelope: images, audio, resources and
	// links. It is nil if they were stored.
	Content []mcp.Content
}

// An Admission is for the result of one call. Only one goroutine may use it.
type Admission struct {
	firewall *Firewall
	owner    Owner
	reading  bool        // room is reserved when it is needed
	room     Reservation // nil after Release, and when reading
}

// Release gives back unused room. It may be called more than once. A result that Admit made room for and that is
// shielded afterwards is not stored but delivered whole.
func (a *Admission) Release() {
	room := a.room
	if room == nil {
		return
	}
	a.room = nil
	_, err := guard(context.Background(), a.firewall.opts.Store, func(context.Context) (struct{}, error) {
		room.Release()
		return struct{}{}, nil
	}, nil)
	if err != nil {
		a.firewall.report(context.Background(), "room for a result was not given back", err)
	}
}

// View shows the part of an artifact that the selector names, redacted and cleaned, in at most [Options.MaxView]
// characters. id is an [Owner.ID]. The error wraps [ErrNotFound] if it has no such artifact, is a [*view.SelectorError]
// for a bad selector, or comes from the store.
func (f *Firewall) View(ctx context.Context, id, handle string, selector json.RawMessage) (*view.Page, error) {
	a, err := guard(ctx, f.opts.Store, func(ctx context.Context) (*Artifact, error) {
		return f.opts.Store.Open(ctx, id, handle)
	}, nil)
	if err == nil && a == nil {
		err = errNothing
	}
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("%w: it may have expired or given way to others; call the tool again to get a new one", ErrNotFound)
	}
	if err != nil {
		f.report(ctx, "cannot open an artifact", err)
		return nil, fmt.Errorf("opening an artifact: %w", err)
	}
	// Data that was stored as binary may be text after all, so the page is redacted too.
	return view.Look(ctx, a.Data, a.MediaType, selector, &view.Options{Limit: f.opts.MaxView, Redact: f.opts.Redact.Text})
}

// Redact replaces the secrets in text, as in every result.
func (f *Firewall) Redact(text string) string {
	text, _ = f.opts.Redact.Text(text)
	return text
}

// refused logs that a result is not kept.
func (f *Firewall) refused(ctx context.Context, err error) {
	reason, message := "", "results cannot be kept"
	var full *FullError
	switch {
	case errors.As(err, &full):
		reason, message = full.Limit, "there is no room to keep results"
	case errors.Is(err, ErrFull):
		reason, message = "full", "there is no room to keep results"
	}
	if f.refusals.begins(reason) {
		f.report(ctx, message, err)
	}
}

func (f *Firewall) report(ctx context.Context, message string, err error) {
	f.opts.Logger.WarnContext(ctx, "firewall: "+message, "error", err)
}
