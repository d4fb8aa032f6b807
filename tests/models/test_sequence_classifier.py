import json
import threading

import numpy as np
import onnx
import pytest
from onnx import parser
from tokenizers import processors

from tests.models.onnx_models import make_tokenizer, write_model
from toulmin.errors import FailedPrecondition
from toulmin.models.hub import ModelFiles, find_model
from toulmin.models.sequence_classifier import SequenceClassifier

FACT = "The pump runs at three bar."
SUPPORTED = (FACT, "The pump runs.")


def load(folder):
    return SequenceClassifier(find_model(str(folder)))


def write_graph(folder, text, **options):
    """Write a model folder whose network is `text`, in ONNX's own notation."""
    write_model(folder, **options)
    onnx.save(parser.parse_model(text), str(folder / "onnx/model.onnx"))
    return folder


def graph(inputs, body, *, outputs="float[b, n] logits", opset='"" : 17'):
    return f"<ir_version: 8, opset_import: [{opset}]>\ng ({inputs}) => ({outputs}) {{\n{body}\n}}"


def test_logits_come_in_the_order_of_the_labels_first_text_is_the_premise(tmp_path):
    model = load(write_model(tmp_path))
    assert model.labels == ("entailment", "neutral", "contradiction")
    entailed, reversed_, denied = model.run(
        [SUPPORTED, SUPPORTED[::-1], (FACT, "The pump not runs at three bar.")]
    )
    assert entailed.argmax() == 0
    assert reversed_.argmax() == 1, "a fact is not entailed by a part of it"
    assert denied.argmax() == 2


@pytest.mark.parametrize(
    "options",
    [
        {"inputs": ("input_ids",)},
        {"inputs": ("input_ids", "attention_mask")},
        {"inputs": ("input_ids", "attention_mask", "token_type_ids", "position_ids")},
        {"kind": "int32"},
        {"external": True},
        {"network": "model.onnx"},
        {"output": "output_0"},
    ],
    ids=str,
)
def test_exports_that_differ_in_form_give_the_same_logits(tmp_path, options):
    plain = load(write_model(tmp_path / "plain")).run([SUPPORTED])
    other = load(write_model(tmp_path / "other", **options)).run([SUPPORTED])
    assert other.tolist() == plain.tolist()


def test_a_pairs_logits_do_not_depend_on_the_other_pairs_or_threads(tmp_path):
    model = load(write_model(tmp_path))
    pairs = [(FACT, "The pump runs at " + "long " * n) for n in range(12)]
    alone = [model.run([pair])[0].tolist() for pair in pairs]
    assert model.run(pairs).tolist() == alone
    results = {}

    def run(n):
        results[n] = model.run([pairs[n]])[0].tolist()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(pairs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[n] for n in range(len(pairs))] == alone


def shown_length(folder, first, second):
    """Return the number of tokens that the network of `folder` was given."""
    return int(load(folder).run([(first, second)])[0, 1])


def length_model(folder, **options):
    body = (
        "shape = Shape (input_ids)\n numbers = Cast <to = 1> (shape)\n"
        " logits = Unsqueeze (numbers, zero)"
    )
    text = graph("int64[b, t] input_ids", body).replace("{\n", "<int64[1] zero = {0}>\n{\n", 1)
    return write_graph(folder, text, labels=("no", "yes"), **options)


@pytest.mark.parametrize(
    ("config", "tokenizer_config", "expected"),
    [
        ({"max_position_embeddings": 64}, {"model_max_length": 48}, 48),
        ({"max_position_embeddings": 40}, {"model_max_length": 1e30}, 40),
        ({"max_position_embeddings": 66, "model_type": "roberta", "pad_token_id": 1}, {}, 64),
        ({"max_position_embeddings": None, "n_positions": 32}, {}, 512),
        ({"max_position_embeddings": None}, {"model_max_length": 80}, 80),
    ],
)
def test_the_longest_input_is_what_the_files_say(tmp_path, config, tokenizer_config, expected):
    folder = length_model(tmp_path, config=config, tokenizer_config=tokenizer_config)
    assert load(folder).max_tokens == expected
    assert shown_length(folder, "lake " * 1000, "the pump runs") == expected
    assert shown_length(folder, "lake", "pump") == 5, "and short ones are not padded"


def test_the_first_text_is_cut_before_the_second(tmp_path):
    model = load(write_model(tmp_path))
    cold = "the lake is deep. " * 40
    assert model.run([(FACT + cold, "The pump runs.")])[0].argmax() == 0
    assert model.run([(cold + FACT, "The pump runs.")])[0].argmax() == 1, "its end is cut"


@pytest.mark.parametrize("first", ["", "lake", "lake " * 500])
def test_a_second_text_that_is_too_long_leaves_room_for_the_first(tmp_path, first):
    folder = length_model(tmp_path)
    assert shown_length(folder, first, "pump " * 5000) <= 64
    if len(first) > 100:
        assert shown_length(folder, first, "pump " * 5000) == 64


def test_families_that_count_positions_from_the_padding_token_get_such_positions(tmp_path):
    body = "numbers = Cast <to = 1> (position_ids)\n logits = Slice (numbers, zero, two, one)"
    text = graph("int64[b, t] input_ids, int64[b, t] position_ids", body).replace(
        "{\n", "<int64[1] zero = {0}, int64[1] two = {2}, int64[1] one = {1}>\n{\n", 1
    )
    for model_type, expected in (("bert", [0, 1]), ("roberta", [2, 3])):
        config = {"model_type": model_type, "pad_token_id": 1, "max_position_embeddings": 66}
        folder = write_graph(tmp_path / model_type, text, labels=("a", "b"), config=config)
        assert load(folder).run([("lake", "pump")]).tolist() == [expected]


def test_the_tokenizers_own_template_joins_the_texts(tmp_path):
    folder = length_model(tmp_path)
    tokenizer = make_tokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    assert shown_length(folder, "lake", "pump") == 6


def test_a_model_without_names_for_its_labels_numbers_them(tmp_path):
    folder = write_model(tmp_path, labels=(), heads=("neither", "support"))
    assert load(folder).labels == ("LABEL_0", "LABEL_1")


def test_labels_that_are_not_the_networks_are_refused(tmp_path):
    folder = write_model(tmp_path, labels=("no", "yes"))
    with pytest.raises(FailedPrecondition, match=r"gives 3 logits a pair, but .* names 2 labels"):
        load(folder)


def test_questions_of_their_own_are_known_from_the_problem_type(tmp_path):
    config = {"problem_type": "multi_label_classification"}
    assert load(write_model(tmp_path, config=config)).is_multi_label


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            graph(
                "int64[b, t] input_ids, int64[b, t] decoder_input_ids",
                "x = Cast <to = 1> (input_ids)\n logits = Identity (x)",
            ),
            "input decoder_input_ids of type tensor(int64)",
        ),
        (
            graph("float[b, t] input_ids", "logits = Identity (input_ids)"),
            "input_ids of type tensor(float)",
        ),
        (
            graph(
                "int64[b, t] input_ids",
                "x = Cast <to = 1> (input_ids)\n length = Shape (x)\n"
                " shape = Concat <axis = 0> (length, length)\n logits = Expand (x, shape)",
                outputs="float[a, c, b, t] logits",
            ),
            "one row of logits for each pair is needed",
        ),
        (
            graph(
                "int64[b, t] input_ids",
                "a = Cast <to = 1> (input_ids)\n c = Identity (a)",
                outputs="float[b, t] a, float[b, t] c",
            ),
            "has the outputs a ['b', 't'], c ['b', 't']",
        ),
        (
            graph(
                "int64[b, t] input_ids",
                "logits = acme.Secret (input_ids)",
                opset='"" : 17, "acme" : 1',
            ),
            "acme:Secret",
        ),
    ],
)
def test_a_network_that_is_no_text_pair_classifier_is_refused(tmp_path, text, words):
    with pytest.raises(FailedPrecondition) as caught:
        load(write_graph(tmp_path, text))
    assert words in caught.value.message
    assert "model.onnx" in caught.value.message


def test_numbers_that_are_none_are_refused_instead_of_scored(tmp_path):
    body = "x = Cast <to = 1> (input_ids)\n y = Sub (x, x)\n z = Div (y, y)\n logits = Identity (z)"
    with pytest.raises(FailedPrecondition, match="nan"):
        load(write_graph(tmp_path, graph("int64[b, t] input_ids", body)))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("tokenizer.json", None, "save the model's fast tokenizer beside it"),
        ("tokenizer.json", b"{}", "is no tokenizer"),
        ("config.json", None, "cannot be read"),
        ("config.json", b"[1]", "is no JSON object"),
        ("config.json", b"\xff", "cannot be read"),
        ("onnx/model.onnx", b"not a network", "cannot run"),
    ],
)
def test_a_broken_or_missing_file_is_named(tmp_path, name, content, words):
    folder = write_model(tmp_path)
    network = folder / "onnx/model.onnx"
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(FailedPrecondition, match=words) as caught:
        SequenceClassifier(ModelFiles(folder, network, "test"))
    assert str(folder / name) in caught.value.message


def test_a_tokenizer_configuration_is_not_needed(tmp_path):
    folder = write_model(tmp_path)
    (folder / "tokenizer_config.json").unlink()
    assert load(folder).max_tokens == 64


def test_padding_and_truncation_saved_with_the_tokenizer_do_not_matter(tmp_path):
    saved = json.loads((length_model(tmp_path) / "tokenizer.json").read_text(encoding="utf-8"))
    assert saved["padding"]
    assert saved["truncation"]
    assert shown_length(tmp_path, "lake " * 20, "pump") == 24


def test_logits_are_double_precision_numbers(tmp_path):
    assert load(write_model(tmp_path)).run([SUPPORTED]).dtype == np.float64
