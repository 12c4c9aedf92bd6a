// Package webhook turns what forges send into "poll now".
//
// It knows who may say so (a signature over the body, by a secret that both
// share), what a forge's messages look like, and how much of them to bear. It
// does not know what comes of it: an [Event] is a hint and nothing more.
// Whatever a message claims, everything is read again from the repository and
// the forge, and without any message it is read when the next poll comes.
//
//	not read at all   wrong media type ─▶ 415 · no event named ─▶ 400 · no signature of the right form ─▶ 401 · says it is too long ─▶ 413
//	read, not kept    too long ─▶ 413 · cut short ─▶ 400 · wrong signature ─▶ 401
//	signed            seen before ─▶ 200 · nothing for us ─▶ 204 · unreadable ─▶ 400 · news ─▶ 202
//
// Nothing that a stranger sends has an effect on what is signed: nobody is
// counted by address (a proxy in front has one for all), bodies are hashed as
// they come, and of those that may be forged only so much is kept that all of
// them together fit. A signed message that there was no room for says "look at
// everything". Signed ones have no limit either: how often their effect is
// wanted is for [Config.Notify] to say. Someone who sends an old signed message
// again makes the agent look, once in a while; that is all.
//
// How many connections there are, and how long they may take, is the server's
// matter (internal/listen).
package webhook
