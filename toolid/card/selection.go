package card

import (
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Selection is the candidate that an answer means, or the reason why none is meant (section 2.6). In JSON, an empty
// selected_id, reason or repair is null.
type Selection struct {
	Status Status
	ID     string // of the candidate; "" if the answer is rejected
	RawID  string // the answer, at most its first 1,024 bytes
	Reason Reason // why the answer is rejected; "" otherwise
	Repair Repair // what was repaired; "" otherwise
}

// A Status is the outcome of a selection.
type Status string

// The three statuses.
const (
	Accepted Status = "accepted"
	Repaired Status = "repaired"
	Rejected Status = "rejected"
)

// A Reason says why an answer is rejected.
type Reason string

// The reasons.
const (
	EmptySelection    Reason = "empty_selection"
	NotACandidate     Reason = "not_a_candidate"
	AmbiguousCaseFold Reason = "ambiguous_case_fold"
	AmbiguousPrefix   Reason = "ambiguous_prefix"
)

// A Repair is the change that made an answer a candidate.
type Repair string

// The repairs, in the order of the attempts.
const (
	Strip    Repair = "strip"
	CaseFold Repair = "case_fold"
	Prefix   Repair = "prefix"
)

// maxRaw bounds the bytes of an answer that a Selection keeps.
const maxRaw = 1024

// Select returns the candidate that an answer means: the answer itself, or the answer without surrounding white space.
// If repair is set, it also accepts the only candidate that equals the answer ignoring case, or that begins with it
// ignoring case. An ambiguous answer is rejected, never guessed. Case is ignored by comparing lower cases, which differ
// for s and ſ.
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

// only returns the last id for which meant is true, and the number of such ids.
func only(ids []string, meant func(string) bool) (id string, n int) {
	for _, candidate := range ids {
		if meant(candidate) {
			id = candidate
			n++
		}
	}
	return id, n
}

// lower works like Python's str.lower, which defines the contract: unlike Go's it keeps the dot of İ.
func lower(text string) string {
	return strings.ToLower(strings.ReplaceAll(text, "İ", "i\u0307"))
}
