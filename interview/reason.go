package interview

import "errors"

// A Reason is why a model could not generate a question or judge an answer. Notices say it in words.
type Reason string

// The reasons.
const (
	ReasonTimeout       Reason = "timeout"
	ReasonUnavailable   Reason = "unavailable"    // not reachable, overloaded, or paused after failures
	ReasonSettings      Reason = "settings"       // wrong until an operator changes a setting or the server
	ReasonContext       Reason = "context"        // the texts are longer than what the model can read at once
	ReasonCutOff        Reason = "cut_off"        // the reply reached its maximum length
	ReasonReply         Reason = "reply"          // refused, invalid, or rejected by the checks
	ReasonBudget        Reason = "budget"         // of the account, for the day
	ReasonServiceBudget Reason = "service_budget" // of all accounts together, for the day
)

// WithReason returns the error of an Asker or a Judge with its reason.
func WithReason(err error, reason Reason) error { return &reasonedError{err, reason} }

// reasonedError is an error with a reason for people. The error itself is for logs.
type reasonedError struct {
	error
	reason Reason
}

func (e *reasonedError) Unwrap() error { return e.error }

// reasonText returns a clause in a language, such as "it did not reply in time", or the English one if the language has
// none. It never repeats the error, whose text may contain addresses of servers.
func reasonText(err error, language string) string {
	reason := ReasonReply // a reply that breaks the contract of Asker or Judge
	if e, ok := errors.AsType[*reasonedError](err); ok {
		reason = e.reason
	}
	texts, ok := reasonTexts[language]
	if !ok {
		texts = reasonTexts["en"]
	}
	return texts[reason]
}

// reasonTexts has a clause for each reason, by language. The subject is a model.
var reasonTexts = map[string]map[Reason]string{
	"en": {
		ReasonTimeout:       "it did not reply in time",
		ReasonUnavailable:   "its server was unreachable or overloaded",
		ReasonSettings:      "its server rejected the request; an operator has to check the llm settings",
		ReasonContext:       "its context is too small for the texts; an operator has to enlarge it",
		ReasonCutOff:        "its reply was cut off at the maximum length",
		ReasonReply:         "its reply was unusable",
		ReasonBudget:        "the account has used up its tokens for the day",
		ReasonServiceBudget: "the service has used up its tokens for the day",
	},
	"es": {
		ReasonTimeout:       "no respondió a tiempo",
		ReasonUnavailable:   "su servidor no estaba disponible o estaba sobrecargado",
		ReasonSettings:      "su servidor rechazó la solicitud; un operador debe revisar los ajustes llm",
		ReasonContext:       "su contexto es demasiado pequeño para los textos; un operador debe ampliarlo",
		ReasonCutOff:        "su respuesta se cortó en la longitud máxima",
		ReasonReply:         "su respuesta no era utilizable",
		ReasonBudget:        "la cuenta ha agotado sus tokens del día",
		ReasonServiceBudget: "el servicio ha agotado sus tokens del día",
	},
	"de": {
		ReasonTimeout:       "es hat nicht rechtzeitig geantwortet",
		ReasonUnavailable:   "sein Server war nicht erreichbar oder überlastet",
		ReasonSettings:      "sein Server hat die Anfrage abgelehnt; ein Betreiber muss die llm-Einstellungen prüfen",
		ReasonContext:       "sein Kontext ist zu klein für die Texte; ein Betreiber muss ihn vergrößern",
		ReasonCutOff:        "seine Antwort wurde bei der maximalen Länge abgeschnitten",
		ReasonReply:         "seine Antwort war unbrauchbar",
		ReasonBudget:        "das Konto hat seine Tokens für den Tag verbraucht",
		ReasonServiceBudget: "der Dienst hat seine Tokens für den Tag verbraucht",
	},
	"fr": {
		ReasonTimeout:       "il n'a pas répondu à temps",
		ReasonUnavailable:   "son serveur était injoignable ou surchargé",
		ReasonSettings:      "son serveur a rejeté la requête ; un opérateur doit vérifier les paramètres llm",
		ReasonContext:       "son contexte est trop petit pour les textes ; un opérateur doit l'agrandir",
		ReasonCutOff:        "sa réponse a été coupée à la longueur maximale",
		ReasonReply:         "sa réponse était inutilisable",
		ReasonBudget:        "le compte a épuisé ses jetons du jour",
		ReasonServiceBudget: "le service a épuisé ses jetons du jour",
	},
	"pt": {
		ReasonTimeout:       "não respondeu a tempo",
		ReasonUnavailable:   "seu servidor estava inacessível ou sobrecarregado",
		ReasonSettings:      "seu servidor rejeitou a solicitação; um operador deve verificar as configurações llm",
		ReasonContext:       "seu contexto é pequeno demais para os textos; um operador deve ampliá-lo",
		ReasonCutOff:        "sua resposta foi cortada no tamanho máximo",
		ReasonReply:         "sua resposta não pôde ser utilizada",
		ReasonBudget:        "a conta esgotou seus tokens do dia",
		ReasonServiceBudget: "o serviço esgotou seus tokens do dia",
	},
}
