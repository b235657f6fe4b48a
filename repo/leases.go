package repo

import (
	"context"
	"fmt"
	"time"
)

// leasesMax bounds the list of leases; there is one per job.
const leasesMax = 1000

const acquireLeaseSQL = `
INSERT INTO job_leases (name, owner, fence, expires_at, last_run) VALUES (?, ?, 1, ?, ?)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = job_leases.fence + 1, expires_at = excluded.expires_at
WHERE job_leases.expires_at <= ?
RETURNING fence`

// AcquireLease takes the named lease for a life when nobody has it: it was never taken, was released, or has
// run out by now. One that is held is refused to everybody, its owner included. Each success gives a greater
// fence, so that the work of an owner that lost its lease can be told from that of the next.
func (s *Store) AcquireLease(ctx context.Context, name, owner string, now time.Time, life time.Duration) (fence int64, ok bool, err error) {
	var fences []int64
	err = s.returning(ctx, &fences, acquireLeaseSQL, name, owner, stamp(now.Add(life)), stamp(now), stamp(now))
	if err != nil {
		return 0, false, fmt.Errorf("acquire lease %s: %w", name, err)
	}
	if len(fences) == 0 {
		return 0, false, nil
	}
	return fences[0], true, nil
}

const releaseLeaseSQL = `
UPDATE job_leases SET expires_at = ?, last_run = ? WHERE name = ? AND owner = ? AND fence = ?`

// ReleaseLease gives a lease back, whatever anybody's clock says, and records now as the end of its last run. ErrVersionConflict when it
// belongs to somebody else by now.
func (s *Store) ReleaseLease(ctx context.Context, name, owner string, fence int64, now time.Time) error {
	n, err := s.exec(ctx, releaseLeaseSQL, stamp(time.UnixMilli(0)), stamp(now), name, owner, fence)
	return changedOne(n, err, "release lease "+name)
}

// LeaseRun says who has or had a lease and when its job last came to an end. Before the first end, LastRun is
// the first start, so that a job that never ends grows old as well.
type LeaseRun struct {
	Name      string
	Owner     string
	Fence     int64
	ExpiresAt time.Time
	LastRun   time.Time
}

type leaseRow struct {
	Name      string
	Owner     string
	Fence     int64
	ExpiresAt instant
	LastRun   instant
}

func (r leaseRow) run() LeaseRun {
	return LeaseRun{Name: r.Name, Owner: r.Owner, Fence: r.Fence, ExpiresAt: r.ExpiresAt.Time, LastRun: r.LastRun.Time}
}

const leaseRunsSQL = `SELECT name, owner, fence, expires_at, last_run FROM job_leases ORDER BY name LIMIT ?`

// LeaseRuns returns all leases by name (primary key).
func (s *Store) LeaseRuns(ctx context.Context) ([]LeaseRun, error) {
	var rows []leaseRow
	if err := s.query(ctx, &rows, leaseRunsSQL, leasesMax); err != nil {
		return nil, fmt.Errorf("list leases: %w", err)
	}
	return convert(rows, leaseRow.run), nil
}
