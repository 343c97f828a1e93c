package projects

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/freelancer-matching/service/access/audit"
)

// A Store stores projects. Methods return ErrNotFound for what an account doesn't have. An entry of the audit log is
// stored in the same transaction as the change that it describes.
type Store interface {
	// Insert stores a project with its people. It returns ErrFull if the account has MaxProjects projects.
	Insert(ctx context.Context, p *Project, people []Person, e audit.Event) error
	// List returns the projects of an account, the last changed first.
	List(ctx context.Context, account string) ([]Summary, error)
	// Find returns a project with its people, in the order of their ranks.
	Find(ctx context.Context, account, id string) (Project, []Person, error)
	// OfResult returns the ID of the newest project that was saved from a result.
	OfResult(ctx context.Context, account, result string) (string, error)
	// Update replaces name and note, unless the note has changed: it returns ErrChanged if it differs from before.
	Update(ctx context.Context, p *Project, before string) error
	// SetOwner replaces only the owner.
	SetOwner(ctx context.Context, account, id, owner string, at time.Time) error
	Delete(ctx context.Context, account, id string, e audit.Event) error

	// Add stores people who are not in the project yet. It returns ErrFull if there would be more than MaxPeople.
	Add(ctx context.Context, account, id string, people []Person, at time.Time) error
	// SetState replaces only the state of a person, so that it doesn't undo what a colleague has changed.
	SetState(ctx context.Context, account, id, freelancer string, state State, at time.Time) error
	// SetNote replaces only the note about a person. It returns ErrChanged if the note differs from before.
	SetNote(ctx context.Context, account, id, freelancer, note, before string, at time.Time) error
	// Release replaces only whether links show name and profile of a person.
	Release(ctx context.Context, account, id, freelancer string, released bool, e audit.Event) error
	Remove(ctx context.Context, account, id, freelancer string, at time.Time) error
	// Unlist removes a person who is only shortlisted. It returns ErrKept if they have a note or another state.
	Unlist(ctx context.Context, account, id, freelancer string, at time.Time) error

	// AddLink stores a link by the hash of its token. It returns ErrFull if the project has MaxLinks links that have not
	// expired, and deletes those that have.
	AddLink(ctx context.Context, account string, l Link, token [sha256.Size]byte, e audit.Event) error
	// Links returns the links of a project that expire after a time, the newest first.
	Links(ctx context.Context, account, id string, at time.Time) ([]Link, error)
	DeleteLink(ctx context.Context, account, id, link string, e audit.Event) error
	// Shared returns the link whose token has a hash, if it expires after a time, and the account of its project.
	Shared(ctx context.Context, token [sha256.Size]byte, at time.Time) (l Link, account string, err error)
	// Record stores an entry of the audit log about something that changes no project.
	Record(ctx context.Context, e audit.Event) error
	DeleteExpiredLinks(ctx context.Context, at time.Time) error
}
