package guidetest

import (
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A job is a program in the background.
type job struct {
	*Process
	address string // on the page, where it listens; empty is nowhere
	over    bool
}

// wholeAddress is an argument that is an address, and nothing else.
var wholeAddress = regexp.MustCompile(`(?:^|\s)(?:` + address.String() + `)(?:\s|$)`)

// listening returns an argument of the job, or a line of a shell with it, in which the address where it listens is a
// free one.
func (j *job) listening(text string, known map[string]string) string {
	return wholeAddress.ReplaceAllStringFunc(text, func(a string) string {
		page := strings.TrimSpace(a)
		if j.address != "" || slices.Contains(slices.Collect(maps.Values(known)), page) {
			return a
		}
		j.address = page
		return strings.Replace(a, page, "127.0.0.1:0", 1)
	})
}

// begin starts a job. Its number is one above that of the last one that runs, as in a shell.
func (r *reader) begin(j *job, cmd *exec.Cmd, apart bool) {
	r.t.Helper()
	var log *Lines
	if apart {
		log = newLines()
	}
	j.Process = start(r.t, cmd, log)
	running := len(r.jobs)
	for running > 0 && r.jobs[running-1].over {
		running--
	}
	r.jobs = append(r.jobs[:running], j)
	if j.address != "" {
		r.addresses[j.address] = j.Out.WaitForAddress(r.t)
	}
}

// job returns a job by its number, as in %1.
func (r *reader) job(number string) *job {
	r.t.Helper()
	i, err := strconv.Atoi(strings.TrimPrefix(number, "%"))
	if err != nil || i < 1 || i > len(r.jobs) {
		r.t.Fatalf("%s: there is no job %q", r.name, number)
	}
	return r.jobs[i-1]
}

// end ends a job. Its output can still be shown.
func (r *reader) end(number string) {
	r.t.Helper()
	j := r.job(number)
	j.Stop(r.t)
	j.over = true
	delete(r.addresses, j.address)
}

// Job returns a job that has been started, by its number.
func (g *Guide) Job(t *testing.T, number int) *Process {
	t.Helper()
	return g.reader.job(strconv.Itoa(number)).Process
}
