// Package page is what a browser shows of an agent: stacks, their objects, plans, events and passes, below [Prefix].
//
//	GET  /ui/             the page; it needs no token and holds nothing
//	POST /ui/login        a token, in its Authorization header, for a session
//	POST /ui/logout       the end of the session
//	GET  /ui/data/…       what there is to read, to those who have a session
//	GET  /ui/events       says that there is something new
//
// It knows sessions and files. What there is to read comes from the read API, and who may read from its tokens;
// nothing can be changed here.
package page
