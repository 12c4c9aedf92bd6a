// Package oslo contains the common parts of all simulated OpenStack services. These are the listener with a path
// prefix for each service, tokens, the clock and its events, collections, list queries, injected faults and the
// log of requests.
//
// It contains nothing about any single service. The packages next to it define networks, servers and the form of
// each service's errors, and depend on this package. If a real service calls another one, the simulated service
// calls a Go method of the other one. All of them run under the one lock of a Cloud.
package oslo
