"""Debiased models saved and opened again by the libraries themselves, and bias tests while a model is trained."""

import csv
import json
import shlex
import shutil

import numpy as np
import pytest
from refusals import refuses

from imprint.association.seat import seat
from imprint.association.weat import find_test
from imprint.debiasing.debiaser import debiaser
from imprint.debiasing.sentences import FittingGroups, RememberingEncoder, gender_groups, label_texts
from imprint.debiasing.transform import Card, LinearTransform
from imprint.encoders.onnx import OnnxEncoder
from imprint.encoders.sentence_transformers import SentenceTransformersEncoder
from imprint.encoders.transformers import TransformersEncoder
from imprint.errors import EncoderError, SettingError
from imprint.evaluation.debiased_encoder import seat_texts
from imprint.subjects.opening import open_encoder

TEXTS = ["A cat sits on the mat.", "Emily works in the city.", "John is here.", "The court raised interest rates."]


@pytest.fixture(scope="module")
def groups():
    whole = gender_groups()
    return FittingGroups(
        tuple(one.subset(one.words[: len(whole.pairs) + 60]) for one in whole.fitted),
        tuple(one.subset(one.words[:15]) for one in whole.held_out),
        whole.pairs,
    )


def any_map(encoder):
    """Return a map that turns, stretches and shifts, so that a forgotten bias or a transposed matrix is seen."""
    size = encoder.encode(["a"]).shape[1]
    generator = np.random.default_rng(1)
    matrix = np.eye(size) + 0.1 * generator.normal(size=(size, size))
    return LinearTransform(
        "any", Card(encoder.name, encoder.identity, (), (), ()), matrix, generator.normal(size=size)
    )


def plain(folder, texts):
    """Return vectors by sentence-transformers alone."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", trust_remote_code=False, local_files_only=True)
    return model, model.encode(texts, convert_to_numpy=True, show_progress_bar=False)


def test_means_of_the_real_minilm_become_equal_and_the_library_opens_the_folder(minilm, groups, tmp_path):
    encoder = RememberingEncoder(SentenceTransformersEncoder(minilm))
    labelled = label_texts(encoder, groups)
    fitted = list(encoder._known)  # the sentences fitted on, in order
    transform = debiaser("leace").fit_rows(labelled)
    debiased = transform.apply(encoder.base)
    assert debiased.save(tmp_path / "out") == "sentence-transformers folder"

    texts, _, _ = seat_texts(groups.held_out)
    model, rows = plain(tmp_path / "out", texts)
    np.testing.assert_allclose(rows, debiased.encode(texts), atol=1e-5)
    last = list(model)[-1]
    assert type(last).__module__.startswith("sentence_transformers")
    assert (type(last).__name__, type(last.activation_function).__name__) == ("Dense", "Identity")

    def apart(rows):
        means = (rows[labelled.labels == group].mean(axis=0) for group in (0, 1))
        return np.linalg.norm(np.subtract(*means))

    assert len(fitted) == len(labelled.rows)
    assert apart(labelled.rows) > 0.05
    assert apart(transform(labelled.rows)) < 1e-6
    assert apart(plain(tmp_path / "out", fitted)[1]) < 1e-4  # in single precision


def test_our_own_adapter_opens_the_folder_too_and_it_has_a_hash_of_its_own(minilm, tmp_path):
    encoder = SentenceTransformersEncoder(minilm)
    debiased = any_map(encoder).apply(encoder)
    debiased.save(tmp_path / "out")
    again = open_encoder(tmp_path / "out")
    np.testing.assert_allclose(again.encode(TEXTS), debiased.encode(TEXTS), atol=1e-5)
    assert again.sha256 != encoder.sha256


def test_a_map_behind_a_map_is_written_as_one(minilm, tmp_path):
    encoder = SentenceTransformersEncoder(minilm)
    once = any_map(encoder).apply(encoder)
    twice = any_map(once).apply(once)
    twice.save(tmp_path / "out")
    assert len(json.loads((tmp_path / "out" / "modules.json").read_text())) == 4
    _, rows = plain(tmp_path / "out", TEXTS)
    np.testing.assert_allclose(rows, twice.encode(TEXTS), atol=1e-4)


def test_only_known_files_are_copied_and_the_licence_is(minilm, tmp_path):
    source = shutil.copytree(minilm, tmp_path / "model")
    unknown = ("program.py", "pytorch_model.bin", "evil.model", "evil.json", "vocab.pkl", ".token.json", "LICENSE.py")
    for name in (*unknown, "LICENSE", "NOTICE.txt", "1_Pooling/evil.txt"):
        (source / name).write_text("raise SystemExit")
    (source / "onnx").mkdir()
    (source / "onnx" / "model.onnx").write_text("")
    (tmp_path / "secret").write_text("secret")
    (source / "notes.txt").symlink_to(tmp_path / "secret")
    encoder = SentenceTransformersEncoder(source)
    any_map(encoder).apply(encoder).save(tmp_path / "out")
    assert {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")} == {
        *("README.md", "NOTICE.txt", "config.json", "config_sentence_transformers.json", "modules.json"),
        *("sentence_bert_config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json"),
        *("vocab.txt", "model.safetensors", "debias.safetensors", "1_Pooling/config.json"),
        *("3_Dense/config.json", "3_Dense/model.safetensors"),
    }
    assert (tmp_path / "out" / "LICENSE").is_file()


@pytest.mark.parametrize("name", ["LICENSE", "1_Pooling/config.json"])
def test_a_link_out_of_the_models_folder_is_refused(assembled, tmp_path, name):
    source = assembled()
    content = (source / name).read_bytes() if (source / name).exists() else b"secret"
    (source / name).unlink(missing_ok=True)
    (tmp_path / "elsewhere").write_bytes(content)
    (source / name).symlink_to(tmp_path / "elsewhere")
    encoder = SentenceTransformersEncoder(source)
    with refuses(EncoderError, where=source / name):
        any_map(encoder).apply(encoder).save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_weights_in_parts_are_copied_out_of_the_hugging_face_cache(assembled, tmp_path):
    from transformers import BertModel

    whole = assembled()
    BertModel.from_pretrained(whole).save_pretrained(tmp_path / "parts", max_shard_size="5KB")
    repository = tmp_path / "hub" / "models--org--name"
    snapshot = repository / "snapshots" / ("0" * 40)
    (repository / "blobs").mkdir(parents=True)
    (whole / "model.safetensors").unlink()
    given = [path for folder in (whole, tmp_path / "parts") for path in folder.rglob("*") if path.is_file()]
    for number, path in enumerate(given):
        place = snapshot / path.relative_to(whole if path.is_relative_to(whole) else tmp_path / "parts")
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            shutil.copyfile(path, repository / "blobs" / str(number))
            place.symlink_to(repository / "blobs" / str(number))
    encoder = SentenceTransformersEncoder(snapshot)
    debiased = any_map(encoder).apply(encoder)
    debiased.save(tmp_path / "out")
    assert len(list((tmp_path / "out").glob("model-*.safetensors"))) > 1
    assert not any(path.is_symlink() for path in (tmp_path / "out").rglob("*"))
    _, rows = plain(tmp_path / "out", TEXTS)
    np.testing.assert_allclose(rows, debiased.encode(TEXTS), atol=1e-4)


PROMPTS = {"query": "the dog is there ", "document": "", "prefix": "this "}


@pytest.mark.parametrize(
    ("made", "options"),
    [
        (None, {"prefix": "a cat is "}),  # no file of settings
        ({}, {"prefix": "a cat is "}),
        ({"prompts": PROMPTS, "default_prompt_name": "query"}, {"prefix": "a cat is "}),
        ({"prompts": PROMPTS, "default_prompt_name": "query"}, {"prompt_name": "document"}),
        ({"prompts": PROMPTS}, {"prompt_name": "query"}),
        ({"prompts": PROMPTS}, {}),
        ({"prompts": PROMPTS, "default_prompt_name": "query"}, {}),
    ],
)
def test_the_library_uses_the_prompt_or_prefix_that_the_encoder_was_opened_with(assembled, tmp_path, made, options):
    folder = assembled(**(made or {}))
    if made is None:
        (folder / "config_sentence_transformers.json").unlink()
    encoder = SentenceTransformersEncoder(folder, **options)
    debiased = any_map(encoder).apply(encoder)
    debiased.save(tmp_path / "out")
    model, rows = plain(tmp_path / "out", TEXTS)
    np.testing.assert_allclose(rows, debiased.encode(TEXTS), atol=1e-5)
    assert (made or {}).get("prompts", {}).items() <= model.prompts.items()


def test_vectors_that_were_compared_by_products_are_compared_by_cosines(assembled, tmp_path):
    folder = assembled(similarity_fn_name="dot")
    encoder = SentenceTransformersEncoder(folder)
    any_map(encoder).apply(encoder).save(tmp_path / "out")
    assert plain(folder, TEXTS)[0].similarity_fn_name == "dot"
    assert plain(tmp_path / "out", TEXTS)[0].similarity_fn_name == "cosine"


FRONT = "---\nlicense: mit\n---\n"


@pytest.mark.parametrize(
    ("front", "body"), [(FRONT, "# Title\n\n---\n"), ("", "# Title\n\n---\n"), ("", "---\nno end"), ("", None)]
)
def test_the_readme_says_at_its_top_that_the_model_was_altered(assembled, tmp_path, front, body):
    folder = assembled()
    if body is None:
        (folder / "README.md").unlink()
    else:
        (folder / "README.md").write_text(front + body)
    encoder = SentenceTransformersEncoder(folder)
    debiased = any_map(encoder).apply(encoder)
    debiased.save(tmp_path / "out")
    text = (tmp_path / "out" / "README.md").read_text()
    assert text.startswith(front)
    assert text.endswith(body or "")
    note = text.removeprefix(front).removesuffix(body or "").strip().splitlines()
    assert [line[:2] for line in note] == ["> "] * 3
    assert debiased.name in note[1]


def test_the_dense_module_gets_a_folder_and_a_name_that_are_free(assembled, tmp_path):
    folder = assembled()
    listed = json.loads((folder / "modules.json").read_text())
    (folder / listed[2]["path"]).rename(folder / "3_Dense")
    listed[2] |= {"path": "3_Dense", "name": "4"}
    (folder / "modules.json").write_text(json.dumps(listed))
    encoder = SentenceTransformersEncoder(folder)
    debiased = any_map(encoder).apply(encoder)
    debiased.save(tmp_path / "out")
    model, rows = plain(tmp_path / "out", TEXTS)
    assert len(model) == 4
    np.testing.assert_allclose(rows, debiased.encode(TEXTS), atol=1e-5)


def test_a_transformers_folder_becomes_the_matrix_alone(tiny, tmp_path):
    encoder = TransformersEncoder(tiny("bert"))
    assert any_map(encoder).apply(encoder).save(tmp_path / "out") is None
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["debias.safetensors"]


@pytest.fixture
def quantised(minilm, minilm_onnx):
    return OnnxEncoder(minilm_onnx, tokenizer=minilm / "tokenizer.json")


def test_an_onnx_file_is_written_with_the_map_and_its_tokenizer(quantised, tmp_path):
    debiased = any_map(quantised).apply(quantised)
    assert debiased.save(tmp_path / "out") == "ONNX file"
    again = open_encoder(tmp_path / "out" / "model.onnx")
    np.testing.assert_allclose(again.encode(TEXTS), debiased.encode(TEXTS), atol=1e-5)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "model.onnx",
        "tokenizer.json",
        "debias.safetensors",
    }


def test_the_graph_runs_in_onnxruntime_without_our_code(quantised, tmp_path):
    import onnxruntime
    from tokenizers import Tokenizer

    debiased = any_map(quantised).apply(quantised)
    debiased.save(tmp_path / "out")
    session = onnxruntime.InferenceSession(str(tmp_path / "out" / "model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    tokenizer.no_padding()
    tokens = tokenizer.encode(TEXTS[0])
    columns = {"input_ids": tokens.ids, "attention_mask": tokens.attention_mask, "token_type_ids": tokens.type_ids}
    feed = {entry.name: np.array([columns[entry.name]], dtype=np.int64) for entry in session.get_inputs()}
    (output,) = session.run([session.get_outputs()[0].name], feed)
    row = output[0].mean(axis=0) if output.ndim == 3 else output[0]
    np.testing.assert_allclose(row, debiased.encode(TEXTS[:1])[0], atol=1e-5)


def test_a_debiased_onnx_file_can_be_debiased_again(quantised, tmp_path):
    """Twice more: names must not repeat those of any map before."""
    last = quantised
    for number in range(3):
        debiased = any_map(last).apply(last)
        debiased.save(tmp_path / str(number))
        last = OnnxEncoder(tmp_path / str(number) / "model.onnx")
        np.testing.assert_allclose(last.encode(TEXTS), debiased.encode(TEXTS), atol=1e-4)


def test_an_onnx_file_says_with_which_options_it_opens(minilm, minilm_onnx, tmp_path):
    words = minilm / "tokenizer.json"
    tokens = OnnxEncoder(minilm_onnx, tokenizer=words).settings["pooling"] == "mean"
    options = {"pooling": "cls", "prefix": "query: "} if tokens else {"prefix": "query: "}
    encoder = OnnxEncoder(minilm_onnx, tokenizer=words, **options)
    made = any_map(encoder).apply(encoder).save(tmp_path / "out")
    found = shlex.split(made[made.index("--") :].rstrip(")"))
    assert found == [part for name, value in options.items() for part in (f"--{name}", value)]


def test_the_maximum_of_tokens_cannot_be_mapped_afterwards(minilm, minilm_onnx, tmp_path):
    encoder = OnnxEncoder(minilm_onnx, tokenizer=minilm / "tokenizer.json", pooling="max")
    assert any_map(encoder).apply(encoder).save(tmp_path / "out") is None


def test_an_evaluator_returns_what_the_tests_say_and_appends_to_a_csv_file(minilm, tmp_path):
    from sentence_transformers import SentenceTransformer

    from imprint.integrations.sentence_transformers import BiasEvaluator

    model = SentenceTransformer(str(minilm), device="cpu")
    evaluator = BiasEvaluator(["caliskan-6", "caliskan-7"])
    metrics = evaluator(model, str(tmp_path / "logs"), epoch=1, steps=20)
    evaluator(model, str(tmp_path / "logs"), epoch=2, steps=40)
    assert set(metrics) == {
        *(f"bias_caliskan-{test}_{what}" for test in (6, 7) for what in ("size", "d")),
        "bias_negative_mean_absolute_size",
    }
    assert evaluator.primary_metric == "bias_negative_mean_absolute_size"
    expected = seat(SentenceTransformersEncoder(minilm), "caliskan-6", context="framed")
    assert metrics["bias_caliskan-6_d"] == pytest.approx(expected.effect_size, abs=1e-4)
    assert metrics["bias_caliskan-6_size"] == pytest.approx(expected.size, abs=1e-4)
    with (tmp_path / "logs" / evaluator.csv_file).open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(line["epoch"], line["steps"]) for line in lines] == [("1", "20"), ("2", "40")]
    assert float(lines[0]["caliskan-6_d"]) == metrics["bias_caliskan-6_d"]


def test_a_trainer_logs_the_tests_while_it_trains(minilm, tmp_path):
    """The real trainer: three steps that pull men's names towards work, seen in what it logs."""
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    from imprint.integrations.sentence_transformers import BiasEvaluator

    test = find_test("caliskan-6")
    pairs = {
        "anchor": [*test.x.words, *test.y.words],
        "positive": [*test.a.words[: len(test.x)], *test.b.words[: len(test.y)]],
    }
    model = SentenceTransformer(str(minilm), device="cpu")
    trainer = SentenceTransformerTrainer(
        model=model,
        args=SentenceTransformerTrainingArguments(
            output_dir=str(tmp_path),
            max_steps=3,
            learning_rate=2e-4,
            per_device_train_batch_size=16,
            eval_strategy="steps",
            eval_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            seed=0,
        ),
        train_dataset=Dataset.from_dict(pairs),
        loss=MultipleNegativesRankingLoss(model),
        evaluator=BiasEvaluator(["caliskan-6"]),
    )
    trainer.train()
    logged = [line["eval_bias_caliskan-6_size"] for line in trainer.state.log_history if "eval_runtime" in line]
    before = seat(SentenceTransformersEncoder(minilm), "caliskan-6", context="framed").size
    assert len(logged) == 3
    assert logged[-1] > logged[0]
    assert logged[-1] > before


def test_an_evaluator_without_tests_is_refused():
    from imprint.integrations.sentence_transformers import BiasEvaluator

    for wrong in ((), "caliskan-6"):
        with pytest.raises(SettingError) as caught:
            BiasEvaluator(wrong)
        assert caught.value.option == "tests"


@pytest.mark.parametrize("weight", [0.0, float("nan")])
def test_a_collapsed_model_is_logged_as_nan_and_training_goes_on(minilm, tmp_path, weight):
    import torch
    from sentence_transformers import SentenceTransformer

    from imprint.integrations.sentence_transformers import BiasEvaluator

    model = SentenceTransformer(str(minilm), device="cpu")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(weight)
    evaluator = BiasEvaluator(["caliskan-6"])
    with pytest.warns(UserWarning, match="NaN"):
        metrics = evaluator(model, str(tmp_path), epoch=1, steps=20)
    assert len(metrics) == 3
    assert np.isnan(list(metrics.values())).all()
    with (tmp_path / evaluator.csv_file).open(newline="") as file:
        assert [line["caliskan-6_d"] for line in csv.DictReader(file)] == ["nan"]


@pytest.mark.parametrize("value", [1.0, 0.0, float("nan")])
def test_any_object_that_gives_one_vector_for_everything_is_logged_as_nan(value):
    from imprint.integrations.sentence_transformers import BiasEvaluator

    class Constant:
        def encode(self, texts, **_):
            return np.full((len(texts), 4), value)

    evaluator = BiasEvaluator(["caliskan-6"], write_csv=False)
    evaluator.store_metrics_in_model_card_data = lambda *_: None
    with pytest.warns(UserWarning, match="NaN"):
        assert np.isnan(list(evaluator(Constant()).values())).all()


def test_a_test_without_vectors_is_nan_and_the_others_are_logged():
    from imprint.integrations.sentence_transformers import BiasEvaluator

    dead = set(find_test("caliskan-7").x.words)

    class Partly:
        def encode(self, texts, **_):
            vectors = (np.random.default_rng([*text.encode()]).normal(size=4) for text in texts)
            return [
                vector * (not dead & {*text.rstrip(".").split()}) for text, vector in zip(texts, vectors, strict=True)
            ]

    evaluator = BiasEvaluator(["caliskan-7", "caliskan-6"], write_csv=False)
    evaluator.store_metrics_in_model_card_data = lambda *_: None
    with pytest.warns(UserWarning, match="NaN"):
        metrics = evaluator(Partly())
    assert np.isnan(metrics["bias_caliskan-7_d"])
    assert np.isfinite(metrics["bias_caliskan-6_d"])
