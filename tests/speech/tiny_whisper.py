"""A Whisper model of a few kilobytes in the real format of CTranslate2, made to say one line whatever it hears.

All layers are zero, so the vector of a position passes through them unchanged; it points to the token that is to come.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

WIDTH, CONTEXT, SOUND_CONTEXT, MELS = 128, 448, 1500, 80


def tiny_whisper(folder: Path, says: str, seconds: float) -> Path:
    """Write the model; it says the words from 0 to `seconds` of what it is given."""
    from ctranslate2.specs import WhisperSpec  # noqa: PLC0415

    folder.mkdir(parents=True)
    spoken = [f"Ġ{word}" for word in says.split()]
    tokenizer = _tokenizer(spoken)
    tokenizer.save(str(folder / "tokenizer.json"))
    words = [tokenizer.token_to_id(word) for word in spoken]
    stamp = tokenizer.token_to_id("<|0.00|>") or 0
    line = [stamp, *words, stamp + round(seconds / 0.02), tokenizer.token_to_id("<|endoftext|>")]
    size = tokenizer.get_vocab_size()
    vectors = np.random.default_rng(5).normal(size=(size, WIDTH)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    spec = WhisperSpec(1, 2, 1, 2)
    _fill(spec.encoder, spec.decoder)
    # A position of the line attends to its share of the sound, so that words get times.
    share = np.minimum(np.arange(SOUND_CONTEXT) * len(words) // round(seconds / 0.02), len(words) - 1)
    spec.encoder.position_encodings.encodings = vectors[np.array(words)[share]]
    attention = spec.decoder.layer[0].attention
    attention.linear[0].weight = np.eye(WIDTH, dtype=np.float32)
    attention.linear[1].weight = np.concatenate([np.eye(WIDTH), np.zeros((WIDTH, WIDTH))]).astype(np.float32)
    spec.decoder.embeddings.weight = vectors
    spec.decoder.projection.weight = 3 * vectors
    places = np.array([line[min(place, len(line) - 1)] for place in range(CONTEXT)])
    spec.decoder.position_encodings.encodings = 20 * vectors[places]
    spec.register_vocabulary([tokenizer.id_to_token(n) for n in range(size)])
    for name, value in {
        "suppress_ids": [],
        "suppress_ids_begin": [],
        "alignment_heads": [[0, 0]],
        "lang_ids": [],
    }.items():
        setattr(spec.config, name, value)
    spec.validate()
    spec.save(str(folder))
    (folder / "preprocessor_config.json").write_text(json.dumps({"feature_size": MELS}), "utf-8")
    return folder


def _tokenizer(spoken: list[str]) -> Tokenizer:
    """Every byte is a token, and so is each word of the line: a space alone is never said by Whisper."""
    known = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *dict.fromkeys(spoken)]
    tokenizer = Tokenizer(models.BPE({token: place for place, token in enumerate(known)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    names = ["endoftext", "startoftranscript", "en", "translate", "transcribe", "startoflm", "startofprev", "nospeech"]
    times = [f"<|{n * 0.02:.2f}|>" for n in range(1501)]
    tokenizer.add_special_tokens([*(f"<|{name}|>" for name in names), "<|notimestamps|>", *times])
    return tokenizer


def _fill(encoder: Any, decoder: Any) -> None:
    """Zeros everywhere, ones for the scales of layer norms."""
    width = WIDTH
    _linear(encoder.conv1, (width, MELS, 3))
    _linear(encoder.conv2, (width, width, 3))
    for part in (encoder, decoder):
        _norm(part.layer_norm)
        for layer in part.layer:
            for attention in (layer.self_attention, getattr(layer, "attention", None)):
                if attention is not None:
                    _norm(attention.layer_norm)
                    shapes = (3, 1) if len(attention.linear) == 2 else (1, 2, 1)
                    for linear, times in zip(attention.linear, shapes, strict=True):
                        _linear(linear, (times * width, width))
            _norm(layer.ffn.layer_norm)
            _linear(layer.ffn.linear_0, (4 * width, width))
            _linear(layer.ffn.linear_1, (width, 4 * width))


def _linear(spec: Any, shape: tuple[int, ...]) -> None:
    spec.weight, spec.bias = np.zeros(shape, np.float32), np.zeros(shape[0], np.float32)


def _norm(spec: Any) -> None:
    spec.gamma, spec.beta = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)
