// Package oslo holds the common parts of all simulated OpenStack services. These are
// one listener with a path prefix for each service, tokens, the clock and its
// events, collections, list queries, injected faults and the log of requests.
//
// It knows no service. The packages beside it define networks, servers and the
// form of each service's errors. They depend on this package. Where real
// services call each other, they call one another's Go methods. All of them run
// under the one lock of a Cloud.
package oslo
