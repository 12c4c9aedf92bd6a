// Package comment renders what people read on a pull request: the plan, what is
// missing before it can be carried out, what came of it, and drift.
//
// It is pure: pages in, Markdown and one-liners out. It knows plans and the
// rules of forges' Markdown, and neither a forge nor a cloud. Everything that
// manifests, clouds and people wrote is untrusted: it is shown as code or as
// plain words, and can neither leave its place, ping anybody nor hide anything.
package comment
