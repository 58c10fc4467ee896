package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A bound is a ratio that fails a short run. Bounds are generous, because the run may share its machine: they find what
// has become another order of magnitude, not what has become a little slower. The page has what is reached.
type bound struct {
	chart, subject string
	size           int
	against        string // empty compares with 1
	what           func(*figure) float64
	unit           string
	most           float64
}

var bounds = []bound{
	{"http", callSessionless, 1, mcpgoSessionless, (*figure).fastest, "time", 1.2},
	{"http", callSessionless, 1, mcpgoSessions, (*figure).fastest, "time", 1.5},
	{"http", callSessionless, 1, sdkSessionless, (*figure).fastest, "time", 0.6},
	{"http", callSessionless, 1, httpFloor, (*figure).fastest, "time", 4},
	{"http", callSessionless, 1, "", kilobytes, "KB", 30},
	{"http", callSessionless, 64, mcpgoSessionless, (*figure).fastest, "time", 1.5},
	{"stdio", "call", 1, sdkRaw, (*figure).fastest, "time", 1.5},
	{"memory", "call", 1, sdkRaw, (*figure).fastest, "time", 2},
	{"memory", "call", 1, sdkGeneric, (*figure).fastest, "time", 1.5},
	{"direct", serverCall, 1, handlerByHand, (*figure).fastest, "time", 5},
	{"search", ourSearch, 1000, peerBleve, (*figure).fastest, "time", 0.5},
	{"search", ourSearch, 1000, peerBM25, (*figure).fastest, "time", 2},
	{"lists", ourList, 1000, "SDK", (*figure).fastest, "time", 0.1},
	{"lists", "plain", 1000, "SDK", (*figure).fastest, "time", 2.5},
	{"upstreams", mounting, 10, sdkConnect, (*figure).fastest, "time", 15},
}

func kilobytes(f *figure) float64 { return f.bytes / 1000 }

// again is how often charts are measured again that break a bound, since another program may have had the machine.
const again = 2

// confirm returns an error for each bound that does not hold, whenever it is measured.
func confirm(ctx context.Context, list []chart, all figures, e effort, log io.Writer) error {
	for range again {
		var broken []chart
		for _, c := range list {
			if slices.ContainsFunc(bounds, func(b bound) bool { return b.chart == c.name && b.check(all) != nil }) {
				broken = append(broken, c)
			}
		}
		if len(broken) == 0 {
			break
		}
		more, err := measure(ctx, broken, e, log)
		if err != nil {
			return err
		}
		all = append(more, all...) // the first one counts
	}
	return check(all)
}

// check returns an error for each bound that does not hold. What was not measured does not hold.
func check(all figures) error {
	var errs []error
	for _, b := range bounds {
		errs = append(errs, b.check(all))
	}
	return errors.Join(errs...)
}

func (b *bound) check(all figures) error {
	is, of := all.of(b.chart, b.subject, b.size), 1.0
	if is == nil {
		return fmt.Errorf("%s: %s was not measured at %d", b.chart, b.subject, b.size)
	}
	if b.against != "" {
		other := all.of(b.chart, b.against, b.size)
		if other == nil {
			return fmt.Errorf("%s: %s was not measured at %d", b.chart, b.against, b.size)
		}
		of = b.what(other)
	}
	if ratio := b.what(is) / of; !(ratio <= b.most) {
		return fmt.Errorf("%s at %d: %s of %s is %.2f× that of %q, and may be %.2f×", b.chart, b.size, b.unit, b.subject, ratio, b.against, b.most)
	}
	return nil
}
