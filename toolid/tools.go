package toolid

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// A Definition is the part of a tool's definition that determines its id.
type Definition struct {
	Name        string
	InputSchema json.RawMessage // empty: no parameters
	Version     string          // empty: none declared
	// Server is the name by which the tool's server is configured (server_name in section 1.2): a label, or several
	// joined by dots. It is the namespace of a name without dot and slash. Empty is not known: [FromTool] infers.
	Server string
}

// A Mode says how [FromTools] treats tools that [FromTool] refuses.
type Mode int

const (
	// Mapping gives them an id that fits the grammar. It is the zero value.
	Mapping Mode = iota
	// Strict accepts all tools like [FromTool], or none.
	Strict
)

// A Status is the outcome of [FromTools] for a definition.
type Status int

const (
	Refused   Status = iota // no id; Problem says why
	Kept                    // the id of [FromTool]
	Mapped                  // an id changed to fit; Problem says what did not fit
	Duplicate               // repeats an earlier definition, which has the id if any has
)

var statusNames = [...]string{"refused", "kept", "mapped", "duplicate"}

// String returns the status in one lower-case word.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("status(%d)", int(s))
	}
	return statusNames[s]
}

// An Entry is the outcome for one definition.
type Entry struct {
	Name string // as the source spells it; use it to call the tool there
	ID   ID     // zero unless Kept or Mapped
	// Labelled is ID with the server as the namespace and the whole name. A tool takes it if a tool of another server
	// has the same ID. It is zero without an ID or a server.
	Labelled ID
	Status   Status
	Problem  error // nil if Kept
}

// FromTools returns one entry per listed tool of a source, in the order of defs. No two entries have the same id, and
// no id depends on the order. A source may have tools of several servers ([Definition].Server).
//
//   - A tool that [FromTool] accepts keeps that id, whatever else is listed. With a server, that is the rule for names
//     with a dot or slash; the namespace of other names is the server.
//   - Different tools with the same id take the server as the namespace and their whole name ([Entry].Labelled), which
//     the Problem says.
//   - Under [Mapping] any other name is changed to fit the grammar, as by [ID.Fit]. Its id always has a hash, over the
//     original name and the readable part of the schema, so different names get different ids. If a forged hash makes a
//     mapped id equal another one, the mapped one takes other digits.
//   - Two different tools that still have the same id are both refused (section 1.5), because a call could mean either.
//     So are two definitions of one name of one server with different schemas. White space, order of keys and escapes
//     make no difference, the spelling of numbers does. Other tools are not affected.
//   - Under [Strict] any entry that is not Kept is an error, which names the first ten.
func FromTools(defs []Definition, mode Mode) ([]Entry, error) {
	b := batch{defs: defs, entries: make([]Entry, len(defs)), taken: make(map[ID]int, len(defs))}
	b.repeated()
	rest := b.keep()
	b.separate()
	if mode != Strict {
		b.fit(rest)
	} else if err := b.problems(); err != nil {
		return nil, err
	}
	for i, d := range defs {
		if e := &b.entries[i]; d.Server != "" && e.ID != (ID{}) {
			e.Labelled = d.labelled(e.ID)
		}
	}
	return b.entries, nil
}

// labelled returns id with the server as the namespace and the whole name, made to fit.
func (d *Definition) labelled(id ID) ID {
	l := below(d.Server, d.Name)
	l.Version, l.Hash = id.Version, id.Hash
	fit := l.Fit()
	if fit != l && fit.Hash == "" {
		fit.Hash, _ = Hash(d.Name, d.InputSchema) // a hash is returned for any schema
	}
	return fit
}

type batch struct {
	defs    []Definition
	entries []Entry
	taken   map[ID]int // the entry that has the id, or would have it
	shared  []int      // entries whose id another one has too
}

// An unfit is a tool that [FromTool] refuses.
type unfit struct {
	entry int
	id    ID // changed to fit
	sum   [sha256.Size]byte
}

// repeated decides about names that are listed more than once.
func (b *batch) repeated() {
	type source struct{ server, name string }
	first := make(map[source]int, len(b.defs))
	schemas := make(map[int][]byte) // by index, respelled; only of repeated names
	for i, d := range b.defs {
		b.entries[i].Name = d.Name
		j, seen := first[source{d.Server, d.Name}]
		switch {
		case !seen:
			first[source{d.Server, d.Name}] = i
		case d.Version == b.defs[j].Version && b.sameSchema(i, j, schemas):
			b.entries[i].Status = Duplicate
			b.entries[i].Problem = fmt.Errorf("tool %s: listed before", quote(d.Name))
		default:
			err := fmt.Errorf("tool %s: listed with different definitions", quote(d.Name))
			b.entries[i].Problem, b.entries[j].Problem = err, err
		}
	}
}

// sameSchema reports whether definition i has the schema of the earlier one j. It caches the schema of j in schemas,
// because a name may be listed often.
func (b *batch) sameSchema(i, j int, schemas map[int][]byte) bool {
	again, first := b.defs[i].InputSchema, b.defs[j].InputSchema
	if bytes.Equal(again, first) {
		return true
	}
	if _, known := schemas[j]; !known {
		schemas[j] = respell(first)
	}
	again = respell(again)
	return again != nil && bytes.Equal(again, schemas[j])
}

// respell returns JSON in a canonical spelling, with the last of two equal keys. It returns nil for invalid JSON, and
// for JSON that would lose something: half a surrogate pair, or a byte that is not UTF-8.
func respell(data []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if !json.Valid(data) || d.Decode(&v) != nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil || bytes.ContainsRune(data, '\ufffd') {
		return nil
	}
	return data
}

// keep gives ids to the tools that [FromTool] accepts and returns the others.
func (b *batch) keep() (rest []unfit) {
	for i, d := range b.defs {
		if b.entries[i].Problem != nil {
			continue
		}
		id := split(d.Name, d.Server)
		id.Version = d.Version
		problem := id.check()
		if problem != nil || d.Version == "" {
			sum, err := digest(d.Name, d.InputSchema)
			if problem = cmp.Or(problem, err); problem != nil {
				b.refuse(i, problem)
				rest = append(rest, unfit{i, id.Fit(), sum})
				continue
			}
			id.Hash = hex.EncodeToString(sum[:4])
		}
		if other, taken := b.taken[id]; taken {
			if b.entries[other].Problem == nil {
				b.share(other, id, i)
			}
			b.share(i, id, other)
			continue
		}
		b.taken[id] = i
		b.entries[i].ID, b.entries[i].Status = id, Kept
	}
	return rest
}

// share refuses entry i, because another one has its id too. separate may find other ids for both.
func (b *batch) share(i int, id ID, other int) {
	b.shared = append(b.shared, i)
	b.refuse(i, fmt.Errorf("its id %s is that of tool %s too", id, quote(b.defs[other].Name)))
	b.entries[i].ID = id
}

// separate gives the entries that share an id the ids with their servers as namespaces, as far as these are free.
func (b *batch) separate() {
	ids := make(map[int]ID, len(b.shared))
	wanted := make(map[ID]int, len(b.shared))
	for _, i := range b.shared {
		if d := &b.defs[i]; d.Server != "" {
			ids[i] = d.labelled(b.entries[i].ID)
			wanted[ids[i]]++
		}
	}
	free := make(map[int]bool, len(ids))
	for i, id := range ids {
		other, taken := b.taken[id]
		_, leaves := ids[other]
		free[i] = wanted[id] == 1 && (!taken || leaves)
	}
	for _, i := range b.shared {
		e, id := &b.entries[i], ids[i]
		switch same := id == e.ID; {
		case !free[i]:
			e.ID = ID{}
			continue
		case same:
			e.ID, e.Status, e.Problem = id, Kept, nil
		default:
			e.ID, e.Status = id, Mapped
		}
		b.taken[id] = i
	}
}

func (b *batch) refuse(i int, err error) {
	b.entries[i].ID, b.entries[i].Status = ID{}, Refused
	b.entries[i].Problem = fmt.Errorf("tool %s: %w", quote(b.defs[i].Name), err)
}

// fit gives ids to the remaining tools. Tools that would share an id all try the next eight digits, so that the order
// does not matter. A tool without free digits, which nobody can cause, stays refused.
func (b *batch) fit(pending []unfit) {
	for digits := 0; digits+4 <= sha256.Size && len(pending) > 0; digits += 4 {
		wanted := make(map[ID]int, len(pending))
		for i := range pending {
			u := &pending[i]
			u.id.Hash = hex.EncodeToString(u.sum[digits : digits+4])
			wanted[u.id]++
		}
		rest := pending[:0]
		for _, u := range pending {
			if _, taken := b.taken[u.id]; taken || wanted[u.id] > 1 {
				rest = append(rest, u)
				continue
			}
			b.taken[u.id] = u.entry
			b.entries[u.entry].ID, b.entries[u.entry].Status = u.id, Mapped
		}
		pending = rest
	}
}

// problems returns an error that names the entries that are not Kept, or nil.
func (b *batch) problems() error {
	const most = 10
	var problems []string
	count := 0
	for _, e := range b.entries {
		if e.Status == Kept {
			continue
		}
		if count++; count <= most {
			problems = append(problems, e.Problem.Error())
		}
	}
	if count == 0 {
		return nil
	}
	if count > most {
		problems = append(problems, fmt.Sprintf("and %d more", count-most))
	}
	return fmt.Errorf("%d of %d tools have no id: %s", count, len(b.defs), strings.Join(problems, "; "))
}
