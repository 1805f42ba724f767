// mybot plays any legal action of any game. Make it think in choose.
package main

// choose returns the action to play: a text in the game's notation.
func choose(turn *Turn) string {
	// turn.Match says what is being played: its game, options, seat, number of seats and clock.
	// turn.View is all that your seat sees now. At flipfour, for example:
	//
	//	var view struct {
	//		Board []string // the rows of the board from the top down
	//		Hands []int    // how many pieces each seat has in hand
	//	}
	//	turn.Read(&view)
	//	view.Board[0][2]       // the letter of the square c5
	//
	// `flipside rules GAME` explains each field.
	// turn.Events tells what happened since your last turn: who did what, as far as your seat may know.
	if turn.ID == 1 {
		Log(turn.Match.Game, "in seat", turn.Match.Seat, "of", turn.Match.Seats)
	}

	// Think here. Check turn.TimeLeft() in long searches.
	return turn.Actions[turn.Match.Random.Intn(len(turn.Actions))]
}

func main() {
	Run("mybot", choose)
}
