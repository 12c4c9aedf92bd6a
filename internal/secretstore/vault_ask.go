package secretstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/outbound"
)

var (
	errForbidden = errors.New("reading it is not allowed")
	errAnswer    = errors.New("the answer is not one of Vault's KV version 2")
)

// ask sends a request to Vault, with a token if it is not "". No part of an answer is in the error, because an answer may contain a secret.
func (v *Vault) ask(ctx context.Context, token, method, below string, body, into any) (code int, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(v.config.Address, "/")+"/v1/"+below, bytes.NewReader(text))
	if err != nil {
		return 0, hide("the address is wrong", err)
	}
	if body == nil {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	req.Header.Set("X-Vault-Request", "true")
	if token != "" {
		req.Header.Set("X-Vault-Token", token)
	}
	if v.config.Namespace != "" {
		req.Header.Set("X-Vault-Namespace", v.config.Namespace)
	}
	resp, err := v.client.Do(req)
	switch {
	case errors.Is(err, outbound.ErrTooLarge):
		return 0, ErrTooLarge
	case err != nil:
		return 0, hide("does not answer", err)
	}
	defer func() { _ = resp.Body.Close() }() // only the bytes that were read matter
	switch code := resp.StatusCode; code {
	case http.StatusOK:
		if err := json.NewDecoder(resp.Body).Decode(into); errors.Is(err, outbound.ErrTooLarge) {
			return code, ErrTooLarge
		} else if err != nil {
			return code, errAnswer // the error of the decoder may quote a value
		}
		return code, nil
	case http.StatusNotFound:
		return code, ErrMissing
	case http.StatusForbidden:
		return code, errForbidden
	case http.StatusBadRequest:
		return code, fmt.Errorf("is refused (code %d)", code)
	case http.StatusServiceUnavailable:
		return code, hide("is sealed or not ready", fmt.Errorf("code %d", code))
	default:
		return code, hide(fmt.Sprintf("answers with code %d", code), fmt.Errorf("code %d", code))
	}
}
