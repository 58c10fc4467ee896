package check

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxGrowth bounds the growth of memory after the warm-up, in bytes.
const maxGrowth = 64 << 20

// A gauge measures the memory of a link's server.
type gauge struct {
	link   *link
	memory func() uint64 // 0 if unknown
	before uint64
	opened int // connections of the link at the warm-up
}

func newGauge(memory func() uint64, l *link) *gauge {
	if memory == nil {
		memory = func() uint64 { return resident(l.wire.pid()) }
	}
	return &gauge{link: l, memory: memory}
}

// begin measures the memory after the warm-up.
func (g *gauge) begin() {
	g.before, g.opened = g.memory(), g.link.opened
}

// end checks the growth. It sends more messages first, since unused memory is given back with delay.
func (g *gauge) end(ctx context.Context) error {
	const rounds, pings = 10, 50
	row := g.link.judge.ledger.row(statementMemory)
	switch {
	case g.before == 0:
		row.skip("the server's memory is not known")
		return nil
	case g.link.wire.pid() != 0 && g.opened != g.link.opened:
		row.skip("the process is not the one that it was")
		return nil
	}
	after := g.memory()
	for range rounds {
		if after <= g.before+maxGrowth {
			break
		}
		for range pings {
			if err := g.link.send(ctx, g.link.ping()); err != nil {
				return err
			}
		}
		after = min(after, g.memory())
	}
	if after > g.before+maxGrowth {
		row.fail("", fmt.Sprintf("%d bytes after the warm-up, %d at the end", g.before, after))
		return nil
	}
	row.hold()
	return nil
}

// resident returns the memory of a process on Linux; 0 elsewhere.
func resident(pid int) uint64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil || pid == 0 {
		return 0
	}
	var size, pages uint64
	if _, err := fmt.Fscan(strings.NewReader(string(data)), &size, &pages); err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}
