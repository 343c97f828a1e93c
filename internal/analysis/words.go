package analysis

// Function words are left out of the terms, and identify the language of a text: articles, pronouns, prepositions,
// conjunctions, auxiliaries. Pleasantries of briefs and profiles aren't included, because their frequency already
// discounts them. The words are folded. "ai" (Italian "to the", French "have"), "ci" and "io" are missing because they
// mean AI, CI and a domain in every language.
//
//nolint:misspell // Portuguese "eles" isn't a misspelling of eels.
const (
	englishWords = `
a about above after again against all also am an and any are as at be because been before being below between both but
by can could did do does doing down during each etc few for from further had has have having he her here hers him his
how i if in into is it its itself just me more most my myself no nor not of off on once only or other our ours out over
own same she should so some such than that the their theirs them then there these they this those through to too under
until up very was we were what when where which while who whom why will with would you your yours yourself
`
	spanishWords = `
a al algo algun alguna algunas alguno algunos ante antes aquel aquella aquellas aquello aquellos aqui asi aun aunque
bajo bien cada como con contra cual cuales cualquier cuando cuanto de del desde donde durante e el ella ellas ellos en
entre era eran eres es esa esas ese eso esos esta estaba estaban estamos estan estar estas este esto estos estoy fue
fueron fui ha haber habia han has hasta hay he hemos la las le les lo los mas me mi mientras mis misma mismo mucha
muchas mucho muchos muy nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero
poco por porque pues que quien quienes se sea sean segun ser si sido siempre sin sino sobre solo somos son soy su sus
tambien tampoco tan tanto te tener tenemos tengo tiene tienen toda todas todo todos tras tu tus un una unas uno unos
usted ustedes y ya yo
`
	frenchWords = `
a afin ainsi alors apres au aucun aucune aussi autre autres aux avant avec avez avoir avons car ce ceci cela celle
celles celui ces cet cette ceux chaque chez comme comment dans de depuis des donc dont du elle elles en encore entre est
et etaient etait etant ete etes etre eux fait font il ils je la le les leur leurs lors lui ma mais me meme memes mes moi
moins mon ne ni nos notre nous on ont ou par parce parmi pas pendant peu peut plus plusieurs pour pourquoi quand que
quel quelle quelles quels qui quoi sa sans se selon sera ses si sinon soit sommes son sont sous suis sur ta tandis tant
te tel telle tels tes toi ton toujours tous tout toute toutes tres tu un une vers voici voila vos votre vous y
`
	germanWords = `
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin
bis bist da dabei dadurch dafur damit danach dann das dass dazu dein deine dem den denn der deren des dessen die dies
diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines einige er es etwas euch euer fuer
fur gegen habe haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in ins ist ja
jede jedem jeden jeder jedes jedoch kann kein keine keinen keiner koennen konnen konnte konnten mein meine meinem meinen
meiner mich mir mit muss mussen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner
seit sich sie sind so sollte sollten sowie sondern ueber uber um und uns unser unsere unserem unseren unserer unter viel
viele vom von vor waehrend wahrend war waren was weil wenn wer werde werden wie wir wird wo wurde wurden zu zum zur
zwischen
`
	portugueseWords = `
a ao aos aquela aquelas aquele aqueles aquilo as assim ate bem cada com como da das de dela dele deles depois desde
dessa desse desta deste do dos e ela elas ele eles em entre era eram essa essas esse esses esta estamos estao estar
estas estava este estes estou eu foi foram ha isso isto ja lhe lhes mais mas me mesma mesmo meu meus mim minha minhas
muita muitas muito muitos na nao nas nem no nos nossa nossas nosso nossos num numa o onde os ou outra outras outro
outros para pela pelas pelo pelos por porque porem qual quais qualquer quando que quem sao se seja sem sempre ser seu
seus sido so sob sobre somos sou sua suas tambem tao te tem temos tenho ter teu toda todas todo todos tu tua tudo um
uma umas uns voce voces
`
	italianWords = `
a abbiamo ad agli al alcune alcuni alla alle allo altra altre altri altro anche ancora avere bene che chi cioe coi col
come con cosa cosi cui da dagli dai dal dalla dalle dallo degli dei del della delle dello di dopo dove due e ed era
erano essere fra gia gli ha hai hanno ho i il in la le lei li lo loro lui ma me mentre mi mia mie miei mio molta molte
molti molto ne negli nei nel nella nelle nello niente no noi non nostra nostre nostri nostro o ogni oltre oppure per
perche piu po poi poiche pure qualche quale quali quando quanto quei quella quelle quelli quello questa queste questi
questo qui quindi se sei sempre senza si sia siamo sono sopra sotto sta stata stati stato su sua sue sugli sui sul sulla
sulle suo suoi tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno verso vi voi vostra vostre vostri vostro
`
	// otherWords belong to unsupported languages only: Dutch, Catalan,
	// Romanian, Polish, Czech, Indonesian, Hindi and Tagalog in Latin letters, Swedish, Danish, Turkish, Hungarian.
	otherWords = `
het een voor met niet zijn naar ook wij jij ik wordt worden deze bij maar heb hebben heeft onze uw jullie
dat op aan om kan uit door hij wat mijn
amb els aquest aquesta aquests dels som tambe seva fins dins
molt tots tinc sense
pentru sunt care din sau mai pe fi ca nu avem cum imi fost prin
nie jest dla oraz jak ze jestem mam ktory ktora czy
v za jsem jako ale
yang dan untuk dengan dari ini itu saya kami adalah dalam pada akan bisa juga anda sebagai tidak oleh ada
ka ki ke ko aur hoon kya nahi bhi mera hu hain ek ye
ang ng mga ay ako ito
och att det med ar jag till har ett inte fran ditt
og ikke jeg til af deg eller skal
bir bu icin ile olarak daha cok
egy hogy meg vagy szamara
`
	// lookalikes are function words that occur in other languages with another meaning or in names, so they are no
	// evidence: sans serif, com and es in a link, et al, OS, Stata, Uber, an ad, a font, plus, per.
	lookalikes = `
ad al algo also as au aux bin bis car ce com come comment da dal del di die dies do dove due e ed ein encore er es est
eu font fra hat i im in it je la le les lo ma me mis na ne ni no non o on os par per plus po pure sans sea sem sera
ses solo son sont stata sui tel uber vi war was ya
`
)

// Letters outside ASCII by language.
const (
	spanishLetters    = "áéíóúüñ"
	frenchLetters     = "àâçéèêëîïôùûœ"
	germanLetters     = "äöüß"
	portugueseLetters = "áâãàçéêíóôõú"
	italianLetters    = "àèéìòù"
	otherLetters      = "äöüåæøýăąćčďđęěğıłńňőřśşșšťțůűźżžơưạảấầậắặẹếềểệịọốồộớờợụủứừự"
)
