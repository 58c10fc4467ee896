package main

import (
	"fmt"
	"math"
)

// steep is the exponent above which growth is reported: 1 is linear, and 1.1 is n log n from 1,000 to 10,000.
const steep = 1.2

// growing returns a line of text for each subject whose time or memory grows faster than linearly at the end.
func growing(list []chart, all figures) []string {
	var found []string
	for i := range list {
		c := &list[i]
		if c.parallel || c.axis == "" {
			continue
		}
		for _, s := range c.subjects {
			line := all.line(c.name, s.name)
			found = append(found, c.steep(line, "the time of an operation", (*figure).fastest)...)
			if c.built != "" {
				found = append(found, c.steep(line, "the time of "+c.built, func(f *figure) float64 { return float64(f.setup) })...)
				found = append(found, c.steep(line, "the memory of "+c.built, func(f *figure) float64 { return float64(f.heap) })...)
			}
		}
	}
	return found
}

// steep looks at the largest sizes, where constant parts count least: at the last step alone, and at a line through
// the last three points. Both must be steep, since one may be chance.
func (c *chart) steep(line figures, what string, value func(*figure) float64) []string {
	n := len(line)
	if n < 3 {
		return nil
	}
	line = line[n-3:]
	from, to := line[1], line[2]
	last := math.Log(value(to)/value(from)) / math.Log(float64(to.size)/float64(from.size))
	if fitted := exponent(line, value); last < steep || fitted < steep || math.IsNaN(last) || math.IsNaN(fitted) {
		return nil
	}
	return []string{fmt.Sprintf("%s, %s: %s grows as n^%.2f from %s to %s %s.",
		c.title, to.subject, what, last, thousands(from.size), thousands(to.size), c.axis)}
}

// exponent returns the slope of the line through the logarithms, by least squares.
func exponent(line figures, value func(*figure) float64) float64 {
	var x, y, xx, xy float64
	n := float64(len(line))
	for _, f := range line {
		lx, ly := math.Log(float64(f.size)), math.Log(value(f))
		x, y, xx, xy = x+lx, y+ly, xx+lx*lx, xy+lx*ly
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// quantile returns the quantile q of sorted values, by nearest rank.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[max(int(math.Ceil(q*float64(len(sorted)))), 1)-1]
}
