// Package comment renders the text for a pull request: the plan, what is missing before it can be carried out, its outcome, and drift.
//
// It is pure: pages in, Markdown and one-liners out. It knows plans and the rules of forges' Markdown, and neither a forge nor a cloud. All
// text from manifests, clouds and people is untrusted. It is shown as code or as plain words. It can neither leave its place, ping anybody nor
// hide anything.
package comment
