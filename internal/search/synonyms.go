package search

import (
	"strings"
	"sync"
)

// synonymGroups are groups of words that mean the same when people talk about tools. A word may be in several groups.
const synonymGroups = `
create add new make insert register generate
delete remove erase drop destroy discard
list enumerate show browse display
get fetch retrieve read load obtain show view
update edit modify change alter patch revise amend
search find query lookup locate discover
send post deliver dispatch transmit share
run execute launch invoke trigger perform
start begin open launch initiate
stop end halt terminate kill quit
cancel abort void revoke
stop cancel abort
close finish complete resolve
save store write persist keep record
upload import ingest
download export fetch
copy duplicate clone replicate
move rename relocate transfer
convert transform translate
compute calculate evaluate
count number total
check verify validate test confirm inspect
analyze analyse examine inspect
compare diff difference
merge combine join dedupe deduplicate
split divide separate
enable activate
disable deactivate suspend
turn switch toggle enable disable
allow permit grant authorize
deny forbid refuse reject
lock block ban
assign allocate attach
schedule plan book reserve
buy purchase order
pay payment charge
refund reimburse
publish release
subscribe follow
approve accept
reject decline deny
monitor watch track observe
suggest recommend propose
reply respond answer
message msg notification notify
ticket issue bug case
user account member person people
client customer buyer
employee staff worker
company organization organisation org business firm
team group
file document doc
folder directory dir
picture image photo
video movie film clip
music song track
email mail
chat conversation thread channel
meeting appointment event
calendar agenda schedule
task todo
reminder alert alarm
error failure fault exception crash
log history
repository repo
commit revision
code source
tag label category
comment note remark
setting config configuration preference option
permission access right privilege
authentication auth login signin
password credential secret
info information detail
money currency
price cost fee rate quote
stock share equity
invoice bill
news headline article
weather forecast
city town
place location address position
route direction path
trip travel journey
hotel accommodation lodging
flight airline plane
car vehicle automobile
job vacancy position
website site webpage page url link
table sheet spreadsheet
chart graph plot diagram
summary summarize overview abstract
statistics stats metric analytics
recent latest newest
database db
container docker
server host machine
`

// synonyms maps a stem to the stems of all words in its groups.
var synonyms = sync.OnceValue(func() map[string][]string {
	s := newStemmer()
	m := make(map[string][]string)
	for line := range strings.Lines(strings.TrimSpace(synonymGroups)) {
		words := strings.Fields(line)
		for i, w := range words {
			words[i] = s.stem(w)
		}
		for _, w := range words {
			for _, other := range words {
				if other != w {
					m[w] = append(m[w], other)
				}
			}
		}
	}
	return m
})
