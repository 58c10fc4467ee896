package firewall

import "encoding/json"

// A Status says how a call went.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Partial Status = "partial" // there is more than could be kept or shown
	Failed  Status = "error"   // the tool said no
)

// An Envelope is what a model reads of a result. A small one is whole in
// Summary; a large one is described there, and all of it stands behind the
// handles in Artifacts.
type Envelope struct {
	Status  Status `json:"status"`
	Summary string `json:"summary"`
	// Facts are short statements on the result: counts, types, the shape of JSON.
	Facts []string `json:"facts,omitempty"`
	// Artifacts lists everything that was stored. It is never null.
	Artifacts []Ref `json:"artifacts"`
	// Views are selectors that fit, ready to be sent to look further.
	Views []View `json:"views,omitempty"`
	// Provenance says where the result comes from and what was done to it. Its
	// values have a JSON form.
	Provenance map[string]any `json:"provenance"`
}

// A Ref refers to an artifact.
type Ref struct {
	// Handle is unguessable: at least 128 bits of it are random. It works for the
	// owner of the artifact only.
	Handle    string `json:"handle"`
	MediaType string `json:"media_type"`
	Size      int64  `json:"size_bytes"`
	Label     string `json:"label,omitempty"` // what it is, a clean line
}

// A View is a selector that fits an artifact.
type View struct {
	Label    string          `json:"label"`
	Handle   string          `json:"artifact_ref"`
	Selector json.RawMessage `json:"selector"`
}
