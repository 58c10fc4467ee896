package check

import (
	"context"
	"fmt"
	"slices"
)

// Compliance checks a server against the CaSH RFC as a black box. Each row is a requirement, such as R40. It works
// for servers of other makers, with root functions only, or without skills. The error is a failed connection, or
// ctx's; the report then has the rows so far.
func Compliance(ctx context.Context, target Target) (*Report, error) {
	s, err := newSuite(ctx, target)
	if err != nil {
		return nil, err
	}
	report, err := s.end(s.run(checks))
	if s.tree.cut {
		row := Row{Name: "help", Title: "all pages of help are read"}
		row.skip(fmt.Sprintf("those beyond the first %d are not", maxPages))
		report.Rows = append(report.Rows, row)
	}
	return report, err
}

var checks = slices.Concat(
	toolChecks, argumentChecks, nameChecks, pathChecks, kwargChecks, layerChecks, pageChecks,
	helpArgumentChecks, searchChecks, visibilityChecks, skillChecks, errorChecks, gateChecks, limitChecks, exemptChecks,
	unseenChecks,
)

// unseenChecks are rows that a black box cannot check.
var unseenChecks = []criterion{
	{"R32", "hierarchies are not too deep", unseen("advice: see registry.Lint"), nil},
	{"R33", "names say what they name", unseen("advice: see registry.Lint"), nil},
	{"R55", "help may vary with its caller", unseen("a permission"), nil},
	{"R66", "a skill stands alone", unseen("for a reader to say"), nil},
	{"R69", "where skills come from", unseen("not seen from outside"), nil},
	{"R82", "errors may have codes", unseen("a permission"), nil},
	{"R84", "a cancellation reaches the function", unseen("not seen from outside"), nil},
}

// defaultSizeLimit is the gate threshold of RFC 7.3.
const defaultSizeLimit = 10_000

// newSuite connects to a CaSH server and reads its help and skills.
func newSuite(ctx context.Context, target Target) (*suite, error) {
	if target.SizeLimit == 0 {
		target.SizeLimit = defaultSizeLimit
	}
	s := &suite{Target: target, huge: 5_000_000, times: 20}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	s.discover()
	return s, nil
}

// discover reads help and skills. Protocol errors of the three tools do not stop it; their rows report them.
func (s *suite) discover() {
	s.tree = &tree{places: []*place{{page: parsePage("", "")}}}
	if help, err := s.conn.Tool("help", nil); err == nil {
		s.json = mentions(help.Text, "format") && mentions(help.Text, "json")
		if t, err := growTree(s.conn, s.json); err == nil {
			s.tree = t
		}
		s.search = s.searches(help)
	}
	if skills, err := readSkills(s.conn); err == nil {
		s.skills = skills
	}
}
