package review

// These constants are exported for the tests outside of this package.
const (
	RetryPlan       = retryPlan
	LongRetry       = maxRetry
	Settle          = quietTime
	Patience        = maxDelay
	ConversationAge = conversationAge
	RightAge        = allowedAge
	NoneAge         = deniedAge
	AnswersAge      = answersAge
	MaxStrangers    = maxStrangers
	MaxAnswers      = maxAnswers
	MaxHeads        = maxHeads
	HeadsAge        = headsAge
	MaxCommands     = maxCommands
	LongestComment  = maxComment
)

// Remembered returns how many commands and own comments of a conversation are stored.
func (r *Repository) Remembered(number int) (commands, ours int) {
	c := r.conversations.get(number)
	return len(c.comments.commands), len(c.comments.ours)
}
