// Package review is the loop of pull requests. It reads each open pull request, plans it against the live cloud without writing to it, and
// posts the result. It also carries out the commands in the comments.
//
//	poll, webhook, merge, drift ──▶ visit ──▶ queue ──▶ fetch, plan ──▶ page ──▶ outbox ──▶ status, comment, check
//	                                  ▲                                                        │
//	                                  └───────────────────── read back ◀───────────────────────┘
//
// A page contains values, and [comment.Page.Markdown], which turns the page into text, is pure.
//
// Everything is level-triggered: an event only decides when to visit. Each visit compares the wanted texts with the texts at the forge, and
// writes the differences. The package stores nothing that would be lost with the process: approvals are comments, which are read again.
//
// The package uses plans and forges. It does not use Git or the cloud, because functions for these are passed in. Reports about the
// branch are in internal/branch.
package review
