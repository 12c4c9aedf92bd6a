package nova

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Server is a server.
type Server struct {
	ID          string
	Name        string
	Project     string
	User        string
	Description *string
	Hostname    string
	Flavor      Flavor // the flavor as it was when the server was created or resized
	Image       string // empty when booted from a volume
	Key         *string
	Metadata    map[string]string
	Tags        []string
	UserData    *string
	ConfigDrive string
	Zone        string
	Host        string
	VMState     string
	Task        string // empty: none
	Power       int
	Created     time.Time
	Updated     time.Time
	Launched    time.Time
	Terminated  time.Time
	Locked      bool
	LockReason  *string
	Fault       *fault
	AccessIPv4  string
	AccessIPv6  string
	DiskConfig  string

	number      int // the number of the server in the cloud, for names such as instance-0000000b
	launchIndex int
	reservation string
	zoneAsked   string
	hostAsked   string
	group       string
	near, apart []string // IDs of the servers whose hosts it must share, and of those whose hosts it must not share
	wanted      []nic
	nics        []*nic
	securityIDs []string
	disks       []disk
	attached    []*attachment
	resizedFrom *Flavor
	before      string // vm_state before a resize
	confirming  bool   // reports whether a resize is being confirmed
	actions     []action
	deleted     bool
}

// nic is an interface of a server. It contains the values of the request, and later the port.
type nic struct {
	network, port, fixedIP string
	tag                    *string
	own                    bool  // reports whether Nova made the port and therefore deletes it
	refused                error // the reason why the port cannot be plugged in; only the compute host detects it
}

type fault struct {
	Code    int    `json:"code"`
	Created string `json:"created"`
	Message string `json:"message"`
	Details string `json:"details,omitempty"`
}

// These are states of nova/compute/vm_states.py.
const (
	active    = "active"
	building  = "building"
	paused    = "paused"
	suspended = "suspended"
	stopped   = "stopped"
	rescued   = "rescued"
	resized   = "resized"
	failed    = "error"
	shelved   = "shelved"
	offloaded = "shelved_offloaded"
	deleted   = "deleted"
)

// These are power states of nova/compute/power_state.py.
const (
	powerNone      = 0
	powerRunning   = 1
	powerPaused    = 3
	powerShutdown  = 4
	powerSuspended = 7
)

// status mirrors nova/api/openstack/common.py: _STATE_MAP.
func (s *Server) status() string { return statusOf(s.VMState, s.Task) }

func statusOf(state, task string) string {
	switch {
	case strings.HasPrefix(task, "rebuild") && (state == active || state == stopped || state == failed):
		return "REBUILD"
	case state == active && (task == "rebooting" || task == "reboot_pending" || task == "reboot_started"):
		return "REBOOT"
	case state == active && strings.HasPrefix(task, "rebooting_hard"), state == active && strings.HasSuffix(task, "_hard"):
		return "HARD_REBOOT"
	case state == active && task == "updating_password":
		return "PASSWORD"
	case state == active && task == "migrating":
		return "MIGRATING"
	case state == resized && task == "resize_reverting":
		return "REVERT_RESIZE"
	case (state == active || state == stopped) && strings.HasPrefix(task, "resize_"):
		return "RESIZE"
	}
	return statusNames[state]
}

var statusNames = map[string]string{active: "ACTIVE", building: "BUILD", stopped: "SHUTOFF", resized: "VERIFY_RESIZE", paused: "PAUSED", suspended: "SUSPENDED",
	rescued: "RESCUE", failed: "ERROR", deleted: "DELETED", shelved: "SHELVED", offloaded: "SHELVED_OFFLOADED"}

// to sets the state, the task and the power state of a server.
func (n *Nova) to(s *Server, state, task string, power int) {
	s.VMState, s.Task, s.Power = state, task, power
	n.touch(s)
}

func (n *Nova) touch(s *Server) { s.Updated = n.cloud.Now() }

// failServer sets a server to ERROR.
func (n *Nova) failServer(s *Server, text string) {
	s.Fault = &fault{Code: 500, Created: oslo.Stamp(n.cloud.Now()), Message: text}
	n.to(s, failed, "", powerNone)
}

// live finds a server that still exists. Events use it, because the server may have been deleted.
func (n *Nova) live(id string) (*Server, bool) { return n.servers.Get(id) }

// find finds a server that a caller may see.
func (n *Nova) find(c *call) (*Server, error) {
	s, ok := n.servers.Get(c.PathValue("id"))
	if !ok || s.Project != c.Caller.ProjectID && !c.Caller.Admin() {
		return nil, notFound("Instance %s could not be found.", c.PathValue("id"))
	}
	return s, nil
}

// hostID mirrors nova/utils.py: generate_hostid.
func (s *Server) hostID() string {
	if s.Host == "" {
		return ""
	}
	sum := sha256.Sum224([]byte(s.Project + s.Host))
	return hex.EncodeToString(sum[:])
}
