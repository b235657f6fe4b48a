package service

import (
	"context"
	"errors"

	"usher/repo"
	"usher/service/domain"
)

// Sale opens, pauses and closes the sale of a screening. The decision is the ledger's; the hold store is told
// by an effect with the settings' number, so that the last decision wins whatever arrives first.
type Sale struct {
	store   *repo.Store
	catalog *Catalog
	clock   *Clock
	kick    func()
}

// NewSale makes the use case.
func NewSale(store *repo.Store, catalog *Catalog, clock *Clock, kick func()) *Sale {
	return &Sale{store: store, catalog: catalog, clock: clock, kick: kick}
}

// saleMoves are the changes that staff may make here; cancelling a screening is another matter.
var saleMoves = map[domain.ScreeningStatus][]domain.ScreeningStatus{
	domain.ScreeningDraft:  {domain.ScreeningOnSale},
	domain.ScreeningOnSale: {domain.ScreeningPaused, domain.ScreeningClosed},
	domain.ScreeningPaused: {domain.ScreeningOnSale, domain.ScreeningClosed},
	domain.ScreeningClosed: {domain.ScreeningOnSale},
}

// SetStatus moves the screening to another status. Errors: ErrNotFound, ErrOrderState when there is no such move,
// ErrVersionConflict when somebody was faster.
func (s *Sale) SetStatus(ctx context.Context, screeningID string, to domain.ScreeningStatus) error {
	err := s.store.InTx(ctx, func(tx *repo.Store) error {
		rows, err := tx.LockScreenings(ctx, []string{screeningID})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return domain.ErrNotFound
		}
		sc := rows[0]
		if sc.Status == to {
			return errSameStatus
		}
		if !allowed(sc.Status, to) {
			return domain.ErrOrderState.Saying("The screening cannot go from " + string(sc.Status) + " to " + string(to) + ".")
		}
		if err := tx.UpdateScreeningStatus(ctx, sc.ID, sc.Status, to, sc.Version); err != nil {
			return err
		}
		return tx.InsertEffects(ctx, []domain.Effect{{
			ID: NewID(), Kind: domain.EffectMirror, ScreeningID: sc.ID, Attempt: 1, CreatedAt: s.clock.Now(),
		}})
	})
	if errors.Is(err, errSameStatus) {
		return nil
	}
	if err != nil {
		return err
	}
	s.catalog.Forget(screeningID)
	s.kick()
	return nil
}

var errSameStatus = errors.New("the screening has this status already")

func allowed(from, to domain.ScreeningStatus) bool {
	for _, s := range saleMoves[from] {
		if s == to {
			return true
		}
	}
	return false
}
