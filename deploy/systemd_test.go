package deploy

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// unit is a unit file: a map from section to key to the values of the key in order.
type unit map[string]map[string][]string

func readUnit(t *testing.T, name string) unit {
	t.Helper()
	u, section := unit{}, ""
	for line := range strings.Lines(read(t, "systemd/"+name)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			section = strings.Trim(line, "[]")
			u[section] = map[string][]string{}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || section == "" {
			t.Fatalf("%s: %q is not an assignment in a section", name, line)
		}
		u[section][key] = append(u[section][key], value)
	}
	return u
}

func (u unit) only(section, key string) string {
	if values := u[section][key]; len(values) == 1 {
		return values[0]
	}
	return ""
}

// own contains the keys that may differ between the service and the single pass.
var own = []string{
	"Type", "ExecStart", "Environment", "Restart", "RestartSec", "RestartSteps", "RestartMaxDelaySec",
	"RestartPreventExitStatus", "SuccessExitStatus", "TimeoutStartSec",
}

// TestUnits checks that both services have the same sandbox.
func TestUnits(t *testing.T) {
	service, once := readUnit(t, "stackreeve.service")["Service"], readUnit(t, "stackreeve-once.service")["Service"]
	for key := range maps.Keys(service) {
		if !slices.Contains(own, key) && !slices.Equal(service[key], once[key]) {
			t.Errorf("%s: stackreeve.service has %q, stackreeve-once.service %q", key, service[key], once[key])
		}
	}
	for key := range maps.Keys(once) {
		if _, ok := service[key]; !ok && !slices.Contains(own, key) {
			t.Errorf("%s: only stackreeve-once.service has it", key)
		}
	}
	for key, want := range map[string]string{
		"DynamicUser": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "NoNewPrivileges": "yes",
		"PrivateDevices": "yes", "PrivateUsers": "yes", "MemoryDenyWriteExecute": "yes", "CapabilityBoundingSet": "",
		"RestrictNamespaces": "yes", "SystemCallArchitectures": "native",
	} {
		if got := service[key]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// TestSecretsArePassed checks that every secret of the units is at the path in the configuration or in
// clouds.yaml.
func TestSecretsArePassed(t *testing.T) {
	u := readUnit(t, "stackreeve.service")
	const folder = "/etc/stackreeve/secrets"
	if got := u.only("Service", "BindReadOnlyPaths"); got != "%d:"+folder {
		t.Errorf("BindReadOnlyPaths is %q", got)
	}
	for _, credential := range u["Service"]["LoadCredential"] {
		name, from, _ := strings.Cut(credential, ":")
		if from != folder+"/"+name {
			t.Errorf("the credential %s comes from %s and appears as another file", name, from)
		}
	}
	if !slices.Contains(u["Service"]["Environment"], "OS_CLIENT_CONFIG_FILE="+folder+"/clouds.yaml") {
		t.Error("nothing says where clouds.yaml is")
	}
}

// TestUnitsKnowExitCodes checks three things: refused input is not tried again, differences are no failure, and
// the service has enough time to end.
func TestUnitsKnowExitCodes(t *testing.T) {
	service, once, timer := readUnit(t, "stackreeve.service"), readUnit(t, "stackreeve-once.service"), readUnit(t, "stackreeve-once.timer")
	if got := service.only("Service", "RestartPreventExitStatus"); got != "3" || service.only("Service", "Restart") != "on-failure" {
		t.Errorf("RestartPreventExitStatus is %q", got)
	}
	if got := once.only("Service", "SuccessExitStatus"); got != "2" || once.only("Service", "Type") != "oneshot" {
		t.Errorf("SuccessExitStatus is %q", got)
	}
	if !strings.Contains(once.only("Service", "ExecStart"), " run --once ") {
		t.Error("stackreeve-once.service never ends")
	}
	seconds, err := strconv.Atoi(service.only("Service", "TimeoutStopSec"))
	if err != nil || time.Duration(seconds)*time.Second < grace {
		t.Errorf("TimeoutStopSec is %d; want %s at least", seconds, grace)
	}
	if timer.only("Unit", "Conflicts") != "stackreeve.service" || timer.only("Timer", "RandomizedDelaySec") == "" {
		t.Error("the timer runs beside the service, or at the same second everywhere")
	}
}
