"""What a heading announces: steps, ingredients, tips, nutrition or something else, in the languages people cook in."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

Part = Literal["steps", "ingredients", "tips", "nutrition", "other"]

_STEPS = r"""
methods? directions? instructions? preparation procedures? process steps? walkthrough how.to how.it.s.(?:done|made)
^how$ what.(?:i|you|we|they).(?:do|did)\b.* ^to.?do\b.* ^tasks?$ ^checklist$ ^assembly$ ^assembling$ ^install(?:ation)?$
^disassembly$ ^removal$ ^set.?up$ ^getting.started$ (?:aufbau|montage)anleitung so.funktionier\w* deroule como.fazer
fremgangsmate
^(?:running.order|programme?|sequence|schedule|routine|timeline)$ ^programm$ ^aufbau$ ^zusammenbau$ ^montage$
how.(?:you|i|we).(?:make|made|do|did).* what.to.do do.this here.s.how.* let.s.(?:cook|bake|make|start|go|do|begin|get).*
to.make.*
making.(?:the|of|it).* (?:the.)?work.?flow make.it zubereit\w* anleitung\w* bauanleitung\w* so.geh(?:t|en)\w* so.wird\w*
und.so schritt\w* arbeitsschritte? vorgehen\w* herstellung durchfuhrung ablauf vorbereitung\w* arbeitsanweisung\w*
kochanleitung\w* zubereiten etapes? realisation deroulement marche.a.suivre mode.d.emploi mode.operatoire confection
consignes? la.preparation elaboracion preparacion pasos? instrucciones procedimiento
como.(?:hacer|preparar|se.hace|se.prepara).* paso.a.paso manos.a.la.obra
modo.de.(?:preparacion|preparo|preparar|fazer|hacer) comment.(?:faire|preparer|proceder).* preparazione procedimento
istruzioni come.(?:fare|preparare|si.fa|si.prepara).* passaggi svolgimento esecuzione preparo preparacao instrucoes
passos? passo.a.passo bereiding(?!stijd)\w* werkwijze zo.(?:maak|doe|ga).je.*
stappen\w* instructies aan.de.slag g[oø]r.sa.har tillagning
sa.g[oø]r.du instruktion\w* steg.for.steg sadan.g[oø]r.du slik.gj[oø]r.du fremgangsmade tilberedning valmistus\w*
(?:teko)?ohje\w* przygotowanie sposob.(?:przygotowania|wykonania) wykonanie kroki instrukcja postup priprava
elkeszites\w* yap[iı]l[iı]s[iı] haz[iı]rlan[iı]s[iı] приготовление способ.приготовления инструкция шаги пошаговыи.*
作り方 手順 做法 步骤 步驟 制作方法 製作方法 만드는.?법 조리.?방법
"""
_INGREDIENTS = r"""
ihr.(?:braucht|benotigt).* strumenti materiais ferramentas o.que.(?:voce.)?(?:vai.)?precisa.* (?:dit|wat).heb.je.nodig.*
gereedschap\w* (?:det.har.)?du.behover.* du.(?:skal.bruge|trenger).*
ingredient\w* ingrediens\w* zutat\w* skladnik\w* hozzavalok malzemeler ингредиенты состав suroviny ainekset
ainesosat 材料 食材 재료 grocery.list shopping.list einkaufs(?:liste|zettel) liste.de.courses lista.de.(?:la.)?compras?
(?:what|things|everything|stuff).(?:you|i|we|to)\b(?!.(?:do|did)\b).* you.(?:will.)?need.* you.ll.(?:need|want).*
(?:you.)?require\w*
prerequisites? (?:das|was).(?:brauch(?:st|t|en)|wird|man|du|ihr|benotig\w*).* du.brauchst.* man.(?:nehme|braucht).*
benotigt\w*.* il.(?:vous.|te.)?faut.* ce.qu.il.* (?:lo.que.)?necesit\w+.* (?:cosa|che).(?:ti.)?serve.* occorrente
stuff equipment tools? materials? supplies utensils? hardware kitchen.tools gear parts.(?:list)? bill.of.materials
werkzeuge? materiali?e?n? materialliste ausrustung gerate kuchengerate voraussetzungen ustensiles? materiel outils?
fournitures utensilios materiales? herramientas? attrezzi benodigdheden
^(?:please.)?(?:bring|pack)(?:.with.you|.along)?$ to.bring.* packing.* packliste mitbringen mitzubringen
"""
_TIPS = r"""
bewaren (?:bewaar|variatie|serveer|servier)tipp?s? vinkkeja wskazowki porady
(?:pro.?)?tips? tipps? tricks? hints? notes? notizen? hinweis\w* anmerkung\w* variations? variant\w* variaciones
varianti abwandlung\w* substitut\w* swaps? stor(?:age|ing).* how.to.(?:store|serve|freeze|reheat|keep).*
aufbewahr\w* haltbarkeit lagerung conserv\w+ make.ahead.* freezing freezer.\w+ (?:can.i|to).freeze.* reheat\w*
leftovers?
serv(?:ing|e).(?:suggest\w*|ideas?|tips?|with|notes?) serviervorschla\w* dazu.passt\w* astuces? conseils? remarques?
notes?.de.l.auteur
suggestions? consejos? notas? trucos? sugerencias? consigli\w* dicas? note.e.* opmerking\w* troubleshooting
warnings? cautions? safety.* sicherheit\w* common.mistakes? pairings? good.to.know gut.zu.wissen wissenswertes
bon.a.savoir советы примечания コツ ポイント 小贴士 小貼士 optional
"""
_NUTRITION = r"""
nutrition\w* nahrwert\w* naehrwert\w* \w*nutricional\w* \w*nutriciona\w* nutrizional\w* voedingswaarde\w* calories
kalorien brennwert macros? valeurs? wartosci пищевая.* 栄養.* 营养.*
"""
_OTHER = r"""
(?:das.)?konnte.(?:dich|dir|sie|ihnen).* vous.aimerez.* a.lire.aussi tambien.(?:te|le).* potrebbe\w*.interessar\w*.*
ricette.correlate receitas.relacionadas veja.tambem reacties lees.ook gerelateerde.* veelgestelde.vragen
domande.frequenti (?:preguntas|perguntas).fre[cq]u\w+
comments commentaires? comentarios? kommentar\w* commenti reviews? ratings? bewertung\w* avis resenas? opiniones
^welcome$ ^willkommen$ ^bienvenue$ ^bienvenidos$
outro related.* you.(?:may|might).* more.(?:recipes|like|from).* (?:ahnliche|weitere|mehr).rezepte.* recettes.similaires
recetas.(?:relacionadas|similares) share teilen partager compartir about.* uber.(?:mich|uns|den|die|das).* authors?
autor newsletter subscribe follow.* (?:table.of.)?contents inhalt\w* sommaire indice credits? sources? quellen
references? further.reading licen[cs]e see.also links introduction intro einleitung einfuhrung vorwort
(?:the.|my.)?story history geschichte histoire historia ^background$ description beschreibung descripcion overview
uberblick summary zusammenfassung conclusion fazit
(?:\w+.)?(?:prep|preparation|cook|cooking|total|baking|resting|chill\w*).times? \w*zeit(?:en)? \w*tijd zeitaufwand
temps(?:.de.\w+)? tiempos?(?:.de.\w+)? tempo.di.\w+ at.a.glance auf.einen.blick ^serv(?:ings|es).* yields? ^portion\w*
^porciones ^raciones ^personen difficulty schwierigkeit\w* ^why.* ^what.is.* ^what.are.* ^warum.* ^pourquoi.* ^por.que.*
frequently.asked.* when.to.* faqs? questions?.* haufige.fragen.* videos? photos? pictures? gallery tags? categor\w+
keywords? schlagworter details? info(?:rmation\w*)? key.facts? steckbrief metadata acknowledge?ments? disclaimer
advertisement reader.interactions final.(?:result|thoughts|look|words|reveal)s? taste.test recap wrap.up
sponsor\w* contact kontakt impressum changelog version.* glossary agenda abstract
abbreviations? abkurzungen legend gauge homework assignments? hausaufgaben? log
costs? prices? fees? kosten ^care$ care.(?:instructions|labels?|guide) pflege(?:hinweise?|anleitung)? remember
next.(?:week|time|evening|meeting|lesson|session|class|up|steps?) what.s.next dont.forget ^where.next$
"""


def _phrases(words: str) -> re.Pattern[str]:
    """One pattern out of phrases, in which a full stop stands for the space between words."""
    phrases = (re.sub(r"\.(?![*?+])", " ?", phrase) for phrase in words.split())
    return re.compile("|".join(rf"\b(?:{phrase})(?!\w)" for phrase in phrases))


@cache
def _patterns() -> tuple[tuple[Part, re.Pattern[str]], ...]:
    """A pattern for each part, the more telling ones first; made at first use, because they take 50 ms."""
    return (
        ("nutrition", _phrases(_NUTRITION)),
        ("other", _phrases(_OTHER)),
        ("tips", _phrases(_TIPS)),
        ("ingredients", _phrases(_INGREDIENTS)),
        ("steps", _phrases(_STEPS)),
    )


_PLAIN_STEPS = re.compile(
    r"(?:methods?|directions?|instructions?|zubereitung|anleitung|preparation|elaboracion|preparacion|procedimi?ento|"
    r"instrucciones|preparazione|istruzioni|bereiding\w*|instructies|preparo|tillagning|przygotowanie)"
)
"""What recipes call their steps; `How to peel eggs` may be a chapter of the story around them."""
_BOTH = re.compile(r"\b(?:and|und|et|y|e|en|och|og)\b|[&+/]")
_IMPERATIVE = re.compile(
    r"(?:add|mix|combine|prepare|gather|measure|weigh|chop|put|place|take|blend|stir|cut|follow|read|repeat|check|use|"
    r"collect|get|delete|select|choose|click|assemble|remove|install|open|buy|wash|clean|cook|bake|fry|heat|preheat|pour|serve)\s+(?!time)\w"
)
_WHOLE_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d"})  # which Unicode does not take apart
_STEP_WORDS = (
    r"(?:steps?|stage|part|schritt|etape|étape|paso|passo|passaggio|stap|steg|trin|trinn|vaihe|krok|шаг|ステップ|步骤)"
)
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERED = re.compile(
    rf"^\W*(?:{_STEP_WORDS}\s*#?(?P<step>\d{{1,3}}|{'|'.join(_NUMBER_WORDS)}\b)(?:\s*(?:of|/|von|de|sur)\s*\d{{1,3}})?\s*[:.)\-–—|]*\s*"
    r"|[(\[]?(?P<number>\d{1,3})\s?(?:\.[-–)]|[.)\]:º°/-]|\s[-–—])[-–]?\s+"
    r"|(?P<roman>[IVX]{1,5})[.)]\s+(?=\S)"
    r"|(?P<circled>[①-⑳])\s*|(?P<keycap>\d)\ufe0f?\u20e3\s*)",
    re.IGNORECASE,
)
_ROMAN = {"I": 1, "V": 5, "X": 10}
_STEP_WORD = re.compile(rf"^{_STEP_WORDS}\s*[:.)–—-]\s+", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"^\W{0,2}(\d{1,3})[.):]?$")
_SUBPART = re.compile(
    r"^(?:for|to|für|fuer|zum|zur|pour|para|per|voor|til|do|на|для)\s+(?:the\s+|den\s+|die\s+|das\s+|la\s+|le\s+|l['’]"
    r"|les\s+|el\s+|los\s+|las\s+|il\s+|i\s+|gli\s+|de\s+|het\s+)?\w",
    re.IGNORECASE,
)
_STAGE = re.compile(
    r"^(?:final |zum )?(?:cooking|baking|assembl\w+|serving|to serve|finishing|frying|roasting|grilling|garnish\w*|"
    r"plating|decorat\w+|backen|kochen|braten|servieren|anrichten|fertigstellen|fullen|cuisson|montage|dressage|finition|service|"
    r"coccion|montaje|presentacion|emplatado|cottura|impiattamento)$"
)
_LABEL_WORDS = 5
_INLINE = re.compile(r"([^:.—–]{2,58}?)\s*(?::\s+|\.?\s?(?:--|[—–])\s?)(?=\S)")
_AROUND = re.compile(
    r"^(?:the|my|our|top|some|more|a few|few|useful|helpful|handy|other|easy|quick|full|recipe|cooking|baking|"
    r"step by step|die|das|la|le|les|las|los|el) "
    r"| (?:facts?|information|info|list|guide|per (?:serving|portion)|pro (?:portion|stuck)|notes|liste)$"
)


def part_of(heading: str) -> Part | None:
    """What a real heading announces, or None for a title or a name such as `Dough`."""
    text = _normal(heading)
    if _IMPERATIVE.match(text):
        return None
    found = [part for part, pattern in _patterns() if pattern.search(text)]
    if "steps" in found and _BOTH.search(heading.lower()):
        return "steps"
    return found[0] if found else None


def label_of(line: str, bold: bool = False, apart: bool = True) -> Part | None:
    """What a line that is no heading of its file format announces if it stands for one: `Method:`, `ZUTATEN`.

    A line of a list of titles, which does not stand apart from the next one, is a title and no label.
    """
    number = step_number(line)
    text = _normal(number[1] if number else line)
    if not text or len(text.split()) > _LABEL_WORDS or line.rstrip()[-1] in ".!?,;":
        return None
    marked = bold or line.rstrip().endswith((":", "：")) or line.isupper()
    if not marked and not apart:
        return None
    head = re.split(r"\b(?:for|fur|pour|para|per)\b", text)[0].strip() or text
    return part_of(line) if marked or names_a_part(text) or names_a_part(head) else None


def names_a_part(line: str) -> bool:
    """Whether the line is the name of a part and nothing else: `Parts`, but not `Sort the parts`."""
    text = _normal(line)
    return any(_covers(pattern, text) for _, pattern in _patterns())


def inline_label(line: str) -> tuple[str, str]:
    """The words before a colon or a long dash, and those after it, if they can be a heading and its text."""
    match = _INLINE.match(line)
    return (match[1], line[match.end() :]) if match else ("", line)


def _covers(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a phrase makes up the text, words such as `cooking` before and `facts` after it aside."""
    return bool(pattern.fullmatch(text) or pattern.fullmatch(_AROUND.sub("", text).strip()))


def step_number(text: str) -> tuple[int, str] | None:
    """The number and the words of `Step 3: stir`, `3. stir`, `③ stir`; the words may be missing (`Step 3`)."""
    bare = _BARE_NUMBER.match(text.strip())
    if bare:
        return int(bare[1]), ""
    match = _NUMBERED.match(text)
    if not match:
        return None
    number = match["step"] or match["number"] or match["keycap"]
    if number and number.isalpha():
        number = str(_NUMBER_WORDS.index(number.lower()) + 1)
    if match["roman"]:
        count = arabic(match["roman"])
    else:
        count = int(number) if number else ord(match["circled"]) - ord("①") + 1
    return count, _STEP_WORD.sub("", text[match.end() :]).strip()


def arabic(roman: str) -> int:
    """`IV` as 4."""
    digits = [_ROMAN[sign] for sign in roman.upper()]
    return sum(-one if after > one else one for one, after in zip(digits, [*digits[1:], 0], strict=True))


def without_step_word(text: str) -> str:
    """The words of a counted item without `Schritt:` in front, of which the number was taken: `1. Schritt: …`."""
    return _STEP_WORD.sub("", text)


def says_steps_plainly(heading: str) -> bool:
    """Whether the heading is the usual word for the steps of a recipe, such as `Instructions`."""
    return bool(_PLAIN_STEPS.fullmatch(_normal(heading)))


def is_stage(heading: str) -> bool:
    """Whether the heading names a stage of the work, such as `Baking`: never ingredients, and steps after steps."""
    return bool(_STAGE.match(_normal(heading)))


def is_subpart(heading: str) -> bool:
    """Whether the heading names a part of the dish (`For the sauce`) and so continues what was announced before."""
    if is_stage(heading):
        return True
    return len(heading.split()) <= _LABEL_WORDS and bool(_SUBPART.match(heading.strip()))


def _normal(heading: str) -> str:
    """Lower case, without accents, numbers, punctuation and what stands in brackets."""
    words = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", heading[:200])
    plain = unicodedata.normalize("NFKD", words.casefold().translate(_WHOLE_LETTERS))
    letters = (c if c.isalpha() else " " for c in plain if not unicodedata.combining(c))
    return " ".join("".join(letters).split())
