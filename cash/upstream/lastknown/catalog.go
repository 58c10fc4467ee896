package lastknown

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxAnswers bounds the answers of a catalog.
const maxAnswers = 50_000

// maxBytes bounds all requests and answers of a catalog. Tests lower it.
var maxBytes = 64 << 20

// magic begins what is stored, before it is compressed.
const magic = "cash catalog 2\n"

// A Catalog is the transcript of how a server's catalog was read. It is immutable.
type Catalog struct {
	server  json.RawMessage            // the result of initialize
	answers map[string]json.RawMessage // results by request; empty if the server gave none
	whole   int                        // the number of answers when all was last read
}

// A recording records the answers of a server while its catalog is read. It is safe for concurrent use.
type recording struct {
	mu      sync.Mutex
	answers map[string]json.RawMessage // nil values are requests without a result
}

// add records the result of a request; nil if there was none. Of several results the first counts: a revision that was
// read before the rest must stay older than that.
func (r *recording) add(method string, params mcp.Params, result json.RawMessage) {
	data, err := json.Marshal(params)
	if err != nil {
		return
	}
	key, err := requestKey(method, data)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answers == nil {
		r.answers = make(map[string]json.RawMessage)
	}
	if _, ok := r.answers[key]; !ok && len(r.answers) < maxAnswers {
		r.answers[key] = result
	}
}

// catalog returns what was recorded of a server. If the server was read in part because the rest had not changed, the
// rest is that of before. Nil is that all was read.
func (r *recording) catalog(server *mcp.InitializeResult, before *Catalog) (*Catalog, error) {
	plain := *server
	plain.ProtocolVersion = replayed
	text, err := json.Marshal(&plain)
	if err != nil {
		return nil, err
	}
	c := &Catalog{server: text, answers: make(map[string]json.RawMessage)}
	r.mu.Lock()
	defer r.mu.Unlock()
	lists := make(map[string]bool) // that were read: all pages are
	for key, result := range r.answers {
		lists[listOf(key)] = true
		c.answers[key] = result
	}
	if c.whole = len(c.answers); before == nil {
		return c, nil
	}
	c.whole = before.whole
	for key, result := range before.answers {
		list := listOf(key)
		if _, read := r.answers[key]; !read && (list == "" || !lists[list]) {
			c.answers[key] = result
		}
	}
	return c, nil
}

// worn reports whether so much may have been removed from the server that it is time to read all of it again.
func (c *Catalog) worn() bool { return len(c.answers) > 2*c.whole+100 }

// requestKey returns the key of a request, which does not depend on its metadata.
func requestKey(method string, params []byte) (string, error) {
	members := make(map[string]any)
	d := json.NewDecoder(bytes.NewReader(params))
	d.UseNumber()
	if len(params) > 0 {
		if err := d.Decode(&members); err != nil {
			return "", err
		}
	}
	if members == nil { // of null
		members = make(map[string]any)
	}
	delete(members, "_meta")
	rest, err := json.Marshal(members)
	return method + "\n" + string(rest), err
}

// listOf returns the method of a request for a page of a list; empty for others.
func listOf(key string) string {
	if method, _, _ := strings.Cut(key, "\n"); strings.HasSuffix(method, "/list") {
		return method
	}
	return ""
}

// Encode returns what to keep of the catalog; the age is left zero. It is an error if the catalog is too large.
func (c *Catalog) Encode() (Kept, error) {
	size := len(c.server)
	for key, result := range c.answers {
		size += len(key) + len(result)
	}
	if size > maxBytes || len(c.answers) > maxAnswers {
		return Kept{}, fmt.Errorf("the catalog has %d answers with %d bytes; at most %d with %d are kept", len(c.answers), size, maxAnswers, maxBytes)
	}
	plain := append(make([]byte, 0, size+size/8), magic...)
	add := func(b []byte) { plain = append(binary.AppendUvarint(plain, uint64(len(b))), b...) }
	plain = binary.AppendUvarint(plain, uint64(c.whole))
	add(c.server)
	for _, key := range slices.Sorted(maps.Keys(c.answers)) {
		add([]byte(key))
		add(c.answers[key])
	}
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed) // the level is valid
	_, _ = w.Write(plain)                             // a buffer takes all
	_ = w.Close()
	return Kept{Revision: revisionOf(plain), Data: out.Bytes()}, nil
}

func revisionOf(plain []byte) string {
	sum := sha256.Sum256(plain)
	return hex.EncodeToString(sum[:])
}

// errCorrupt says that what was found is not what was kept.
var errCorrupt = errors.New("what is stored of it is damaged, or is no catalog")

// Decode returns the catalog that was kept. It checks that nothing is missing or changed, and no more: see
// [Catalog.Transport].
func Decode(k Kept) (*Catalog, error) {
	r, err := gzip.NewReader(bytes.NewReader(k.Data))
	if err != nil {
		return nil, errCorrupt
	}
	most := len(magic) + maxBytes + (2*maxAnswers+2)*binary.MaxVarintLen64
	plain, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil || len(plain) > most || revisionOf(plain) != k.Revision {
		return nil, errCorrupt
	}
	rest, ok := bytes.CutPrefix(plain, []byte(magic))
	next := func() (part []byte) {
		n, used := binary.Uvarint(rest)
		if used <= 0 || n > uint64(len(rest)-used) {
			ok, rest = false, nil
			return nil
		}
		part, rest = rest[used:used+int(n)], rest[used+int(n):]
		return part
	}
	c := &Catalog{answers: make(map[string]json.RawMessage)}
	whole, used := binary.Uvarint(rest)
	ok = ok && used > 0 && whole <= maxAnswers
	c.whole, rest = int(whole), rest[max(used, 0):]
	c.server = next()
	for ok && len(rest) > 0 && len(c.answers) < maxAnswers {
		key := string(next())
		c.answers[key] = next()
	}
	if !ok || len(rest) > 0 || !json.Valid(c.server) {
		return nil, errCorrupt
	}
	for _, result := range c.answers {
		if len(result) > 0 && !json.Valid(result) {
			return nil, errCorrupt
		}
	}
	return c, nil
}
