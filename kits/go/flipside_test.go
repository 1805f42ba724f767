package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

const hello = `{"type":"hello","protocol":1,"match":"m","game":"flipfour","options":{"max_plies":60},"seat":1,"seats":2,` +
	`"clock":"move=1s","limits":{"line":65536,"memory":0},"commitment":"","seed":7,"later":[]}` + "\n"
const turn = `{"type":"turn","id":5,"actions":["+a1","+a2"],"clocks":[10,60000],"view":{"board":["é"]},"events":` + events + `}` + "\n"
const events = `[{"missed":2},{"acts":[{"seat":0,"action":"+é"},{"seat":1}]},{"chance":null},{"fault":{"seat":0,"fault":"late"}}]`
const over = `{"type":"over","points":[1,0],"places":[1,2],"reason":"line","view":{}}` + "\n"
const ready1 = `{"type":"ready","name":"x","version":"1","actions":true,"reuse":true,"events":true}` + "\n"

func played(t *testing.T, lines string, choose func(*Turn) string) string {
	t.Helper()
	var output bytes.Buffer
	if err := converse(strings.NewReader(lines), &output, "x", choose); err != nil {
		t.Fatal(err)
	}
	return output.String()
}

func TestATurnIsAnsweredWithItsId(t *testing.T) {
	found := played(t, hello+turn, func(turn *Turn) string {
		var view struct{ Board []string }
		turn.Read(&view)
		left := turn.TimeLeft()
		if turn.Match.Seat != 1 || view.Board[0] != "é" || left > time.Minute || left < 50*time.Second {
			t.Error(turn, view, left)
		}
		return turn.Actions[1]
	})
	if found != ready1+`{"type":"act","id":5,"action":"+a2"}`+"\n" {
		t.Error(found)
	}
}

func TestATurnHasItsEvents(t *testing.T) {
	var told [][]Event
	without := strings.Replace(turn, `,"events":`+events, "", 1)
	played(t, hello+turn+without, func(turn *Turn) string {
		told = append(told, turn.Events)
		return "+a1"
	})
	found, err := json.Marshal(told[0])
	if err != nil || string(found) != events || len(told[1]) != 0 {
		t.Error(string(found), told[1], err)
	}
	if acts := told[0][1].Acts; acts[0] != (Acted{0, "+é"}) || acts[1] != (Acted{1, ""}) || *told[0][3].Fault != (Fault{0, "late"}) {
		t.Error(told)
	}
}

func TestANewMatchBeginsFromNothing(t *testing.T) {
	count := func(turn *Turn) string {
		turns, _ := turn.Match.Memo.(int)
		turn.Match.Memo = turns + 1
		return strings.Repeat("<", turns+1)
	}
	found := played(t, hello+turn+turn+over+hello+turn, count)
	act := func(action string) string { return `{"type":"act","id":5,"action":"` + action + `"}` + "\n" }
	if found != ready1+act("<")+act("<<")+ready1+act("<") {
		t.Error(found)
	}
}

func TestNotesAreCutAndAreAlwaysUtf8(t *testing.T) {
	found := played(t, hello+turn, func(turn *Turn) string {
		turn.Note = "\xff" + strings.Repeat("é", 1000)
		return "+a1"
	})
	if !strings.Contains(found, `"note":"\ufffdéé`) || len(found) > 400 {
		t.Error(found)
	}
}

func TestWhatCannotBePlayedIsAnError(t *testing.T) {
	for lines, words := range map[string]string{
		turn: "before hello",
		strings.Replace(hello, `"protocol":1`, `"protocol":2`, 1): "version 1",
		"what?\n": "not a message",
	} {
		err := converse(strings.NewReader(lines), &bytes.Buffer{}, "x", func(*Turn) string { return "" })
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Error(lines, err)
		}
	}
}

func TestALastLineWithoutANewlineCounts(t *testing.T) {
	if found := played(t, strings.TrimSpace(hello), nil); found != ready1 {
		t.Error(found)
	}
}
