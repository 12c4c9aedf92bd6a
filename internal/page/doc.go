// Package page shows the data of an agent in a browser: stacks, their objects, plans, events and passes, below
// [Prefix].
//
//	GET  /ui/             the page; it needs no token and holds nothing
//	POST /ui/login        a token, in its Authorization header, for a session
//	POST /ui/logout       the end of the session
//	GET  /ui/data/…       the data, for clients with a session
//	GET  /ui/events       signals that there is something new
//
// The package implements sessions and files. The data come from the read API, and the right to read comes from
// the tokens of the read API. Nothing can be changed here.
package page
