// Package forgetest says what every forge promises, as one suite, and has the
// real ones to say it of: a Gitea that is built and started here, and what
// stands in for GitHub. [Memory] is one for tests that are about something else.
//
// It is for tests only, and knows nothing of plans.
package forgetest
