// A kit for Flipside bots in Go 1.18 or newer, without dependencies.
//
// A bot is a function from a turn to an action:
//
//	Run("mybot", func(turn *Turn) string {
//		return turn.Actions[turn.Match.Random.Intn(len(turn.Actions))]
//	})
//
// The kit keeps the protocol: ids, flushing, the end of the input, and a new match in the same process. While the bot
// runs, os.Stdout is standard error, because standard output belongs to the referee. Only what does not use os.Stdout
// still reaches the referee: C code, system calls, and a copy of os.Stdout that is older than Run, such as
// bufio.NewWriter(os.Stdout) in a variable of the package. A panic ends the bot with its stack on standard error and
// exit code 1.
//
// `flipside rules GAME` explains the fields of a view, and `flipside schema GAME --example` shows real messages.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"runtime/debug"
	"syscall"
	"time"
)

// Protocol is the version of the protocol that this kit speaks.
const Protocol = 1

// LongestNote is the longest note in bytes. The referee cuts longer ones.
const LongestNote = 240

// Match is what stays the same during a match.
type Match struct {
	ID      string          `json:"match"`
	Game    string          `json:"game"`    // the game's id, for example flipfour
	Options json.RawMessage `json:"options"` // all options of the game with their values
	Seat    int             `json:"seat"`    // the seat of this bot, from 0
	Seats   int             `json:"seats"`
	Clock   string          `json:"clock"` // in the protocol's notation, for example move=1s
	Limits  struct {
		Line   int   `json:"line"`
		Memory int64 `json:"memory"` // in bytes; 0 if it is not limited
	} `json:"limits"`
	BotOptions json.RawMessage `json:"bot_options"` // set by the organiser of a tournament; may be empty
	Commitment string          `json:"commitment"`
	Seed       int64           `json:"seed"`
	Protocol   int             `json:"protocol"`

	// Random numbers. With all randomness from here, the bot plays the same match again.
	Random *rand.Rand `json:"-"`
	// Anything that the bot wants to keep until its next turn of this match.
	Memo any `json:"-"`
}

// Turn is a question of the referee.
type Turn struct {
	Match   *Match          `json:"-"`
	ID      uint64          `json:"id"`      // the number of the question, from 1
	View    json.RawMessage `json:"view"`    // everything that this seat may see now; see Read
	Actions []string        `json:"actions"` // the legal actions in byte order
	Clocks  []int64         `json:"clocks"`  // the time of each seat for its next move, in milliseconds
	Events  []Event         `json:"events"`  // what happened since this bot's last turn, the oldest first
	// A remark for the match's record, for people. Set it to send it.
	Note string `json:"-"`

	arrived time.Time
}

// Event is what happened once, as far as this seat may know. One of its fields is set; `flipside protocol` says more.
type Event struct {
	Acts   []Acted         `json:"acts,omitempty"`   // these seats acted, at the same time if there are several
	Chance json.RawMessage `json:"chance,omitempty"` // an outcome of chance; null if it is hidden
	Fault  *Fault          `json:"fault,omitempty"`  // a bot was disqualified
	Missed int             `json:"missed,omitempty"` // so many older events were omitted: the list would be too long
}

// Acted is what a seat did.
type Acted struct {
	Seat   int    `json:"seat"`
	Action string `json:"action,omitempty"` // empty if it is hidden
}

// Fault is what a bot was disqualified for. Legal actions drawn at random stand in for it.
type Fault struct {
	Seat  int    `json:"seat"`
	Fault string `json:"fault"`
}

// Read reads the view into a struct of yours, or into a *map[string]any.
func (turn *Turn) Read(view any) {
	if err := json.Unmarshal(turn.View, view); err != nil {
		panic(err)
	}
}

// TimeLeft returns the time that is left for this move.
func (turn *Turn) TimeLeft() time.Duration {
	given := time.Duration(turn.Clocks[turn.Match.Seat]) * time.Millisecond
	return given - time.Since(turn.arrived)
}

// Log writes a line to standard error. The referee keeps the end of what a bot writes there.
func Log(words ...any) {
	fmt.Fprintln(os.Stderr, words...)
}

// Run plays until the referee ends the input, and then ends the program.
func Run(name string, choose func(*Turn) string) {
	output := os.Stdout
	os.Stdout = os.Stderr
	defer func() {
		if failure := recover(); failure != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", failure, debug.Stack())
			os.Exit(1)
		}
	}()
	err := converse(os.Stdin, output, name, choose)
	// The referee no longer listens: that is an end like any other.
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

type ready struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Actions bool   `json:"actions"`
	Reuse   bool   `json:"reuse"`
	Events  bool   `json:"events"`
}

type act struct {
	Type   string `json:"type"`
	ID     uint64 `json:"id"`
	Action string `json:"action"`
	Note   string `json:"note,omitempty"`
}

func converse(input io.Reader, output io.Writer, name string, choose func(*Turn) string) error {
	lines := bufio.NewReader(input)
	var match *Match
	for {
		line, err := lines.ReadBytes('\n')
		arrived := time.Now()
		if err == io.EOF && len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		var kind struct{ Type string }
		if err := json.Unmarshal(line, &kind); err != nil {
			return fmt.Errorf("a line is not a message: %w", err)
		}
		var answer any
		switch kind.Type {
		case "hello":
			if match, err = begin(line); err != nil {
				return err
			}
			answer = ready{"ready", name, "1", true, true, true}
		case "turn":
			if match == nil {
				return errors.New("a turn came before hello")
			}
			turn := &Turn{Match: match, arrived: arrived}
			if err := json.Unmarshal(line, turn); err != nil {
				return err
			}
			action := choose(turn)
			answer = act{"act", turn.ID, action, cut(turn.Note)}
		case "over":
			match = nil
			continue
		default: // a message of a later version
			continue
		}
		if err := send(output, answer); err != nil {
			return err
		}
	}
}

func begin(line []byte) (*Match, error) {
	match := &Match{}
	if err := json.Unmarshal(line, match); err != nil {
		return nil, err
	}
	if match.Protocol != Protocol {
		return nil, fmt.Errorf("this kit speaks version %d of the protocol, not %d", Protocol, match.Protocol)
	}
	match.Random = rand.New(rand.NewSource(match.Seed))
	return match, nil
}

// cut returns a note that is short enough. The encoder replaces what is not UTF-8.
func cut(note string) string {
	if len(note) > LongestNote {
		return note[:LongestNote]
	}
	return note
}

// send writes a line in one piece, without a buffer.
func send(output io.Writer, message any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line) // ends the line
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return err
	}
	_, err := output.Write(line.Bytes())
	return err
}
