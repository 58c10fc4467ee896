package card

import (
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Selection tells which candidate an answer means (section 2.6). Its JSON
// form has null for "" in selected_id, reason and repair.
type Selection struct {
	Status Status
	ID     string // of the candidate; "" if the answer is rejected
	RawID  string // the answer, of which the first 1,024 bytes are kept
	Reason Reason // why the answer is rejected; "" otherwise
	Repair Repair // what was repaired; "" otherwise
}

// A Status is what became of an answer.
type Status string

// The three statuses.
const (
	Accepted Status = "accepted"
	Repaired Status = "repaired"
	Rejected Status = "rejected"
)

// A Reason is why an answer is rejected.
type Reason string

// The reasons.
const (
	EmptySelection    Reason = "empty_selection"
	NotACandidate     Reason = "not_a_candidate"
	AmbiguousCaseFold Reason = "ambiguous_case_fold"
	AmbiguousPrefix   Reason = "ambiguous_prefix"
)

// A Repair is what made a candidate of an answer.
type Repair string

// The repairs, in the order in which they are tried.
const (
	Strip    Repair = "strip"
	CaseFold Repair = "case_fold"
	Prefix   Repair = "prefix"
)

// maxRaw bounds what a Selection keeps of an answer, in bytes.
const maxRaw = 1024

// Select tells which of the candidates an answer means: itself, or without
// the white space around it, or, if repair is set, the only one that it spells
// in other cases, or the only one that it is the beginning of in any case. What
// could mean several is rejected, never guessed. Two texts differ in case only
// if their lower cases are the same, which those of s and ſ are not.
func Select(answer string, ids []string, repair bool) Selection {
	s := Selection{RawID: clean.Beginning(answer, maxRaw)}
	stripped := strings.TrimFunc(answer, space)
	switch {
	case stripped == "":
		return s.reject(EmptySelection)
	case slices.Contains(ids, answer):
		return s.accept(answer, "")
	case slices.Contains(ids, stripped):
		return s.accept(stripped, Strip)
	case !repair:
		return s.reject(NotACandidate)
	}
	ids = candidates(ids)
	folded := lower(stripped)
	if id, n := only(ids, func(id string) bool { return lower(id) == folded }); n == 1 {
		return s.accept(id, CaseFold)
	} else if n > 1 {
		return s.reject(AmbiguousCaseFold)
	}
	if id, n := only(ids, func(id string) bool { return strings.HasPrefix(lower(id), folded) }); n == 1 {
		return s.accept(id, Prefix)
	} else if n > 1 {
		return s.reject(AmbiguousPrefix)
	}
	return s.reject(NotACandidate)
}

func (s Selection) accept(id string, r Repair) Selection {
	s.Status, s.ID, s.Repair = Accepted, id, r
	if r != "" {
		s.Status = Repaired
	}
	return s
}

func (s Selection) reject(r Reason) Selection {
	s.Status, s.Reason = Rejected, r
	return s
}

// MarshalJSON writes the form of section 2.6.
func (s Selection) MarshalJSON() ([]byte, error) {
	null := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return strictjson.Marshal(struct {
		Status     Status  `json:"status"`
		SelectedID *string `json:"selected_id"`
		RawID      string  `json:"raw_id"`
		Reason     *string `json:"reason"`
		Repair     *string `json:"repair"`
	}{s.Status, null(s.ID), s.RawID, null(string(s.Reason)), null(string(s.Repair))})
}

// only returns the last id that is meant, and how many are.
func only(ids []string, meant func(string) bool) (id string, n int) {
	for _, candidate := range ids {
		if meant(candidate) {
			id = candidate
			n++
		}
	}
	return id, n
}

// lower is Python's str.lower, by which the contract is defined: unlike Go's it
// keeps the dot of İ.
func lower(text string) string {
	return strings.ToLower(strings.ReplaceAll(text, "İ", "i\u0307"))
}
