package deploy

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// grace is the longest time that the program needs to end: 30 seconds for running steps, and five for its
// listener.
const grace = 35 * time.Second

// TestYAML checks that every YAML parser accepts the documents.
func TestYAML(t *testing.T) {
	for file, text := range files(t) {
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		decoder, documents := yamlv3.NewDecoder(strings.NewReader(text)), 0
		for {
			var doc map[string]any
			err := decoder.Decode(&doc)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			documents++
		}
		if documents == 0 {
			t.Errorf("%s holds no document", file)
		}
	}
}

type composeService struct {
	Command         []string
	User            string
	ReadOnly        bool     `json:"read_only"`
	CapDrop         []string `json:"cap_drop"`
	SecurityOpt     []string `json:"security_opt"`
	StopGracePeriod string   `json:"stop_grace_period"`
}

func service(t *testing.T) composeService {
	t.Helper()
	var project struct{ Services map[string]composeService }
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &project); err != nil {
		t.Fatal(err)
	}
	return project.Services["agent"]
}

func TestCompose(t *testing.T) {
	s := service(t)
	if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
		t.Errorf("the container may do more than it needs: %+v", s)
	}
	if user := "USER " + s.User + "\n"; !strings.Contains(read(t, "Dockerfile"), user) {
		t.Errorf("the container's user %s is not the image's", s.User)
	}
	if d, err := time.ParseDuration(s.StopGracePeriod); err != nil || d < grace {
		t.Errorf("stop_grace_period is %q; want %s at least", s.StopGracePeriod, grace)
	}
}

// document finds the document with the given kind.
func document(t *testing.T, file, kind string, into any) {
	t.Helper()
	for _, text := range bytes.Split([]byte(read(t, file)), []byte("\n---\n")) {
		var head struct{ Kind string }
		if err := yaml.Unmarshal(text, &head); err != nil {
			t.Fatal(err)
		}
		if head.Kind != kind {
			continue
		}
		if err := yaml.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("%s has no %s", file, kind)
}

type cronJob struct {
	Spec struct {
		Schedule, ConcurrencyPolicy string
		JobTemplate                 struct {
			Spec struct {
				BackoffLimit *int
				Template     struct{ Spec podSpec }
			}
		}
	}
}

type deployment struct {
	Spec struct {
		Replicas int
		Template struct{ Spec podSpec }
	}
}

type podSpec struct {
	RestartPolicy                 string
	AutomountServiceAccountToken  *bool
	TerminationGracePeriodSeconds int
	SecurityContext               struct{ RunAsNonRoot bool }
	Containers                    []podContainer
}

// judge checks that a pod has one container. The container must have no more rights than it needs, and enough
// time to end.
func (p podSpec) judge(t *testing.T) {
	t.Helper()
	if time.Duration(p.TerminationGracePeriodSeconds)*time.Second < grace {
		t.Errorf("terminationGracePeriodSeconds is %d; want %s at least", p.TerminationGracePeriodSeconds, grace)
	}
	if n := len(p.Containers); n != 1 {
		t.Fatalf("there are %d containers, want one", n)
	}
	if c := p.Containers[0].SecurityContext; !p.SecurityContext.RunAsNonRoot || !c.ReadOnlyRootFilesystem || !slices.Equal(c.Capabilities.Drop, []string{"ALL"}) ||
		c.AllowPrivilegeEscalation == nil || *c.AllowPrivilegeEscalation {
		t.Errorf("the container may do more than it needs: %+v", p)
	}
}

type podContainer struct {
	Args            []string
	SecurityContext struct {
		AllowPrivilegeEscalation *bool
		ReadOnlyRootFilesystem   bool
		Capabilities             struct{ Drop []string }
	}
}

func job(t *testing.T) (j cronJob) {
	t.Helper()
	document(t, "kubernetes/cronjob.yaml", "CronJob", &j)
	j.Spec.JobTemplate.Spec.Template.Spec.judge(t)
	return j
}

func agents(t *testing.T) (d deployment) {
	t.Helper()
	document(t, "kubernetes/agents.yaml", "Deployment", &d)
	d.Spec.Template.Spec.judge(t)
	return d
}

func TestCronJob(t *testing.T) {
	j := job(t)
	if _, err := cron.ParseStandard(j.Spec.Schedule); err != nil {
		t.Error(err)
	}
	run := j.Spec.JobTemplate.Spec
	pod := run.Template.Spec
	if j.Spec.ConcurrencyPolicy != "Forbid" || pod.RestartPolicy != "Never" || run.BackoffLimit == nil || *run.BackoffLimit != 0 {
		t.Error("two passes could run at once, or one at once after it failed")
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Error("the container has a token, which it does not need")
	}
	if !slices.Contains(pod.Containers[0].Args, "--once") {
		t.Error("a Job that never ends")
	}
}

func TestDeployment(t *testing.T) {
	d := agents(t)
	if c := d.Spec.Template.Spec.Containers[0]; d.Spec.Replicas < 2 || slices.Contains(c.Args, "--once") {
		t.Errorf("%d agents with %q", d.Spec.Replicas, c.Args)
	}
}

// TestCron parses the crontab as cron does: the character % would end the command.
func TestCron(t *testing.T) {
	jobs := 0
	for line := range strings.Lines(read(t, "cron/stackreeve")) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "#") || len(fields) < 7 {
			continue
		}
		jobs++
		if _, err := cron.ParseStandard(strings.Join(fields[:5], " ")); err != nil {
			t.Error(err)
		}
		if command := strings.Join(fields[6:], " "); strings.Contains(command, "%") ||
			!strings.Contains(command, "flock -n ") || !strings.Contains(command, "run --once") {
			t.Errorf("%s", command)
		}
		if fields[5] == "root" {
			t.Error("the job runs as root")
		}
	}
	if jobs != 1 {
		t.Errorf("got %d jobs, want one", jobs)
	}
}
