// Package webhook turns what forges send into "look now".
//
// It knows who may say so (a signature over the body, by a secret that both
// share), what a forge's messages look like, and how much of them to bear. It
// does not know what comes of it: an [Event] is a hint and nothing more.
// Whatever a message claims, everything is read again from the repository and
// the forge, and without any message it is read when the next poll comes.
//
//	too many bad ones ─▶ 429 · wrong media type ─▶ 415 · no or wrong signature ─▶ 401 · too long ─▶ 413
//	too many good ones ─▶ 429 · seen before ─▶ 200 · nothing for us ─▶ 204 · unreadable ─▶ 400 · news ─▶ 202
package webhook
