package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// joinFaults reads the fault of servers in ERROR whose list entry has none, because some clouds show the fault only if a single server is read. It
// reads at most maxAsked servers: if many fail at the same time, mostly all have the same reason.
func joinFaults(ctx context.Context, d driver, servers []*state) error {
	asked := 0
	for _, s := range servers {
		if s.More.Status != "ERROR" || s.More.Fault != "" || asked == maxAsked {
			continue
		}
		asked++
		var answer struct {
			Server struct {
				Fault struct {
					Message string `json:"message"`
				} `json:"fault"`
			} `json:"server"`
		}
		version, err := d.Client.Microversion(ctx, cloud.Compute, withFlavorID)
		if err != nil {
			return err
		}
		err = d.Client.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodGet, Path: d.Path(s.ID), Into: &answer, Microversion: version})
		if err != nil && !errors.Is(err, kind.ErrGone) && !errors.Is(err, kind.ErrRejected) {
			return err
		}
		s.More.Fault = answer.Server.Fault.Message
	}
	return nil
}
