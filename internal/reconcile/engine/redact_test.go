package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/redact"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const password = "corre ct-horse"

func TestErrorsDoNotRepeatSecrets(t *testing.T) {
	testcost.Long(t)
	script := "#!/bin/sh\necho " + password + " | passwd\n"
	echoes := map[string]string{
		"as it is":              "Value: " + password + " is wrong",
		"base64":                base64.StdEncoding.EncodeToString([]byte(password)),
		"in a script in base64": base64.StdEncoding.EncodeToString([]byte(script)),
		"one line of two":       "line 1 is second-line",
		"cut short":             "Value: " + password[:len(password)-3] + "…",
	}
	for shift := range 3 {
		echoes[fmt.Sprintf("within base64, %d bytes in", shift)] = base64.StdEncoding.EncodeToString([]byte("xyz"[:shift] + password + "tail"))
	}
	for name, echo := range echoes {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			w.OnCreate = func(string) (before, after error) {
				return fmt.Errorf("%w: 400 bad user data: %s", kind.ErrRejected, echo), nil
			}
			want, err := w.Wanted("thing")
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, kind.Desired{Key: manifest.Key{Kind: "Secret", Namespace: "default", Name: "login"}, Virtual: true,
				Data: map[string]string{"password": password, "lines": "first-line\nsecond-line\n", "short": "4"}})
			pass := engineOf(w).Sync(context.Background(), Revision{Want: want})
			text := fmt.Sprintf("%v %v", pass.Failures, pass.Results[0].Err)
			if strings.Contains(text, echo) || strings.Contains(text, password) || !strings.Contains(text, redact.Hidden) {
				t.Errorf("the error gives the secret away: %s", text)
			}
			if !strings.Contains(text, "400 bad user data") {
				t.Errorf("the error lost what is no secret: %s", text)
			}
			if err := pass.Results[0].Err; !errors.Is(err, kind.ErrRejected) {
				t.Errorf("the error lost its class: %v", err)
			}
		})
	}
}

func TestRedactedErrorsKeepWhenToComeBack(t *testing.T) {
	r := confidential.Redactor([]kind.Desired{{Data: map[string]string{"a": password}}, {PublicData: true, Data: map[string]string{"role": "network"}}})
	err := hide(r, fmt.Errorf("create: %w", &kind.RetryAfterError{After: 7 * time.Second, Err: errors.New("no " + password)}))
	var later *kind.RetryAfterError
	if !errors.As(err, &later) || later.After != 7*time.Second {
		t.Errorf("got %v, want one that says 7s", err)
	}
	for e := range strings.SplitSeq(err.Error()+"\n"+later.Error(), "\n") {
		if strings.Contains(e, password) {
			t.Errorf("%q gives the secret away", e)
		}
	}
	plain := errors.New("network: nothing secret in it")
	if got := hide(r, plain); !errors.Is(got, plain) {
		t.Errorf("an error without secrets became %v", got)
	}
}

// A redacted error still has its classes. For example, a refused list is recognised by its class,
// even if its text is redacted.
func TestRedactedErrorsKeepEveryClass(t *testing.T) {
	r := confidential.Redactor([]kind.Desired{{Data: map[string]string{"a": password}}})
	for _, class := range []error{
		kind.ErrBusy, kind.ErrNotYet, kind.ErrRejected, kind.ErrForbidden, kind.ErrExhausted, kind.ErrGone, kind.ErrUnanswered, kind.ErrNoService,
	} {
		err := hide(r, fmt.Errorf("%w: no %s", class, password))
		if !errors.Is(err, class) || strings.Contains(err.Error(), password) {
			t.Errorf("%v became %v", class, err)
		}
	}
}

func TestRefusedListsThatRepeatASecretAreExcused(t *testing.T) {
	g := &guarded{World: thingtest.New(), refusal: fmt.Errorf("%w: %w: 403 for %s", kind.ErrRejected, kind.ErrForbidden, password)}
	e := privilegedEngine(t, g)
	e.Secrets = func() []string { return []string{password} }
	if pass := e.Sync(t.Context(), Revision{}); pass.Outcome() != plan.InSync {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
}
