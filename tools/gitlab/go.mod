module github.com/stackreeve/stackreeve/tools/gitlab

go 1.26.0

toolchain go1.26.8

replace github.com/stackreeve/stackreeve => ../..

require (
	github.com/stackreeve/stackreeve v0.0.0-00010101000000-000000000000
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
	gitlab.com/gitlab-org/api/client-go v1.46.0
)

require (
	github.com/google/go-querystring v1.2.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/oauth2 v0.34.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)
