package redis

import "time"

// SetMinute shortens the minute of quotas.
func (c *Client) SetMinute(d time.Duration) { c.minute = d }

// Judge judges the facts of a server.
func (c *Client) Judge(facts map[string]string) ([]string, error) { return c.judge(facts) }
