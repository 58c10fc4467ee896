package disk

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/firewall/internal/ledger"
	"github.com/cash-mcp/go-sdk/internal/durable"
)

// File names in the directory of a [Store]. The name of a blob or a record ends with the digest of its content.
const (
	lockName     = "lock" // locked while a store uses the directory
	tempPrefix   = "temp-"
	blobPrefix   = "blob-"
	recordPrefix = "record-"
)

// Bounds of the files that are written and read.
const (
	maxPart   = 1 << 30
	maxRecord = 8 << 20
)

// A record describes the artifacts of one Keep. It holds no handles, and only digests of owners.
type record struct {
	Version   int           `json:"version"`
	Owner     ledger.Digest `json:"owner"`
	Payer     ledger.Digest `json:"payer,omitzero"` // missing: the owner
	Guest     bool          `json:"guest,omitempty"`
	Created   time.Time     `json:"created"`
	Expires   time.Time     `json:"expires"`
	Artifacts []recordPart  `json:"artifacts"`
}

type recordPart struct {
	Handle    ledger.Digest `json:"handle"`
	Content   ledger.Digest `json:"content"`
	Size      int64         `json:"size"`
	MediaType string        `json:"media_type"`
	Label     string        `json:"label"`
}

func tempName() string { return tempPrefix + rand.Text() }

func blobName(content ledger.Digest) string { return blobPrefix + content.String() }

// isOwn reports whether a file name has the form of the store's own names.
func isOwn(name string) bool {
	if rest, ok := strings.CutPrefix(name, tempPrefix); ok {
		return len(rest) == len(rand.Text()) && strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
	}
	return isDigest(name, blobPrefix) || isRecord(name)
}

func isRecord(name string) bool { return isDigest(name, recordPrefix) }

func isDigest(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	return ok && len(rest) == hex.EncodedLen(len(ledger.Digest{})) && strings.Trim(rest, "0123456789abcdef") == ""
}

// encodeRecord returns the name and content of the record of a Keep.
func encodeRecord(all []*ledger.Entry) (name string, data []byte, err error) {
	r := record{Version: 1, Owner: all[0].Owner.ID, Payer: all[0].Owner.Payer, Guest: all[0].Owner.Guest, Created: all[0].Created.UTC(), Expires: all[0].Expires.UTC()}
	for _, e := range all {
		r.Artifacts = append(r.Artifacts, recordPart{e.Handle, e.Content, e.Size, e.MediaType, e.Label})
	}
	if data, err = json.Marshal(r); err != nil {
		return "", nil, err
	}
	if len(data) > maxRecord {
		return "", nil, fmt.Errorf("the description of %d parts has more than %d bytes", len(all), maxRecord)
	}
	return recordPrefix + ledger.Sum(data).String(), data, nil
}

// decodeRecord returns the artifacts of a record. The data is not trusted.
func decodeRecord(name string, data []byte) ([]*ledger.Entry, error) {
	if recordPrefix+ledger.Sum(data).String() != name {
		return nil, durable.ErrDamaged
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Version != 1 {
		return nil, fmt.Errorf("version %d is not known", r.Version)
	}
	owner := ledger.Owner{ID: r.Owner, Payer: r.Payer, Guest: r.Guest}
	if owner.Payer == (ledger.Digest{}) {
		owner.Payer = owner.ID
	}
	all := make([]*ledger.Entry, len(r.Artifacts))
	for i, a := range r.Artifacts {
		if a.Size < 0 || a.Size > maxPart {
			return nil, errors.New("a size is out of range")
		}
		all[i] = &ledger.Entry{
			Ref:    ledger.Ref{MediaType: a.MediaType, Label: a.Label, Size: a.Size},
			Handle: a.Handle, Owner: owner, Content: a.Content,
			Created: r.Created, Expires: r.Expires, Record: name,
		}
	}
	return all, nil
}
