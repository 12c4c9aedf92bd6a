package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/readapi"
)

// show makes what kubectl can read of the agent, if there is a token for it.
func (svc *service) show(names []string, f runFlags) error {
	switch {
	case f.apiToken == "":
		return nil
	case f.door.address == "":
		return errors.New("--api-token-file: there is no --listen, so no request can arrive; give it an address")
	}
	if localfile.Exposed(f.apiToken) {
		svc.log.Warn("the API token can be read by everybody on this machine; take the right from others with chmod o-rwx", "file", f.apiToken)
	}
	store := readapi.NewStore(names, all.Kinds(nil, defaults.Defaults{}), time.Now())
	refuse := func(w http.ResponseWriter, code int) { readapi.Refuse(w, code, http.StatusText(code)) }
	api, err := control.Guard(func() ([]control.Token, error) { return control.Tokens(f.apiToken) }, svc.log, readapi.New(store, readSchemas, version()), refuse)
	if err != nil {
		return fmt.Errorf("--api-token-file: %w", err)
	}
	svc.shown, svc.api = store, api
	return nil
}

// readSchemas are those of the kinds that the agent knows.
func readSchemas() (list []readapi.Schema, err error) {
	for _, d := range describedKinds() {
		doc, err := d.schema()
		if err != nil {
			return nil, err
		}
		list = append(list, readapi.Schema{GVK: d.gvk, Doc: doc})
	}
	return list, nil
}
