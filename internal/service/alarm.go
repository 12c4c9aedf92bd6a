package service

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/source/webhook"
)

// lookPath is the address at which alarms of the cloud say that a stack must look. Aodh can sign nothing, so the address itself is signed.
const lookPath = "POST /webhook/cloud/{stack}/{key}"

// maxAlarm is the maximum number of bytes of an alarm that are read. Its content is not used.
const maxAlarm = 64 << 10

// lookKey returns the last part of a stack's address: a signature of the stack's name with the secret of webhooks.
func lookKey(secret, stack string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, "cloud/"+stack) // to memory
	return hex.EncodeToString(mac.Sum(nil))
}

// receiveLook handles a message that says that something in the cloud of a stack may have changed.
func (svc *service) receiveLook(secrets func() ([]string, error)) http.HandlerFunc {
	count := func(o webhook.Outcome) { svc.metrics.Webhook("cloud", string(o)) }
	return func(w http.ResponseWriter, req *http.Request) {
		stack, known := req.PathValue("stack"), false
		list, err := secrets()
		for _, secret := range list {
			if hmac.Equal([]byte(lookKey(secret, stack)), []byte(req.PathValue("key"))) {
				known = true
			}
		}
		switch {
		case err != nil:
			svc.log.Error("the secrets of webhooks cannot be read", "error", err)
			count(webhook.NoSecret)
			http.Error(w, "the agent cannot check the address now", http.StatusServiceUnavailable)
			return
		case !known:
			count(webhook.Unsigned)
			http.Error(w, "the address is not signed with a secret of this agent", http.StatusUnauthorized)
			return
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(req.Body, maxAlarm)) // the content does not matter, so neither does an error
		one, here := svc.roster.servedAs(stack)
		if !here {
			count(webhook.Ignored)
			http.Error(w, "this agent does not serve the stack now", http.StatusNotFound)
			return
		}
		one.hearing.poke()
		count(webhook.Accepted)
		w.WriteHeader(http.StatusAccepted)
	}
}
