// Package oslo holds what every simulated OpenStack service shares: one
// listener with a path prefix for each service, tokens, the clock and what is
// due on it, collections, list queries, injected faults and the log of requests.
//
// It knows no service: what a network or a server is, and how a service words
// its errors, is said in the packages beside it. Those depend on this one and,
// where the real services call each other, on one another's Go methods; all of
// them run under the one lock of a Cloud.
package oslo
