package redis

import "time"

// SetMinute shortens the minute of quotas.
func (c *Client) SetMinute(d time.Duration) { c.minute = d }

// Judge judges the facts of a server.
func (c *Client) Judge(facts map[string]string) ([]string, error) { return c.judge(facts) }

// WithLease shortens the lease of reservations.
func (o Options) WithLease(d time.Duration) Options { o.lease = d; return o }

// WithTick lengthens the interval at which changes are looked for without a message.
func (o Options) WithTick(d time.Duration) Options { o.tick = d; return o }

// Channel is the channel of all messages.
func (c *Client) Channel() string { return c.channel() }

// StopRenewing ends the renewal of reservations, as the end of the process would.
func (c *Client) StopRenewing() { c.rooms.close() }

// Explain explains an error of an operation.
func (c *Client) Explain(err error) error { return c.explain("testing", err) }
