// Package page shows the data of an agent in a browser: stacks, their objects, plans, events and passes, below
// [Prefix].
//
//	GET  /ui/             the page; it needs no token and contains no data
//	POST /ui/login        starts a session; the token is in the Authorization header
//	POST /ui/logout       ends the session
//	GET  /ui/data/…       the data, for clients with a session
//	GET  /ui/events       signals that there are new data
//
// The package implements sessions and files. The data come from the read API, and the right to read comes from
// the tokens of the read API. Nothing can be changed here.
package page
