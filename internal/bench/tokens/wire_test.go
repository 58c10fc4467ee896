package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"reflect"
	"testing"
)

func TestMain(m *testing.M) {
	if code, ran := serveEndpoint(); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// wireMost are the costs that may not grow by more than 5 %, in the order of wireTasks.
var wireMost = []wireCost{
	{definitions: size{1_873, 460}, written: size{903, 248}, read: size{10_158, 2_792}},
	{definitions: size{1_873, 460}, written: size{81, 19}, read: size{605, 133}},
	{definitions: size{2_520, 495}, written: size{323, 73}, read: size{5_327, 535}},
	{definitions: size{2_621, 551}, written: size{162, 43}, read: size{1_964, 335}},
	{definitions: size{3_264, 700}, written: size{171, 44}, read: size{1_856, 335}},
	{written: size{352, 101}, read: size{1_442, 306}},
}

// TestWire pins what -wire prints, and holds that no figure gets worse by more than 5 %.
func TestWire(t *testing.T) {
	list, err := wireSizes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range list {
		most := wireMost[i]
		for what, pair := range map[string][2]size{
			"definitions": {w.now.definitions, most.definitions}, "written": {w.now.written, most.written}, "read": {w.now.read, most.read},
		} {
			if is, may := pair[0], pair[1]; is.bytes*100 > may.bytes*105 || is.tokens*100 > may.tokens*105 {
				t.Errorf("%s, %s: %s, which is worse than %s by more than 5 %%", w.name, what, is, may)
			}
		}
	}
	rename := list[0].now
	if rename.written.bytes >= 3000 || rename.read.bytes >= 12_000 {
		t.Errorf("a rename costs %s and %s", rename.written, rename.read)
	}
	var out bytes.Buffer
	if err := writeWire(&out, list); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/wire.golden", out.String())
	if err := writeWire(broken{}, list); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, want %v", err, os.ErrClosed)
	}
}

// TestWireAgain holds that two runs have the same sizes.
func TestWireAgain(t *testing.T) {
	one, err := wireSizes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	two, err := wireSizes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range one {
		if !reflect.DeepEqual(one[i].steps, two[i].steps) {
			t.Errorf("%s: %v, then %v", one[i].name, one[i].steps, two[i].steps)
		}
	}
}

// TestShellRecording holds that the recording is what sh and jq write, where they are.
func TestShellRecording(t *testing.T) {
	var recorded []shellLine
	if err := json.Unmarshal(shellRecording, &recorded); err != nil {
		t.Fatal(err)
	}
	lines, err := runShell(t.Context())
	if errors.Is(err, exec.ErrNotFound) {
		lines = recorded
		for i := range lines { // the recording is of these lines
			lines[i].Line = shellLines[i].Line
		}
	} else if err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(lines, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "wire/shell.json", string(data)+"\n")
}

// TestShellWithoutJq holds that the recording gives the same sizes.
func TestShellWithoutJq(t *testing.T) {
	with, without := new(wireTalk), new(wireTalk)
	if err := orderByShell(t.Context(), with); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := runShell(t.Context()); !errors.Is(err, exec.ErrNotFound) {
		t.Fatalf("jq is found: %v", err)
	}
	if err := orderByShell(t.Context(), without); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(with.steps, without.steps) {
		t.Errorf("with jq %v, without %v", with.steps, without.steps)
	}
}
