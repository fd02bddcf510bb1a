"""The words that recipes and guides use for their parts, in the languages people cook in."""

import pytest

from saffa.core.document import Document
from saffa.core.texts.headings import part_of
from saffa.core.texts.lines import is_fact, is_talk, is_tip

STEPS = """
Method | Directions | Instructions | Preparation | Steps | How to make it | How to cook | Cooking instructions |
Procedure | How I made it | Let's make it | Assembly | Step-by-step | Step by step instructions | The process |
What to do | Repair steps | Disassembly | Removal | Instructions for use | How to use | How to install | Setup |
Getting started | Usage instructions | Zubereitung | Zubereitungsschritte | So wird's gemacht | So geht's |
Anleitung | Arbeitsschritte | Vorgehensweise | Durchführung | Montageanleitung | Schritt für Schritt | Und so
geht's | Zubereitung Schritt für Schritt | So funktioniert's | Préparation | Étapes | Étapes de préparation |
Les étapes de la recette | Instructions | Marche à suivre | Réalisation | Comment faire | Réalisation de la
recette | Déroulé | Elaboración | Preparación | Pasos | Modo de preparación | Instrucciones | Cómo se hace |
Cómo hacerlo | Paso a paso | Procedimiento | Preparazione | Procedimento | Istruzioni | Come si fa | Esecuzione
| Passaggi | Modo de preparo | Modo de fazer | Preparo | Instruções | Passo a passo | Como fazer | Bereiding |
Bereidingswijze | Werkwijze | Instructies | Stappen | Zo maak je het | Aan de slag | Gör så här | Tillagning |
Fremgangsmåde | Fremgangsmåte | Valmistusohje | Przygotowanie | Wykonanie | Sposób przygotowania | Postup |
Приготовление | Hazırlanışı | 作り方
"""
INGREDIENTS = """
Ingredients | What you need | You'll need | What you'll need | Materials | Tools | Equipment | Supplies | Parts
| Parts list | Tools required | Required tools | For this you need | Shopping list | Before you start you need |
Requirements | Prerequisites | Zutaten | Zutatenliste | Du brauchst | Das brauchst du | Ihr braucht | Man
braucht | Was man braucht | Benötigtes Werkzeug | Werkzeug | Material | Materialliste | Einkaufsliste | Zutaten
für 4 Portionen | Ingrédients | Il vous faut | Ce qu'il vous faut | Matériel | Matériel nécessaire | Outils |
Fournitures | Ustensiles | Liste des ingrédients | Ingredientes | Necesitas | Qué necesitas | Lo que necesitas |
Materiales | Herramientas | Ingredienti | Occorrente | Cosa serve | Che cosa ti serve | Strumenti | Materiali |
O que você precisa | Materiais | Ferramentas | Ingrediënten | Benodigdheden | Dit heb je nodig | Wat heb je
nodig | Gereedschap | Ingredienser | Du behöver | Du skal bruge | Du trenger | Ainekset | Składniki | Suroviny |
Ингредиенты | Malzemeler | 材料
"""
TIPS = """
Tips | Notes | Tips and tricks | Chef's notes | Recipe notes | Storage | How to store | Variations |
Substitutions | Serving suggestions | Troubleshooting | Tipp | Tipps | Hinweise | Anmerkungen | Aufbewahrung |
Varianten | Serviervorschlag | Astuces | Conseils | Le conseil du chef | Variantes | Conservation | Consejos |
Trucos | Notas | Conservación | Consigli | Consiglio | Varianti | Conservazione | Note | Dicas | Conservação |
Bewaren | Bewaartip | Opmerkingen | Variatietips | Serveertip | Vinkkejä | Wskazówki | Porady
"""
NUTRITION = """
Nutrition | Nutrition facts | Nutritional information | Nutrition per serving | Nährwerte | Nährwertangaben |
Valeurs nutritionnelles | Información nutricional | Valori nutrizionali | Informação nutricional |
Voedingswaarden | Wartości odżywcze
"""
OTHER = """
Comments | Reviews | Related recipes | You may also like | More recipes | About the author | Share | FAQ |
Frequently asked questions | Related articles | Video | Kommentare | Ähnliche Rezepte | Das könnte dich auch
interessieren | Bewertungen | Commentaires | Vous aimerez aussi | Avis | Recettes similaires | À lire aussi |
Comentarios | También te puede interesar | Recetas relacionadas | Commenti | Potrebbe interessarti anche |
Ricette correlate | Comentários | Receitas relacionadas | Veja também | Reacties | Lees ook | Gerelateerde
recepten | Veelgestelde vragen | Domande frequenti | Preguntas frecuentes | Questions fréquentes | Perguntas
frequentes | Häufige Fragen | Kommentarer
"""
FACTS = """
Prep Time: 10 min | Total time 30 minutes | Serves: 4 | Servings 4 | Yield: 12 cookies | Difficulty: easy |
Course: Main | Active time: 5 min | Arbeitszeit ca. 20 Minuten | Gesamtzeit 1 Std. 10 Min. | Zubereitungszeit:
30 Min | Portionen: 4 | Schwierigkeitsgrad: leicht | Für 4 Personen | Temps de préparation : 15 min |
Préparation : 20 min | Cuisson : 35 min | Temps total : 55 min | Pour 4 personnes | Difficulté : facile | Coût :
bon marché | Repos : 1 h | Tiempo total: 45 min | Tiempo de preparación: 20 minutos | Raciones: 4 | Comensales:
4 | Dificultad: fácil | Preparazione: 15 min | Preparazione 15 minuti | Cottura 20 min | Porzioni: 4 | Dosi per
4 persone | Per 4 persone | Difficoltà: media | Tempo de preparo: 20 min | Tempo de preparo 30 min | Rendimento:
4 porções | Porções: 4 | Bereidingstijd: 30 min | Bereidingstijd 30 minuten | Voor 4 personen | Aantal personen:
4 | Moeilijkheidsgraad: makkelijk | Oventijd: 40 min | Antal portioner: 4 | Tid: 30 min | Kalorien: 412 kcal |
412 kcal | Calories: 350 kcal | Prep: 10 mins | Cook: 1 hr | Ready in 30 minutes | Skill level: Easy | Level:
Intermediate | Cost: $12 | Time required: 2 hours | Estimated time: 45 minutes | Duration: 1 hour | Duur: 1 uur
| Durée : 30 min | Dauer: 2 Stunden | Duración: 1 hora | Durata: 1 ora
"""
TALK = """
Guten Appetit! | Bon appétit ! | ¡Buen provecho! | Buon appetito! | Bom apetite! | Eet smakelijk! | Enjoy! |
Happy cooking! | Suscríbete al canal | Abonnez-vous ! | Iscriviti al canale | Inscreva-se no canal! | Abonniert
meinen Kanal | Thanks for watching! | Danke fürs Zuschauen | Like & subscribe | Follow me on Instagram | Jump to
Recipe | Print Recipe | Pin Recipe | Leave a comment | Advertisement | Werbung | Anzeige | Publicité |
Publicidad | Pubblicità | Lasst es euch schmecken! | Viel Erfolg! | Gutes Gelingen! | Bonne dégustation ! | ¡A
disfrutar!
"""
TIP_LINES = """
Tip: use butter | Tipp: Mit Rosinen | Note: never | Pro tip: rest it | Nota: no usar | Astuce : ajoutez |
Consiglio: usate | Dica: use | Let op: heet | Achtung: heiß | Attention : chaud | Attenzione: caldo | Cuidado:
quema | Atenção: quente | Bemerkung: so | Hinweis: so | Warning: hot | Caution: hot | Remarque : oui | Variante:
mit Speck | Obs: não | Wskazówka: tak | NOTE – do not | Conseil : oui | Bewaartip: koel | Serviertipp: kalt |
Truco: usa
"""


def listed(words: str) -> list[str]:
    return [" ".join(one.split()) for one in words.split("|")]


@pytest.mark.parametrize(
    ("part", "words"),
    [("steps", STEPS), ("ingredients", INGREDIENTS), ("tips", TIPS), ("nutrition", NUTRITION), ("other", OTHER)],
)
def test_headings(part: str, words: str) -> None:
    assert [heading for heading in listed(words) if part_of(heading) != part] == []


def test_lines() -> None:
    assert [line for line in listed(FACTS) if not is_fact(line)] == []
    assert [line for line in listed(TALK) if not is_talk(line)] == []
    assert [line for line in listed(TIP_LINES) if not is_tip(line)] == []


@pytest.mark.parametrize(
    "step",
    [
        "Cook: Melt the butter.",
        "Preparazione: Sbattere le uova.",
        "Rest: 30 minutes under a cloth.",
        "Bake 30 minutes.",
        "Wait 2 hours.",
        "Prep: wash the leaves.",
    ],
)
def test_steps_that_look_like_facts(step: str) -> None:
    assert not is_fact(step)
    assert not is_tip(step)


def test_a_short_method_in_italian() -> None:
    head = "Frittata\n\nPreparazione: 15 min\n\nIngredienti\n4 uova\n\n"
    read = Document.from_text(f"{head}Preparazione: Sbattere le uova. Cuocere dieci minuti.")
    assert read.sentences == ("Sbattere le uova.", "Cuocere dieci minuti.")
