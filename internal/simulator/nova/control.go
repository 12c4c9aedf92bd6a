package nova

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// SetBuildDelay sets the delay of builds and other tasks that start from now on. The lock must be held.
func (n *Nova) SetBuildDelay(d time.Duration) { n.opts.BuildDelay = d }

// FailNextBuild makes the next build of a server fail when the server would become active. The fault of the
// server contains message. The lock must be held.
func (n *Nova) FailNextBuild(message string) { n.failNext = append(n.failNext, message) }

// FailNextTask makes the next resize or rebuild fail as if no host could do it. After a failed resize, the
// server is unchanged. After a failed rebuild, the server is in ERROR. The lock must be held.
func (n *Nova) FailNextTask(what, message string) {
	n.failTasks[what] = append(n.failTasks[what], message)
}

// failing returns the error that FailNextTask requested for the next task, or nil.
func (n *Nova) failing(what string) error {
	list := n.failTasks[what]
	if len(list) == 0 {
		return nil
	}
	n.failTasks[what] = list[1:]
	return errors.New(list[0])
}

// addControl adds the pages that control Nova:
//
//	POST /_simulator/build-delay {"delay": "2s"}
//	POST /_simulator/fail-build  {"message": "the disk is on fire", "count": 1, "task": "build"}
//
// A task is build, resize or rebuild.
func (n *Nova) addControl() {
	n.cloud.HandleControl("POST /_simulator/build-delay", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Delay string }
		err := json.NewDecoder(r.Body).Decode(&in)
		d := time.Duration(0)
		if err == nil {
			d, err = time.ParseDuration(in.Delay)
		}
		if err != nil {
			oslo.WriteJSON(w, http.StatusBadRequest, map[string]string{"error": `say {"delay": "2s"}: ` + err.Error()})
			return
		}
		n.cloud.Do(func() { n.SetBuildDelay(d) })
		w.WriteHeader(http.StatusNoContent)
	})
	n.cloud.HandleControl("POST /_simulator/fail-build", func(w http.ResponseWriter, r *http.Request) {
		in := struct {
			Message, Task string
			Count         int
		}{Message: "the build was made to fail", Task: "build", Count: 1}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			oslo.WriteJSON(w, http.StatusBadRequest, map[string]string{"error": `say {"message": "...", "count": 1}: ` + err.Error()})
			return
		}
		n.cloud.Do(func() {
			for range in.Count {
				if in.Task == "build" {
					n.FailNextBuild(in.Message)
				} else {
					n.FailNextTask(in.Task, in.Message)
				}
			}
		})
		w.WriteHeader(http.StatusNoContent)
	})
}
