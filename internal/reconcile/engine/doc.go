// Package engine carries plans out: an [Engine] lists the cloud, has a plan made,
// runs each step as soon as what it depends on is ready, and lists again what
// changed, until nothing is left to do. A [Pass] is the record of that.
package engine
