package redis

import (
	"context"
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
	ticker := time.NewTicker(tick)
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
