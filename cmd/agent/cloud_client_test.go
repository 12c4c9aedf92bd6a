package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// thing is one line of a list, keyed by the names of its columns: lower case, with underscores for spaces.
type thing map[string]any

// text returns the value of a column as text.
func (o thing) text(column string) string {
	if o[column] == nil {
		return ""
	}
	return fmt.Sprint(o[column])
}

// client is OpenStack's own command line client. Its process runs for the whole test, because it needs seconds to start, and then only a
// moment for each command.
type client struct {
	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// findClient returns the path of the client. It prefers the system's client, even if another Python environment contains one. With
// STACKREEVE_TEST_STANDIN, no client is used.
func findClient() (string, error) {
	if os.Getenv("STACKREEVE_TEST_STANDIN") != "" {
		return "", errors.New("STACKREEVE_TEST_STANDIN forbids it")
	}
	const usual = "/usr/bin/openstack"
	if _, err := os.Stat(usual); err == nil {
		return usual, nil
	}
	return exec.LookPath("openstack")
}

func newClient(t *testing.T, file, entry string) *client {
	t.Helper()
	path, err := findClient()
	if err != nil {
		t.Fatal("counting needs OpenStack's command line client: ", err)
	}
	c := &client{cmd: exec.Command(path)}
	c.cmd.Env = append(plainEnvironment(), "OS_CLIENT_CONFIG_FILE="+file, "OS_CLOUD="+entry)
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stderr = c.cmd.Stdout // one stream, so that the order is preserved
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.in.Close()
		_ = c.cmd.Wait() // the exit code is that of the last command
	})
	return c
}

// list runs a command that prints a list.
func (c *client) list(words ...string) ([]thing, error) {
	doc, err := c.do(append(words, "-f", "json")...)
	if err != nil {
		return nil, err
	}
	var raw []thing
	if err := json.Unmarshal(doc, &raw); err != nil {
		return nil, fmt.Errorf("openstack %v: %w: %s", words, err, doc)
	}
	list := make([]thing, len(raw))
	for i, o := range raw {
		list[i] = thing{}
		for column, value := range o {
			list[i][strings.ReplaceAll(strings.ToLower(column), " ", "_")] = value
		}
	}
	return list, nil
}

// one runs a command that prints an object.
func (c *client) one(words ...string) (thing, error) {
	doc, err := c.do(append(words, "-f", "json")...)
	if err != nil {
		return nil, err
	}
	var o thing
	err = json.Unmarshal(doc, &o)
	return o, err
}

// do runs a command and returns the JSON that it printed, if any. Other output is an error.
func (c *client) do(words ...string) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	// The output of this second command marks the end of the first command's output.
	if _, err := fmt.Fprintf(c.in, "%s\nconfiguration show -f json -c region_name\n", strings.Join(quoted, " ")); err != nil {
		return nil, err
	}
	watchdog := time.AfterFunc(3*time.Minute, func() { _ = c.cmd.Process.Kill() }) // the process may already have ended
	defer watchdog.Stop()
	var docs []string
	var said strings.Builder
	for len(docs) == 0 || !strings.Contains(docs[len(docs)-1], `"region_name":`) {
		line, err := c.out.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("openstack %v: %w; it said: %s", words, err, said.String())
		}
		if line[0] != '[' && line[0] != '{' {
			said.WriteString(line)
			continue
		}
		doc, err := c.rest(line)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	if len(docs) == 1 && strings.TrimSpace(said.String()) != "" {
		return nil, errors.New("openstack " + strings.Join(words, " ") + ": " + strings.TrimSpace(said.String()))
	}
	return json.RawMessage(docs[0]), nil
}

// rest reads the whole JSON document whose first line is line.
func (c *client) rest(line string) (string, error) {
	doc := line
	for !json.Valid([]byte(doc)) {
		next, err := c.out.ReadString('\n')
		if err != nil {
			return "", fmt.Errorf("%w after %s", err, doc)
		}
		doc += next
	}
	return doc, nil
}

// plainEnvironment is the test's environment without the variables that select a cloud.
func plainEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OS_") && !strings.HasPrefix(v, "STACKREEVE_") {
			env = append(env, v)
		}
	}
	return env
}
