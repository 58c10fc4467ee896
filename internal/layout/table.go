package layout

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Write prints the table beside the sizes, and the sums over the public packages.
func Write(out io.Writer, sizes []Size) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "row\tpackage\tlines\tbudget\tnames\tmethods\tlargest type")
	for i := range Rooms {
		Rooms[i].write(w, sizes)
	}
	n, sum := 0, Size{}
	for _, s := range sizes {
		if s.Public {
			n, sum.Lines, sum.Names = n+1, sum.Lines+s.Lines, sum.Names+s.Names
			if s.Methods > sum.Methods {
				sum.Largest, sum.Methods = s.Package+"."+s.Largest, s.Methods
			}
		}
	}
	fmt.Fprintf(w, "\t%d public packages\t%d\t\t%d\t%d\t%s\n", n, sum.Lines, sum.Names, sum.Methods, sum.Largest)
	return w.Flush()
}

// write prints a line for each package, and one for the room if it has several packages.
func (r *Room) write(w io.Writer, sizes []Size) {
	there, missing := r.sizes(sizes), r.missing(r.Pending, sizes)
	each, together := bound(r.Each), len(there)+len(missing) > 1
	if !together {
		each = budget(r.Lines)
	}
	for _, s := range there {
		fmt.Fprintf(w, "%d\t%s\t%d\t%s\t%d\t%d\t%s\n", r.Row, s.Package, s.Lines, each, s.Names, s.Methods, s.Largest)
	}
	for _, p := range missing {
		fmt.Fprintf(w, "%d\t%s\tmissing\t%s\t\t\t\n", r.Row, p, each)
	}
	if together {
		fmt.Fprintf(w, "%d\t  together\t%d\t%s\t\t\t\n", r.Row, total(there), budget(r.Lines))
	}
}

// Problems returns the packages that are missing from the table, the entries without a package, and the sizes above a
// bound.
func Problems(sizes []Size) []string {
	var list []string
	for _, s := range sizes {
		r := RoomOf(s.Package)
		if r == nil {
			list = append(list, s.Package+" is not in the table")
		} else if most := r.Each; most > 0 && s.Lines > most {
			list = append(list, fmt.Sprintf("%s has %d code lines, more than %d", s.Package, s.Lines, most))
		}
	}
	for i := range Rooms {
		r := &Rooms[i]
		for _, p := range r.missing(r.Packages, sizes) {
			list = append(list, p+" is in the table and not in the tree")
		}
		if n, most := total(r.sizes(sizes)), r.Lines; n > most {
			names := strings.Join(slices.Concat(r.Packages, r.Pending), ", ")
			list = append(list, fmt.Sprintf("%s: %d code lines, more than %d", names, n, most))
		}
	}
	return list
}

// sizes returns the sizes of the room's packages.
func (r *Room) sizes(all []Size) []Size {
	return slices.DeleteFunc(slices.Clone(all), func(s Size) bool { return !r.holds(s.Package) })
}

// missing returns the entries that match no package.
func (r *Room) missing(entries []string, all []Size) []string {
	return slices.DeleteFunc(slices.Clone(entries), func(entry string) bool {
		return len((&Room{Packages: []string{entry}}).sizes(all)) > 0
	})
}

func total(sizes []Size) int {
	sum := 0
	for _, s := range sizes {
		sum += s.Lines
	}
	return sum
}

// bound formats a bound; unbounded is empty.
func bound(n int) string {
	if n == 0 {
		return ""
	}
	return budget(n)
}

func budget(n int) string {
	if n == Unbounded {
		return "any"
	}
	return strconv.Itoa(n)
}
