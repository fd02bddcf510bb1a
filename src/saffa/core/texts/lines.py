"""What a single line is by its wording: an ingredient, a tip, a fact about the recipe."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FRACTION = "½⅓⅔¼¾⅛⅜⅝⅞"
_AMOUNT = rf"(?:\d+(?:\s*[.,/⁄–-]\s*\d+)?\s*[{_FRACTION}]?|[{_FRACTION}])"
_UNIT = (
    r"(?:kg|g|gr|mg|ml|cl|dl|l|lt|oz|lbs?|tsp|tbsp|tbs|cups?|pints?|quarts?|gallons?|gills?|inch|cm|mm|m|el|tl|msp|prise|becher|bund|stk|"
    r"stück|cs|cc|c\.\s?à\s?\w|cuillères?|verres?|pincée|sachets?|gousses?|cucharad\w*|tazas?|pizca|dientes?|ud\.?|"
    r"vasos?|sticks?|cloves?|cans?|slices?|pinch(?:es)?|handful|packets?|pieces?|bunch|gramos|gramm|liter|litres?|grams?|"
    r"teaspoons?|tablespoons?|ounces?|pounds?)"
)
_STARTS_WITH_AMOUNT = re.compile(
    rf"^\W{{0,3}}(?:ca\.?|about|approx\.?|etwa|env\.?|environ|unos|unas|circa|~)?\s*"
    rf"(?:{_AMOUNT}\s*(?:x\s*)?|(?:an?|one|two|three|four|five|six|eight|ten|twelve|half|some|ein(?:e|en)?|zwei|drei|une?|deux|trois|una?|dos|tres|"
    rf"etwas|un peu|quelques)\s+(?:{_UNIT}\b|pinch|bit|handful|little|few|dash|knob|glass|prise|schuss|bund|poignée))",
    re.IGNORECASE,
)
_ENDS_WITH_AMOUNT = re.compile(
    rf"^[^.!?]{{2,60}}?\s*[:,–—(-]?\s*(?:ca\.?\s*)?{_AMOUNT}\s*{_UNIT}?\.?\)?$", re.IGNORECASE
)
_TO_TASTE = re.compile(
    r"\b(?:to taste|as needed|for (?:serving|garnish|frying|dusting)|nach (?:geschmack|belieben)|"
    r"zum (?:braten|bestreuen)|au goût|selon (?:le )?goût|al gusto|q\.?b\.?|optional)\W*$",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"^\W*\d+(?:\s*[-–]\s*\d+)?\s*(?:minutes?|mins?|hours?|days?|minuten|stunden|heures?|minutos|horas)\b.*\b\w+\W+\w+\W+\w+",
    re.IGNORECASE,
)
_ROW = re.compile(
    r"^\W*(?:r|rnds?|rows?|rounds?|rds?|reihen?|runden?|rangs?|tours?|vueltas?|giro|rij|toer)\.?\s?\d{1,3}\b.{0,20}:",
    re.IGNORECASE,
)
"""Rows of knitting and crochet, which end with a number of stitches: `Rnd 2: inc x6 (12)`."""
_TIP = re.compile(
    r"^\W*(?:(?:pro|chef['’]?s?|cook['’]?s?|baker['’]?s?|quick|extra|hot|kitchen|recipe|top)[\s-]*)?"
    r"(?:tips?|tipps?|hints?|notes?|n\.?\s?b\.?|p\.?\s?s\.?|warning|careful|attenzione|cuidado|atenção|bemerkung|obs|wskazówka|(?:bewaar|servier|variatie)tipp?|caution|important|achtung|vorsicht|wichtig|hinweise?|"
    r"anmerkung|variante?n?|variations?|astuces?|conseils?|remarques?|attention|consejos?|notas?|trucos?|sugerencias?|"
    r"consigli[oa]?|dicas?|let op|opmerking|serving suggestion|make ahead|storage|substitutions?|did you know|"
    r"edit|update)"
    r"(?:\s*(?:\d{1,2}|#\d{1,2})|\s(?:from|for|on|to|about|zu[rm]?|für|von|sur|pour|sobre|para|per|su)\s[^:.!?]{1,30}(?=:))?"
    r"\s*(?:[:：!]|\s[-–—]\s|\.\s)",
    re.IGNORECASE,
)
_FACT = re.compile(
    r"^\W*(?:(?:(?:prep|preparation|cook|cooking|total|active|bake|baking|rest|resting|chill|chilling|additional)\s*)"
    r"(?:time)|time|serves|servings?|yields?|makes|difficulty|level|course|cuisine|category|keywords?|tags?|author|source|"
    r"filed under|applies to|posted (?:in|by|on)|tagged(?: with)?|"
    r"by|date|published|updated|rating|cost|calories|kcal|energy|protein|fat|carb\w*|sugars?|fibre|fiber|sodium|salt "
    r"content|oven|temperature|\w*zeit|\w*tijd|portionen|für|schwierigkeit(?:sgrad)?|quelle|autor(?:in)?|personen|ergibt|menge|"
    r"kalorien|brennwert|eiweiß|fett|kohlenhydrate|"
    r"temps(?: \w+){0,2}|préparation|cuisson|repos|portions?|difficulté|coût|personnes|pour|tiempo(?: \w+){0,2}|"
    r"raciones|porciones|dificultad|personas|coste|difficoltà|dosi(?: per)?|costo|tempo(?: \w+){0,2}|"
    r"porzioni|dificuldade|rendimento|porções|moeilijkheid\w*|personen|comensales|"
    r"aantal personen|antal portioner|"
    r"tid|skill level|duration|dauer|durée|duración|durata|duur|time required|estimated time)"
    r"\s*(?:\([^()]{0,20}\)\s*)?(?:[:：=]\s*\S.{0,60}|--.{1,100})$",
    re.IGNORECASE,
)
_FACT_PHRASE = re.compile(
    r"^\W*(?:(?:prep|cook):\s*\d+\s*(?:min|h)\w*|ready in \d+ (?:min|h)\w*|"
    r"(?:tempo|temps|tiempo|preparazione|cottura|bereiding)(?: \w+){0,2}\W{1,3}\d+ (?:min|or|h)\w*|"
    r"(?:voor|per|dosi per) \d+ person[ei]n?|servings? \d+|"
    r"(?:\w+\s)?[\w/-]*(?:zeit|time|tijd)\W{1,3}(?:ca\.?|about|approx\.?)?\s*\d+\s*(?:min|std|stunde|h\b|hour|hr)\w*|"
    r"(?:serves|makes|yields|feeds)\s+(?:about\s+)?\d|für\s+\d+\s+(?:personen|portionen|stück)|"
    r"pour\s+\d+\s+personnes|para\s+\d+\s+personas|\d+\s*(?:servings|portionen|portions|personen|personnes|personas|kcal)\b)"
    r".{0,40}$",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"(?:^|\s)[#@]\w{3,}\W*$|\b(?:leave|drop|write) (?:me |us )?a (?:comment|review|rating)|"
    r"\b(?:subscribe|newsletter)\b|"
    r"^\W*(?:©|\(c\)\s|copyright\b|last (?:modified|updated?)\b|(?:any )?questions\?|you are visitor\b)|"
    r"^\W*if you (?:like|liked|enjoy|enjoyed)\b|^\W*\d+ (?:claps?|likes?|responses?|views?)\b|"
    r"^\W*(?:abonniert|abonnez-vous|suscríbete|iscriviti|inscreva-se|danke (?:für|fürs) )\b|"
    r"^\W*(?:advertisement|werbung|anzeige|publicité|publicidad|pubblicità|publicidade)\W*$|"
    r"^(?:https?://|www\.)\S+$|^(?:i made it|print(?: recipe)?|jump to recipe|pin recipe)$|"
    r"^\W*(?:please )?(?:like and subscribe|send (?:me |us )?(?:a |your )?(?:pictures?|photos?|pics?)|"
    r"follow (?:me|us)|tag (?:me|us)|share (?:this|your)|let me know)\b|"
    r"^\W*(?:enjoy|bon app[ée]tit|guten appetit|buen provecho|buon appetito|bom apetite|happy \w+ing|that[’']s it|"
    r"viel (?:spa(?:ß|ss)|erfolg)|gutes gelingen|bonne dégustation|a disfrutar|smacznego|"
    r"eet smakelijk|smaklig måltid|velbekomme|afiyet olsun|"
    r"lasst es euch schmecken|thanks? (?:you )?for \w+ing?)(?: (?:everyone|all|folks|it))?\W*$",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"^\W*(?:fig(?:ure)?|abb(?:ildung)?|photos?|pictures?|image|bild|fotos?|illustration|figura|tabelle|table)\.?\s*"
    r"(?:\d{1,3}[a-z]?)?\s*(?:[:.]|\s[–—-]|by)\s",
    re.IGNORECASE,
)
_TITLE_WORDS = 8
_LEAST_LINES = 3
_FIRST = re.compile(
    r"\W*(?:first(?:ly)?|1st|to (?:start|begin)|start by|zuerst|zunächst|als erstes|d[’']abord|tout d[’']abord|primero|"
    r"en primer lugar|per prima cosa|innanzitutto|prima di tutto)\b",
    re.IGNORECASE,
)
_INGREDIENT_WORDS = 14
_LEAST_LISTED = 3  # ingredients in a line
_NEEDED = re.compile(
    r"^[^.!?]{0,40}\b(?:(?:you(?:[’']ll| will)?|we|i) (?:need|used?|take)|(?:du|man) (?:brauchst|braucht|nehme|nimmt)|"
    r"ihr braucht|il (?:te |vous )?faut|necesitas|se necesitan?|servono|ti serve)\b:?\s+",
    re.IGNORECASE,
)
_INGREDIENT_LENGTH = 160


def is_ingredient(text: str) -> bool:
    """Whether the line gives an amount of something: `2 eggs`, `Mehl: 200 g`, `salt to taste`."""
    if len(text) > _INGREDIENT_LENGTH or len(text.split()) > _INGREDIENT_WORDS:
        return False
    if _LATER.match(text) or _ROW.match(text):
        return False
    ends = (_ENDS_WITH_AMOUNT.match(text) and not text.endswith((".", "!"))) or _TO_TASTE.search(text)
    return bool(_STARTS_WITH_AMOUNT.match(text) or ends)


def are_ingredients(texts: Sequence[str]) -> bool:
    """Whether a list is one of ingredients: half of it gives amounts, or a quarter and the rest are short names."""
    sure = sum(is_ingredient(text) for text in texts)
    names = sum(len(text.split()) <= 4 and not text.endswith((".", "!")) for text in texts if not is_ingredient(text))
    return sure >= 0.5 * len(texts) or (sure >= 0.25 * len(texts) and sure + names == len(texts))


def are_listed_ingredients(text: str) -> bool:
    """Whether the line lists ingredients between commas, as on an index card: `12 oz flour, 4 oz butter, 1 egg`."""
    things = re.split(r"[,;]\s+", _NEEDED.sub("", text).rstrip("."))
    return len(things) >= _LEAST_LISTED and are_ingredients(things) and sum(map(is_ingredient, things)) > 1


def is_tip(text: str) -> bool:
    """Whether the line says itself that it is a tip, a note or a variation."""
    return bool(_TIP.match(text[:80]))


def is_fact(text: str) -> bool:
    """Whether the line is a fact about the recipe, such as `Prep time: 10 min` or `Serves 4`."""
    return len(text) < 120 and bool(_FACT.match(text) or _FACT_PHRASE.match(text))


def is_caption(text: str) -> bool:
    """Whether the line stands below a picture: `Figure 2: The cover`, `Photo: Jane Doe`."""
    return len(text) < _INGREDIENT_LENGTH and bool(_CAPTION.match(text))


def is_talk(text: str) -> bool:
    """Whether the line speaks to the reader about something else than the work: `Enjoy!`, `Share this #cake`."""
    return len(text) < _INGREDIENT_LENGTH and bool(_TALK.search(text))


def is_sentence(text: str) -> bool:
    """Whether the line reads like a sentence of prose rather than a name or an amount."""
    return (
        len(text.split()) >= 3 and text.rstrip("\"'”’) ").endswith((".", "!", "。", "！")) and not is_ingredient(text)
    )


def is_title(text: str) -> bool:
    """Whether the line may be the name of the text above it: short, and without an end."""
    return len(text.split()) <= _TITLE_WORDS and (text[-1:].isalnum() or text.endswith(")"))
