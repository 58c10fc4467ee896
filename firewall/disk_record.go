package firewall

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Names in the directory of a [Disk]. A blob and a record are named after the
// digest of what they hold.
const (
	tempPrefix   = "temp-"
	blobPrefix   = "blob-"
	recordPrefix = "record-"
)

// Bounds of what is written and read.
const (
	maxPart   = 1 << 30
	maxRecord = 8 << 20
)

// A record describes what one Keep has stored. There are no handles in it, and
// nothing that tells an owner who is not known already.
type record struct {
	Version   int          `json:"version"`
	Owner     digest       `json:"owner"`
	Created   time.Time    `json:"created"`
	Expires   time.Time    `json:"expires"`
	Artifacts []recordPart `json:"artifacts"`
}

type recordPart struct {
	Handle    digest `json:"handle"`
	Content   digest `json:"content"`
	Size      int64  `json:"size"`
	MediaType string `json:"media_type"`
	Label     string `json:"label"`
}

func blobName(content digest) string { return blobPrefix + content.String() }

// isOwn reports whether a file has a name such as the store gives.
func isOwn(name string) bool {
	if rest, ok := strings.CutPrefix(name, tempPrefix); ok {
		return len(rest) == handleLength-len(handlePrefix) && strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
	}
	return isDigest(name, blobPrefix) || isRecord(name)
}

func isRecord(name string) bool { return isDigest(name, recordPrefix) }

func isDigest(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	return ok && len(rest) == hex.EncodedLen(len(digest{})) && strings.Trim(rest, "0123456789abcdef") == ""
}

// encodeRecord returns the file that holds the artifacts of a Keep.
func encodeRecord(all []*stored) (name string, data []byte, err error) {
	r := record{Version: 1, Owner: all[0].owner, Created: all[0].created.UTC(), Expires: all[0].expires.UTC()}
	for _, s := range all {
		r.Artifacts = append(r.Artifacts, recordPart{s.handle, s.content, s.Size, s.MediaType, s.Label})
	}
	if data, err = json.Marshal(r); err != nil {
		return "", nil, err
	}
	if len(data) > maxRecord {
		return "", nil, fmt.Errorf("the description of %d parts has more than %d bytes", len(all), maxRecord)
	}
	return recordPrefix + sumOf(data).String(), data, nil
}

// decodeRecord returns the artifacts in a file, which may hold anything.
func decodeRecord(name string, data []byte) ([]*stored, error) {
	if recordPrefix+sumOf(data).String() != name {
		return nil, errDamaged
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Version != 1 {
		return nil, fmt.Errorf("version %d is not known", r.Version)
	}
	all := make([]*stored, len(r.Artifacts))
	for i, a := range r.Artifacts {
		if a.Size < 0 || a.Size > maxPart {
			return nil, errors.New("a size is out of range")
		}
		all[i] = &stored{
			Ref:    Ref{MediaType: a.MediaType, Label: a.Label, Size: a.Size},
			handle: a.Handle, owner: r.Owner, content: a.Content,
			created: r.Created, expires: r.Expires, record: name,
		}
	}
	return all, nil
}
