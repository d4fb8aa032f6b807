"""Small text-pair classifiers, made on the spot in the form that exporters write.

The network compares every token of the second text with every token of the first, as attention
does, and a linear head turns the share found, and whether only one of the texts has "not", into
logits. So its verdicts can be told in advance.
"""

import json

import numpy as np
import onnx
from onnx import numpy_helper, parser
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

SENTENCES = """
the pump runs at three bar . it was not sold , opened in a lake made of deep cold steel | title :
river is long one two four five six seven eight nine ten
"""
WORDS = list(dict.fromkeys(SENTENCES.split()))
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
NOT = len(SPECIAL) + WORDS.index("not")
HEADS = {"support": (12.0, -16.0, -9.0), "contradiction": (16.0, 16.0, -24.0), "neither": (0, 0, 0)}

GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
classifier ({inputs}) => (float[batch, labels] {output})
<int64[1] sep = {{3}}, int64[1] unknown = {{1}}, int64[1] no = {{{no}}}, int64[1] last = {{2}},
 int64[1] second = {{1}}, float[1] none = {{0.0}}, int64 axis = {{1}}>
{{
  ids = Cast <to = 7> (input_ids)
  is_sep = Equal (ids, sep)
  sep_number = Cast <to = 1> (is_sep)
  part = CumSum <exclusive = 1> (sep_number, axis)
  in_first = Equal (part, none)
  in_rest = Not (in_first)
  is_word = Not (is_sep)
  in_second = And (in_rest, is_word)
  first_weight = Cast <to = 1> (in_first)
  second_weight = Cast <to = 1> (in_second)
  is_unknown = Equal (ids, unknown)
  is_known = Not (is_unknown)
  known = Cast <to = 1> (is_known)
  rows = Unsqueeze (ids, last)
  columns = Unsqueeze (ids, second)
  same = Equal (rows, columns)
  alike = Cast <to = 1> (same)
  first_columns = Unsqueeze (first_weight, second)
  seen = Mul (alike, first_columns)
  best = ReduceMax <axes = [2], keepdims = 0> (seen)
  found = Mul (best, known)
  counted = Mul (found, second_weight)
  hits = ReduceSum (counted, second)
  words = ReduceSum (second_weight, second)
  share = Div (hits, words)
  is_not = Equal (ids, no)
  nots = Cast <to = 1> (is_not)
  first_nots = Mul (nots, first_weight)
  second_nots = Mul (nots, second_weight)
  first_not = ReduceMax <axes = [1], keepdims = 1> (first_nots)
  second_not = ReduceMax <axes = [1], keepdims = 1> (second_nots)
  gap = Sub (first_not, second_not)
  differ = Abs (gap)
  zero = Mul (differ, none)
  constant = Exp (zero)
  features = Concat <axis = 1> (share, differ, constant)
  {output} = MatMul (features, head)
}}
"""


def write_model(  # one keyword for each way in which exports differ
    folder,
    labels=("entailment", "neutral", "contradiction"),
    *,
    heads=("support", "neither", "contradiction"),
    network="onnx/model.onnx",
    inputs=("input_ids", "attention_mask", "token_type_ids"),
    kind="int64",
    output="logits",
    external=False,
    config=None,
    tokenizer_config=None,
):
    """Write a model folder; return it."""
    named = ", ".join(f"{kind}[batch, tokens] {name}" for name in inputs)
    model = parser.parse_model(GRAPH.format(inputs=named, output=output, no=NOT))
    head = np.array([HEADS[name] for name in heads], np.float32).T
    model.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(head), "head"))
    onnx.checker.check_model(model)
    path = folder / network
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(
        model,
        str(path),
        save_as_external_data=external,
        location=f"{path.name}_data",
        size_threshold=0,
    )
    stated = {"id2label": {str(i): name for i, name in enumerate(labels)}} if labels else {}
    stated |= {"model_type": "bert", "max_position_embeddings": 64} | (config or {})
    (folder / "config.json").write_text(json.dumps(stated), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 64} if tokenizer_config is None else tokenizer_config),
        encoding="utf-8",
    )
    make_tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def make_tokenizer():
    vocabulary = {word: index for index, word in enumerate([*SPECIAL, *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    # As many are saved: with padding and truncation of their own, which must not matter.
    tokenizer.enable_padding(length=40)
    tokenizer.enable_truncation(8)
    return tokenizer
