package firewall

import "encoding/json"

// A Status is the outcome of a call.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Partial Status = "partial" // more than could be kept or shown
	Failed  Status = "error"   // the tool reported an error
)

// An Envelope is the form in which a model reads a result. Summary holds a small result whole. For a large result,
// Summary describes it, and the handles in Artifacts give access to all of it.
type Envelope struct {
	Status  Status `json:"status"`
	Summary string `json:"summary"`
	// Facts are short statements about the result: counts, types, the shape of JSON.
	Facts []string `json:"facts,omitempty"`
	// Artifacts lists everything that was stored. It is never null.
	Artifacts []Ref `json:"artifacts"`
	// Views are ready-made selectors for a closer look.
	Views []View `json:"views,omitempty"`
	// Provenance tells the origin of the result and how it was changed. Its values have a JSON form.
	Provenance map[string]any `json:"provenance"`
}

// A Ref refers to an artifact.
type Ref struct {
	// Handle has at least 128 random bits. It works for the owner of the artifact only.
	Handle    string `json:"handle"`
	MediaType string `json:"media_type"`
	Size      int64  `json:"size_bytes"`
	Label     string `json:"label,omitempty"` // a clean line that says what it is
}

// A View is a selector that works for an artifact.
type View struct {
	Label    string          `json:"label"`
	Handle   string          `json:"artifact_ref"`
	Selector json.RawMessage `json:"selector"`
}
