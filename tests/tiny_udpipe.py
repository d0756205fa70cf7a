"""A UDPipe model trained on two sentences: it parses little, and badly, but it parses."""

from ufal import udpipe

SENTENCES = (
    "The/DET/2/det cat/NOUN/3/nsubj sleeps/VERB/0/root ./PUNCT/3/punct",
    "A/DET/2/det dog/NOUN/3/nsubj sees/VERB/0/root the/DET/5/det cat/NOUN/3/obj ./PUNCT/3/punct",
)


def treebank() -> str:
    lines = []
    for sentence in SENTENCES:
        for number, word in enumerate(sentence.split(), 1):
            form, tag, head, relation = word.split("/")
            space = "SpaceAfter=No" if form in ("sleeps", "cat") and relation != "nsubj" else "_"
            lines.append("\t".join([str(number), form, form.lower(), tag, "_", "_", head, relation, "_", space]))
        lines.append("")
    return "\n".join(lines) + "\n"


def train() -> bytes:
    """The model; `early_stopping` and all that takes time is off."""
    reader, error, sentences = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError(), udpipe.Sentences()
    reader.setText(treebank() * 5)
    while reader.nextSentence(sentence := udpipe.Sentence(), error):
        sentences.append(sentence)
    tokenizer = "dimension=16;epochs=1;batch_size=5;segment_size=20;early_stopping=0"
    tagger = "iterations=2;models=1"
    parser = (
        "iterations=2;hidden_layer=10;embedding_upostag=4;embedding_form=4;embedding_deprel=4;"
        "transition_system=projective;transition_oracle=dynamic"
    )
    model = udpipe.Trainer.train("morphodita_parsito", sentences, udpipe.Sentences(), tokenizer, tagger, parser, error)
    assert not error.occurred(), error.message
    return bytes(model)
