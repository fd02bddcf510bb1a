"""The language of a text, told by its small words: enough to see that two texts are in different ones."""

from __future__ import annotations

import re
from collections import Counter

_SMALL_WORDS = {
    "English": """the and a in on to of it is that this you your with for then until from into them if are be have will
        can or by when we they but not just what going there which their our so was no i'm it's we're don't you're""",
    "German": """der die das und den dem des ein eine einen einem einer mit für auf ist nicht sich auch dann bis aus von
        zu zum zur bei nach wie wir ich sie es er noch wird werden darin dabei oder alles lassen etwa dazu beim im ihr
        kann aber schon hier jetzt man habe haben sind""",
    "French": """le la les un une des du de et à au aux dans avec sur en pour est que qui pas ne vous nous je il elle
        jusqu puis ce cette ces votre on ou se laissez ajoutez mettez faites bien plus ça c'est""",
    "Spanish": """el la los las un una unos y en de del al con por para que es se lo su hasta como más muy no si cuando
        luego esta este sobre vamos pero o está ya nos les le también""",
    "Italian": """il lo la gli le un una e in di del della dei delle al alla con per che è si non nel nella sul fino poi
        come più anche quando sono i da dal questo questa ed ma ho abbiamo ci""",
    "Portuguese": """o a os as um uma e em de do da dos das no na nos nas ao com por para que é se não até como mais
        muito quando depois sua seu isso você vai ou mas também""",
    "Dutch": """de het een en van in op met voor is niet zich ook dan tot uit aan bij naar hoe we ik je ze er nog wordt
        worden erin of te om dat die maar alles laat toe goed kan deze doe ongeveer""",
}
_LANGUAGES = {
    word: tuple(name for name, small in _SMALL_WORDS.items() if word in small.split())
    for word in sorted({word for small in _SMALL_WORDS.values() for word in small.split()})
}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LONGEST = 50_000  # characters that are looked at: more would tell the same
_FEWEST = 3  # small words of its own that a language needs
_SHARE = 0.12  # of all words, which small words have at least in sentences of any of these languages
_LEAD = 1.6  # times as many as the next language


def language_of(text: str) -> str | None:
    """The English name of the language, or None if the text is too short or too mixed to tell."""
    words = [word.replace("’", "'") for word in _WORD.findall(text[:_LONGEST].lower())]
    told = dict.fromkeys(_SMALL_WORDS, 0.0)
    kinds: Counter[str] = Counter()
    hits = 0
    for word, count in Counter(words).items():
        names = _LANGUAGES.get(word, ())
        hits += count * bool(names)
        for name in names:
            told[name] += count / len(names)
            kinds[name] += 1  # "chili con carne con queso" has one kind of Spanish word
    best, second = sorted(told, key=lambda name: -told[name])[:2]
    clear = kinds[best] >= _FEWEST and hits >= _SHARE * len(words) and told[best] >= _LEAD * told[second]
    return best if clear else None
