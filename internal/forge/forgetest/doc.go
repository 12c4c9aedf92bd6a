// Package forgetest has one test suite for all forges. It also has the forges on which the suite
// runs: a real Gitea, which is built and started here, and simulators of GitHub, GitLab and Gerrit.
// [Memory] is a forge in memory for tests of other packages.
//
// It is for tests only, and knows nothing about plans.
package forgetest
