// Package world has the input of a plan: the desired objects of the commit, the objects of the cloud, and facts from earlier plans. A
// [World] is made once, and nothing changes it.
package world
