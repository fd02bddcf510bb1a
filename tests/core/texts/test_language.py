"""Languages are told by their small words, and nothing is said where they are too few."""

import json
from pathlib import Path

import pytest

from saffa.core.texts.language import language_of

SENTENCES = [
    ("English", "Chop the onion and fry it in a little oil. Add the tomatoes and let them simmer for ten minutes."),
    ("English", "Turn the tap off, unscrew the old washer and put the new one in its place."),
    ("German", "Die Zwiebel fein hacken und in etwas Öl anbraten. Mit Salz und Pfeffer abschmecken."),
    ("German", "Den Hahn zudrehen, die alte Dichtung abschrauben und die neue einsetzen."),
    ("French", "Hachez l'oignon et faites-le revenir dans un peu d'huile. Ajoutez les tomates, laissez mijoter."),
    ("French", "Fermez le robinet, dévissez le vieux joint et mettez le nouveau à sa place."),
    ("Spanish", "Pica la cebolla y fríela en un poco de aceite. Añade los tomates y deja que se cocinen."),
    ("Spanish", "Cierra el grifo, desenrosca la junta vieja y pon la nueva en su lugar."),
    ("Italian", "Tritate la cipolla e fatela soffriggere in un po' di olio. Servite con il basilico."),
    ("Italian", "Montare i tuorli con lo zucchero e unire il mascarpone."),
    ("Portuguese", "Pique a cebola e refogue em um pouco de óleo. Junte os tomates e sirva com o pão."),
    ("Portuguese", "Feche a torneira e coloque a junta nova no lugar, até não se mexer."),
    ("Dutch", "Hak de ui fijn en bak hem in een beetje olie. Breng op smaak met zout."),
    ("Dutch", "Draai de kraan dicht en doe de nieuwe ring op zijn plaats met een sleutel."),
]
UNCLEAR = [
    "",
    "Whisk. Bake. Serve.",
    "Chili con carne con queso",
    "Crème de la crème",
    "Pasta al pesto, pollo al limone",
    "Die casting: pour, cool, eject",
    "混ぜて焼く。",
    "1 2 3 4 5",
]
SETS = (
    "youcook2_narrated/youcook2_narrated",
    *(f"narrated_other/{s}" for s in ("howto_chapters", "medvidqa_half", "pstuts")),
)


@pytest.mark.parametrize(("language", "text"), SENTENCES)
def test_real_sentences(language: str, text: str) -> None:
    assert language_of(text) == language
    assert language_of(text.upper()) == language


@pytest.mark.parametrize("text", UNCLEAR)
def test_too_little_to_tell(text: str) -> None:
    assert language_of(text) is None


def test_a_foreign_name_does_not_change_the_language() -> None:
    dish = "Pollo al limone con le olive. Heat the oil and fry the chicken until it is brown, then add the lemon."
    assert language_of(dish) == "English"


@pytest.mark.parametrize("name", SETS)
def test_no_false_alarm_in_english_recipes_and_what_is_said(shared_data: Path, name: str) -> None:
    """Not even by a single line of them."""
    file = shared_data / f"{name}.json"
    if not file.is_file():
        pytest.skip(f"{name} is not on this machine")
    videos = json.loads(file.read_text("utf-8"))["videos"].values()
    lines = [line for v in videos for line in (*v["document"], *(cue[2] for cue in v["cues"]))]
    assert len(lines) > 100
    assert [line for line in lines if language_of(line) not in (None, "English")] == []
    assert {language_of(" ".join(cue[2] for cue in v["cues"])) for v in videos} == {"English"}
