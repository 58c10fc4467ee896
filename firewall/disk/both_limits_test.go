package disk_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
)

func TestW32Limits(t *testing.T) {
	tests := []struct {
		name   string
		o      firewall.MemoryOptions
		first  string // owner of two artifacts of 10 bytes, one a second after the other
		second string // owner who asks for 10 more
		limit  string
	}{
		{"artifacts", firewall.MemoryOptions{MaxArtifacts: 2}, "ann", "bob", "artifacts"},
		{"bytes", firewall.MemoryOptions{MaxBytes: 29}, "ann", "bob", "bytes"},
		{"artifacts of one", firewall.MemoryOptions{MaxPerOwner: 2}, "ann", "ann", "artifacts per owner"},
		{"bytes of one", firewall.MemoryOptions{MaxBytesPerOwner: 29}, "ann", "ann", "bytes per owner"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClock()
			tt.o.Now, tt.o.MaxAge = c.Now, time.Minute
			eachStore(t, tt.o, func(t *testing.T, s firewall.Store) {
				one := keep(t, s, tt.first, "0123456789")[0].Handle
				c.advance(time.Second)
				two := keep(t, s, tt.first, "0123456789")[0].Handle
				wantFull(t, s, tt.second, 10, tt.limit, 59*time.Second)
				wantData(t, s, tt.first, one, "0123456789") // not at its cost
				c.advance(59*time.Second - 1)
				wantFull(t, s, tt.second, 10, tt.limit, 1)
				c.advance(1)
				r := reserve(t, s, tt.second, 10)
				wantFull(t, s, tt.second, 10, tt.limit, time.Second)
				r.Release()
				r.Release() // once more does nothing
				r = reserve(t, s, tt.second, 10)
				wantFull(t, s, tt.second, 10, tt.limit, time.Second)
				r.Release()
				wantNone(t, s, tt.first, one)
				wantData(t, s, tt.first, two, "0123456789")
			})
		})
	}
}

func TestW32LimitsOfOneLeaveRoomForOthers(t *testing.T) {
	c := newClock()
	o := firewall.MemoryOptions{MaxPerOwner: 1, MaxBytesPerOwner: 10, Now: c.Now}
	eachStore(t, o, func(t *testing.T, s firewall.Store) {
		keep(t, s, "ann", "0123456789")
		wantFull(t, s, "ann", 0, "artifacts per owner", 5*time.Minute)
		keep(t, s, "bob", "0123456789") // nor does it matter that the content is the same
	})
}

func TestW32ReservationsAddUp(t *testing.T) {
	c := newClock()
	eachStore(t, firewall.MemoryOptions{MaxBytes: 100, Now: c.Now}, func(t *testing.T, s firewall.Store) {
		one := reserve(t, s, "ann", 60)
		two := reserve(t, s, "bob", 40)
		wantFull(t, s, "cat", 1, "bytes", 0) // nobody knows when
		reserve(t, s, "cat", 0).Release()
		one.Release()
		wantFull(t, s, "cat", 61, "bytes", 0)
		reserve(t, s, "cat", 60).Release()
		two.Release()
		reserve(t, s, "cat", 100).Release()
	})
}

func TestW32WhatIsKeptTakesItsReservation(t *testing.T) {
	c := newClock()
	eachStore(t, firewall.MemoryOptions{MaxBytes: 100, Now: c.Now}, func(t *testing.T, s firewall.Store) {
		r := reserve(t, s, "ann", 100)
		for _, data := range []string{strings.Repeat("a", 30), strings.Repeat("b", 30)} {
			if _, err := r.Keep(t.Context(), parts(data)); err != nil {
				t.Fatal(err)
			}
			wantFull(t, s, "bob", 1, "bytes", 5*time.Minute) // the rest is reserved still
		}
		r.Release()
		reserve(t, s, "bob", 40).Release()
		wantFull(t, s, "bob", 41, "bytes", 5*time.Minute)
	})
}

func TestW32AResultIsKeptBeyondItsReservation(t *testing.T) {
	c := newClock()
	o := firewall.MemoryOptions{MaxBytes: 10, MaxArtifacts: 2, MaxAge: time.Minute, Now: c.Now}
	eachStore(t, o, func(t *testing.T, s firewall.Store) {
		r, other := reserve(t, s, "ann", 5), reserve(t, s, "bob", 5)
		big := strings.Repeat("x", 1000)
		refs, err := r.Keep(t.Context(), parts(big, "a", "b", "c"))
		if err != nil {
			t.Fatal(err)
		}
		r.Release()
		late, err := r.Keep(t.Context(), parts("late"))
		if err != nil {
			t.Fatal(err)
		}
		wantFull(t, s, "cat", 0, "artifacts", time.Minute)
		theirs, err := other.Keep(t.Context(), parts("fits")) // what was promised holds
		if err != nil {
			t.Fatal(err)
		}
		other.Release()
		for i, want := range []string{big, "a", "b", "c"} {
			wantData(t, s, "ann", refs[i].Handle, want)
		}
		wantData(t, s, "ann", late[0].Handle, "late")
		wantData(t, s, "bob", theirs[0].Handle, "fits")
		c.advance(time.Minute)
		reserve(t, s, "cat", 10).Release()
	})
}

// The parts of a reservation may expire before it is given back.
func TestW32ReservationsOutliveTheirParts(t *testing.T) {
	c := newClock()
	eachStore(t, firewall.MemoryOptions{MaxBytesPerOwner: 100, Now: c.Now}, func(t *testing.T, s firewall.Store) {
		r := reserve(t, s, "ann", 100)
		if _, err := r.Keep(t.Context(), parts("a")); err != nil {
			t.Fatal(err)
		}
		c.advance(30 * time.Minute)
		wantFull(t, s, "ann", 2, "bytes per owner", 0)
		r.Release()
		reserve(t, s, "ann", 100)
		wantFull(t, s, "ann", 1, "bytes per owner", 0)
	})
}

func TestW32LabelsAndMediaTypesTakeRoom(t *testing.T) {
	c := newClock()
	eachStore(t, firewall.MemoryOptions{MaxBytes: 100, Now: c.Now}, func(t *testing.T, s firewall.Store) {
		r := reserve(t, s, "ann", 100)
		defer r.Release()
		part := firewall.Part{Label: strings.Repeat("l", 50), MediaType: strings.Repeat("m", 50)}
		if _, err := r.Keep(t.Context(), []firewall.Part{part}); err != nil {
			t.Fatal(err)
		}
		wantFull(t, s, "bob", 1, "bytes", 5*time.Minute)
	})
}

func TestW32SizesOfReservations(t *testing.T) {
	c := newClock()
	eachStore(t, firewall.MemoryOptions{MaxBytes: 1 << 20, Now: c.Now}, func(t *testing.T, s firewall.Store) {
		reserve(t, s, "ann", 1)
		wantFull(t, s, "ann", math.MaxInt64, "bytes per owner", 0)
		wantFull(t, s, "ann", 1<<20, "bytes", 0)
		reserve(t, s, "ann", math.MinInt64) // nothing, and does not make room
		wantFull(t, s, "ann", 1<<20, "bytes", 0)
		reserve(t, s, "ann", 1<<20-1)
	})
}

func TestW32ManyOwnersLeaveNothing(t *testing.T) {
	c := newClock()
	eachStore(t, firewall.MemoryOptions{MaxArtifacts: 1, Now: c.Now}, func(t *testing.T, s firewall.Store) {
		for i := range 100 {
			keep(t, s, fmt.Sprint(i), "x")
			wantFull(t, s, fmt.Sprint(-i), 1, "artifacts", 5*time.Minute)
			c.advance(30 * time.Minute)
		}
	})
}

func TestW32FullErrorSaysWhatToDo(t *testing.T) {
	tests := []struct {
		err  firewall.FullError
		want string
	}{
		{firewall.FullError{Limit: "bytes"}, "no room to keep a result: the limit on bytes is reached"},
		{
			firewall.FullError{Limit: "artifacts per owner", RetryAfter: 90*time.Second + 1},
			"no room to keep a result: the limit on artifacts per owner is reached; there is room again in 1m31s",
		},
		{firewall.FullError{Limit: "disk"}, "no room to keep a result: the disk is full"},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want || !errors.Is(&tt.err, firewall.ErrFull) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
