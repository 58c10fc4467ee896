package disk_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func sumText(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// plant writes a record whose name fits.
func plant(t testing.TB, dir string, data []byte) string {
	t.Helper()
	name := "record-" + sumText(data)
	write(t, filepath.Join(dir, name), data)
	return name
}

// damages are what may happen to a file.
var damages = map[string]func(t *testing.T, path string){
	"removed":   func(t *testing.T, path string) {},
	"empty":     func(t *testing.T, path string) { write(t, path, nil) },
	"shorter":   func(t *testing.T, path string) { write(t, path, []byte("th")) },
	"longer":    func(t *testing.T, path string) { write(t, path, []byte("the content and more")) },
	"other":     func(t *testing.T, path string) { write(t, path, []byte("THE CONTENT")) },
	"directory": func(t *testing.T, path string) { mkdir(t, path) },
	"link": func(t *testing.T, path string) {
		link(t, filepath.Join(filepath.Dir(filepath.Dir(path)), "outside"), path)
	},
	"dangling": func(t *testing.T, path string) { link(t, "nowhere", path) },
	"loop":     func(t *testing.T, path string) { link(t, filepath.Base(path), path) },
	"device":   func(t *testing.T, path string) { link(t, "/dev/zero", path) },
	"huge":     huge,
	"FIFO":     fifo,
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(path, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// huge makes a file that takes no room.
func huge(t *testing.T, path string) {
	t.Helper()
	write(t, path, []byte("the content"))
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Fatal(err)
	}
}

func damage(t *testing.T, path string, do func(t *testing.T, path string)) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	do(t, path)
}

func TestW32DiskBlobIsDamaged(t *testing.T) {
	for name, do := range damages {
		for _, open := range []string{"while open", "while closed"} {
			t.Run(name+" "+open, func(t *testing.T) {
				top := t.TempDir()
				dir := filepath.Join(top, "store")
				write(t, filepath.Join(top, "outside"), []byte("the content"))
				var log bytes.Buffer
				o := &disk.Options{Logger: textLogger(&log)}
				d := openDisk(t, dir, o)
				refs := keep(t, d, "ann", "the content", "other content")
				blob := filepath.Join(dir, "blob-"+sumText([]byte("the content")))
				if open == "while open" {
					damage(t, blob, do)
				} else {
					closeDisk(t, d)
					damage(t, blob, do)
					d = openDisk(t, dir, o)
				}
				wantNone(t, d, "ann", refs[0].Handle)
				wantData(t, d, "ann", refs[1].Handle, "other content")
				if !strings.Contains(log.String(), "blob-") || strings.Contains(log.String(), "content") {
					t.Errorf("log: %s", &log)
				}
				if name != "directory" { // a store that removes trees would be worse
					h := keep(t, d, "ann", "the content")[0].Handle
					wantData(t, d, "ann", h, "the content")
				}
				closeDisk(t, d)
				wantData(t, openDisk(t, dir, nil), "ann", refs[1].Handle, "other content")
				if data, err := os.ReadFile(filepath.Join(top, "outside")); err != nil || string(data) != "the content" {
					t.Errorf("outside: %q, %v", data, err)
				}
			})
		}
	}
}

func TestW32DiskRecordIsDamaged(t *testing.T) {
	for name, do := range damages {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			write(t, filepath.Join(filepath.Dir(dir), "outside"), []byte("x"))
			d := openDisk(t, dir, nil)
			h := keep(t, d, "ann", "lost")[0].Handle
			record := filepath.Join(dir, names(t, dir, "record-")[0])
			other := keep(t, d, "ann", "other")[0].Handle
			closeDisk(t, d)
			damage(t, record, do)
			var log bytes.Buffer
			d = openDisk(t, dir, &disk.Options{Logger: textLogger(&log)})
			wantNone(t, d, "ann", h)
			wantData(t, d, "ann", other, "other")
			if name != "removed" && name != "directory" && !strings.Contains(log.String(), "record-") {
				t.Errorf("log: %s", &log)
			}
			if name == "directory" {
				os.RemoveAll(record)
			}
			if n := wantTidy(t, dir); n != 1 {
				t.Errorf("%d artifacts, want 1", n)
			}
		})
	}
}

// A record that does not fit its name is damaged, even if it reads well.
func TestW32DiskRecordIsChanged(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir, nil)
	h := keep(t, d, "ann", "x")[0].Handle
	closeDisk(t, d)
	path := filepath.Join(dir, names(t, dir, "record-")[0])
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, bytes.Replace(data, []byte(`"label":""`), []byte(`"label":"run this"`), 1))
	wantNone(t, openDisk(t, dir, nil), "ann", h)
}

// planted returns a record of one artifact, with changes.
func planted(owner, handle, content string, change func(r, a map[string]any)) []byte {
	a := map[string]any{
		"handle": sumText([]byte(handle)), "content": sumText([]byte(content)), "size": len(content),
		"media_type": "text/plain", "label": "",
	}
	r := map[string]any{
		"version": 1, "owner": sumText([]byte(owner)), "created": "2030-01-02T03:00:00Z",
		"expires": "2030-01-02T04:00:00Z", "artifacts": []any{a},
	}
	change(r, a)
	data, _ := json.Marshal(r)
	return data
}

func TestW32DiskRecordsThatAreWrong(t *testing.T) {
	const handle = "art-AAAAAAAAAAAAAAAAAAAAAAAAAA"
	tests := map[string]func(r, a map[string]any){
		"right":        func(r, a map[string]any) {},
		"version":      func(r, a map[string]any) { r["version"] = 2 },
		"no version":   func(r, a map[string]any) { delete(r, "version") },
		"owner":        func(r, a map[string]any) { r["owner"] = "ann" },
		"owner's case": func(r, a map[string]any) { r["owner"] = strings.Repeat("g", 64) },
		"nothing":      func(r, a map[string]any) { r["artifacts"] = []any{} },
		"null":         func(r, a map[string]any) { r["artifacts"] = nil },
		"other type":   func(r, a map[string]any) { r["artifacts"] = "x" },
		"too small":    func(r, a map[string]any) { a["size"] = 6 },
		"too large":    func(r, a map[string]any) { a["size"] = 8 },
		"negative":     func(r, a map[string]any) { a["size"] = -1 },
		"enormous":     func(r, a map[string]any) { a["size"] = int64(1) << 62 },
		"path": func(r, a map[string]any) {
			a["content"] = "../../../../../../../../../../../../../../../../../../etc/passwd"
		},
		"other content":    func(r, a map[string]any) { a["content"] = strings.Repeat("0", 64) },
		"no time":          func(r, a map[string]any) { r["expires"] = "later" },
		"time of the past": func(r, a map[string]any) { r["expires"] = "2030-01-02T03:04:05Z" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "blob-"+sumText([]byte("content"))), []byte("content"))
			plant(t, dir, planted("ann", handle, "content", change))
			d := openDisk(t, dir, &disk.Options{Now: newClock().Now})
			if name == "right" {
				wantData(t, d, "ann", handle, "content")
			} else {
				wantNone(t, d, "ann", handle)
				if left := names(t, dir, ""); len(left) != 1 {
					t.Errorf("%v is left", left)
				}
			}
			wantNone(t, d, "eve", handle)
		})
	}
}

// Two records with the same handle: the first that expires has it, and the room
// is counted once.
func TestW32DiskHandleTwice(t *testing.T) {
	const handle = "art-AAAAAAAAAAAAAAAAAAAAAAAAAA"
	c, dir := newClock(), t.TempDir()
	for _, content := range []string{"one", "two"} {
		write(t, filepath.Join(dir, "blob-"+sumText([]byte(content))), []byte(content))
		plant(t, dir, planted("ann", handle, content, func(r, a map[string]any) {}))
	}
	d := openDisk(t, dir, &disk.Options{MaxPerOwner: 2, Now: c.Now})
	if n := wantTidy(t, dir); n != 1 {
		t.Errorf("%d artifacts", n)
	}
	keep(t, d, "ann", "x")
	c.advance(time.Hour)
	wantNone(t, d, "ann", handle)
	reserve(t, d, "ann", 0)
	reserve(t, d, "ann", 0)
	wantFull(t, d, "ann", 0, "artifacts per owner", 0)
}

// What is not the store's own stays as it is, and nothing of it is in the way.
func TestW32DiskLeavesOthersAlone(t *testing.T) {
	top := t.TempDir()
	dir, outside := filepath.Join(top, "store"), filepath.Join(top, "outside")
	mkdir(t, dir)
	mkdir(t, outside)
	write(t, filepath.Join(outside, "file"), []byte("x"))
	mine := []string{
		"notes.txt", "temp-", "temp-abc", "temp-" + strings.Repeat("a", 26), "blob-", "record-", "blob-" + strings.Repeat("0", 63),
		"blob-" + strings.Repeat("A", 64), "record-" + strings.Repeat("g", 64), "lock2",
	}
	for _, name := range mine {
		write(t, filepath.Join(dir, name), []byte("mine"))
	}
	link(t, outside, filepath.Join(dir, "record-"+strings.Repeat("0", 64)))
	link(t, outside, filepath.Join(dir, "temp-"+strings.Repeat("A", 26)))
	link(t, filepath.Join(outside, "file"), filepath.Join(dir, "blob-"+strings.Repeat("0", 64)))
	fifo(t, filepath.Join(dir, "record-"+strings.Repeat("1", 64)))
	fifo(t, filepath.Join(dir, "a fifo"))
	mkdir(t, filepath.Join(dir, "record-"+strings.Repeat("2", 64)))
	mkdir(t, filepath.Join(dir, "temp-"+strings.Repeat("B", 26)))

	d := openDisk(t, dir, nil)
	wantData(t, d, "ann", keep(t, d, "ann", "x")[0].Handle, "x")
	for _, name := range mine {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != "mine" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(outside, "file")); err != nil || string(data) != "x" {
		t.Errorf("outside: %q, %v", data, err)
	}
	for _, gone := range []string{"record-" + strings.Repeat("0", 64), "record-" + strings.Repeat("1", 64), "blob-" + strings.Repeat("0", 64)} {
		if _, err := os.Lstat(filepath.Join(dir, gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "temp-"+strings.Repeat("B", 26), "below")); err != nil {
		t.Error("a directory is removed")
	}
}

func TestW32DiskLockIsNoFile(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, path string){
		"link": damages["link"], "dangling": damages["dangling"], "fifo": fifo, "directory": mkdir,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			mkdir(t, dir)
			write(t, filepath.Join(filepath.Dir(dir), "outside"), nil)
			do(t, filepath.Join(dir, "lock"))
			if _, err := disk.Open(dir, nil); err == nil || !strings.Contains(err.Error(), "lock") {
				t.Errorf("Open: %v", err)
			}
		})
	}
}

// A directory with very many files opens, in time that grows with their number.
func TestW32DiskManyFiles(t *testing.T) {
	dir := durabletest.Scratch(t)
	d := openDisk(t, dir, nil)
	h := keep(t, d, "ann", "x")[0].Handle
	closeDisk(t, d)
	for i := range 3000 {
		write(t, filepath.Join(dir, fmt.Sprint("junk", i)), nil)
		write(t, filepath.Join(dir, "temp-"+fmt.Sprintf("%026b", i)), nil)
		write(t, filepath.Join(dir, fmt.Sprintf("temp-%s", strings.NewReplacer("0", "A", "1", "B").Replace(fmt.Sprintf("%026b", i)))), nil)
		write(t, filepath.Join(dir, fmt.Sprintf("blob-%064x", i)), nil)
		write(t, filepath.Join(dir, fmt.Sprintf("record-%064x", i)), nil)
	}
	d = openDisk(t, dir, nil)
	wantData(t, d, "ann", h, "x")
	if n := len(names(t, dir, "")); n != 3+6000 {
		t.Errorf("%d files, want the store's 3 and 6000 of others", n)
	}
}

// There is a bound to how long an opening may take, and the next one goes on.
func TestW32DiskVeryManyFiles(t *testing.T) {
	const most = 1 << 16 // that are removed at once
	dir := durabletest.Scratch(t)
	d := openDisk(t, dir, nil)
	h := keep(t, d, "ann", "x")[0].Handle
	closeDisk(t, d)
	for i := range most + 10 {
		write(t, filepath.Join(dir, fmt.Sprintf("blob-%064x", i)), nil)
	}
	for _, left := range []int{10, 0} {
		d = openDisk(t, dir, nil)
		wantData(t, d, "ann", h, "x")
		if n := len(names(t, dir, "")) - 3; n != left {
			t.Errorf("%d stale files are left, want %d", n, left)
		}
		closeDisk(t, d)
	}
}

// FuzzOpen opens a directory with any record and any blob.
func FuzzOpen(f *testing.F) {
	const handle = "art-AAAAAAAAAAAAAAAAAAAAAAAAAA"
	f.Add(planted("ann", handle, "content", func(r, a map[string]any) {}), []byte("content"))
	f.Add([]byte("{}"), []byte(nil))
	f.Add([]byte(`{"version":1,"artifacts":[{},{},null]}`), []byte(nil))
	f.Fuzz(func(t *testing.T, record, blob []byte) {
		dir, c := durabletest.Scratch(t), newClock()
		write(t, filepath.Join(dir, "blob-"+sumText(blob)), blob)
		plant(t, dir, record)
		d := openDisk(t, dir, &disk.Options{Now: c.Now})
		if a, err := d.Open(t.Context(), "ann", handle); err == nil && !bytes.Equal(a.Data, blob) {
			t.Errorf("%q is opened, of %q", a.Data, blob)
		}
		keep(t, d, "ann", "x")
		c.advance(time.Hour) // whatever it says, it does not live longer
		keep(t, d, "ann", "y")
		if n := wantTidy(t, dir); n != 1 {
			t.Errorf("%d artifacts are left", n)
		}
		closeDisk(t, d)
	})
}
