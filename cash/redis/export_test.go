package redis

import "time"

// SetMinute shortens the minute of quotas.
func (c *Client) SetMinute(d time.Duration) { c.minute = d }
