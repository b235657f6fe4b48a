package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"

	"usher/repo"
	"usher/service/domain"
)

// setupName is where the hash of the set-up token is kept.
const setupName = "setup_token_hash"

// setupTries bounds the race of instances that start together.
const setupTries = 8

// SetupToken returns a new token for the link with which the first administrator signs up, and whether one is
// needed: only while there is no staff. The ledger keeps its hash. Each call replaces the token before it, so the
// link that was printed last, by whichever instance, is the one that works.
func (a *Accounts) SetupToken(ctx context.Context) (token string, needed bool, err error) {
	staff, err := a.store.CountStaff(ctx)
	if err != nil || staff > 0 {
		return "", false, err
	}
	token = rand.Text()
	hash := tokenHash(token)
	for range setupTries {
		old, found, err := a.store.SystemValue(ctx, setupName)
		if err != nil {
			return "", false, err
		}
		if found {
			if _, err := a.store.TakeSystemValue(ctx, setupName, old); err != nil {
				return "", false, err
			}
		}
		stored, err := a.store.SetSystemValueOnce(ctx, setupName, hash)
		if err != nil {
			return "", false, err
		}
		if stored == hash {
			return token, true, nil
		}
	}
	return "", false, fmt.Errorf("store the set-up token: %w", domain.ErrBusy)
}

// Setup makes the first administrator. The token works once, and only while there is no staff. ErrForbidden when
// it does not work (any more), ErrInvalid with the fields that break a rule; the token then stays good.
func (a *Accounts) Setup(ctx context.Context, token, email, password string) (domain.User, error) {
	hash := tokenHash(token)
	stored, found, err := a.store.SystemValue(ctx, setupName)
	if err != nil {
		return domain.User{}, err
	}
	if !found || subtle.ConstantTimeCompare([]byte(stored), []byte(hash)) != 1 { // before any work is done for strangers
		return domain.User{}, errSetupUsed()
	}
	u, err := a.newAdmin(ctx, email, password)
	if err != nil {
		return domain.User{}, err
	}

	err = a.store.InTx(ctx, func(tx *repo.Store) error {
		mine, err := tx.TakeSystemValue(ctx, setupName, hash)
		if err != nil {
			return err
		}
		staff, err := tx.CountStaff(ctx)
		if err != nil {
			return err
		}
		if !mine || staff > 0 {
			return errSetupUsed()
		}
		return inUse(tx.InsertUser(ctx, u))
	})
	if err != nil {
		return domain.User{}, err
	}
	a.log.InfoContext(ctx, "first administrator set up", "user_id", u.ID)
	return u, nil
}

func errSetupUsed() error {
	return domain.ErrForbidden.Saying("This set-up link has been used or replaced.")
}

func tokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
