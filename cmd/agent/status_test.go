package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// action requests an action of Nova on a server, as another person could do, and waits until it is done: server NAME ACTION.
func (c *clouds) action(ts *testscript.TestScript, _ bool, args []string) {
	client, err := cloud.Open(context.Background(), cloud.Config{Cloud: "demo", File: ts.Getenv("OS_CLIENT_CONFIG_FILE")})
	ts.Check(err)
	type server struct {
		ID, Name, Status string
		Task             *string `json:"OS-EXT-STS:task_state"`
	}
	find := func() server {
		list, err := cloud.List[server](context.Background(), client, cloud.Call{Service: cloud.Compute, Path: "servers/detail"}, "servers")
		ts.Check(err)
		for _, s := range list {
			if s.Name == args[0] {
				return s
			}
		}
		ts.Fatalf("there is no server %s", args[0])
		return server{}
	}
	before := find()
	ts.Check(client.Do(context.Background(), cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + before.ID + "/action",
		Body: json.RawMessage(strings.Join(args[1:], " "))}))
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if s := find(); s.Status != before.Status && s.Task == nil {
			return
		}
	}
	ts.Fatalf("%s is still %s", args[0], before.Status)
}
