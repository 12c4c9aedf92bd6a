package image

import (
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Seen are the properties that Glance shows. The creator of an image can give each of them any value.
type Seen struct {
	Architecture    table.Text `json:"architecture" api:"architecture" show:"-"`
	HypervisorType  table.Text `json:"hypervisorType" api:"hypervisor_type" show:"-"`
	CPUSockets      table.Text `json:"cpuSockets" api:"hw_cpu_sockets" show:"-"`
	CPUCores        table.Text `json:"cpuCores" api:"hw_cpu_cores" show:"-"`
	CPUThreads      table.Text `json:"cpuThreads" api:"hw_cpu_threads" show:"-"`
	CPUPolicy       table.Text `json:"cpuPolicy" api:"hw_cpu_policy" show:"-"`
	CPUThreadPolicy table.Text `json:"cpuThreadPolicy" api:"hw_cpu_thread_policy" show:"-"`
	CDROMBus        table.Text `json:"cdromBus" api:"hw_cdrom_bus" show:"-"`
	DiskBus         table.Text `json:"diskBus" api:"hw_disk_bus" show:"-"`
	SCSIModel       table.Text `json:"scsiModel" api:"hw_scsi_model" show:"-"`
	VIFModel        table.Text `json:"vifModel" api:"hw_vif_model" show:"-"`
	RngModel        table.Text `json:"rngModel" api:"hw_rng_model" show:"-"`
	QemuGuestAgent  table.Text `json:"qemuGuestAgent" api:"hw_qemu_guest_agent" show:"-"`
	Distro          table.Text `json:"distro" api:"os_distro" show:"-"`
	Version         table.Text `json:"version" api:"os_version" show:"-"`
}

// property is one field of [Properties] with its attribute in Glance.
type property struct {
	field, attr string
	text        **string // exactly one of text, number and flag is set
	number      **int
	flag        **bool
	seen        string
}

// propertiesOf returns the fields of p, each with the image's value.
func propertiesOf(p *Properties, m *More) []property {
	if p.Hardware == nil {
		p.Hardware = &Hardware{}
	}
	if p.OperatingSystem == nil {
		p.OperatingSystem = &OperatingSystem{}
	}
	h, o := p.Hardware, p.OperatingSystem
	return []property{
		{field: "architecture", attr: "architecture", text: &p.Architecture, seen: string(m.Architecture)},
		{field: "hypervisorType", attr: "hypervisor_type", text: &p.HypervisorType, seen: string(m.HypervisorType)},
		{field: "minDiskGB", attr: "min_disk", number: &p.MinDiskGB, seen: strconv.Itoa(m.MinDisk)},
		{field: "minMemoryMB", attr: "min_ram", number: &p.MinMemoryMB, seen: strconv.Itoa(m.MinRAM)},
		{field: "hardware.cpuSockets", attr: "hw_cpu_sockets", number: &h.CPUSockets, seen: string(m.CPUSockets)},
		{field: "hardware.cpuCores", attr: "hw_cpu_cores", number: &h.CPUCores, seen: string(m.CPUCores)},
		{field: "hardware.cpuThreads", attr: "hw_cpu_threads", number: &h.CPUThreads, seen: string(m.CPUThreads)},
		{field: "hardware.cpuPolicy", attr: "hw_cpu_policy", text: &h.CPUPolicy, seen: string(m.CPUPolicy)},
		{field: "hardware.cpuThreadPolicy", attr: "hw_cpu_thread_policy", text: &h.CPUThreadPolicy, seen: string(m.CPUThreadPolicy)},
		{field: "hardware.cdromBus", attr: "hw_cdrom_bus", text: &h.CDROMBus, seen: string(m.CDROMBus)},
		{field: "hardware.diskBus", attr: "hw_disk_bus", text: &h.DiskBus, seen: string(m.DiskBus)},
		{field: "hardware.scsiModel", attr: "hw_scsi_model", text: &h.SCSIModel, seen: string(m.SCSIModel)},
		{field: "hardware.vifModel", attr: "hw_vif_model", text: &h.VIFModel, seen: string(m.VIFModel)},
		{field: "hardware.rngModel", attr: "hw_rng_model", text: &h.RngModel, seen: string(m.RngModel)},
		{field: "hardware.qemuGuestAgent", attr: "hw_qemu_guest_agent", flag: &h.QemuGuestAgent, seen: string(m.QemuGuestAgent)},
		{field: "operatingSystem.distro", attr: "os_distro", text: &o.Distro, seen: string(m.Distro)},
		{field: "operatingSystem.version", attr: "os_version", text: &o.Version, seen: string(m.Version)},
	}
}

// wanted returns the declared value of a field, as Glance spells it. It returns false if the manifest does not declare the field.
func (p property) wanted() (text string, asked bool) {
	switch {
	case p.text != nil && *p.text != nil:
		return **p.text, true
	case p.number != nil && *p.number != nil:
		return strconv.Itoa(**p.number), true
	case p.flag != nil && *p.flag != nil:
		return map[bool]string{true: "yes", false: "no"}[**p.flag], true
	}
	return "", false
}

// shown returns the image's value. All spellings that Nova reads as true become "yes". (oslo_utils/strutils.py:
// TRUE_STRINGS)
func (p property) shown() string {
	if p.flag == nil || p.seen == "" {
		return p.seen
	}
	switch strings.ToLower(p.seen) {
	case "1", "t", "true", "on", "y", "yes":
		return "yes"
	}
	return "no"
}

func compareProperties(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if w.Spec.Properties == nil {
		return
	}
	own := *w.Spec.Properties
	for _, p := range propertiesOf(&own, &have.More) {
		if text, asked := p.wanted(); asked {
			kind.Field(c, "spec.resource.properties."+p.field, p.shown(), text)
		}
	}
}

func writeProperties(w typed.Want[Spec], have *table.Object[Spec, More], body map[string]any) {
	if w.Spec.Properties == nil {
		return
	}
	own, more := *w.Spec.Properties, &More{}
	if have != nil {
		more = &have.More
	}
	for _, p := range propertiesOf(&own, more) {
		text, asked := p.wanted()
		switch {
		case !asked || have != nil && text == p.shown():
		case strings.HasPrefix(p.attr, "min_"):
			body[p.attr] = **p.number
		default:
			body[p.attr] = text
		}
	}
}

// export writes the image's properties to its manifest, if a manifest can express them. It omits the content, because an
// adopted image need not be uploaded.
func export(s *state, spec *Spec, e *kind.Export) {
	own := &Properties{}
	for _, p := range propertiesOf(own, &s.More) {
		n, err := strconv.Atoi(p.seen)
		switch text := p.shown(); {
		case text == "" || p.number != nil && (err != nil || n < 1):
		case p.number != nil:
			*p.number = &n
		case p.flag != nil:
			flag := text == "yes"
			*p.flag = &flag
		default:
			*p.text = &text
		}
	}
	spec.Properties, spec.Content = own, nil
	e.AddLost("spec.resource.content", "the cloud does not show the source of the image; add the source to the manifest before the image is replaced")
	if *own.Hardware == (Hardware{}) {
		own.Hardware = nil
	}
	if *own.OperatingSystem == (OperatingSystem{}) {
		own.OperatingSystem = nil
	}
	if *own == (Properties{}) {
		spec.Properties = nil
	}
}
