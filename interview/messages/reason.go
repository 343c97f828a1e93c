package messages

import "github.com/freelancer-matching/service/interview"

// Reason returns a clause in a language, such as "it did not reply in time", or the English one if the language has
// none. It never repeats the error, whose text may contain addresses of servers.
func Reason(err error, language string) string {
	texts, ok := reasonTexts[language]
	if !ok {
		texts = reasonTexts["en"]
	}
	return texts[interview.ReasonOf(err)]
}

// reasonTexts has a clause for each reason, by language. The subject is a model.
var reasonTexts = map[string]map[interview.Reason]string{
	"en": {
		interview.ReasonTimeout:       "it did not reply in time",
		interview.ReasonSlow:          "it took longer than the 8 seconds that a person waits",
		interview.ReasonUnavailable:   "its server was unreachable or overloaded",
		interview.ReasonSettings:      "its server rejected the request; an operator has to check the llm settings",
		interview.ReasonContext:       "its context is too small for the texts; an operator has to enlarge it",
		interview.ReasonCutOff:        "its reply was cut off at the maximum length",
		interview.ReasonReply:         "its reply was unusable",
		interview.ReasonBudget:        "the account has used up its tokens for the day",
		interview.ReasonServiceBudget: "the service has used up its tokens for the day",
	},
	"es": {
		interview.ReasonTimeout:       "no respondió a tiempo",
		interview.ReasonSlow:          "tardó más de los 8 segundos que una persona espera",
		interview.ReasonUnavailable:   "su servidor no estaba disponible o estaba sobrecargado",
		interview.ReasonSettings:      "su servidor rechazó la solicitud; un operador debe revisar los ajustes llm",
		interview.ReasonContext:       "su contexto es demasiado pequeño para los textos; un operador debe ampliarlo",
		interview.ReasonCutOff:        "su respuesta se cortó en la longitud máxima",
		interview.ReasonReply:         "su respuesta no era utilizable",
		interview.ReasonBudget:        "la cuenta ha agotado sus tokens del día",
		interview.ReasonServiceBudget: "el servicio ha agotado sus tokens del día",
	},
	"de": {
		interview.ReasonTimeout:     "es hat nicht rechtzeitig geantwortet",
		interview.ReasonSlow:        "es brauchte länger als die 8 Sekunden, die eine Person wartet",
		interview.ReasonUnavailable: "sein Server war nicht erreichbar oder überlastet",
		interview.ReasonSettings: "sein Server hat die Anfrage abgelehnt; " +
			"ein Betreiber muss die llm-Einstellungen prüfen",
		interview.ReasonContext:       "sein Kontext ist zu klein für die Texte; ein Betreiber muss ihn vergrößern",
		interview.ReasonCutOff:        "seine Antwort wurde bei der maximalen Länge abgeschnitten",
		interview.ReasonReply:         "seine Antwort war unbrauchbar",
		interview.ReasonBudget:        "das Konto hat seine Tokens für den Tag verbraucht",
		interview.ReasonServiceBudget: "der Dienst hat seine Tokens für den Tag verbraucht",
	},
	"fr": {
		interview.ReasonTimeout:       "il n'a pas répondu à temps",
		interview.ReasonSlow:          "il a dépassé les 8 secondes qu'une personne attend",
		interview.ReasonUnavailable:   "son serveur était injoignable ou surchargé",
		interview.ReasonSettings:      "son serveur a rejeté la requête ; un opérateur doit vérifier les paramètres llm",
		interview.ReasonContext:       "son contexte est trop petit pour les textes ; un opérateur doit l'agrandir",
		interview.ReasonCutOff:        "sa réponse a été coupée à la longueur maximale",
		interview.ReasonReply:         "sa réponse était inutilisable",
		interview.ReasonBudget:        "le compte a épuisé ses jetons du jour",
		interview.ReasonServiceBudget: "le service a épuisé ses jetons du jour",
	},
	"pt": {
		interview.ReasonTimeout:       "não respondeu a tempo",
		interview.ReasonSlow:          "demorou mais que os 8 segundos que uma pessoa espera",
		interview.ReasonUnavailable:   "seu servidor estava inacessível ou sobrecarregado",
		interview.ReasonSettings:      "seu servidor rejeitou a solicitação; um operador deve verificar as configurações llm",
		interview.ReasonContext:       "seu contexto é pequeno demais para os textos; um operador deve ampliá-lo",
		interview.ReasonCutOff:        "sua resposta foi cortada no tamanho máximo",
		interview.ReasonReply:         "sua resposta não pôde ser utilizada",
		interview.ReasonBudget:        "a conta esgotou seus tokens do dia",
		interview.ReasonServiceBudget: "o serviço esgotou seus tokens do dia",
	},
}
