package main

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/internal/clean"
)

// kinds are the values of -as.
var kinds = []string{"auto", "cash", "disclosure", "facade", "endpoint", "skills"}

// checkServer checks a server against the specification of its face.
func checkServer(ctx context.Context, env *environment, args []string) error {
	c := checker{env: env}
	flags := newFlags()
	read := env.targetFlags(flags)
	flags.StringVar(&c.as, "as", "auto", "`KIND`: "+strings.Join(kinds, ", "))
	flags.BoolVar(&c.strict, "strict", false, "recommendations must hold too")
	flags.IntVar(&c.hostile, "hostile", 0, "attack with `N` odd messages too; functions may run")
	samples := flags.String("samples", "", "a JSON `FILE` with calls that rows need; see README.md")
	asJSON := flags.Bool("json", false, "print JSON")
	asJUnit := flags.Bool("junit", false, "print JUnit's XML")
	verbose := flags.Bool("v", false, "print the rows that were not checked too")
	err := env.parse(page{"check [flags] URL | COMMAND",
		"Checks a server against the specification of its kind: one row for each\nstatement, with evidence. The exit status is 1 if a row fails, or none passes.\n\n" + forms}, flags, args)
	if err != nil {
		return err
	}
	if !slices.Contains(kinds, c.as) {
		return usagef("there is no kind %.40q%s; want %s", c.as, didYouMean(c.as, kinds), strings.Join(kinds, ", "))
	}
	if *asJSON && *asJUnit {
		return usagef("take -json or -junit")
	}
	if c.samples, err = readSamples(*samples); err != nil {
		return err
	}
	_, words, err := split(flags.Args(), 0, 0)
	if err != nil {
		return err
	}
	if c.target, err = read(words); err != nil {
		return err
	}
	if c.target.file != "" {
		return usagef("a file cannot be checked; name a URL or a command")
	}
	stop := env.progress("checking " + c.target.String())
	defer stop()
	r, err := c.run(ctx)
	stop()
	switch {
	case err != nil:
		return err
	case *asJSON:
		err = writeJSON(env.stdout, r)
	case *asJUnit:
		err = r.junit(env)
	default:
		r.print(env, *verbose)
	}
	switch {
	case err == nil && r.Failed > 0:
		return status(1)
	case err == nil && r.Passed == 0: // a pipeline would take it for a success
		return errors.New("nothing could be checked; -v shows why")
	}
	return err
}

// A checker runs the checks of one target.
type checker struct {
	env     *environment
	target  *target
	as      string
	strict  bool
	hostile int
	samples *samples
	mistake error // in a sample
}

// checked is the report on a target.
type checked struct {
	Target   string     `json:"target"`
	Kind     string     `json:"kind"`
	Requests int        `json:"requests"`
	Passed   int        `json:"passed"`
	Failed   int        `json:"failed"`
	Rows     []checkRow `json:"rows"`
}

// A checkRow is a check.Row in JSON.
type checkRow struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Status   string   `json:"status"`
	Checks   int      `json:"checks"`
	Failures int      `json:"failures"`
	Evidence []string `json:"evidence,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

func (c *checker) run(ctx context.Context) (*checked, error) {
	skills := c.as == "skills"
	if c.as == "auto" {
		var err error
		if c.as, skills, err = c.detect(ctx); err != nil {
			return nil, err
		}
	}
	r := &checked{Target: c.target.String(), Kind: c.as}
	t := check.Target{Transport: c.target.transport, Strict: c.strict, Version: c.target.version, Timeout: c.target.timeout}
	if err := c.fill(ctx, &t); err != nil {
		return nil, err
	}
	var err error
	switch c.as {
	case "cash":
		err = r.add(check.Compliance(ctx, t))
	case "disclosure":
		err = r.add(check.Disclosure(ctx, check.DisclosureTarget{
			Transport: t.Transport, Strict: t.Strict, Version: t.Version, Timeout: t.Timeout, Call: c.samples.Call, Other: c.samples.Other,
			Denied: c.samples.Denied, Invalid: c.samples.Invalid, Hidden: c.samples.Secret,
		}))
	case "facade":
		err = r.add(check.Facade(ctx, t))
	case "endpoint":
		if c.target.command == nil {
			return nil, usagef("an endpoint is a command, not a URL")
		}
		return r, r.add(check.Endpoint(ctx, check.EndpointTarget{Command: c.target.exec, Strict: c.strict, Timeout: c.target.timeout}))
	}
	if err == nil && skills {
		err = r.add(check.Skills(ctx, t))
	}
	if err != nil && len(r.Rows) == 0 {
		return nil, c.target.failed(err)
	}
	if err == nil && c.hostile > 0 {
		err = r.add(check.Hostile(ctx, c.attack()))
	}
	return r, errors.Join(err, c.mistake)
}

func (c *checker) attack() check.HostileTarget {
	h := check.HostileTarget{Requests: c.hostile, Timeout: c.target.timeout}
	if c.target.version != "" {
		h.Versions = []string{c.target.version}
	}
	if c.target.url != "" {
		h.URL, h.HTTPClient = c.target.url, c.target.client()
	} else {
		h.Command = c.target.exec
	}
	return h
}

// extension is the id of the skills extension.
const extension = "io.modelcontextprotocol/skills"

// detect finds out the kind of the server, and whether it has the skills extension.
func (c *checker) detect(ctx context.Context) (kind string, skills bool, err error) {
	conn, tools, err := c.target.dial(ctx)
	if err != nil {
		return "", false, err
	}
	defer conn.Close()
	capabilities := conn.Session.InitializeResult().Capabilities
	_, skills = capabilities.Extensions[extension]
	named := func(is func(name string) bool) bool {
		return slices.ContainsFunc(tools, func(t *mcp.Tool) bool { return is(t.Name) })
	}
	switch {
	case isCaSH(tools):
		return "cash", skills, nil
	case named(func(name string) bool { return strings.HasSuffix(name, "Execute") }):
		return "facade", skills, nil
	}
	if capabilities.Resources != nil {
		ctx, cancel := context.WithTimeout(ctx, c.target.timeout)
		defer cancel()
		for r, err := range conn.Session.Resources(ctx, nil) {
			if err != nil {
				break // the check of the kind that -as names shows it
			}
			if strings.HasSuffix(r.URI, "tool_descriptions") {
				return "disclosure", skills, nil
			}
		}
	}
	if skills || c.hostile > 0 {
		return "plain", skills, nil
	}
	return "", false, fmt.Errorf("%s is an ordinary MCP server, which has no specification of its own; try -hostile 500, or -as KIND", c.target)
}

// add adds a report.
func (r *checked) add(report *check.Report, err error) error {
	if report == nil {
		return err
	}
	r.Requests += report.Requests
	for _, row := range report.Rows {
		r.Rows = append(r.Rows, checkRow{row.Name, row.Title, row.Status.String(), row.Checks, row.Failures, row.Evidence, row.Notes})
		switch row.Status {
		case check.Failed:
			r.Failed++
		case check.Passed:
			r.Passed++
		}
	}
	return err
}

// print writes a line for each row, and its evidence below.
func (r *checked) print(env *environment, verbose bool) {
	colours := map[string]string{check.Passed.String(): green, check.Failed.String(): red}
	missed := 0
	for _, row := range r.Rows {
		if row.Checks == 0 && row.Status != check.Passed.String() {
			missed++
			if !verbose {
				continue
			}
		}
		word := env.paint(cmp.Or(colours[row.Status], faint), fmt.Sprintf("%-11s", row.Status))
		fmt.Fprintf(env.stdout, "%s %s: %s\n", word, row.Name, row.Title)
		for _, e := range slices.Concat(row.Evidence, row.Notes) {
			fmt.Fprintf(env.stdout, "            %s\n", clean.Line(e, 1000))
		}
	}
	fmt.Fprintf(env.stdout, "%s (%s): %d passed, %d failed, %d not checked; %d messages\n",
		r.Target, r.Kind, r.Passed, r.Failed, missed, r.Requests)
	if missed > 0 && !verbose {
		fmt.Fprintln(env.stdout, "-v shows the rows that were not checked; -samples names calls that they need")
	}
}

// junit writes the report in the form that CI systems read.
func (r *checked) junit(env *environment) error {
	type skipped struct {
		Message string `xml:"message,attr"`
	}
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *failure `xml:"failure"`
		Skipped *skipped `xml:"skipped"`
	}
	type testsuite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	suite := testsuite{Name: r.Target, Tests: len(r.Rows), Failures: r.Failed, Skipped: len(r.Rows) - r.Failed - r.Passed}
	for _, row := range r.Rows {
		one := testcase{Class: r.Kind, Name: row.Name + ": " + row.Title}
		switch row.Status {
		case check.Failed.String():
			one.Failure = &failure{fmt.Sprintf("not so %d times of %d", row.Failures, row.Checks), strings.Join(row.Evidence, "\n")}
		case check.NotChecked.String():
			one.Skipped = &skipped{strings.Join(row.Evidence, "; ")}
		}
		suite.Cases = append(suite.Cases, one)
	}
	data, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "%s%s\n", xml.Header, data)
	return err
}

// samples are calls that a black box cannot guess, as a file of -samples has them.
type samples struct {
	SizeLimit  int                `json:"sizelimit"`
	Read       *callSample        `json:"read"`
	Echo       *check.Echo        `json:"echo"`
	Large      *callSample        `json:"large"`
	Stream     *callSample        `json:"stream"`
	Media      *callSample        `json:"media"`
	LargeError *callSample        `json:"largeError"`
	Fails      []callSample       `json:"fails"`
	Skill      *check.SkillSample `json:"skill"`
	Sized      *check.Echo        `json:"sized"` // its parameter is the number of characters
	Effect     *effectSample      `json:"effect"`
	Hidden     *hiddenSample      `json:"hidden"`

	// Of a server of two-stage disclosure:
	Call    *check.ToolCall `json:"call"`
	Other   *check.ToolCall `json:"other"`
	Denied  *check.ToolCall `json:"denied"`
	Invalid any             `json:"invalid"`
	Secret  string          `json:"secret"`
}

// An effectSample is a call that changes something. The result of runs is how often it has run.
type effectSample struct {
	callSample
	Runs *callSample `json:"runs"`
}

// A hiddenSample is a call that other headers allow.
type hiddenSample struct {
	callSample
	Headers []string `json:"headers"`
}

// A callSample is a check.Sample in JSON.
type callSample struct {
	Namespace string         `json:"namespace"`
	Function  string         `json:"function"`
	Kwargs    map[string]any `json:"kwargs"`
}

// sample returns nil for nil.
func (s *callSample) sample() *check.Sample {
	if s == nil {
		return nil
	}
	out := &check.Sample{Namespace: s.Namespace, Function: s.Function}
	if s.Kwargs != nil {
		out.Kwargs = s.Kwargs
	}
	return out
}

// maxSamples bounds the file, in bytes.
const maxSamples = 1 << 20

func readSamples(name string) (*samples, error) {
	s := new(samples)
	if name == "" {
		return s, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading samples: %w", err)
	}
	defer f.Close()
	data, err := readAtMost(f, maxSamples)
	if err != nil {
		return nil, fmt.Errorf("reading samples: %w", err)
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("reading samples: %w", err)
	}
	if d.More() {
		return nil, errors.New("reading samples: there is more than one JSON object")
	}
	if s.Effect != nil && s.Effect.Runs == nil {
		return nil, errors.New("reading samples: effect has no runs, a call that tells how often it has run")
	}
	return s, nil
}

// fill sets the samples of t.
func (c *checker) fill(ctx context.Context, t *check.Target) error {
	s := c.samples
	t.SizeLimit, t.Echo, t.Skill = s.SizeLimit, s.Echo, s.Skill
	t.Read, t.Large, t.Stream = s.Read.sample(), s.Large.sample(), s.Stream.sample()
	t.Media, t.LargeError = s.Media.sample(), s.LargeError.sample()
	for i := range s.Fails {
		t.Fails = append(t.Fails, *s.Fails[i].sample())
	}
	if e := s.Sized; e != nil {
		t.Sized = func(chars int) check.Sample {
			return check.Sample{Namespace: e.Namespace, Function: e.Function, Kwargs: map[string]int{e.Param: chars}}
		}
	}
	if e := s.Effect; e != nil {
		t.Effect = &check.Effect{Sample: *e.sample(), Runs: func() int { return c.count(ctx, e.Runs) }}
	}
	if h := s.Hidden; h != nil {
		t.Hidden = &check.Hidden{Sample: *h.sample()}
		if len(h.Headers) > 0 {
			as := &target{env: c.env, url: c.target.url, header: make(http.Header), timeout: c.target.timeout, version: c.target.version}
			for _, line := range h.Headers {
				if err := as.addHeader(line); err != nil {
					return fmt.Errorf("reading samples: headers of hidden: %w", err)
				}
			}
			if as.url == "" {
				return usagef("the headers of the sample hidden are for a URL")
			}
			t.Hidden.Transport = as.transport
		}
	}
	return nil
}

// count returns the number that a call answers with, over a connection of its own.
func (c *checker) count(ctx context.Context, s *callSample) int {
	conn, _, err := c.target.dial(ctx)
	if err != nil {
		c.mistake = err
		return 0
	}
	defer conn.Close()
	args := client.Named("namespace", s.Namespace, "function", s.Function)
	if s.Kwargs != nil {
		args["kwargs"] = s.Kwargs
	}
	n := 0
	reply, err := conn.Tool("call", args)
	if err == nil {
		n, err = strconv.Atoi(strings.TrimSpace(reply.Text))
	}
	if err != nil {
		c.mistake = errors.New("the call in runs of the sample effect does not answer with a number")
	}
	return n
}
