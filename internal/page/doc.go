// Package page shows an agent in a browser: stacks, their objects, plans, events and passes, below [Prefix].
//
//	GET  /ui/             the page; it needs no token and holds nothing
//	POST /ui/login        a token, in its Authorization header, for a session
//	POST /ui/logout       the end of the session
//	GET  /ui/data/…       the data, for clients with a session
//	GET  /ui/events       signals that there is something new
//
// It knows sessions and files. The data comes from the read API, and the right to read from its tokens; nothing can be changed here.
package page
