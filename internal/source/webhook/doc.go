// Package webhook receives the messages of forges, which make the agent poll at once.
//
// It knows how a forge proves its messages with a shared secret, the form of the messages, and the limits on their size. It does not know
// what follows from them: an [Event] is only a hint. The agent believes no message: it reads everything again from the repository and the
// forge. Without the message, the next poll would do that.
//
//	body not read         wrong media type ─▶ 415 · no event named ─▶ 400 · no signature of the right form, or a wrong token ─▶ 401 ·
//	                      longer than allowed ─▶ 413 · the agent cannot read its secret ─▶ 503
//	body read, refused    too long ─▶ 413 · cut short ─▶ 400 · wrong signature ─▶ 401
//	signature valid       seen before ─▶ 200 · nothing for us ─▶ 204 · unreadable ─▶ 400 · news ─▶ 202
//
// Unsigned messages do not affect signed ones. Senders are not counted by address, because behind a proxy all senders have the same
// address. Bodies are hashed while they are read. There is a limit on the bytes in memory of all bodies whose signatures are not checked
// yet. If there was no room for a signed message, its event means that anything may have changed. Signed messages have no rate limit:
// [Config.Notify] decides how often they take effect. If somebody repeats an old signed message, the agent only polls once more.
//
// The number of connections and their time limits belong to the server (internal/listen).
package webhook
