package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A page is what a run tells, in Markdown.
type page struct {
	charts  []chart
	figures figures
	effort  effort
	took    time.Duration
}

// writeTo writes the page and its plots.
func (p *page) writeTo(folder string) error {
	if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte(p.markdown()), 0o644); err != nil {
		return err
	}
	for i := range p.charts {
		if err := p.plot(&p.charts[i], folder); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) markdown() string {
	var b strings.Builder
	b.WriteString("# Speed, side by side\n\n" +
		"This page is made by one run of `go -C internal/bench run ./speed -o speed -readme ../../README.md`" + p.effort.note() + ". All subjects of a " +
		"chart do the same work in turns, in one process. `go doc ./speed` in that module says how.\n\n" + p.conditions())
	if len(p.charts) == len(charts()) {
		b.WriteString("\n## In five lines\n\n" + p.fiveLines())
	}
	b.WriteString("\n## Where others are ahead\n\n" + items(p.lost(), "Nowhere."))
	b.WriteString("\n## What grows faster than linearly\n\n" +
		"Between the two largest sizes, with an exponent above " + fmt.Sprint(steep) + ".\n\n" + items(growing(p.charts, p.figures), "Nothing."))
	for i := range p.charts {
		b.WriteString(p.chart(&p.charts[i]))
	}
	return wrapped(b.String())
}

// conditions is the list of what the figures depend on.
func (p *page) conditions() string {
	return items([]string{
		fmt.Sprintf("Machine: %d cores, %s/%s.", runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH),
		fmt.Sprintf("Go: %s.", strings.TrimPrefix(runtime.Version(), "go")),
		"Peers: " + peers() + ".",
		fmt.Sprintf("Run: %.0f minutes; %d rounds in %.1f s for each subject and size. What takes longer has %d rounds, above %.0f s one.",
			math.Ceil(p.took.Minutes()), p.effort.rounds, p.effort.budget.Seconds(), fewest, slow.Seconds()),
		"Times are medians, with half the distance of the quartiles, and the 99th percentile of single operations in brackets. KB are 1,000 bytes.",
	}, "")
}

// peers returns the modules to compare with, and their versions.
func peers() string {
	names := map[string]string{"github.com/modelcontextprotocol/go-sdk": "the SDK", "github.com/mark3labs/mcp-go": "mcp-go", "github.com/blevesearch/bleve/v2": "Bleve"}
	var list []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if name, ok := names[m.Path]; ok {
				list = append(list, name+" "+m.Version)
			}
		}
	}
	slices.Sort(list)
	return cmp.Or(strings.Join(list, ", "), "versions unknown")
}

// lost returns a line for each subject of ours that a peer of its chart beats by more than their spreads.
func (p *page) lost() []string {
	var list []string
	for i := range p.charts {
		c := &p.charts[i]
		for _, s := range c.subjects {
			if s.kind != ours {
				continue
			}
			if line := p.losses(c, s.name); line != "" {
				list = append(list, fmt.Sprintf("%s, %s: %s.", c.title, s.name, line))
			}
		}
	}
	return list
}

func (p *page) losses(c *chart, subject string) string {
	var found []string
	for _, s := range c.subjects {
		if s.kind != peer || s.like != "" && s.like != subject {
			continue
		}
		var sizes []string
		for _, f := range p.figures.line(c.name, subject) {
			other := p.figures.of(c.name, s.name, f.size)
			if other != nil && other.median()*(1+other.spread()) < f.median()*(1-f.spread()) {
				sizes = append(sizes, strings.TrimSpace(fmt.Sprintf("%.2f× at %s %s", f.median()/other.median(), thousands(f.size), c.unit(f.size))))
			}
		}
		if len(sizes) > 0 {
			found = append(found, fmt.Sprintf("%s, %s", s.name, strings.Join(sizes, ", ")))
		}
	}
	return strings.Join(found, "; ")
}

// chart writes the section of a chart.
func (p *page) chart(c *chart) string {
	sizes := c.chosen(p.effort.short)
	if len(sizes) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", c.title, c.work)
	fmt.Fprintf(&b, "![%s](%s.svg)\n\n", c.title, c.name)
	b.WriteString(p.table(c, sizes, "time of one", func(f *figure) string {
		text := duration(f.median())
		if len(f.rounds) > 1 {
			text += fmt.Sprintf(" ±%.0f %%", 100*f.spread())
		}
		return text + fmt.Sprintf(" (%s)", duration(quantile(f.singles, 0.99)))
	}))
	b.WriteString("\n" + p.table(c, sizes, "allocations and bytes of one", func(f *figure) string {
		if f.allocs < 0 {
			return ""
		}
		return fmt.Sprintf("%s, %s", thousands(int(math.Round(f.allocs))), size(f.bytes))
	}))
	if c.built != "" {
		b.WriteString("\n" + p.table(c, sizes, fmt.Sprintf("%s: time, memory, memory per %s, goroutines", c.built, c.per), func(f *figure) string {
			if f.setup == 0 {
				return ""
			}
			text := fmt.Sprintf("%s, %s, %s", duration(float64(f.setup)), size(float64(f.heap)), size(c.each(f)))
			if f.goroutines > 0 {
				text += ", " + thousands(f.goroutines)
			}
			return text
		}))
	}
	return b.String()
}

// each is the memory of one item.
func (c *chart) each(f *figure) float64 { return float64(f.heap) / float64(f.size*max(c.items, 1)) }

// table has a row for each subject, unless it has no cells, and a column for each size.
func (p *page) table(c *chart, sizes []int, what string, cell func(*figure) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", what)
	for _, n := range sizes {
		fmt.Fprintf(&b, " %s |", strings.TrimSpace(thousands(n)+" "+c.unit(n)))
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---:|", len(sizes)))
	for _, s := range c.subjects {
		row, has := "", false
		for _, n := range sizes {
			text := ""
			if f := p.figures.of(c.name, s.name, n); f != nil {
				text = cell(f)
			}
			has = has || text != ""
			row += " " + cmp.Or(text, "–") + " |"
		}
		if has {
			fmt.Fprintf(&b, "| %s |%s\n", s.name, row)
		}
	}
	return b.String()
}

// unit is the axis, in the singular for one.
func (c *chart) unit(n int) string {
	if n == 1 {
		return strings.TrimSuffix(c.axis, "s")
	}
	return c.axis
}

// tableHead is the first line of the table that the README of the module has too.
const tableHead = "| side by side, medians | here | others |"

// fiveLines is the table for the README. A short run has smaller sizes.
func (p *page) fiveLines() string {
	tools, upstreams := p.largest("search", peerBleve), p.largest("upstreams", mounting)
	listed := p.largest("lists", ourList)
	rows := [][3]string{
		{"a typed call over HTTP, without sessions",
			p.cell("http", callSessionless, 1, spent),
			p.named("http", 1, spent, "mcp-go", mcpgoSessionless, "mcp-go with sessions", mcpgoSessions, "the SDK", sdkSessionless, "a constant by net/http", httpFloor)},
		{"a typed call in memory", p.cell("memory", "call", 1, spent),
			p.named("memory", 1, spent, "the SDK, raw", sdkRaw, "generic", sdkGeneric, "mcp-go", "mcp-go")},
		{"search in " + thousands(tools) + " tools: a query; building the index, its memory", p.cell("search", ourSearch, tools, indexed),
			p.named("search", tools, indexed, "Bleve", peerBleve, "BM25", peerBM25)},
		{"a client reads the definitions of " + thousands(listed) + " tools", p.cell("lists", ourList, listed, spent),
			p.named("lists", listed, spent, "the SDK", "SDK", "mcp-go", "mcp-go")},
		{thousands(upstreams) + " mounted servers with 50 tools each: start; a change; memory per tool",
			p.cell("upstreams", mounting, upstreams, onlyTime) + "; " + p.cell("upstreams", mountChange, upstreams, onlyTime) + "; " +
				p.cell("upstreams", mountHelp, upstreams, func(f *figure) string { return size(float64(f.heap) / float64(f.size*perSpace)) }),
			p.named("upstreams", upstreams, onlyTime, "clients of the SDK, connect and list", sdkConnect)},
	}
	var b strings.Builder
	b.WriteString(tableHead + "\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r[0], r[1], r[2])
	}
	return b.String()
}

// largest returns the largest size of a subject.
func (p *page) largest(chart, subject string) int {
	line := p.figures.line(chart, subject)
	if len(line) == 0 {
		return 0
	}
	return line[len(line)-1].size
}

func onlyTime(f *figure) string { return duration(f.median()) }
func spent(f *figure) string    { return duration(f.median()) + ", " + size(f.bytes) }
func indexed(f *figure) string {
	return duration(f.median()) + "; " + duration(float64(f.setup)) + ", " + size(float64(f.heap))
}

func (p *page) cell(chart, subject string, n int, text func(*figure) string) string {
	if f := p.figures.of(chart, subject, n); f != nil {
		return text(f)
	}
	return "–"
}

// named joins cells of subjects, which follow their names.
func (p *page) named(chart string, n int, text func(*figure) string, pairs ...string) string {
	var cells []string
	for pair := range slices.Chunk(pairs, 2) {
		cells = append(cells, pair[0]+" "+p.cell(chart, pair[1], n, text))
	}
	return strings.Join(cells, "; ")
}

var errNoTable = errors.New("there is no line " + tableHead)

// withTable replaces the table in a text.
func withTable(text, table string) (string, error) {
	before, rest, ok := strings.Cut(text, tableHead+"\n")
	if !ok {
		return "", errNoTable
	}
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return before + table + rest, nil
}

// items writes a list, or what stands for an empty one.
func items(list []string, none string) string {
	if len(list) == 0 {
		return none + "\n"
	}
	return "- " + strings.Join(list, "\n- ") + "\n"
}

// wrapped breaks lines of prose and of lists.
func wrapped(text string) string {
	const most = 120
	var b strings.Builder
	for line := range strings.Lines(text) {
		indent := ""
		if strings.HasPrefix(line, "- ") {
			indent = "  "
		}
		for !strings.HasPrefix(line, "|") && len([]rune(line)) > most {
			at := strings.LastIndexByte(string([]rune(line)[:most]), ' ')
			if at <= len(indent) {
				break
			}
			b.WriteString(line[:at] + "\n")
			line = indent + line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// duration writes nanoseconds with two or three digits.
func duration(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.ns*0.9995 {
			return digits(ns/u.ns) + " " + u.name
		}
	}
	return digits(ns) + " ns"
}

// size writes bytes with two or three digits.
func size(bytes float64) string {
	switch {
	case bytes >= 999_500:
		return digits(bytes/1e6) + " MB"
	case bytes >= 1000:
		return digits(bytes/1e3) + " KB"
	}
	return digits(bytes) + " B"
}

func digits(v float64) string {
	if v < 9.95 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return thousands(int(math.Round(v)))
}

// thousands writes a number with a comma between every three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
