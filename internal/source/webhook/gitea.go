package webhook

import "net/http"

// gitea is for messages of Gitea and Forgejo. They have the form of GitHub's messages. The signature is in a header of
// Gitea or Forgejo: the HMAC-SHA256 of the body in hex.
var gitea = sender{
	forge: Gitea, names: []string{"X-Forgejo-Event", "X-Gitea-Event", "X-GitHub-Event"}, headers: []string{"X-Gitea-", "X-Forgejo-", "X-Github-", "X-Hub-"},
	greeting: "ping", kinds: githubKinds,
	claim: func(r *http.Request) claim {
		for _, name := range []string{"X-Forgejo-Signature", "X-Gitea-Signature"} {
			if text := singleHeader(r.Header, name, maxHeader); text != "" {
				return hexSignature(text)
			}
		}
		return github.claim(r)
	},
	read: readGitHub,
}
