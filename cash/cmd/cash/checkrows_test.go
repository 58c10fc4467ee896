package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/internal/wrong"
)

var everyRow = flag.Bool("rows", false, "TestCheckRows checks the server of every row, in every form of report")

// TestCheckRows: a server that breaks one row fails that row and no other, with status 1, in each form of the report. A
// sound server passes. Without -rows, it is one server in some, in one form each.
func TestCheckRows(t *testing.T) {
	samples := filepath.Join(t.TempDir(), "samples.json")
	n := 0
	for i, c := range wrong.Cases() {
		if !*everyRow && i%16 != 1 {
			continue
		}
		text, form := c.Samples, "-json"
		if !*everyRow {
			form = []string{"-json", "-junit", "-v"}[n%3]
			if n++; !c.Sized { // these results are megabytes
				text = without(t, text, "sized")
			}
		}
		write(t, samples, text)
		url := web(t, c.Handler)
		t.Run(c.Kind+" "+c.Row, func(t *testing.T) {
			got := printed(t, false, "", nil, "check", "-strict", "-as", c.Kind, "-samples", samples, form, url)
			wantRows(t, &c, form, got)
			if form == "-json" {
				wantRows(t, &c, "-v", reprinted(t, got, func(r *checked, env *environment) error { r.print(env, false); return nil }))
				wantRows(t, &c, "-junit", reprinted(t, got, (*checked).junit))
			}
		})
	}
}

// reprinted returns what a report in JSON is in another form.
func reprinted(t *testing.T, got ran, form func(*checked, *environment) error) ran {
	t.Helper()
	var r checked
	decoded(t, got.out, &r)
	var out bytes.Buffer
	if err := form(&r, &environment{stdout: &out}); err != nil {
		t.Fatal(err)
	}
	return ran{code: got.code, out: out.String()}
}

// without returns an object without a member.
func without(t *testing.T, object, name string) string {
	t.Helper()
	var m map[string]json.RawMessage
	decoded(t, object, &m)
	delete(m, name)
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestCheckSamples: samples that cannot be used are told so.
func TestCheckSamples(t *testing.T) {
	samples := filepath.Join(t.TempDir(), "samples.json")
	url := web(t, newFace("cash").Handler())
	call := `"namespace": "orders", "function": "get", "kwargs": {"id": "A"}`
	for _, test := range []struct {
		text   string
		target []string
		code   int
		want   string
	}{
		{`{"effect": {` + call + `}}`, []string{url}, 1, "effect has no runs"},
		{`{"effect": {` + call + `, "runs": {` + call + `}}}`, []string{url}, 1, "does not answer with a number"},
		{`{"hidden": {` + call + `, "headers": ["secret"]}}`, []string{url}, 1, "headers of hidden: want NAME:VALUE"},
		{`{"hidden": {` + call + `, "headers": ["A: secret"]}}`, []string{"--", "program"}, 2, "are for a URL"},
	} {
		write(t, samples, test.text)
		got := printed(t, false, "", nil, append([]string{"check", "-as", "cash", "-samples", samples}, test.target...)...)
		if got.code != test.code || !strings.Contains(got.err, test.want) || strings.Contains(got.err, "secret") {
			t.Errorf("%s: %+v, want %q", test.text, got, test.want)
		}
	}
}

// TestCheckEndpointRows is the same for command endpoints.
func TestCheckEndpointRows(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range append([]string{""}, wrong.EndpointRows...) {
		if !*everyRow && i != 5 {
			continue
		}
		c := wrong.Case{Row: row, Also: wrong.EndpointAlso[row]}
		answer := ""
		if row != "" {
			answer = wrong.EndpointAnswers[row][0]
		}
		t.Setenv(asServer, "wrong endpoint "+answer)
		t.Run(row, func(t *testing.T) {
			wantRows(t, &c, "-json", printed(t, false, "", nil, "check", "-strict", "-json", "-as", "endpoint", "--", program))
		})
	}
}

func wantRows(t *testing.T, c *wrong.Case, form string, got ran) {
	t.Helper()
	var want []string
	if c.Row != "" {
		want = append(want, c.Row)
	}
	want = append(want, c.Also...)
	failed := failedRows(t, form, got.out)
	slices.Sort(want)
	slices.Sort(failed)
	switch {
	case got.code != min(len(want), 1):
		t.Errorf("status %d\n%s", got.code, got.err)
	case c.More && slices.Contains(failed, c.Row):
	case !slices.Equal(failed, want):
		t.Errorf("%s: failed %q, want %q", form, failed, want)
	}
}

// failedRows returns the names of the failed rows of a report, each of which must have evidence.
func failedRows(t *testing.T, form, out string) (list []string) {
	t.Helper()
	add := func(name, evidence string) {
		if strings.TrimSpace(evidence) == "" {
			t.Errorf("%s has no evidence in the form %q", name, form)
		}
		list = append(list, name)
	}
	switch form {
	case "-json":
		var r checked
		decoded(t, out, &r)
		for _, row := range r.Rows {
			if row.Status == "failed" {
				add(row.Name, strings.Join(row.Evidence, ""))
			}
		}
	case "-junit":
		var suite struct {
			Cases []struct {
				Name    string  `xml:"name,attr"`
				Failure *string `xml:"failure"`
			} `xml:"testcase"`
		}
		if err := xml.Unmarshal([]byte(out), &suite); err != nil {
			t.Fatal(err)
		}
		for _, c := range suite.Cases {
			if name, _, _ := strings.Cut(c.Name, ": "); c.Failure != nil {
				add(name, *c.Failure)
			}
		}
	default:
		lines := strings.Split(out, "\n")
		for i, line := range lines {
			if rest, ok := strings.CutPrefix(line, "failed      "); ok {
				name, _, _ := strings.Cut(rest, ": ")
				evidence, _ := strings.CutPrefix(lines[i+1], strings.Repeat(" ", 12))
				add(name, evidence)
			}
		}
	}
	return list
}
