package mcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// decode decodes the arguments of a tool whose operation has no JSON body. It reports faults as the API does.
func decode(arguments json.RawMessage, into any) error {
	var faults validate.Faults
	err := strictjson.Decode(arguments, into, &faults)
	if err == nil {
		err = faults.Err()
	}
	if e, ok := errors.AsType[*matching.Error](err); ok {
		return &failure{FailureError: wire.NewFailure("", e).Error}
	}
	return err
}

// requireID returns an error for an empty ID, whose path would be another operation's.
func requireID(id string) error {
	if id == "" {
		return invalid("freelancer_id is required: the id in profile_data of a match.")
	}
	return nil
}

// takeMember removes a member from the arguments and returns it, still as JSON. Arguments that are no object stay as
// they are, for decode to reject.
func takeMember(arguments json.RawMessage, name string) (member, others json.RawMessage) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &members); err != nil {
		return nil, arguments
	}
	member = members[name]
	delete(members, name)
	others, err := json.Marshal(members)
	if err != nil {
		return nil, arguments
	}
	return member, others
}

// invalid returns the failure of a call with invalid arguments.
func invalid(format string, args ...any) error {
	return &failure{FailureError: wire.FailureError{
		Code: matching.CodeInvalid, Message: fmt.Sprintf(format, args...), Details: []matching.FieldError{},
	}}
}
