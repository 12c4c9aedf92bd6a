// Package events reads the messages with which OpenStack's services report changes. A message only starts a pass, which
// reads the change itself from the APIs.
//
//	message ─Decode─▶ Look{project, service, collection, ID, who} ─▶ Pace: when a pass begins
//
// The package knows the formats of messages and how often they may cause passes. It is pure. It does not know where messages come from (see
// package rabbit), nor which stacks exist. A message that is lost, repeated, delayed or wrong changes only the time of the next pass.
package events
