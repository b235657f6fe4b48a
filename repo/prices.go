package repo

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"usher/service/domain"
)

type priceRow struct {
	ScreeningID string
	Tier        string
	PriceMinor  int64
}

const insertPricesSQL = `
INSERT INTO price_tiers (screening_id, tier, price_minor) SELECT screening_id, tier, price_minor FROM `

func (s *Store) insertPrices(ctx context.Context, sc *domain.Screening) error {
	if len(sc.Prices) == 0 {
		return nil
	}
	tiers := slices.Sorted(maps.Keys(sc.Prices))
	ids, prices := make([]string, len(tiers)), make([]int64, len(tiers))
	for i, tier := range tiers {
		ids[i], prices[i] = sc.ID, sc.Prices[tier]
	}
	item, args := s.from("added", textColumn("screening_id", ids), textColumn("tier", tiers), intColumn("price_minor", prices))
	if _, err := s.exec(ctx, insertPricesSQL+item, args...); err != nil {
		return fmt.Errorf("insert prices of screening %s: %w", sc.ID, err)
	}
	return nil
}

const (
	pricesPostgres = `SELECT screening_id, tier, price_minor FROM price_tiers WHERE screening_id = ANY(?::text[])`
	pricesSQLite   = `SELECT screening_id, tier, price_minor FROM price_tiers
WHERE screening_id IN (SELECT value FROM json_each(?))`
)

// loadPrices fills in the prices of all screenings of the list with one query (primary key).
func (s *Store) loadPrices(ctx context.Context, list []domain.Screening) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]string, len(list))
	place := make(map[string]int, len(list))
	for i := range list {
		ids[i], place[list[i].ID] = list[i].ID, i
		list[i].Prices = map[string]int64{}
	}
	var rows []priceRow
	if err := s.query(ctx, &rows, s.pick(pricesPostgres, pricesSQLite), s.list(ids)); err != nil {
		return fmt.Errorf("read prices: %w", err)
	}
	for _, r := range rows {
		list[place[r.ScreeningID]].Prices[r.Tier] = r.PriceMinor
	}
	return nil
}
