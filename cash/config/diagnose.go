package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Diagnosis is what is known of a configuration after connecting to everything in it.
type Diagnosis struct {
	Servers  []upstream.Status
	Problems []Problem
}

// A Problem is something wrong with a configuration, and the way to mend it. The texts are lines without secrets.
type Problem struct {
	// Subject is the label of a server, or a place in the file.
	Subject, Reason string
	// Mend is the next step. It may be empty.
	Mend string
	// Wrote are the last lines that the server's command wrote to standard error, beginnings of long ones. They are
	// foreign: clean them before they are shown.
	Wrote []string
	// Harmless means that a start succeeds all the same.
	Harmless bool
}

// Diagnose connects to all servers of a file, and reports what is wrong. Each server has its connect_timeout: one that
// is downloaded first may take longer than start_timeout, which is noted. Nothing is served or pinned; in each folder
// that a start writes to, a file is made and removed. Logger gets the events of the servers; nil discards.
func Diagnose(ctx context.Context, f *File, logger *slog.Logger) (*Diagnosis, error) {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	found := onDisk(f)
	o := *f
	if o.Pins.Mode != pin.Locked || len(found) > 0 { // the other modes would pin what they see
		o.Pins = config.Pins{}
	}
	s := &Server{file: f, tools: registry.New(nil), resources: registry.New(nil), prompts: registry.New(nil), opts: Options{Logger: logger}}
	if err := s.load(f); err != nil {
		return nil, err
	}
	heard := &listener{Handler: logger.Handler(), last: newLastLines()}
	agg, err := aggregator(&o, slog.New(heard), s.tools, s.resources, s.prompts)
	if err != nil {
		return nil, err
	}
	ended := sync.OnceFunc(func() { end(agg) })
	defer ended()
	begun := time.Now()
	if err := mount(agg, f.Upstreams, f.Manifests); err != nil {
		return nil, err
	}
	most, cancel := context.WithTimeout(ctx, patience(f))
	defer cancel()
	_ = agg.Wait(most) // their states tell the rest
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if face(f) != "gateway" { // the other faces serve tools only
		s.resources, s.prompts = registry.New(nil), registry.New(nil)
	}
	d := &Diagnosis{Servers: agg.Status()}
	unmatched := f.Unmatched(d.Servers, s.tools, s.resources, s.prompts)
	ended() // then their last lines are there
	for _, st := range d.Servers {
		d.look(st, heard.last)
		wait := cmp.Or(f.StartTimeout, DefaultStartTimeout)
		if took := st.Since.Sub(begun); read(st) && took > wait {
			d.Problems = append(d.Problems, Problem{
				Subject: subject(st), Reason: fmt.Sprintf("it was there after %v, and a start waits %v", took.Round(time.Millisecond), wait),
				Mend: "Nothing, if it was downloaded just now. Else raise start_timeout.", Harmless: true,
			})
		}
	}
	for _, e := range unmatched {
		at := *e
		at.Reason = ""
		p := Problem{Subject: strings.TrimSuffix(at.Error(), ": "), Reason: e.Reason, Mend: "Correct the name, or remove the entry."}
		if d.down() {
			p.Mend = "It may be on a server that is down: mend that first."
		}
		d.Problems = append(d.Problems, p)
	}
	d.Problems = append(found, d.Problems...)
	return d, nil
}

// patience is the longest wait for the servers: manifests are fetched before their servers connect.
func patience(f *File) time.Duration {
	connect := time.Duration(0)
	for _, u := range f.Upstreams {
		connect = max(connect, cmp.Or(u.ConnectTimeout, upstream.DefaultConnectTimeout))
	}
	for _, m := range f.Manifests {
		connect = max(connect, cmp.Or(m.Server.ConnectTimeout, upstream.DefaultConnectTimeout))
	}
	return connect + cmp.Or(f.StartTimeout, DefaultStartTimeout)
}

// onDisk returns what is wrong with the options of the face, and with the files that a start opens.
func onDisk(f *File) (list []Problem) {
	look := func(subject string, err error, mend string) {
		if err != nil {
			list = append(list, Problem{Subject: subject, Reason: err.Error(), Mend: mend})
		}
	}
	if face(f) == "cash" {
		look("name, version, sizelimit", cashOptions(f, serve.Options{}).Check(), "Correct the value.")
	}
	if file := f.Pins.File; file != "" {
		_, err := pin.OpenFile(file)
		look("pins.file", err, "Mend the file, or restore a former one. Without it, all is pinned anew.")
		if err == nil && f.Pins.Mode == pin.FirstUse {
			look("pins.file", writable(filepath.Dir(file)), "Make its folder, or give this user the right to write there.")
		}
	}
	if dir := f.Artifacts.Dir; dir != "" {
		for ; missing(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) { // a start makes it
		}
		look("artifacts.dir", writable(dir), "Name a folder that this user may write to.")
	}
	return list
}

func missing(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// writable returns why no file can be made in a folder. It makes one and removes it.
func writable(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return cmp.Or(err, fmt.Errorf("%s is no folder", dir))
	}
	file, err := os.CreateTemp(dir, ".cash-writable-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// down reports whether a server is down.
func (d *Diagnosis) down() bool {
	for _, st := range d.Servers {
		if !read(st) {
			return true
		}
	}
	return false
}

// subject names a server.
func subject(st upstream.Status) string { return cmp.Or(strings.Join(st.Labels, ", "), st.Endpoint) }

// look adds what is wrong with one server.
func (d *Diagnosis) look(st upstream.Status, last *lastLines) {
	subject := subject(st)
	if !read(st) {
		err := cmp.Or(st.Err, errSlow)
		p := Problem{Subject: subject, Reason: err.Error(), Mend: mend(st, err)}
		if len(st.Labels) > 0 {
			p.Wrote = last.of(st.Labels[0])
		}
		d.Problems = append(d.Problems, p)
		return
	}
	for _, q := range st.Quarantined {
		d.Problems = append(d.Problems, Problem{
			Subject: subject, Reason: fmt.Sprintf("%q is not served: %v", q.Tool, q.Reason),
			Mend: "Read what it does now, and accept it in the pin file.",
		})
	}
	if st.Functions+st.Skills+st.Resources+st.Prompts == 0 && len(st.Quarantined) == 0 {
		d.Problems = append(d.Problems, Problem{
			Subject: subject, Reason: "it offers nothing", Mend: "Look whether it needs arguments or credentials to offer its tools, or whether include_tools leaves none.",
			Harmless: true,
		})
	}
	for _, note := range st.Notes {
		d.Problems = append(d.Problems, Problem{Subject: subject, Reason: note, Harmless: true})
	}
}

// mend returns the step that mends a failed connection.
func mend(st upstream.Status, err error) string {
	var e *upstream.CallError
	if !errors.As(err, &e) {
		return "Raise its connect_timeout and start_timeout, or look at its log."
	}
	switch e.Class {
	case upstream.Unreachable:
		return "Check that the program is installed or the URL is right, and that it can be reached from here."
	case upstream.Certificate:
		return "Have the server's certificate renewed, or install the authority that signed it."
	case upstream.BadStatus:
		switch e.HTTPStatus {
		case 401, 403:
			return "Check its credentials: headers, and the variables in them."
		case 404, 405:
			return "Check the path of its endpoint, such as /mcp; for an older server, set transport: sse."
		}
		return "Look at the server's log: it answers with an error."
	case upstream.Redirected:
		return "Write the address that it redirects to as its endpoint, if you trust it."
	case upstream.Malformed:
		return "Check that it is an MCP server. A command must print nothing but messages on standard output."
	case upstream.TooLarge:
		return "Raise its max_message."
	case upstream.TimedOut:
		return "Raise its connect_timeout, or run it by hand to see why it hangs."
	case upstream.Lost:
		if strings.HasPrefix(st.Endpoint, "http") {
			return "Look at the server's log: it ends the connection."
		}
		return "Correct its command, arguments or environment, or run it by hand to see why it ends."
	case upstream.Looped:
		return "Remove it: it leads back to this server."
	case upstream.NoCredential:
		return "Give it credentials in headers."
	}
	return "Look at the server's log."
}
