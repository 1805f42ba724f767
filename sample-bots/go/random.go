// A bot that plays any legal action, all alike. Copy it to start yours.
//
//	go build -o random-go random.go
//
// It reads one JSON message a line from standard input and answers on standard output. To say anything else, write to
// os.Stderr.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"math/rand"
	"os"
)

// What this bot needs of a message from the referee.
type message struct {
	Type    string
	Seed    uint64
	ID      uint32
	Actions []string
	View    json.RawMessage // what this seat may see
}

type ready struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Actions bool   `json:"actions"` // list the legal actions at every turn
	Reuse   bool   `json:"reuse"`   // another hello may follow
}

type act struct {
	Type   string `json:"type"`
	ID     uint32 `json:"id"`
	Action string `json:"action"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	answers := json.NewEncoder(os.Stdout) // writes each answer as a line, at once
	chance := rand.New(rand.NewSource(1))
	for lines.Scan() {
		var heard message
		if err := json.Unmarshal(lines.Bytes(), &heard); err != nil {
			log.Fatal(err)
		}
		var answer any
		switch heard.Type {
		case "hello": // a match begins
			// With all randomness from this seed, the same match can be played again.
			chance = rand.New(rand.NewSource(int64(heard.Seed)))
			answer = ready{"ready", "random.go", "1", true, true}
		case "turn":
			answer = act{"act", heard.ID, heard.Actions[chance.Intn(len(heard.Actions))]}
		default: // "over" tells how the match ended, and needs no answer
			continue
		}
		if err := answers.Encode(answer); err != nil {
			log.Fatal(err)
		}
	}
}
