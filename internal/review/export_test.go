package review

// These constants are exported for the tests outside of this package.
const (
	RetryPlan       = retryPlan
	LongRetry       = longRetry
	Settle          = settle
	Patience        = patience
	ConversationAge = conversationAge
	RightAge        = rightAge
	NoneAge         = noneAge
	AnswersAge      = answersAge
	MostStrangers   = mostStrangers
	MostAnswers     = mostAnswers
	MostHeads       = mostHeads
	HeadsAge        = headsAge
	MostCommands    = mostCommands
	LongestComment  = longestComment
)

// Remembered returns how many commands and own comments of a conversation are stored.
func (r *Repository) Remembered(number int) (commands, ours int) {
	c := r.conversations.get(number)
	return len(c.said.commands), len(c.said.ours)
}
