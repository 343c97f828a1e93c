package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"freelancer-matching/internal/matching"
)

// params is what one hash costs. Those of now are the smaller choice of OWASP's Password Storage Cheat Sheet: about 25 ms.
type params struct {
	memory uint32 // KiB
	time   uint32 // passes
	lanes  uint8
}

const (
	saltLen = 16 // bytes
	keyLen  = 32
)

func currentParams() params { return params{memory: 19 * 1024, time: 2, lanes: 1} }

// encoded is a hash as it is stored, in the PHC string format: $argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>, both in base64
// without padding (github.com/P-H-C/phc-string-format).
type encoded struct {
	params
	salt, key []byte
}

func (e encoded) String() string {
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, e.memory, e.time, e.lanes, b.EncodeToString(e.salt), b.EncodeToString(e.key))
}

// The most that a stored hash may ask for, so that a damaged record cannot take the whole machine.
const (
	maxMemory = 1 << 20 // KiB
	maxTime   = 32
	maxLanes  = 32
)

// parseEncoded reads what String writes, and nothing else.
func parseEncoded(text string) (e encoded, err error) {
	wrong := errors.New("the stored password is not an argon2id hash in PHC form")
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return encoded{}, wrong
	}
	costs := strings.Split(parts[3], ",")
	if len(costs) != 3 {
		return encoded{}, wrong
	}
	var numbers [3]uint64
	for i, name := range []string{"m=", "t=", "p="} {
		digits, ok := strings.CutPrefix(costs[i], name)
		if numbers[i], err = strconv.ParseUint(digits, 10, 32); !ok || err != nil {
			return encoded{}, wrong
		}
	}
	m, t, p := numbers[0], numbers[1], numbers[2]
	if t < 1 || t > maxTime || p < 1 || p > maxLanes || m < 8*p || m > maxMemory {
		return encoded{}, wrong
	}
	e.params = params{memory: uint32(m), time: uint32(t), lanes: uint8(p)}
	strict := base64.RawStdEncoding.Strict()
	var saltErr, keyErr error
	e.salt, saltErr = strict.DecodeString(parts[4])
	e.key, keyErr = strict.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(e.salt) < 8 || len(e.salt) > 64 || len(e.key) < 16 || len(e.key) > 64 ||
		e.String() != text { // leading zeros, line breaks in base64
		return encoded{}, wrong
	}
	return e, nil
}

// hasher hashes and compares passwords, as many at a time as there are processors: more would only take memory.
type hasher struct {
	params params
	slots  chan struct{}
	derive func(password, salt []byte, p params, keyLen uint32) []byte
	dummy  string // the hash of no password
}

func newHasher(p params) *hasher {
	return &hasher{
		params: p,
		slots:  make(chan struct{}, runtime.GOMAXPROCS(0)),
		derive: func(password, salt []byte, p params, keyLen uint32) []byte {
			return argon2.IDKey(password, salt, p.time, p.memory, p.lanes, keyLen)
		},
		dummy: encoded{params: p, salt: random(saltLen), key: random(keyLen)}.String(),
	}
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process instead
	return b
}

// enter waits for a turn, which ends with leave. Where the context ends first it is a matching.Error: overloaded.
func (h *hasher) enter(ctx context.Context) (leave func(), err error) {
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, &matching.Error{
			Code: matching.CodeOverloaded, Message: "too many people are signing in at this moment; try again soon",
			RetryAfter: time.Second, Cause: ctx.Err(),
		}
	}
}

// hash is a password as it is to be stored. It belongs between enter and leave.
func (h *hasher) hash(password string) string {
	salt := random(saltLen)
	return encoded{params: h.params, salt: salt, key: h.derive(canonical(password), salt, h.params, keyLen)}.String()
}

// matches reports whether a password is that of a stored hash, and whether the hash was made at another cost than those of
// now. It belongs between enter and leave.
func (h *hasher) matches(stored, password string) (same, outdated bool, err error) {
	e, err := parseEncoded(stored)
	if err != nil {
		return false, false, err
	}
	key := h.derive(canonical(password), e.salt, e.params, uint32(len(e.key)))
	return subtle.ConstantTimeCompare(key, e.key) == 1, e.params != h.params, nil
}

// canonical is the bytes of a password, the same however a keyboard composes its letters (NIST SP 800-63B, 3.1.1.2).
func canonical(password string) []byte { return []byte(norm.NFKC.String(password)) }
