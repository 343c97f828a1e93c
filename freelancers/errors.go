package freelancers

import (
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// The codes of requests that can't be served. Faults in records have matching.CodeInvalid.
const (
	// CodeVersion means that a condition about the version of a freelancer doesn't hold.
	CodeVersion matching.Code = "version_mismatch"
	// CodeErased means that the freelancer is on the list of erased people.
	CodeErased matching.Code = "freelancer_erased"
	// CodeContended means that other changes of the same freelancer kept a patch from being applied.
	CodeContended matching.Code = "too_many_changes"
	// CodeNoData means that nothing is stored that could be changed, or that the first load is running.
	CodeNoData matching.Code = "no_data"
	// CodeReindex means that the index was built with other skills, words or vectors than new records would get.
	CodeReindex matching.Code = "reindex_required"
	// CodeReadOnly means that the search engine can't change single freelancers.
	CodeReadOnly matching.Code = "changes_not_supported"
	// CodeSeveralServers means that the database is shared by servers with indexes of their own, of which a change would
	// reach only one.
	CodeSeveralServers matching.Code = "several_servers"
	// CodeEmbeddings means that the embedding model gave no vectors for a record.
	CodeEmbeddings matching.Code = "embeddings_failed"
)

const (
	// repairTime is when a client may try again after a failure that a person has to repair.
	repairTime = time.Minute
	// modelTime is when a client may try again after the embedding model failed.
	modelTime = 5 * time.Second
	// loadTime is when a client may try again while the first load is running.
	loadTime = 10 * time.Second
)

func errUnknown(id string) error {
	return &matching.Error{
		Code: matching.CodeFreelancerUnknown, Message: fmt.Sprintf("No freelancer has the ID %q.", shorten(id)),
	}
}

func errVersion(id, has string) error {
	message := fmt.Sprintf("Freelancer %q does not exist, so If-Match does not hold.", shorten(id))
	if has != "" {
		message = fmt.Sprintf("Freelancer %q has the version %s, so the condition of the request does not hold. Read it "+
			"again, then repeat your change.", shorten(id), has)
	}
	return &matching.Error{Code: CodeVersion, Message: message}
}

func errErased(id string) error {
	return &matching.Error{
		Code: CodeErased,
		Message: fmt.Sprintf("Freelancer %q was erased, by ID or by an email address in the record. If the person "+
			"agrees to be stored again, send readmit=true.", shorten(id)),
	}
}

func errContended(id string) error {
	return &matching.Error{
		Code: CodeContended, RetryAfter: time.Second,
		Message: fmt.Sprintf("Other requests keep changing freelancer %q. Retry in a moment.", shorten(id)),
	}
}

func errNoData() error {
	return &matching.Error{
		Code:    CodeNoData,
		Message: "No freelancers are stored yet. Send PUT, or lines of whole records, to store the first ones.",
	}
}

func errFirstLoad(cause error) error {
	return &matching.Error{
		Code: CodeNoData, RetryAfter: loadTime, Cause: cause,
		Message: "No freelancers are stored yet, and a load of the first ones is running. Nothing was changed. Retry when " +
			"it has ended.",
	}
}

func errCurrency(has, given string) error {
	fault := matching.FieldError{
		Field: "currency", Code: codeMismatch,
		Message: fmt.Sprintf("The amounts of the stored freelancers are in %s, and those of this request in %s. Send "+
			"amounts in %s, without the parameter currency.", has, given, has),
	}
	return &matching.Error{Code: matching.CodeInvalid, Message: fault.Message, Details: []matching.FieldError{fault}}
}

func errReadOnly() error {
	return &matching.Error{Code: CodeReadOnly, Message: "The search engine of this server can't change freelancers."}
}

func errSeveralServers(servers int) error {
	return &matching.Error{
		Code: CodeSeveralServers,
		Message: fmt.Sprintf("%d servers share the database and have indexes of their own, so this change would reach only "+
			"one of them. Nothing was changed. The operator can let all servers use Elasticsearch, or run only one server. "+
			"Freelancers can still be erased.", servers),
	}
}

func errReindex(difference string) error {
	return &matching.Error{
		Code: CodeReindex, RetryAfter: repairTime,
		Message: "The stored freelancers were prepared differently than new ones would be: " + difference + ". The " +
			"operator must run indexer reindex.",
	}
}

func errEmbeddings(cause error) error {
	return &matching.Error{
		Code: CodeEmbeddings, RetryAfter: modelTime, Cause: cause,
		Message: "The embedding model did not return vectors for the record. Nothing was changed. Retry in a moment.",
	}
}
