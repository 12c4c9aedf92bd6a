package cinder

import "github.com/stackreeve/stackreeve/internal/simulator/oslo"

// restorable finds the backup for a new volume, and checks it.
// (volume/flows/api/create_volume.py: _extract_backup, validate_backup_size)
func (b *Cinder) restorable(c *oslo.Caller, v *Volume, id string) (*backup, error) {
	s, err := b.findBackup(c, id)
	switch {
	case err != nil:
		return nil, err
	case s.Status != "available":
		return nil, badRequest("Invalid backup: Originating backup status must be one of 'available' values")
	}
	return s, v.fit(s.Size, "Volume size %dGB cannot be smaller than the backup size %dGB. It must be >= backup size.")
}

// restore gives a new volume the metadata of the volume that was backed up, and the ID of the backup. The new
// volume has a name, so its name and description are not replaced. (backup/driver.py: BackupMetadataAPI.put,
// backup/manager.py: restore_backup)
func (s *backup) restore(v *Volume) {
	v.Metadata = map[string]string{"src_backup_id": s.ID}
	for key, value := range s.volume {
		if key != "src_backup_id" {
			v.Metadata[key] = value
		}
	}
	if s.image != nil {
		v.image, v.Bootable = s.image, true
	}
	s.Status = "available"
}
