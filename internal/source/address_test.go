package source

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestAttackNearURLs has mistyped addresses that contain a login. The login must not appear in any
// error or log, whatever kind of address the text is read as.
func TestAttackNearURLs(t *testing.T) {
	const secret = "s3cr3t"
	key := Auth{SSHKeyFile: writeFile(t, "no key"), KnownHostsFile: writeFile(t, "no hosts")}
	for _, raw := range []string{
		"htps://user:s3cr3t@host/path", "https//user:s3cr3t@host/path", "https:/user:s3cr3t@host/path", "https:user:s3cr3t@host/path",
		"//user:s3cr3t@host/path", "user:s3cr3t@host:path", "user:s3cr3t@host/path", "user@s3cr3t@host:path", "git@user:s3cr3t@host:path",
		"git@s3cr3t:x@host:path", "host:user:s3cr3t@path", "ssh//git:s3cr3t@host/path", "ssh://git:s3cr3t@host/path", "ssh:/git:s3cr3t@host/path",
		"s3cr3t@host/path", "https:///user:s3cr3t@host/path", "https://user:s3cr3t@host:port/path", "https://user:s3cr3t@ho st/path",
		"https://host/path?token=s3cr3t", "https://host/path#s3cr3t", "https://host/user:s3cr3t@host/path", "https://user:s3cr3t%zz@host/path",
		"file://user:s3cr3t@host/path", "file:///user:s3cr3t@host/path", "file:user:s3cr3t@host", "/https://user:s3cr3t@host/path",
		"./https://user:s3cr3t@host/path", "url=https://user:s3cr3t@host/path", "\"https://user:s3cr3t@host/path\"", "<https://user:s3cr3t@host/path>",
		" https://user:s3cr3t@host/path", "https://user:a/s3cr3t@host/path", "https://user:a?s3cr3t@host/path", "https://user:a#s3cr3t@host/path",
		"https\\://user:s3cr3t@host/path", "https://s3cr3t@host/path", "ssh://s3cr3t:@host/path", "ghp_s3cr3t@github.com/a/b", "s3cr3t://host/path",
		"https://host:s3cr3t/path", "https://user:s3cr3t＠host/path", "git+https://user:s3cr3t@host/path", "https://user%3As3cr3t@host/path",
	} {
		for _, auth := range []Auth{{}, key, {Token: noToken}} {
			var log strings.Builder
			r, err := New(Config{URL: raw, Auth: auth, Branch: "main"}, slog.New(slog.NewTextHandler(&log, nil)))
			if err == nil {
				_, _, err = r.Fetch(ended(t))
				r.log.Warn("shown", "address", r.addr.String())
			}
			if err == nil {
				t.Errorf("%s: no error", raw)
				continue
			}
			if text := err.Error() + log.String(); strings.Contains(text, secret) {
				t.Errorf("%s shows: %s", raw, text)
			}
		}
	}
}

func noToken(context.Context) (string, error) { return "", errors.New("no token") }

// ended returns a context that has ended, so that no host name is resolved.
func ended(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
