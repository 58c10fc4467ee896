package redis

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/rueidis"
)

// check asks all nodes for version, eviction and persistence. It returns what they may forget.
func (c *Client) check(ctx context.Context) (forgets []string, err error) {
	for address, node := range c.redis.Nodes() {
		facts := make(map[string]string)
		for _, section := range []string{"server", "memory", "persistence", "replication"} {
			reply, err := c.do(ctx, "reading INFO "+section, func(ctx context.Context) (rueidis.RedisMessage, error) {
				return node.Do(ctx, node.B().Info().Section(section).Build()).ToMessage()
			})
			if err != nil {
				return nil, err
			}
			text, err := reply.ToString()
			if err != nil {
				return nil, c.explain("reading INFO "+section, err)
			}
			for line := range strings.Lines(text) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
				facts[name] = value
			}
		}
		lost, err := c.judge(facts)
		if err != nil {
			return nil, fmt.Errorf("redis at %s: %w", address, err)
		}
		forgets = append(forgets, lost...)
	}
	slices.Sort(forgets)
	return slices.Compact(forgets), nil
}

// judge returns what a node with these facts may forget, or why it cannot be used.
func (c *Client) judge(facts map[string]string) (forgets []string, err error) {
	version := facts["redis_version"]
	if !atLeast(version, 6, 2) {
		return nil, fmt.Errorf("its version is %.20q; it takes Redis 6.2, Valkey 7.2, or a later one", version)
	}
	if policy := facts["maxmemory_policy"]; policy != "noeviction" && facts["maxmemory"] != "0" {
		if !c.opts.Evicting {
			return nil, fmt.Errorf("its maxmemory-policy is %.30q: it would drop used plan tokens, counts and artifacts when its memory is full; set noeviction, or Options.Evicting", policy)
		}
		forgets = append(forgets, "When its memory is full, the server drops keys: used plan tokens, counts, approvals, accepted definitions and artifacts may be lost.")
	}
	if facts["aof_enabled"] == "0" {
		forgets = append(forgets, "The server has no append-only file: when it restarts, what was stored since its last snapshot is lost, also used plan tokens.")
	}
	if n := facts["connected_slaves"]; n != "" && n != "0" && c.opts.Replicas == 0 {
		forgets = append(forgets, "The server has replicas, and Options.Replicas is 0: a failover may lose what was stored last, also used plan tokens.")
	}
	return forgets, nil
}

// atLeast reports whether a version such as 7.0.15 is major.minor or later.
func atLeast(version string, major, minor int) bool {
	numbers := strings.Split(version, ".")
	if len(numbers) < 2 {
		return false
	}
	x, err1 := strconv.Atoi(numbers[0])
	y, err2 := strconv.Atoi(numbers[1])
	return err1 == nil && err2 == nil && (x > major || x == major && y >= minor)
}
