// Package engine carries plans out. An [Engine] lists the cloud and has a plan
// made. It runs each step as soon as its dependencies are ready, and lists again
// the collections that changed, until nothing is left to do. A [Pass] is the
// record of that.
package engine
