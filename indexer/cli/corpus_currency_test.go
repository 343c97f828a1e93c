package cli

import "slices"

// currencyCases returns cases about the currency of a load that no flag names.
func currencyCases() []corpusCase {
	const usd = "name,skills,hourly_rate\nAda Lund,Go,50\nBo Reth,SEO,45\n"
	const eur = "name,skills,hourly_rate\nAda Lund,Go,€50\nBo Reth,SEO,€45\n"
	people := func(rates ...string) files {
		text := "name,skills,rate\n"
		for i, p := range invented(len(rates)) {
			text += p[0] + ",Go,\"" + rates[i] + "\"\n"
		}
		return files{"people.csv", text}
	}
	first, second := invented(2)[0][0], invented(2)[1][0]
	lateDollars := append(slices.Repeat([]string{"€40"}, 300), "$50")

	return []corpusCase{
		{
			name: "euros in the cells", files: people("€40", "€30.50"),
			want: loads(2, first+": hourly_rate=40; currency=EUR", second+": hourly_rate=30.5").saying("currency: EUR"),
		},
		{
			name: "euros per hour in words", files: people("40 EUR/h", "35 €/Std.", "28 euros por hora"),
			want: loads(3, first+": hourly_rate=40", second+": hourly_rate=35").saying("currency: EUR"),
		},
		{
			name: "zlotys", files: people("80 zł/h", "120 PLN", "n/a"),
			want: loads(3, first+": hourly_rate=80", second+": hourly_rate=120").saying("currency: PLN"),
		},
		{
			name: "kronor, of which one has a sign of several countries", files: people("450 SEK", "kr 500", "SEK 380"),
			want: loads(3, first+": hourly_rate=450", second+": hourly_rate=500").saying("currency: SEK"),
		},
		{
			name:  "pounds in a column of currencies",
			files: files{"people.csv", "name,skills,hourly_rate,currency\nAda Lund,Go,40,GBP\nBo Reth,SEO,38,gbp\n"},
			want:  loads(2, "Ada Lund: hourly_rate=40", "Bo Reth: hourly_rate=38").saying("currency: GBP"),
		},
		{
			name: "francs in JSON",
			files: files{"people.json", `[{"name":"Ada Lund","skills":["Go"],"rate":{"amount":95,"currency":"CHF"}},` +
				`{"name":"Bo Reth","skills":["SEO"],"rate":{"amount":120,"currency":"CHF"}}]`},
			want: loads(2, "Ada Lund: hourly_rate=95", "Bo Reth: hourly_rate=120").saying("currency: CHF"),
		},
		{
			name:  "reais per day",
			files: files{"pessoas.csv", "nome;habilidades;diária (R$)\nAda Lund;Go;640\nBo Reth;SEO;800\n"},
			want:  loads(2, "Ada Lund: hourly_rate=80", "Bo Reth: hourly_rate=100").saying("currency: BRL"),
		},
		{
			name: "euros per day", files: files{"gens.csv", "nom;compétences;TJM (€ HT)\nAda Lund;Go;480\nBo Reth;SEO;400\n"},
			want: loads(2, "Ada Lund: hourly_rate=60", "Bo Reth: hourly_rate=50").saying("currency: EUR"),
		},
		{
			name: "two files in euros",
			files: files{
				"a.csv", "name,skills,rate\nAda Lund,Go,€40\n",
				"b.csv", "Name;Skills;Hourly rate (EUR)\nBo Reth;SEO;38\n",
			},
			want: loads(2, "Ada Lund: hourly_rate=40", "Bo Reth: hourly_rate=38").saying("currency: EUR"),
		},
		{
			name: "one amount without its sign", files: people("€40", "35", "€50"),
			want: loads(3, first+": hourly_rate=40", second+": hourly_rate=35").saying("currency: EUR"),
		},
		{
			name: "an export of an index in euros",
			files: files{"export.csv", "id,name,skills,hourly_rate,hourly_rate_currency,currency\n" +
				"1,Ada Lund,Go,40,EUR,USD\n2,Bo Reth,SEO,38,EUR,EUR\n"},
			want: loads(2, "Ada Lund: hourly_rate=40; currency=USD", "Bo Reth: hourly_rate=38").saying("currency: EUR"),
		},
		{
			name: "dollars and euros", files: people("€40", "$50"),
			want: loads(2, first+": hourly_rate=unknown", second+": hourly_rate=50"),
		},
		{
			name: "dollars after 300 rows with euros", files: people(lateDollars...),
			want: loads(301, first+": hourly_rate=unknown", invented(301)[300][0]+": hourly_rate=50"),
		},
		{
			name: "euros and pounds", files: people("€40", "£50"), want: refuses("hourly_rate of 2 rows", "-currency"),
		},
		{
			name: "few euros among plain numbers", files: people("40", "€50", "60"),
			want: loads(3, first+": hourly_rate=40", second+": hourly_rate=unknown"),
		},
		{
			name:  "a file in euros and one in pounds",
			files: files{"a.csv", "name,skills,rate\nAda Lund,Go,€40\n", "b.csv", "name,skills,rate\nBo Reth,SEO,£38\n"},
			want:  refuses("hourly_rate of 2 rows"),
		},
		{
			name: "euros in a load of dollars", files: people("€40", "€50"), args: "load -currency USD people.csv",
			want: refuses("hourly_rate of 2 rows", "EUR"),
		},
		{
			name: "euros with an exchange rate", files: people("€40", "€50"), args: "load -rate EUR=1.1 people.csv",
			want: loads(2, first+": hourly_rate=44"),
		},
		{
			name: "plain numbers after a load in euros", live: eur, files: people("40", "35"),
			want: loads(2, first+": hourly_rate=40").saying("currency: EUR, as in the live index"),
		},
		{
			name: "an upsert after a load in euros", live: eur, files: people("€41"), args: "load -upsert people.csv",
			want: loads(3, first+": hourly_rate=41", "Ada Lund: hourly_rate=50"),
		},
		{
			name: "pounds after a load in euros", live: eur, files: people("£40", "£35"),
			want: refuses("hourly_rate of 2 rows", "GBP", "-currency"),
		},
		{
			name: "euros after a load in dollars", live: usd, files: people("€40", "€35"),
			want: refuses("hourly_rate of 2 rows", "EUR", "-currency"),
		},
	}
}
