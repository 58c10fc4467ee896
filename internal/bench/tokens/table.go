package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/cost"
)

// A page is written to until the first error.
type page struct {
	out io.Writer
	err error
}

func (p *page) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

// summary writes a table in Markdown with a row for each task.
func (p *page) summary(paid [][]*cost.Bill) {
	all := paid[len(paid)-1]
	p.printf("| tokens: each once / input of all requests |")
	for _, f := range faces {
		p.printf(" %s |", f.name)
	}
	p.printf("\n|---|%s\n| definitions of %d tools |", strings.Repeat("---|", len(faces)), len(everyTool)+1)
	for i, b := range all {
		p.printf(" %s |", compared(i, b.Definitions, all[0].Definitions))
	}
	p.printf("\n")
	for i, t := range tasks {
		p.printf("| %s |", t.name)
		of := paid[i][0].Whole()
		for j, b := range paid[i] {
			is := b.Whole()
			p.printf(" %s / %s |", compared(j, is.Once, of.Once), compared(j, is.Input, of.Input))
		}
		p.printf("\n")
	}
}

// compared formats a number of the first face, or, for another face, its share of the first face's number; bold if it
// is more.
func compared(face, is, of int) string {
	switch {
	case face == 0:
		return thousands(is)
	case is > of:
		return fmt.Sprintf("**%s**", percent(is, of))
	}
	return percent(is, of)
}

func percent(is, of int) string { return fmt.Sprintf("%.0f %%", 100*float64(is)/float64(of)) }

// thousands writes a number with a comma between every three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// whoWins writes the numbers from which or up to which each face costs less than the first.
func (p *page) whoWins(tools, calls growth) {
	p.printf("\nLess than %s, counted each once / as input of all requests:\n", faces[0].name)
	for i, f := range faces[1:] {
		p.printf("- %s: for one call, %s / %s; of %d tools, %s / %s.\n", f.name,
			from(tools.cheaperFrom(i+1, countOnce)), from(tools.cheaperFrom(i+1, countInput)), len(tools),
			upTo(calls.cheaperUpTo(i+1, countOnce), len(calls)), upTo(calls.cheaperUpTo(i+1, countInput), len(calls)))
	}
}

// sizes writes a table in Markdown with a row for each number of functions.
func (p *page) sizes(bills [][]*cost.Bill) {
	p.printf("\n| tokens: definitions / with one function found and called |")
	for _, f := range sizedFaces {
		p.printf(" %s |", f.name)
	}
	p.printf("\n|---|%s\n", strings.Repeat("---|", len(sizedFaces)))
	for i, z := range sizes {
		p.printf("| %s functions |", z.name)
		for _, b := range bills[i] {
			p.printf(" %s / %s |", thousands(b.Definitions), thousands(b.Whole().Once))
		}
		p.printf("\n")
	}
}

func from(n int) string {
	if n == 0 {
		return "never"
	}
	return fmt.Sprintf("from %d tools on", n)
}

func upTo(n, all int) string {
	switch n {
	case 0:
		return "never"
	case all:
		return "even if all are called"
	}
	return fmt.Sprintf("as long as at most %d are called", n)
}

// details writes a table of the faces, and one of the turns behind each face.
func (p *page) details(t *task, paid []*cost.Bill) {
	p.printf("%s: %s\n\n", t.name, t.goal)
	p.table(func(row func(cells ...any)) {
		row("face", "tools/list", "definitions", "turns", "added", "once", "%", "input", "%", "")
		of := paid[0].Whole()
		for i, b := range paid {
			n, is := len(b.Turns), b.Whole()
			row(faces[i].name, thousands(b.Listed), thousands(b.Definitions), n, thousands(b.Added(n)),
				thousands(is.Once), percent(is.Once, of.Once), thousands(is.Input), percent(is.Input, of.Input), "")
		}
	})
	p.printf("\n")
	p.table(func(row func(cells ...any)) {
		row("", "turn", "sent", "got", "context", "")
		for i, b := range paid {
			for n, u := range b.Turns {
				row(faces[i].name, n+1, u.Sent, thousands(u.Got), thousands(b.After(n+1).Once), "  "+short(u.Tool+" "+u.Args))
			}
		}
	})
	p.printf("\n")
}

// table writes rows of cells. All cells but the last are aligned.
func (p *page) table(fill func(row func(cells ...any))) {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fill(func(cells ...any) {
		for i, c := range cells {
			end := "\t"
			if i == len(cells)-1 {
				end = "\n"
			}
			fmt.Fprintf(w, "%v%s", c, end) // Flush returns the error
		}
	})
	if err := w.Flush(); p.err == nil {
		p.err = err
	}
}

// short cuts a call to the length of a line.
func short(text string) string {
	const most = 100
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
