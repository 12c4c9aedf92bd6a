package forge

import (
	"strings"
	"testing"
)

// TestAttackNearURLs has mistyped addresses that contain a login. The errors must not contain the
// login.
func TestAttackNearURLs(t *testing.T) {
	for _, text := range []string{"htps://user:s3cr3t@host/", "user:s3cr3t@host/", "https//user:s3cr3t@host", "https://user:s3cr3t@host/", "https://host/?s3cr3t"} {
		if _, err := ParseAPI(text); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
