package m3

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
)

func (w *World) namespace(c *cluster, rest string, rw http.ResponseWriter, req *http.Request) {
	var body struct {
		Name    string         `json:"name"`
		Options map[string]any `json:"options"`
	}
	_ = json.NewDecoder(req.Body).Decode(&body) // some requests have no body
	there := c.namespaces[body.Name]
	switch {
	case req.Method == http.MethodGet:
	case req.Method == http.MethodDelete && c.namespaces[rest] == nil:
		refuse(rw, http.StatusNotFound, "unable to find a namespace with specified name")
		return
	case req.Method == http.MethodDelete:
		delete(c.namespaces, rest)
		reply(rw, http.StatusOK, map[string]bool{"deleted": true})
		return
	case rest == "ready" && there == nil:
		refuse(rw, http.StatusBadRequest, fmt.Sprintf("namespace %v not found", body.Name))
		return
	case rest == "ready":
		for _, i := range c.instances {
			if !i.settled() || !w.runs(i) {
				refuse(rw, http.StatusInternalServerError, "namepace "+body.Name+" not yet ready, err: not enough nodes")
				return
			}
		}
		there["stagingState"] = map[string]any{"status": "READY"}
		reply(rw, http.StatusOK, map[string]bool{"ready": true})
		return
	case req.Method == http.MethodPut && there == nil:
		refuse(rw, http.StatusNotFound, "unable to find a namespace with specified name")
		return
	case req.Method == http.MethodPut:
		if !changesRetention(there, body.Options) {
			refuse(rw, http.StatusBadRequest, "unable to validate update request: namespace option field is immutable")
			return
		}
	case there != nil:
		refuse(rw, http.StatusConflict, "namespace with the same name already exists")
		return
	default:
		made := maps.Clone(body.Options)
		made["stagingState"] = map[string]any{"status": "UNKNOWN"}
		c.namespaces[body.Name] = made
	}
	reply(rw, http.StatusOK, map[string]any{"registry": map[string]any{"namespaces": c.namespaces}})
}

// changesRetention changes the retention period. It is the only option that can be changed.
func changesRetention(there, options map[string]any) bool {
	asked, ok := options["retentionOptions"].(map[string]any)
	has, known := there["retentionOptions"].(map[string]any)
	if !ok || !known || len(options) != 1 || len(asked) != 1 || asked["retentionPeriodNanos"] == nil {
		return false
	}
	has["retentionPeriodNanos"] = asked["retentionPeriodNanos"]
	return true
}

func staging(n map[string]any) string {
	state, _ := n["stagingState"].(map[string]any)
	status, _ := state["status"].(string)
	return status
}
