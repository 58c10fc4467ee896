package redis

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/redis/rueidis"

	"github.com/cash-mcp/go-sdk/cash/control"
)

// ApprovalLimits bound the calls that wait for a person, or for their next round. Zero means the default.
type ApprovalLimits struct {
	// Max bounds all of them. Zero is 1000.
	Max int
	// MaxPerOwner bounds those of one owner; one more replaces the owner's oldest. All owners that cannot be told apart
	// share a quarter of Max. So do all owners that one mounting server names. Zero is 16.
	MaxPerOwner int
}

func (l *ApprovalLimits) fill() {
	l.Max = cmp.Or(max(l.Max, 0), 1000)
	l.MaxPerOwner = cmp.Or(max(l.MaxPerOwner, 0), 16)
}

// Approvals returns the store of calls that wait for a person. A request that another replica has asked has no
// [control.ApprovalRequest.Function].
func (c *Client) Approvals() control.ApprovalStore { return approvals{c} }

// approvals is the [control.ApprovalStore]. There are few tickets, so that all of them have one hash tag:
//
//	cash:approvals:{all}:t:id     a ticket
//	cash:approvals:{all}:w:call   the id of the ticket that waits for the call
//	cash:approvals:{all}:d:id     the decision of a ticket, for a minute
//	cash:approvals:{all}:all      ids by expiry; also :o:owner for each owner, and :g:group for owners of one group
type approvals struct{ *Client }

// ticketRules begins the scripts over tickets. Expired tickets are dropped first.
const ticketRules = clock + `
local base, channel = KEYS[1], ARGV[1]
local function at(kind, name) return base .. ':' .. kind .. ':' .. name end
local function drop(id)
	redis.call('ZREM', base .. ':all', id)
	local t = redis.call('HMGET', at('t', id), 'call', 'owner', 'group', 'decision')
	if not t[1] then return end
	redis.call('DEL', at('t', id))
	if t[2] ~= '' then redis.call('ZREM', at('o', t[2]), id) end
	if t[3] ~= '' then redis.call('ZREM', at('g', t[3]), id) end
	if redis.call('GET', at('w', t[1])) == id then redis.call('DEL', at('w', t[1])) end
	if t[4] == '' then redis.call('PUBLISH', channel, 'ticket ' .. id .. ' ') end
end
while true do
	local old = redis.call('ZRANGEBYSCORE', base .. ':all', '-inf', whole(now), 'LIMIT', 0, 100)
	if #old == 0 then break end
	for _, id in ipairs(old) do drop(id) end
end
local function found(id)
	local t = redis.call('HMGET', at('t', id), 'call', 'waits', 'by', 'decision', 'data')
	if not t[1] then return nil end
	return {id, call = t[1], waits = t[2] == '1', by = t[3], decision = t[4], reply = {id, t[4], t[5]}}
end
`

var askTicket = newScript("storing a call that waits", ticketRules+`
local id, call, waits, by, owner, group, decision = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local expires, pending, data = ARGV[9], ARGV[10], ARGV[11]
local most, mostOwner, mostGroup = tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14])
if waits == '1' then
	local other = redis.call('GET', at('w', call))
	local t = other and found(other)
	if t then return t.reply end
end
drop(id)
if tonumber(expires) <= now then return {id, decision, ''} end
local function replace(set, limit)
	if decision ~= '' or redis.call('ZCARD', set) < limit then return end
	local oldest = redis.call('ZRANGE', set, 0, 0)[1]
	drop(oldest)
	redis.call('ZREM', set, oldest) -- also if the server has lost the ticket
end
if owner ~= '' then replace(at('o', owner), mostOwner) end
if group ~= '' then replace(at('g', group), mostGroup) end
if redis.call('ZCARD', base .. ':all') >= most then return {} end
redis.call('HSET', at('t', id), 'call', call, 'waits', waits, 'by', by, 'owner', owner, 'group', group,
	'decision', decision, 'pending', pending, 'data', data)
redis.call('ZADD', base .. ':all', expires, id)
if owner ~= '' then redis.call('ZADD', at('o', owner), expires, id) end
if group ~= '' then redis.call('ZADD', at('g', group), expires, id) end
if waits == '1' then redis.call('SET', at('w', call), id) end
return {id, decision, ''}
`)

var settleTicket = newScript("settling a call that waits", ticketRules+`
local id, by, decision = ARGV[2], ARGV[3], ARGV[4]
local t = found(id)
if not t or not t.waits or t.by ~= by then return 0 end
if decision == '' then
	drop(id)
	return 1
end
if t.decision ~= '' then return 0 end
redis.call('HSET', at('t', id), 'decision', decision)
redis.call('SET', at('d', id), decision, 'PX', 60000)
redis.call('PUBLISH', channel, 'ticket ' .. id .. ' ' .. decision)
return 1
`)

var takeTicket = newScript("taking a call that waits", ticketRules+`
local id, call = ARGV[2], ARGV[3]
if id == '' then
	local waiting = redis.call('GET', at('w', call))
	local t = waiting and found(waiting)
	if not t or t.decision == '' then return {} end
	drop(t[1])
	return t.reply
end
local t = found(id)
if not t or t.call ~= call then return {} end
if t.waits and (t.decision == '' or t.by ~= 'client') then return {} end
drop(id)
return t.reply
`)

var pendingTickets = newScript("listing the calls that wait", ticketRules+`
local list = {}
for _, id in ipairs(redis.call('ZRANGE', base .. ':all', 0, -1)) do
	local t = redis.call('HMGET', at('t', id), 'pending', 'decision', 'data')
	if t[1] == '1' and t[2] == '' then
		table.insert(list, id)
		table.insert(list, t[3])
	end
end
return list
`)

// stateOfTickets returns for each id its decision, or "open", or "gone".
var stateOfTickets = newScript("asking for decisions", ticketRules+`
local list = {}
for i = 2, #ARGV do
	local decision = redis.call('GET', at('d', ARGV[i])) or redis.call('HGET', at('t', ARGV[i]), 'decision') or 'gone'
	if decision == '' then decision = 'open' end
	list[i - 1] = decision
end
return list
`)

// ticketKeys are the keys of all scripts over tickets.
func (c *Client) ticketKeys() []string { return []string{c.key("approvals", "all", "")} }

func (c *Client) ticketName(id string) string { return c.names.of("ticket", id) }

// Ask implements [control.ApprovalStore].
func (a approvals) Ask(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
	id, call := a.ticketName(t.ID), a.names.of("call", t.Call)
	data, err := encodeTicket(t)
	if err != nil {
		return nil, err
	}
	owner, group := "", ""
	by, _, _ := strings.Cut(t.Owner, "\x00")
	if t.Owner != "" {
		owner = a.names.of("owner", t.Owner)
	}
	if t.Owner == "" || t.Owner != by {
		group = a.names.of("group", by)
	}
	if t.Decision == "" {
		a.tickets.watch(id, t, false) // before another replica can settle it
	}
	l := a.opts.Approvals
	reply, err := a.run(ctx, askTicket, a.ticketKeys(), a.channel(), id, call, flag(t.Waits), t.By, owner, group, string(t.Decision),
		strconv.FormatInt(t.Expires.UnixMicro(), 10), flag(t.Request != nil), string(a.seal.close(id, data)),
		strconv.Itoa(l.Max), strconv.Itoa(l.MaxPerOwner), strconv.Itoa(max(l.Max/4, 1)))
	if err != nil {
		a.tickets.forget(id, t)
		return nil, err
	}
	name, stored, err := a.readTicket(askTicket, reply)
	switch {
	case err != nil || name == "":
		a.tickets.forget(id, t)
		if err == nil {
			err = control.ErrNoRoom
		}
		return nil, err
	case name == id:
		a.tickets.confirm(id)
		return t, nil
	}
	a.tickets.forget(id, t)
	if stored == nil {
		return nil, a.unexpected(askTicket, errors.New("a ticket without data"))
	}
	if stored.Decision != "" {
		close(stored.Settled)
		return stored, nil
	}
	a.tickets.watch(name, stored, true)
	a.tickets.check(ctx, []string{name}) // it may have been settled before it was watched
	return stored, nil
}

// readTicket reads the answer of a script: the name of the ticket, empty for none, and what is stored of it.
func (a approvals) readTicket(s *script, reply rueidis.RedisMessage) (name string, t *control.Ticket, err error) {
	list, err := reply.AsStrSlice()
	if err != nil || len(list) != 0 && len(list) != 3 {
		return "", nil, a.unexpected(s, err)
	}
	if len(list) == 0 {
		return "", nil, nil
	}
	if list[2] == "" {
		return list[0], nil, nil
	}
	t, err = a.openTicket(list[0], list[2])
	if err != nil {
		return "", nil, err
	}
	t.Decision = control.Decision(list[1])
	return list[0], t, nil
}

func (a approvals) openTicket(name, sealed string) (*control.Ticket, error) {
	data, err := a.seal.open(name, []byte(sealed))
	if err != nil {
		return nil, err
	}
	return decodeTicket(data)
}

// Settle implements [control.ApprovalStore].
func (a approvals) Settle(ctx context.Context, id, by string, d control.Decision) (bool, error) {
	name := a.ticketName(id)
	reply, err := a.run(ctx, settleTicket, a.ticketKeys(), a.channel(), name, by, string(d))
	if err != nil {
		return false, err
	}
	n, err := reply.AsInt64()
	if err != nil {
		return false, a.unexpected(settleTicket, err)
	}
	if n == 1 {
		a.tickets.settle(name, d)
	}
	return n == 1, nil
}

// Take implements [control.ApprovalStore].
func (a approvals) Take(ctx context.Context, id, call string) (*control.Ticket, error) {
	named := ""
	if id != "" {
		named = a.ticketName(id)
	}
	reply, err := a.runConfirmed(ctx, takeTicket, a.ticketKeys(), a.channel(), named, a.names.of("call", call))
	if err != nil {
		return nil, err
	}
	name, t, err := a.readTicket(takeTicket, reply)
	if t == nil || err != nil {
		return nil, err
	}
	close(t.Settled)
	if known := a.tickets.settle(name, t.Decision); known != nil && known.Request != nil && t.Request != nil {
		t.Request.Function = known.Request.Function
	}
	return t, nil
}

// Pending implements [control.ApprovalStore].
func (a approvals) Pending(ctx context.Context) (list []control.ApprovalRequest, err error) {
	reply, err := a.run(ctx, pendingTickets, a.ticketKeys(), a.channel())
	if err != nil {
		return nil, err
	}
	pairs, err := reply.AsStrSlice()
	if err != nil || len(pairs)%2 != 0 {
		return nil, a.unexpected(pendingTickets, err)
	}
	for i := 0; i < len(pairs); i += 2 {
		t, err := a.openTicket(pairs[i], pairs[i+1])
		if err != nil {
			return nil, err
		}
		if t.Request == nil {
			continue
		}
		if known := a.tickets.known(pairs[i]); known != nil && known.Request != nil {
			t.Request.Function = known.Request.Function
		}
		list = append(list, *t.Request)
	}
	return list, nil
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
