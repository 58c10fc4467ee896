package redis

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

// Pins returns the store of accepted definitions.
func (c *Client) Pins() pin.Store { return pins{c} }

// pins is the [pin.Store]. There are few upstreams, so that all of them have one hash tag:
//
//	cash:pins:{all}           for each upstream: its revision, a blank, its label sealed
//	cash:pins:{all}:upstream  the definitions, sealed
type pins struct{ *Client }

// maxPins bounds the definitions of one upstream, as in a pin file.
const maxPins = 64 << 20

var loadPins = newScript("reading accepted definitions", `
local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry then return {} end
return {string.match(entry, '^%S*'), redis.call('GET', KEYS[1] .. ':' .. ARGV[1]) or ''}
`)

// swapPins takes channel, upstream, revision, next revision, sealed label and definitions. Without a next revision the
// upstream is deleted.
var swapPins = newScript("saving accepted definitions", `
local all, channel, upstream, revision, following = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local entry = redis.call('HGET', all, upstream)
if (entry and string.match(entry, '^%S*') or '') ~= revision then return 0 end
if following == '' then
	redis.call('HDEL', all, upstream)
	redis.call('DEL', all .. ':' .. upstream)
else
	redis.call('SET', all .. ':' .. upstream, ARGV[6])
	redis.call('HSET', all, upstream, following .. ' ' .. ARGV[5])
end
redis.call('PUBLISH', channel, 'pins ' .. upstream)
return 1
`)

func (p pins) keys() []string { return []string{p.key("pins", "all", "")} }

// Load implements [pin.Store].
func (p pins) Load(ctx context.Context, label string) (pin.Pins, error) {
	name := p.names.of("upstream", label)
	reply, err := p.run(ctx, loadPins, p.keys(), name)
	if err != nil {
		return pin.Pins{}, err
	}
	list, err := reply.AsStrSlice()
	if err != nil || len(list) != 0 && len(list) != 2 {
		return pin.Pins{}, p.unexpected(loadPins, err)
	}
	if len(list) == 0 {
		return pin.Pins{}, nil
	}
	data, err := p.seal.open("pins "+name, []byte(list[1]))
	if err != nil {
		return pin.Pins{}, err
	}
	definitions, err := decodePins(data)
	if err != nil {
		return pin.Pins{}, err
	}
	return pin.Pins{Revision: list[0], Definitions: definitions}, nil
}

// Swap implements [pin.Store]. It is an error if a definition is nil or has another name than its key, or if all of
// them take more than 64 MiB.
func (p pins) Swap(ctx context.Context, label, revision string, definitions map[string]*pin.Definition) (string, error) {
	data, err := encodePins(label, definitions)
	if err != nil {
		return "", err
	}
	name, next := p.names.of("upstream", label), ""
	if definitions != nil {
		next = rand.Text()
	}
	shown := base64.RawStdEncoding.EncodeToString(p.seal.close("label "+name, []byte(label)))
	reply, err := p.runConfirmed(ctx, swapPins, p.keys(), p.channel(), name, revision, next, shown, string(p.seal.close("pins "+name, data)))
	if err != nil {
		return "", err
	}
	switch n, err := reply.AsInt64(); {
	case err != nil:
		return "", p.unexpected(swapPins, err)
	case n == 0:
		return "", pin.ErrChanged
	}
	return next, nil
}

// Watch implements [pin.Store]. Changes that were made while the server could not be reached are told afterwards.
func (p pins) Watch(ctx context.Context, changed func(label string)) error {
	return p.news.watch(ctx, "pins", p.listing(p.keys(), "label "), changed)
}

// A pinRecord is a definition as it is stored. All members are bytes, because none of them may change.
type pinRecord struct {
	Name, Title, Description                            []byte
	InputSchema, OutputSchema, Annotations, Icons, Meta []byte `json:",omitempty"`
	Function                                            bool   `json:",omitempty"`
}

func encodePins(label string, definitions map[string]*pin.Definition) ([]byte, error) {
	if label == "" || !utf8.ValidString(label) {
		return nil, fmt.Errorf("redis: pinning for upstream %.64q: the label is empty or not UTF-8", label)
	}
	list := make([]pinRecord, 0, len(definitions))
	for name, d := range definitions {
		if d == nil || d.Name != name || name == "" {
			return nil, fmt.Errorf("redis: pinning for upstream %.64q: there is no definition of tool %.64q", label, name)
		}
		list = append(list, pinRecord{
			[]byte(d.Name), []byte(d.Title), []byte(d.Description),
			d.InputSchema, d.OutputSchema, d.Annotations, d.Icons, d.Meta, d.Function,
		})
	}
	data, err := json.Marshal(list)
	if err == nil && len(data) > maxPins {
		err = fmt.Errorf("redis: pinning for upstream %.64q: %d bytes of definitions, at most %d are stored", label, len(data), maxPins)
	}
	return data, err
}

func decodePins(data []byte) (map[string]*pin.Definition, error) {
	var list []pinRecord
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("redis: reading accepted definitions: %w", err)
	}
	definitions := make(map[string]*pin.Definition, len(list))
	for _, d := range list {
		definitions[string(d.Name)] = &pin.Definition{
			Name: string(d.Name), Title: string(d.Title), Description: string(d.Description),
			InputSchema: d.InputSchema, OutputSchema: d.OutputSchema, Annotations: d.Annotations,
			Icons: d.Icons, Meta: d.Meta, Function: d.Function,
		}
	}
	return definitions, nil
}
