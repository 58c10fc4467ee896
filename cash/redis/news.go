package redis

import (
	"cmp"
	"context"
	"encoding/base64"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"
)

// news tells listeners what other replicas have changed: by publish and subscribe, and with a tick as the net, because
// messages may be lost. It ends with its client.
type news struct {
	client *Client
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu        sync.Mutex
	last      int
	listeners map[int]func(topic, text string)
}

// tick is the interval at which listeners check for themselves.
const tick = time.Second

func newNews(c *Client) *news {
	ctx, cancel := context.WithCancel(context.Background())
	n := &news{client: c, cancel: cancel, listeners: make(map[int]func(topic, text string))}
	n.done.Go(func() { n.receive(ctx) })
	n.done.Go(func() { n.tick(ctx) })
	return n
}

func (n *news) close() {
	n.cancel()
	n.done.Wait()
}

// channel is the channel of all messages: topic, blank, text.
func (c *Client) channel() string { return c.opts.Prefix + "news" }

// listen calls f with each message, and with an empty topic when messages may have been lost. f must be fast.
func (n *news) listen(f func(topic, text string)) (end func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	id := n.last
	n.listeners[id] = f
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.listeners, id)
	}
}

// watch calls changed with each name whose revision is a new one, until ctx ends. A message with the topic has it compare
// one entry, and a tick all of them: so changes that were made while the server could not be reached are told afterwards.
func (n *news) watch(ctx context.Context, topic string, revisions func(ctx context.Context, entry string) (map[string]string, error), changed func(name string)) error {
	wake := make(chan string, 16)
	end := n.listen(func(about, entry string) {
		if about == "" || about == topic {
			select {
			case wake <- entry:
			default: // a later tick makes up for it
			}
		}
	})
	defer end()
	seen, err := revisions(ctx, "")
	if err != nil {
		return err
	}
	for {
		var entry string
		select {
		case entry = <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		now, err := revisions(ctx, entry)
		if err == nil && entry != "" && len(now) == 0 { // it was deleted, and its name with it
			entry = ""
			now, err = revisions(ctx, "")
		}
		if err != nil {
			continue // the next tick asks again
		}
		for name, revision := range now {
			if seen[name] != revision {
				changed(name)
			}
			if entry != "" {
				seen[name] = revision
			} else {
				delete(seen, name)
			}
		}
		if entry != "" {
			continue
		}
		for name := range seen {
			changed(name)
		}
		seen = now
	}
}

// listEntries takes an entry of a hash; empty is all of them.
var listEntries = newScript("listing what may have changed", `
if ARGV[1] == '' then return redis.call('HGETALL', KEYS[1]) end
return {ARGV[1], redis.call('HGET', KEYS[1], ARGV[1]) or ''}
`)

// listing returns what lists the revisions of a hash, for one watch. The value of an entry is its revision, a blank, and
// its name sealed for place. Each seal is opened once. What cannot be opened is left out: it was sealed with another key,
// or damaged, and whoever looks for it by name gets an error.
func (c *Client) listing(keys []string, place string) func(ctx context.Context, entry string) (map[string]string, error) {
	names := make(map[string]string) // by entry
	return func(ctx context.Context, entry string) (map[string]string, error) {
		reply, err := c.run(ctx, listEntries, keys, entry)
		if err != nil {
			return nil, err
		}
		pairs, err := reply.AsStrSlice()
		if err != nil || len(pairs)%2 != 0 {
			return nil, c.unexpected(listEntries, err)
		}
		if len(names) > len(pairs) && entry == "" {
			clear(names) // of entries that were deleted
		}
		all := make(map[string]string)
		for i := 0; i < len(pairs); i += 2 {
			at := strings.LastIndexByte(pairs[i+1], ' ')
			if at < 0 {
				continue
			}
			name, known := names[pairs[i]]
			if !known {
				sealed, err := base64.RawStdEncoding.DecodeString(pairs[i+1][at+1:])
				if err != nil {
					continue
				}
				opened, err := c.seal.open(place+pairs[i], sealed)
				if err != nil {
					continue
				}
				name = string(opened)
				names[pairs[i]] = name
			}
			all[name] = pairs[i+1][:at]
		}
		return all, nil
	}
}

func (n *news) tell(topic, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.listeners {
		f(topic, text)
	}
}

// receive subscribes, again and again, until ctx ends.
func (n *news) receive(ctx context.Context) {
	redis := n.client.redis
	for ctx.Err() == nil {
		_ = redis.Receive(ctx, redis.B().Subscribe().Channel(n.client.channel()).Build(), func(m rueidis.PubSubMessage) {
			topic, text, _ := strings.Cut(m.Message, " ")
			n.tell(topic, text)
		})
		select {
		case <-ctx.Done():
		case <-time.After(tick):
		}
	}
}

func (n *news) tick(ctx context.Context) {
	ticker := time.NewTicker(cmp.Or(n.client.opts.tick, tick))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			n.tell("", "")
		}
	}
}
