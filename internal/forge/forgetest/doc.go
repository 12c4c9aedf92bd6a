// Package forgetest has one suite for the promises of every forge, and the forges to run it on.
// They are a Gitea that is built and started here, and programs that stand in for GitHub,
// GitLab and Gerrit. [Memory] is a forge in memory for tests of other things.
//
// It is for tests only, and knows nothing of plans.
package forgetest
