package analysis_test

import (
	"testing"

	"github.com/freelancer-matching/service/internal/analysis"
)

func TestLanguage(t *testing.T) {
	tests := []struct {
		want analysis.Language
		text string
	}{
		{analysis.English, "We are looking for a developer who can build our shop with React and Node.js."},
		{analysis.Spanish, "Buscamos un desarrollador React con experiencia en marketing digital para nuestra tienda."},
		{analysis.Spanish, "BUSCO DISEÑADORA PARA EL LOGO DE UNA PANADERIA, MUY SENCILLO Y CON TRES COLORES"},
		{analysis.Spanish, "Diseñador gráfico"},
		{analysis.French, "Nous cherchons une graphiste pour la refonte de notre site et d'une brochure."},
		{analysis.French, "Je suis développeur web depuis dix ans, avec des projets dans le commerce en ligne"},
		{analysis.German, "Wir suchen eine Entwicklerin, die unseren Shop mit React und Node.js betreut."},
		{analysis.German, "Ich übersetze technische Texte aus dem Englischen und prüfe auch Ihre Handbücher."},
		{analysis.Portuguese, "Procuro uma pessoa para a criação de vídeos e a edição das fotos da nossa loja."},
		{analysis.Portuguese, "Sou tradutor e não uso modelos automáticos, mas também faço revisão de textos."},
		{analysis.Italian, "Cerchiamo uno sviluppatore per il nostro sito, che conosca anche la SEO e gli annunci."},
		{analysis.Italian, "Sono una grafica freelance e lavoro con le aziende della moda da più di sei anni."},

		// Short or doubtful texts.
		{analysis.English, ""},
		{analysis.English, "Logotipos y carteles"},
		{analysis.English, "Marketing manager"},
		{analysis.English, "React, Node.js, PostgreSQL, Docker, AWS, CI/CD, AI, OS, COM"},
		{analysis.English, "网站设计"},

		// English with words that are function words elsewhere.
		{analysis.English, "Die casting, per hour, plus fonts: sans serif. Also an ad, an era, a pro; come on, con artist!"},
		{analysis.English, "Based in La Paz and Los Angeles, I mix salsa, son and cumbia for radio, film and TV."},
		{analysis.English, "See https://example.com, https://shop.example.es and https://www.example.de for my work"},

		// Mixed texts: the clear majority decides.
		{analysis.Spanish, "Full stack developer (React, Node.js). Soy un programador con diez años de experiencia en " +
			"aplicaciones para empresas y trabajo con los mejores equipos de la región. Machine learning, data science."},
		{analysis.English, "I build online shops for small companies and I have done this for ten years with my own " +
			"team. Hablo español y francés, para lo que haga falta."},
		{analysis.English, "Hola, soy traductora y trabajo con textos legales para empresas. Hello, I am a translator " +
			"and I work with legal texts for companies of any size."},

		// Languages without an analysis of their own.
		{analysis.English, "Wij zoeken een ontwikkelaar die onze webwinkel met React en Node.js kan bouwen."},
		{analysis.English, "Szukamy programisty, który zbuduje nasz sklep internetowy i zadba o jego wygląd."},
		{analysis.English, "Căutăm un programator care să construiască magazinul nostru online și să îl întrețină."},
		{analysis.English, "Busquem una dissenyadora per fer el logotip de la nostra empresa amb els colors de sempre."},
		{analysis.English, "Saya adalah desainer grafis dengan pengalaman lima tahun di bidang logo dan kemasan."},
		{analysis.English, "Mujhe apni dukan ke liye ek website banwani hai jo mobile par bhi achhi chale."},
		{analysis.English, "Vi söker en utvecklare som kan bygga vår butik och sköta den på lång sikt."},
		{analysis.English, "Web sitemiz için deneyimli bir tasarımcı arıyoruz ve uzun süre çalışmak istiyoruz."},
		{analysis.English, "Chúng tôi cần một lập trình viên để xây dựng trang web bán hàng và ứng dụng di động."},
		{analysis.English, "Kailangan ko ng isang designer na gagawa ng logo para sa aking maliit na tindahan."},
		{analysis.English, "Нам нужен разработчик для интернет-магазина"},
		{analysis.English, "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor et dolore."},
	}

	a := analysis.New()
	for _, test := range tests {
		if got := a.Language(test.text); got != test.want {
			t.Errorf("Language(%q) = %v, want %v", test.text, got, test.want)
		}
	}
}

func TestLanguage_StringIsTheCode(t *testing.T) {
	codes := ""
	for l := analysis.English; l <= analysis.Italian; l++ {
		codes += l.String()
	}
	if want := "enesfrdeptit"; codes != want {
		t.Errorf("codes are %q, want %q", codes, want)
	}
}
