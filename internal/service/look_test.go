package service

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// An alarm at a signed address makes its stack look, whatever it contains. Other addresses do nothing.
func TestReceiveLook(t *testing.T) {
	svc, address := newDoor(t)
	var looks atomic.Int32 // a timer counts, too
	hearing := newHearing("", func(engine.Moved) { looks.Add(1) })
	t.Cleanup(hearing.close)
	svc.roster.set("prod", &served{hearing: hearing})
	key := lookKey(webhookSecret, "prod")
	if want := "995db67750996dbd18a2caf9779024778238c0a2d41b877f545e8df49d9c75bc"; key != want { // from the command in docs/events.md
		t.Errorf("the key %s, want %s", key, want)
	}
	for _, tt := range []struct {
		method, path, body string
		code               int
		looks              int32
	}{
		{"POST", "prod/" + strings.Repeat("0", 64), "{}", http.StatusUnauthorized, 0},
		{"POST", "prod/" + lookKey("another-secret-0123456789", "prod"), "{}", http.StatusUnauthorized, 0},
		{"POST", "test/" + key, "{}", http.StatusUnauthorized, 0},
		{"POST", "test/" + lookKey(webhookSecret, "test"), "{}", http.StatusNotFound, 0},
		{"POST", "prod/" + key, `{"alarm_id":"1","current":"alarm","reason_data":{}}`, http.StatusAccepted, 1},
		{"POST", "prod/" + key, strings.Repeat("x", 2*maxAlarm), http.StatusAccepted, 1}, // the pace delays the second look
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, "http://"+address+"/webhook/cloud/"+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if got := looks.Load(); resp.StatusCode != tt.code || got != tt.looks {
			t.Errorf("%s: %d, %d looks; want %d, %d", tt.path, resp.StatusCode, got, tt.code, tt.looks)
		}
	}
}
