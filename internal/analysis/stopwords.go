package analysis

// stopWords are English words that say nothing about a trade: articles, pronouns, prepositions, auxiliaries, and the
// pleasantries that briefs and profiles are full of are not among them, since rarity already discounts those.
const stopWords = `
a about above after again against all also am an and any are as at be because been before being below between both but
by can could did do does doing down during each etc few for from further had has have having he her here hers him his
how i if in into is it its itself just me more most my myself no nor not of off on once only or other our ours out over
own same she should so some such than that the their theirs them then there these they this those through to too under
until up very was we were what when where which while who whom why will with would you your yours yourself
`
