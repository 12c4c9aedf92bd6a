// Package world holds what a plan is made from: what the commit wants, what the cloud has, and what is remembered. A [World] is made once, and
// nothing changes it.
package world
