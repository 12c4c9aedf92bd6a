// Package webhook turns the messages of forges into "poll now".
//
// It knows how a forge proves its messages with a shared secret, the form of the messages, and the limits on their size. It does not know
// what follows from them: an [Event] is only a hint. The agent reads everything again from the repository and the
// forge, whatever a message claims. Without any message, the next poll reads it.
//
//	not read at all   wrong media type ─▶ 415 · no event named ─▶ 400 · no signature of the right form ─▶ 401 · says it is too long ─▶ 413
//	read, not kept    too long ─▶ 413 · cut short ─▶ 400 · wrong signature ─▶ 401
//	signed            seen before ─▶ 200 · nothing for us ─▶ 204 · unreadable ─▶ 400 · news ─▶ 202
//
// Unsigned messages do not affect signed ones. Senders are not counted by address, because a proxy in front has one address for all of
// them. Bodies are hashed while they are read. The bytes that are kept of possibly forged bodies are bounded for all of them together. A
// signed message for which there was no room means "look at everything". Signed messages have no rate limit either: [Config.Notify]
// decides how often they take effect. If somebody repeats an old signed message, the agent looks once more, and no more happens.
//
// The number of connections and their time limits belong to the server (internal/listen).
package webhook
