//go:build realclients

package main

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// folder returns the files that the file server has, by name below its root.
func folder() map[string]string {
	files := map[string]string{
		"notes/release.md": release,
		"notes/todo.md":    "# To do\n\n- Ask Ada about the freeze\n- Order chairs\n- Renew the certificate of the wiki\n",
		"notes/team.md":    "# Team\n\nAda maintains Atlas, Ben the importer, Chen the wiki.\n",
		"notes/dot.png":    dot(),
		"logs/import.log":  importLog(),
	}
	for i := 1; i <= 690; i++ {
		name := fmt.Sprintf("invoice-2023-%04d-paid.pdf", i)
		if i == 117 || i == 342 || i == 588 {
			name = strings.Replace(name, "paid", "unpaid", 1)
		}
		files[fmt.Sprintf("archive/2023-%02d/%s", 1+(i-1)*12/690, name)] = ""
	}
	return files
}

const release = `# Release of Atlas 2.0

Owner: Ada. Everything in this note was agreed in the meeting of 12 May.

## Dates

- Freeze on 3 June. After that, fixes only, and each of them with a review by two people.
- Release candidate on 10 June, on the staging machines first, then with the three pilot customers.
- Release on 17 June, in the morning, so that everybody is there if something breaks.

## What is in it

1. Imports run in batches of 1,000 rows and can be resumed.
2. Invoices are kept for ten years, as PDF, below archive.
3. The wiki has a search that finds parts of words.

## What is not in it

The new rights of groups wait for 2.1. Customers who need them now keep the beta, which is supported until the end of the year.

## If it goes wrong

Ben rolls back to 1.9 with the script in the tools folder. Data that was imported meanwhile is read in again from the queue.
`

// dot is a picture of one pixel.
func dot() string {
	data, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwAChAGA6l7x9wAAAABJRU5ErkJggg==")
	if err != nil {
		panic(err)
	}
	return string(data)
}

func importLog() string {
	var b strings.Builder
	for i := range 800 {
		level, what := "INFO", "imported and acknowledged"
		if i%300 == 123 {
			level, what = "ERROR", "refused, the checksum does not match"
		}
		fmt.Fprintf(&b, "2026-08-30T02:%02d:%02d.%03dZ %s batch %03d %s, %d rows\n", i/60, i%60, i*37%1000, level, i, what, 500+i*i%499)
	}
	return b.String()
}

// nodes is the file of the memory server.
const nodes = `{"type":"entity","name":"Atlas","entityType":"project","observations":["imports invoices","is written in Go"]}
{"type":"entity","name":"Atlas release","entityType":"event","observations":["freeze on 3 June","release on 17 June","2.0"]}
{"type":"entity","name":"Ada","entityType":"person","observations":["maintains Atlas","likes reviews in the morning"]}
{"type":"entity","name":"Ben","entityType":"person","observations":["maintains the importer"]}
{"type":"entity","name":"Chen","entityType":"person","observations":["maintains the wiki"]}
{"type":"relation","from":"Atlas release","to":"Atlas","relationType":"is of"}
{"type":"relation","from":"Ada","to":"Atlas release","relationType":"decides"}
{"type":"relation","from":"Ben","to":"Atlas release","relationType":"helps with"}
`
