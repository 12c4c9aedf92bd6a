package store

import (
	"context"
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
)

// load adds the packs of a store on disk, after a check of every byte. It also checks that all
// objects of commit are there.
func (s *Store) load(ctx context.Context, commit plumbing.Hash) error {
	packs, err := filepath.Glob(filepath.Join(s.dir, filepath.FromSlash(packFolder), "pack-*.pack"))
	if err != nil || len(packs) == 0 {
		return fmt.Errorf("%w: no packs", ErrIncomplete)
	}
	for _, file := range packs {
		if err := ctx.Err(); err != nil {
			return err
		}
		size, err := verifyPack(ctx, file)
		if err != nil {
			return err
		}
		s.packs = append(s.packs, packFile{packFolder + "/" + filepath.Base(file), size})
	}
	c, err := s.Commit(commit)
	if err != nil {
		return err
	}
	return s.CheckComplete(ctx, c)
}

// verifyPack compares a pack with the checksum at its end.
func verifyPack(ctx context.Context, file string) (int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	end, err := checkSum(watched{ctx, f})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return end + sha1.Size, nil
}
