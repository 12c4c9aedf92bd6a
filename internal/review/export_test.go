package review

// For the tests outside of this package.
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

// Remembered is how much of a conversation is remembered.
func (r *Repository) Remembered(number int) (commands, ours int) {
	c := r.conversations.get(number)
	return len(c.said.commands), len(c.said.ours)
}
