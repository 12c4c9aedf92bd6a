// Package comment renders the text for a pull request: the plan, the conditions that are missing before the plan can be carried out, its outcome,
// and drift.
//
// The package only converts: it reads pages and returns Markdown and single lines. It depends on plans and on the rules of forges' Markdown, but on
// no forge and no cloud. All text from manifests, clouds and people is untrusted. It is shown as code or as plain words, so that it cannot leave
// its place, notify anybody or hide anything.
package comment
